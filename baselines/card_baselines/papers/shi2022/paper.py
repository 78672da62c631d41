"""Shi et al. (2022) as a `Paper`: its tables, with verdicts in both readings of its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from card_baselines.papers import protocol
from card_baselines.papers.claims import (
    STAND_IN,
    Printed,
    compare_run,
    format_gain,
    format_paper,
    results_of_table,
)
from card_baselines.papers.printed import read_paper
from card_baselines.papers.protocol import Paper
from card_baselines.text_table import Columns, TextTable

FILE = read_paper(__file__)
SEARCHING = ("mcts",)
"""Opponents that take milliseconds for a decision; they stand in for the paper's tree search."""


@dataclass(frozen=True, kw_only=True)
class Scale(protocol.Scale):
    """Amount of training and play."""

    seeds: int
    hands: int
    """Hands of a match with replayed deals."""
    paper_hands: int
    """Hands of a match as the paper plays it."""
    search_hands: int
    """Hands of both matches against opponents that search."""
    ceiling_minutes: float
    """Processor time of a player that is trained against five of one opponent."""
    changes: dict[str, Any] = field(default_factory=dict)
    """Settings of `training.Config` that are not the default."""


@dataclass(frozen=True, kw_only=True)
class Options(protocol.ReproductionOptions):
    """Options of the paper."""

    history: Literal["lstm", "fc", "none"] = "lstm"
    """Network by which the players of tables 1 to 3 read the betting."""
    learner: Literal["default", "printed"] = "default"
    """Settings of the learners: the package's, or the paper's inputs and loss alone."""


def judge(result: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the verdict on the printed number per hand, and on it per board of six hands."""
    return {
        "verdict": _compare(result, result["paper"]),
        "verdict_per_board": _compare(result, divide_by_board(result)),
    }


def _compare(result: Mapping[str, Any], printed: float) -> str:
    """Return the verdict on a number of the paper; its tree search is described too briefly to be built again."""
    if result["opponent"] in SEARCHING:
        return STAND_IN
    runs = [match["ours"]["mean"] for match in result["seeds"]]
    return compare_run(Printed.gain(printed, result["noise_of_paper"]), runs)


def divide_by_board(result: Mapping[str, Any]) -> float:
    """Return the paper's number per hand, if it was meant per board."""
    return float(result["paper"]) / int(FILE.others["hands_of_board"])


_COLUMNS: Columns = {
    "one": lambda r: f"{r['row']} ({r['history']})",
    "against five": lambda r: r["variant"],
    "paper": format_paper,
    "per hand if a board is six hands": lambda r: f"{divide_by_board(r):+.3f}",
    "ours": lambda r: format_gain(r, 2),
    "as the paper played": lambda r: ", ".join(f"{match['mean']:+.2f}" for match in r["paper_protocol"]),
    "untrained": lambda r: format_gain(r.get("untrained"), 2),
    "ceiling": lambda r: format_gain(r["ceiling"], 2),
    "verdict": lambda r: r["verdict"],
    "verdict per board": lambda r: r["verdict_per_board"],
}


def render_table(report: Mapping[str, Any], number: int) -> TextTable:
    """Return one of the paper's tables with half of the 95 % intervals."""
    return TextTable.from_columns(f"Table {number}", _COLUMNS, results_of_table(report, number))


def describe_report(report: Mapping[str, Any]) -> str:
    """Return a sentence about the unit, the protocol and the scale."""
    scale, episodes = report["scale"], max(run["episodes"] for run in report["runs"])
    fewer = "" if episodes >= FILE.others["paper_episodes"] else " Fewer episodes than in the paper."
    return (
        f"Gains in {report['unit']}, one player against five copies of another. {episodes:,} episodes, "
        f"{scale['hands']:,} hands; as the paper played: {scale['paper_hands']:,} hands.{fewer}"
    )


PAPER = Paper(
    name="shi2022",
    **FILE.about(),
    scales=FILE.make_scales(Scale),
    reproduction="card_baselines.papers.shi2022.reproduction:Shi2022Reproduction",
    options=Options,
    render_table=render_table,
    judge=judge,
    claims="card_baselines.papers.shi2022.claims:measure_claims",
)
