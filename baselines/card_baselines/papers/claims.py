"""Printed numbers and claims of a paper beside ours: intervals, verdicts, and how tables print them.

A *printed number* has a margin: the largest difference that would not matter, stated beside the table. The verdict is

* **agrees** if the whole 95 % interval of the difference lies inside the margin (a test of equivalence),
* **differs** if that interval excludes the printed number, and the first does not hold,
* **undecided** otherwise.

A *claim* in words has a region of values in which it is true: it agrees if the whole interval lies inside, differs if
the whole interval lies outside, and is undecided otherwise. A wider interval can therefore never turn another verdict
into "agrees", and never "undecided" into "differs".

The interval is over the random units of an experiment: runs with different seeds, students of a league, sessions of
players that learn while they play; or hands, if no player learns. A paper prints one run of each
learner, so with learners the interval is that of one more run, not that of the mean over runs.

Other values replace a verdict: **stand-in** if an opponent is not the one of the paper, **not shown** if a claim
would agree but holds as well for players that were never trained, **open** after less than a tenth of the paper's
training, and **too little training to judge** at scales that only show that the code works.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Self

import numpy as np

from card_baselines.text_table import Columns, TextTable
from card_envs.formatting import json_number
from card_envs.match.summary import student_t_quantile, summarise

AGREES, DIFFERS, UNDECIDED, STAND_IN = "agrees", "differs", "undecided", "stand-in"
NOT_SHOWN, OPEN, TOO_LITTLE_TRAINING = "not shown", "open", "too little training to judge"
_LEAST_LENGTH = 0.1
"""Share of the paper's training from which on a verdict counts."""

MARGIN, MARGIN_SHARE = 0.1, 0.1
"""Margin of gains in small bets or big blinds per hand: the larger of an amount and a share of the gain."""
_MIN_RUNS_OF_CLUSTERS = 9
"""Minimum number of runs for two clusters: among nine uniform draws, a gap exceeds half the range in 6 %."""


@dataclass(frozen=True)
class Printed:
    """A printed number, with what has to be known to compare results with it."""

    value: float
    margin: float
    noise: float = 0.0
    """Half width of the 95 % interval of the number, from the paper's own number of hands."""

    @classmethod
    def gain(cls, value: float, noise: float = 0.0) -> Printed:
        """Return a printed gain per hand, with the margin of all papers."""
        return cls(value, max(MARGIN, MARGIN_SHARE * abs(value)), noise)


def read_interval(ci95: Sequence[float | None]) -> tuple[float, float]:
    """Return an interval as it is stored as JSON: NaN in place of None."""
    low, high = (math.nan if end is None else float(end) for end in ci95)
    return low, high


def compare_with_printed(printed: Printed, mean: float, ci95: Sequence[float | None]) -> str:
    """Return the verdict on a printed number.

    Args:
        printed: The printed number.
        mean: Our number, inside of `ci95`.
        ci95: The 95 % interval of `mean`; with infinite, NaN or None ends, the verdict is undecided.
    """
    ci95 = read_interval(ci95)
    low = mean - printed.value - math.hypot(mean - ci95[0], printed.noise)
    high = mean - printed.value + math.hypot(ci95[1] - mean, printed.noise)
    if -printed.margin <= low and high <= printed.margin:
        return AGREES
    return DIFFERS if low > 0 or high < 0 else UNDECIDED


def compare_with_claim(ci95: Sequence[float | None], low: float = -math.inf, high: float = math.inf) -> str:
    """Return the verdict on the claim that a value lies in (low, high), from the 95 % interval of our value.

    With None or NaN ends, the verdict is undecided.
    """
    left, right = read_interval(ci95)
    if math.isnan(left) or math.isnan(right):
        return UNDECIDED
    if low < left and right < high:
        return AGREES
    return DIFFERS if right <= low or left >= high else UNDECIDED


def limit_verdict(verdict: str, length: float) -> str:
    """Return what a verdict is worth after a training of `length` times the paper's, 0 for next to none."""
    if not verdict or length >= _LEAST_LENGTH:
        return verdict
    if length == 0:
        return TOO_LITTLE_TRAINING
    if verdict in (AGREES, DIFFERS):
        return f"{OPEN}: {verdict} so far"
    return OPEN if verdict == UNDECIDED else verdict


def compare_run(printed: Printed, runs: Sequence[float]) -> str:
    """Return the verdict on the number of the paper's one run, from results of ours with several seeds.

    The interval is that of one more run (Student's t). Runs that fall into two clusters have one interval each: they
    never agree with a printed number, and differ from it if it lies in neither interval.
    """
    clusters = find_clusters(runs)
    verdicts = [compare_with_printed(printed, *_next_run(cluster)) for cluster in clusters]
    if len(clusters) == 1:
        return verdicts[0]
    return DIFFERS if all(verdict == DIFFERS for verdict in verdicts) else UNDECIDED


