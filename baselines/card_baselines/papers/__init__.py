"""Reproductions of published papers, each in a folder of its own behind `protocol.Paper`."""

from __future__ import annotations

from typing import Any

from card_envs.locations import load_object

PAPERS = {
    "charlesworth2018": "card_baselines.papers.charlesworth2018.paper:PAPER",
    "kaminsky2020": "card_baselines.papers.kaminsky2020.paper:PAPER",
    "maitrepierre2008": "card_baselines.papers.maitrepierre2008.paper:PAPER",
    "shi2022": "card_baselines.papers.shi2022.paper:PAPER",
    "zheng2022": "card_baselines.papers.zheng2022.paper:PAPER",
}
"""Name -> "module:PAPER", which is imported when it is needed."""


def find_paper(name: str) -> Any:
    """Return the `protocol.Paper` of that name; raise KeyError if it is not in `PAPERS`."""
    return load_object(PAPERS[name])
