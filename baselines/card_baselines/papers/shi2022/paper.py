"""Shi et al. (2022) as a `Paper`: its tables, with verdicts in both readings of its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from card_baselines.papers import protocol
from card_baselines.papers.claims import (
    STAND_IN,
    Claim,
    Printed,
    Way,
    choose_weakest,
    compare_run,
    format_gain,
    format_paper,
    measure_claims,
)
from card_baselines.papers.printed import read_paper
from card_baselines.papers.protocol import Paper
from card_baselines.text_table import Columns

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


def _find_runs(result: Mapping[str, Any]) -> list[float]:
    """Return the gains of the runs behind a result."""
    return [match["ours"]["mean"] for match in result["seeds"]]


def _compare(result: Mapping[str, Any], printed: float) -> str:
    """Return the verdict on a number of the paper; its tree search is described too briefly to be built again."""
    if result["opponent"] in SEARCHING:
        return STAND_IN
    return compare_run(Printed.gain(printed, result["noise_of_paper"]), _find_runs(result))


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


def describe_report(report: Mapping[str, Any]) -> str:
    """Return a sentence about the unit, the protocol and the scale."""
    scale, episodes = report["scale"], max(run["episodes"] for run in report["runs"])
    fewer = "" if episodes >= FILE.others["paper_episodes"] else " Fewer episodes than in the paper."
    return (
        f"Gains in {report['unit']}, one player against five copies of another. {episodes:,} episodes, "
        f"{scale['hands']:,} hands; as the paper played: {scale['paper_hands']:,} hands.{fewer}"
    )


# --- what the text says beyond the tables ---

_GAINS = {1: ("apu", "dual-apu"), 3: ("apu-ctrl", "dual-apu-ctrl")}
"""Table -> rows that play against scripted players."""
_UNSTABLE_EPISODES = 8000
"""Number of episodes before which all algorithms change a lot."""
Content = Mapping[str, Any]


def _find_scripted(content: Content, row: str) -> dict[str, Mapping[str, Any]]:
    """Return the results of a row against scripted opponents, by opponent."""
    return {
        result["variant"]: result
        for result in content["results"]
        if result["row"] == row and row in _GAINS.get(result["table"], ()) and result["variant"] not in SEARCHING
    }


def _find_gain(content: Content, row: str, variant: str) -> list[float]:
    """Return the gains of a row from a variant, by seed; empty if they did not play."""
    matches = [each for each in content["results"] if (each["row"], each["variant"]) == (row, variant)]
    return _find_runs(matches[0]) if matches else []


def _measure_smallest_gain(content: Content, claim: Claim, row: str) -> Claim | None:
    """Return the claim with the smallest gain from scripted players."""
    return choose_weakest(
        {
            variant: claim.with_runs(_find_runs(result)).with_control(result.get("untrained"))
            for variant, result in _find_scripted(content, row).items()
        }
    )


def _compare_algorithms(content: Content, claim: Claim, *rows: str) -> Claim | None:
    """Return the claim with the difference of two algorithms' mean gains from all scripted players."""
    gains = [[_find_runs(each) for each in _find_scripted(content, row).values()] for row in rows]
    return claim.with_difference(*(np.mean(each, axis=0).tolist() for each in gains)) if all(gains) else None


def _measure_gain(content: Content, claim: Claim, row: str, variant: str) -> Claim | None:
    runs = _find_gain(content, row, variant)
    return claim.with_runs(runs) if runs else None


def _compare_ablations(content: Content, claim: Claim, row: str, *variants: str) -> Claim | None:
    """Return the claim with the difference of a row's gains from two of its ablations."""
    gains = [_find_gain(content, row, variant) for variant in variants]
    return claim.with_difference(*gains) if all(gains) else None


def _find_changes(content: Content, algorithm: str) -> list[list[float]]:
    """Return how the mean gain changed along each training with the LSTM, evaluation by evaluation."""
    curves = [
        [
            float(np.mean([value for key, value in row.items() if key.startswith("v ") and "half_width" not in key]))
            for row in run["curve"]
            if row["episodes"] >= _UNSTABLE_EPISODES
        ]
        for run in content["runs"]
        if (run["algorithm"], run["history"]) == (algorithm, "lstm")
    ]
    return [np.diff(gains).tolist() for gains in curves if len(gains) > 1]


def _measure_last_change(content: Content, claim: Claim, algorithm: str) -> Claim | None:
    changes = _find_changes(content, algorithm)
    return claim.with_runs([run[-1] for run in changes]) if changes else None


def _compare_changes(content: Content, claim: Claim, *algorithms: str) -> Claim | None:
    """Return the claim with the difference of the mean sizes of two algorithms' changes."""
    changes = [_find_changes(content, each) for each in algorithms]
    sizes = [[float(np.mean(np.abs(run))) for run in each] for each in changes]
    return claim.with_difference(*sizes) if all(sizes) else None


_WAYS: Mapping[str, Way] = {
    "smallest gain": _measure_smallest_gain, "compare": _compare_algorithms, "gain": _measure_gain,
    "ablations": _compare_ablations, "last change": _measure_last_change, "changes": _compare_changes,
}  # fmt: skip
"""Name in `paper.toml` -> way to measure a claim."""

PAPER = Paper(
    name="shi2022",
    **FILE.about(),
    scales=FILE.make_scales(Scale),
    reproduction="card_baselines.papers.shi2022.reproduction:Shi2022Reproduction",
    options=Options,
    layouts={number: (f"Table {number}", _COLUMNS) for number in FILE.tables},
    judge=judge,
    claims=partial(measure_claims, FILE.claims.values(), _WAYS),
)