def find_clusters(runs: Sequence[float]) -> list[list[float]]:
    """Return the runs in two clusters if a gap of more than half their range parts them, else in one; sorted.

    Both clusters have at least two runs; fewer than nine runs are one cluster.
    """
    values = sorted(runs)
    gaps = np.diff(values)
    if len(values) >= _MIN_RUNS_OF_CLUSTERS:
        widest = int(gaps.argmax())
        if gaps[widest] > (values[-1] - values[0]) / 2 and 1 <= widest <= len(values) - 3:
            return [values[: widest + 1], values[widest + 1 :]]
    return [values]


def _next_run(runs: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """Return the mean of some runs and the 95 % prediction interval of one more; infinite for a single run."""
    mean, count = float(np.mean(runs)), len(runs)
    if count == 1:
        return mean, (-math.inf, math.inf)
    reach = student_t_quantile(0.975, count - 1) * float(np.std(runs, ddof=1)) * math.sqrt(1 + 1 / count)
    return mean, (mean - reach, mean + reach)


def describe_rank(printed: float, runs: Sequence[float]) -> str:
    """Return the rank of a printed number among our runs as text, such as "below all 10" or "between 7 and 3"."""
    count, below = len(runs), sum(run < printed for run in runs)
    if count < 2:
        return ""
    if below in (0, count):
        return f"{'below' if below == 0 else 'above'} all {count}"
    clusters = find_clusters(runs)
    if len(clusters) == 2 and clusters[0][-1] < printed < clusters[1][0]:
        return f"between {len(clusters[0])} and {len(clusters[1])}"
    return f"above {below} of {count}"


def compare_means(values: Sequence[float], others: Sequence[float]) -> tuple[float, tuple[float, float], float]:
    """Return the difference of two means, its 95 % interval and its p-value, by Welch's t-test over runs or students.

    With fewer than two values in a group, or no variance, the ends of the interval are NaN and the p-value is 1.
    """
    gap = float(np.mean(values) - np.mean(others))
    if min(len(values), len(others)) < 2 or not np.ptp(values) + np.ptp(others):
        return gap, (math.nan, math.nan), 1.0
    from scipy.stats import ttest_ind

    found = ttest_ind(values, others, equal_var=False)
    low, high = found.confidence_interval()
    return gap, (float(low), float(high)), float(found.pvalue)


# --- claims in words ---

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
    measure: tuple[str, ...] = ()
    """Name of the way to measure it, of `matches.WAYS` or of the paper's own, and the arguments of that way."""
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
        """The verdict by the rule of this module; "" where the paper says nothing that can be true or false."""
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

    def to_json(self, length: float = 1.0) -> dict[str, Any]:
        """Return the claim as a JSON object, with its verdict for a training of `length` times the paper's."""
        return {
            "where": self.where, "claim": self.claim, "measured": self.measured, "low": json_number(self.low),
            "high": json_number(self.high), "mean": json_number(self.mean),
            "ci95": [json_number(end) for end in self.ci95],
            "verdict": limit_verdict(self.verdict, length),
        }  # fmt: skip


Way = Callable[..., Claim | list[Claim] | None]
"""Function of data, a claim and the rest of `Claim.measure` that returns the claim with our number, several claims for
one of several players, or None (or an empty list) where the data lack it."""


def measure_claims(claims: Iterable[Claim], ways: Mapping[str, Way], data: Any) -> list[Claim]:
    """Return the claims that `data` can measure, in their order.

    Args:
        claims: Claims with `measure`.
        ways: Name of a way to measure, the first word of `measure` -> the way.
        data: Results that are measured.
    """
    measured = [ways[claim.measure[0]](data, claim, *claim.measure[1:]) for claim in claims]
    found = [[each] if isinstance(each, Claim) else each or [] for each in measured]
    return [claim for each in found for claim in each]


def choose_weakest(claims: Mapping[str, Claim]) -> Claim | None:
    """Return the claim of the group that decides a claim about all groups, that each is above `low`; None for no group.

    That is a group below `low` with its whole interval if there is one (not corrected for the number of groups), else
    the group whose interval reaches lowest.

    Args:
        claims: The same claim for several groups by name. The name is added to `measured`.
    """
    if not claims:
        return None
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


# --- results as JSON, and in tables ---

NORMAL_95 = 1.96
"""Half the width of a 95 % interval, in standard errors."""


def format_gain(result: Mapping[str, Any] | None, digits: int = 3) -> str:
    """Return a mean with half of its 95 % interval, such as "+0.512 ± 0.031".

    The mean alone without an interval; "" for None.
    """
    if result is None:
        return ""
    mean = f"{result['mean']:+.{digits}f}"
    low, high = result["ci95"] or (None, None)
    if low is None or high is None:
        return mean
    return f"{mean} ± {(high - low) / 2:.{digits}f}"


def format_paper(result: Mapping[str, Any]) -> str:
    """Return the printed number of a result, such as "+1.230"."""
    return f"{result['paper']:+.3f}"


def summarise_runs(matches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return mean and interval over the matches of several runs; for a single run, the interval over its hands.

    Args:
        matches: The keys `mean` and `ci95` of each run's match.
    """
    if len(matches) == 1:
        return {"mean": float(matches[0]["mean"]), "ci95": list(matches[0]["ci95"])}
    return summarise("", np.array([match["mean"] for match in matches])).as_json()
