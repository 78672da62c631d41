"""Verdicts on results of Maitrepierre et al. (2008)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from card_baselines.papers.cells import NORMAL_95
from card_baselines.papers.maitrepierre2008.tables import (
    MATCHES,
    PAPER_HANDS,
    SMALL_BETS_OF_A_SMALL_BLIND,
    SPARBOT,
    VEXBOT,
)
from card_baselines.papers.verdicts import STAND_IN, Printed, compare_with_printed


def judge(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results with verdicts on both readings of the unit; tables about adaptation are ours and have none."""
    return [{**result, **_verdicts(result)} if result["table"] == MATCHES else dict(result) for result in results]


def _verdicts(result: Mapping[str, Any]) -> dict[str, str]:
    if {result["row"], result["opponent"]} & {VEXBOT, SPARBOT}:
        return {"verdict": STAND_IN, "verdict_as_printed": STAND_IN}
    noise = NORMAL_95 * result["sd_of_hand"] / PAPER_HANDS**0.5
    readings = {"verdict": result["paper"], "verdict_as_printed": SMALL_BETS_OF_A_SMALL_BLIND * result["paper"]}
    return {
        key: compare_with_printed(Printed.gain(value, noise), result["mean"], result["ci95"])
        for key, value in readings.items()
    }
