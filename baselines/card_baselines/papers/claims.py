"""Claims that a paper makes in words, each with a number of ours, its 95 % interval and a verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Self

import numpy as np

from card_baselines.papers.verdicts import (
    AGREES,
    NOT_SHOWN,
    STAND_IN,
    TOO_LITTLE_TRAINING,
    Printed,
    compare_means,
    compare_with_claim,
    compare_with_printed,
    read_interval,
)
from card_baselines.text_table import Columns, TextTable
from card_envs.formatting import json_number
from card_envs.match.summary import summarise

UNKNOWN = (math.nan, math.nan)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim of a paper, the values for which it is true, and our measurement."""

    where: str
    """Section, table or figure of the paper."""
    claim: str
    """The statement, in our words."""
    measured: str
    """Quantity that is measured."""
    low: float = -math.inf
    high: float = math.inf
    """The claim is true for values between `low` and `high`."""
    printed: Printed | None = None
    """A printed number, in place of values for which the claim is true."""
    paper: str = ""
    """The statement as the paper prints it, with our reading of its words after "here"."""
    is_stand_in: bool = False
    """Whether an opponent is not the paper's, so that there is no verdict."""
    mean: float = math.nan
    ci95: tuple[float, float] = UNKNOWN
    """95 % interval of `mean` over runs, students or sessions; NaN where there are too few."""
    control: tuple[float, float] = UNKNOWN
    """95 % interval of the same quantity, measured of untrained players."""

    @property
    def verdict(self) -> str:
        """The verdict by the rule of `verdicts`; "" where the paper says nothing that can be true or false."""
        if self.is_stand_in:
            return STAND_IN
        if self.printed is not None:
            return compare_with_printed(self.printed, self.mean, self.ci95)
        if math.isinf(self.low) and math.isinf(self.high):
            return ""
        found = compare_with_claim(self.ci95, self.low, self.high)
        if found == AGREES and compare_with_claim(self.control, self.low, self.high) == AGREES:
            return NOT_SHOWN
        return found

    def with_interval(self, mean: float | None, ci95: Sequence[float | None]) -> Self:
        """Return the claim with a mean and its interval, as they are stored: None for what is not known."""
        return replace(self, mean=math.nan if mean is None else mean, ci95=read_interval(ci95))

    def with_control(self, untrained: Mapping[str, Any] | None) -> Self:
        """Return the claim with what was measured of untrained players: the key `ci95`; None for nothing."""
        return replace(self, control=UNKNOWN if untrained is None else read_interval(untrained["ci95"]))

    def with_runs(self, values: Sequence[float]) -> Self:
        """Return the claim with the mean of some runs and its interval (Student's t)."""
        if len(values) < 2:
            return self.with_interval(float(values[0]) if len(values) else math.nan, UNKNOWN)
        found = summarise("", np.array(values))
        return self.with_interval(found.mean, found.ci95)

    def with_difference(self, values: Sequence[float], others: Sequence[float]) -> Self:
        """Return the claim with the difference of the means of two groups of runs and its interval (Welch)."""
        gap, ci95, _ = compare_means(values, others)
        return self.with_interval(gap, ci95)

    def to_json(self, is_judged: bool = True) -> dict[str, Any]:
        """Return the claim as a JSON object; `is_judged` is False at scales that train too little for verdicts."""
        return {
            "where": self.where, "claim": self.claim, "measured": self.measured, "low": json_number(self.low),
            "high": json_number(self.high), "mean": json_number(self.mean),
            "ci95": [json_number(end) for end in self.ci95],
            "verdict": self.verdict if is_judged else TOO_LITTLE_TRAINING,
        }  # fmt: skip


def choose_weakest(claims: Mapping[str, Claim]) -> Claim:
    """Return the claim of the group that decides a claim about all groups, that each is above `low`.

    That is a group below `low` with its whole interval if there is one (not corrected for the number of groups), else
    the group whose interval reaches lowest.

    Args:
        claims: The same claim for several groups by name. The name is added to `measured`.
    """
    below = {name: claim for name, claim in claims.items() if claim.ci95[1] <= claim.low}
    if below:
        name = min(below, key=lambda each: below[each].ci95[1])
    else:
        name = min(claims, key=lambda each: -math.inf if math.isnan(claims[each].ci95[0]) else claims[each].ci95[0])
    return replace(claims[name], measured=f"{claims[name].measured} ({name})")


def render_claims(claims: Sequence[Mapping[str, Any]]) -> TextTable:
    """Return claims, as `Claim.to_json` describes them, as a table."""
    columns: Columns = {
        "in the paper": itemgetter("where"), "claim": itemgetter("claim"), "measured": itemgetter("measured"),
        "true if": _region, "ours (95 %)": _value, "verdict": itemgetter("verdict"),
    }  # fmt: skip
    return TextTable.from_columns("Claims", columns, claims)


def _region(claim: Mapping[str, Any]) -> str:
    low, high = claim["low"], claim["high"]
    if low is None:
        return "" if high is None else f"below {high:g}"
    return f"above {low:g}" if high is None else f"{low:g} to {high:g}"


def _value(claim: Mapping[str, Any]) -> str:
    mean, (low, high) = claim["mean"], claim["ci95"]
    if mean is None:
        return ""
    return f"{mean:.3g}" if low is None or high is None else f"{mean:.3g} ({low:.3g} to {high:.3g})"
