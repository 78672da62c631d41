"""Published papers, each a folder of its own: networks, learner, training and tables behind `protocol.Paper`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from card_envs.locations import load_object

PAPERS = {
    "charlesworth2018": "card_baselines.papers.charlesworth2018.paper:PAPER",
    "kaminsky2020": "card_baselines.papers.kaminsky2020.paper:PAPER",
    "maitrepierre2008": "card_baselines.papers.maitrepierre2008.paper:PAPER",
    "shi2022": "card_baselines.papers.shi2022.paper:PAPER",
    "zheng2022": "card_baselines.papers.zheng2022.paper:PAPER",
}
"""Name -> "module:PAPER", imported when asked for."""

PRESETS = {"self_play_ppo": {"charlesworth2018": "card_baselines.papers.charlesworth2018.preset:PRESET"}}
"""Algorithm -> names of settings that come from papers -> "module:NAME" of a dictionary."""


def find_paper(name: str) -> Any:
    """Return the `protocol.Paper` of that name; raises KeyError for one that is not in `PAPERS`."""
    return load_object(PAPERS[name])


def presets_of(algorithm: str) -> dict[str, Mapping[str, Any]]:
    """Return the settings of an algorithm that come from papers, by name."""
    return {name: load_object(location) for name, location in PRESETS.get(algorithm, {}).items()}
