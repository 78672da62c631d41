"""Charlesworth (2018) as a `Paper`: its figure as a table, and verdicts on its claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from card_baselines.papers import protocol
from card_baselines.papers.claims import format_gain
from card_baselines.papers.printed import read_paper
from card_baselines.papers.protocol import Paper
from card_baselines.text_table import Columns

FILE = read_paper(__file__)
RANDOM, EARLIER = FILE.rows
UNTRAINED = "untrained"
"""Row of the control: a network before its training, against random players."""


@dataclass(frozen=True, kw_only=True)
class Scale(protocol.Scale):
    """Amount of training and play."""

    seeds: int
    hands: int
    """Games of a match."""
    changes: dict[str, Any] = field(default_factory=dict)
    """Settings of the preset that are not the paper's."""


def judge(result: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the verdict on the claim of a row, with an interval over runs; the control row has none."""
    if result["row"] not in FILE.claims:
        return {"verdict": ""}
    claim = FILE.claims[result["row"]].with_runs(_find_runs(results, result["row"], result["opponent"]))
    control = FILE.claims[RANDOM].with_runs(_find_runs(results, UNTRAINED, result["opponent"]))
    return {"verdict": claim.with_control({"ci95": control.ci95}).verdict}


def _find_runs(results: Sequence[Mapping[str, Any]], row: str, opponent: str) -> list[float]:
    return [result["mean"] for result in results if (result["row"], result["opponent"]) == (row, opponent)]


_COLUMNS: Columns = {
    "one": lambda r: "untrained" if r["row"] == UNTRAINED else "trained",
    "against three": lambda r: r["opponent"],
    "seed": lambda r: str(r["seed"]),
    "paper": lambda r: f"above {FILE.claims[r['row']].low:g}" if r["row"] in FILE.claims else "",
    f"ours, {FILE.unit} (± 95 %)": lambda r: format_gain(r, 2),
    "verdict": lambda r: r["verdict"],
}
PAPER = Paper(
    name="charlesworth2018",
    **FILE.about(),
    scales=FILE.make_scales(Scale),
    reproduction="card_baselines.papers.charlesworth2018.reproduction:Charlesworth2018Reproduction",
    layouts={number: (f"Figure {number}", _COLUMNS) for number in FILE.tables},
    judge=judge,
)
