"""The rule that compares our results with the numbers and claims of a paper.

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

Three other values replace a verdict: **stand-in** if an opponent is not the one of the paper, **not shown** if a claim
would agree but holds as well for players that were never trained, and **too little training to judge** at scales that
only show that the code works.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from card_envs.match.summary import student_t_quantile

AGREES, DIFFERS, UNDECIDED, STAND_IN = "agrees", "differs", "undecided", "stand-in"
NOT_SHOWN, TOO_LITTLE_TRAINING = "not shown", "too little training to judge"

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
