"""Verdicts on results of Shi et al. (2022), in both readings of its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from card_baselines.papers.shi2022.tables import SEARCHING
from card_baselines.papers.verdicts import DIFFERS, STAND_IN, Printed, compare_run

HANDS_OF_BOARD = 6
"""A board of the paper's matches gives the button to each seat once; its results are "mean gains of 1000 boards"."""


def judge(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results with a verdict on the printed number per hand, and on it per board of six hands."""
    return [
        {
            **result,
            "verdict": _verdict(result, result["paper"]),
            "verdict_per_board": _verdict(result, divide_by_board(result)),
        }
        for result in results
    ]


def divide_by_board(result: Mapping[str, Any]) -> float:
    """Return the paper's number per hand, if it was meant per board."""
    return float(result["paper"]) / HANDS_OF_BOARD


def count_readings(results: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many numbers there are, differ from ours and lie above the ceiling, in both readings.

    `still_above` are those of `above` that stay above when they are divided by six.
    """
    judged, counts = judge(results), {"differs": 0, "differs_per_board": 0, "above": 0, "still_above": 0}
    for result in judged:
        counts["differs"] += result["verdict"] == DIFFERS
        counts["differs_per_board"] += result["verdict_per_board"] == DIFFERS
        if result["ceiling"] and result["paper"] > result["ceiling"]["mean"]:
            counts["above"] += 1
            counts["still_above"] += divide_by_board(result) > result["ceiling"]["mean"]
    return {"numbers": len(judged), **counts}


def _verdict(result: Mapping[str, Any], printed: float) -> str:
    """Return the verdict on a number of the paper; its tree search is described too briefly to be built again."""
    if result["opponent"] in SEARCHING:
        return STAND_IN
    runs = [match["ours"]["mean"] for match in result["seeds"]]
    return compare_run(Printed.gain(printed, result["noise_of_paper"]), runs)
