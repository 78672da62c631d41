"""Verdicts on results of Charlesworth (2018): what the text says of figure 2, which prints no numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from card_baselines.papers.charlesworth2018.tables import CLAIMED_GAINS
from card_baselines.papers.verdicts import UNDECIDED, compare_with_claim
from card_envs.match.summary import summarise


def judge(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results with a verdict on the claim of each row; the control row has none.

    The interval is over runs, so a single run decides nothing.
    """
    runs: dict[tuple[str, str], list[float]] = {}
    for result in results:
        runs.setdefault((result["row"], result["opponent"]), []).append(result["mean"])
    return [
        {**result, "verdict": _verdict(result["row"], runs[result["row"], result["opponent"]])} for result in results
    ]


def _verdict(row: str, means: Sequence[float]) -> str:
    if row not in CLAIMED_GAINS:
        return ""
    if len(means) < 2:
        return UNDECIDED
    return compare_with_claim(summarise(row, np.array(means)).ci95, low=CLAIMED_GAINS[row])
