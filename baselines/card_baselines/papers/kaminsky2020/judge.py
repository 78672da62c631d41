"""Verdicts on a league in the manner of Kaminsky and Liebendörfer (2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from card_baselines.papers.kaminsky2020.tables import (
    CLAIMS,
    CLAIMS_TABLE,
    DIVISIONS_TABLE,
    PRINTED_RANKS,
    SHARE_MARGIN,
    TOP,
    TYPES_TABLE,
)
from card_baselines.papers.verdicts import UNDECIDED, Printed, compare_with_claim, compare_with_printed

STUDENTS = "students"
"""Value of a result's key `of` where its interval is over students; one over hands or clones decides nothing."""

MIN_STUDENTS = 3
"""Students of a group without which drawing them anew says nothing of other students."""


def judge(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results with verdicts on the shares of types and divisions and on the claims."""
    return [{**result, "verdict": _verdict(result)} for result in results]


def _verdict(result: Mapping[str, Any]) -> str:
    if result["table"] in (TYPES_TABLE, DIVISIONS_TABLE):
        return _verdict_on_share(result)
    if result["table"] == CLAIMS_TABLE:
        return _verdict_on_claim(result)
    return ""


def _verdict_on_share(result: Mapping[str, Any]) -> str:
    if result.get("of") != STUDENTS or result["students"] < MIN_STUDENTS:
        return UNDECIDED
    printed = PRINTED_RANKS[result["table"]][result["row"]].count(result["group"]) / TOP
    share, (low, high) = result["count"] / result["top"], (end / result["top"] for end in result["ci95"])
    return compare_with_printed(Printed(printed, SHARE_MARGIN), share, (min(low, share), max(high, share)))


def _verdict_on_claim(result: Mapping[str, Any]) -> str:
    claim = CLAIMS[result["row"]]
    if not claim.is_judged:
        return ""
    if result.get("of") != STUDENTS or result["mean"] is None or None in result["ci95"]:
        return UNDECIDED
    if claim.printed is not None:
        return compare_with_printed(claim.printed, result["mean"], result["ci95"])
    return compare_with_claim(result["ci95"], claim.low, claim.high)
