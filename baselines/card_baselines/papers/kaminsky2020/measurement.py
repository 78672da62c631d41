"""What is measured for the paper's conclusions: numbers with 95 % intervals over students.

All intervals come from resampling *students* with all their clones, since clones of one student resemble each other.
A league with too few students of a type gives no interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.kaminsky2020.findings import Findings
from card_baselines.papers.kaminsky2020.judge import MIN_STUDENTS, STUDENTS
from card_baselines.papers.kaminsky2020.tables import CLAIMS
from card_baselines.papers.verdicts import compare_means
from card_envs.formatting import json_number
from card_envs.match.summary import summarise
from card_envs.typing import Floats

QLEARN, SAC = ("Qlearn-8", "Qlearn-All"), ("SAC-Low", "SAC-High")
Indices = NDArray[np.int64]
Interval = tuple[float, float]
UNKNOWN: Interval = (math.nan, math.nan)
NUM_DRAWS = 500
_MIN_KNOWN_DRAWS = 100


@dataclass(frozen=True)
class ClaimEstimate:
    """Our estimate of the number that one of the paper's conclusions states (`tables.CLAIMS`)."""

    name: str
    """Key of `tables.CLAIMS`."""
    mean: float
    ci95: Interval
    """95 % interval over students; NaN if there are too few."""

    def as_result(self, table: int) -> dict[str, Any]:
        """Return the claim as a JSON object."""
        claim = CLAIMS[self.name]
        return {
            "table": table, "row": self.name, "where": claim.where, "what": claim.what, "paper": claim.paper,
            "mean": json_number(self.mean), "ci95": [json_number(end) for end in self.ci95], "of": STUDENTS,
        }  # fmt: skip


def count_students(found: Findings, chosen: NDArray[np.bool_]) -> int:
    """Return how many students have clones among the chosen agents."""
    return len(average_by_student(found, np.zeros(len(chosen)), chosen))


def compute_percentiles(found: Findings, metric: str) -> Floats:
    """Return (n,): 100 for the best agent by a metric, 0 for the worst."""
    return np.asarray(100 * (1 - (found.ranks(found.scores[metric]) - 1) / max(1, len(found.members) - 1)))


def group_clones(found: Findings) -> list[Indices]:
    """Return the indices of the clones of each student."""
    parents = np.array([-1 if member.parent is None else member.parent for member in found.members])
    return [np.flatnonzero(parents == student) for student in sorted(set(parents.tolist()) - {-1})]


def average_by_student(found: Findings, values: Floats, chosen: NDArray[np.bool_]) -> list[float]:
    """Return the mean of `values` over the chosen clones of each student that has any."""
    groups = [mine[chosen[mine]] for mine in group_clones(found)]
    return [float(values[mine].mean()) for mine in groups if len(mine)]


def interval_over_students(found: Findings, indices: Indices, measure: Callable[[Indices], float]) -> Interval:
    """Return a 95 % interval of a measure of some of `indices`, by drawing students anew with all their clones."""
    parents = np.array([found.members[i].parent for i in indices])
    groups = [np.flatnonzero(parents == student) for student in sorted(set(parents.tolist()))]
    rng = np.random.default_rng(0)
    draws = [rng.integers(len(groups), size=len(groups)) for _ in range(NUM_DRAWS)]
    return compute_interval([measure(np.concatenate([groups[k] for k in draw])) for draw in draws])


def compute_interval(drawn: Sequence[float]) -> Interval:
    """Return the 95 % interval of draws; NaN if too few draws are finite."""
    known = [value for value in drawn if math.isfinite(value)]
    if len(known) < _MIN_KNOWN_DRAWS:
        return UNKNOWN
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def compare_groups(
    found: Findings, name: str, values: Floats, above: NDArray[np.bool_], below: NDArray[np.bool_]
) -> ClaimEstimate:
    """Return a claim on the difference of two groups' means over students (Welch)."""
    gap, ci95, _ = compare_means(*(average_by_student(found, values, chosen) for chosen in (above, below)))
    return ClaimEstimate(name, gap, ci95)


def summarise_claim(name: str, values: Sequence[float]) -> ClaimEstimate:
    """Return a claim on a mean over students or divisions (Student's t); without an interval for too few of them."""
    if not len(values):
        return ClaimEstimate(name, math.nan, UNKNOWN)
    if len(values) < MIN_STUDENTS:
        return ClaimEstimate(name, float(np.mean(values)), UNKNOWN)
    found = summarise(name, np.array(values))
    return ClaimEstimate(name, found.mean, found.ci95)


def draw_students(found: Findings) -> list[Indices]:
    """Return the indices of agents for many draws of students with all their clones; baselines are in every draw."""
    groups, rng = group_clones(found), np.random.default_rng(0)
    baselines = np.flatnonzero([member.parent is None for member in found.members])
    draws = [rng.integers(len(groups), size=len(groups)) for _ in range(NUM_DRAWS)]
    return [np.concatenate([baselines, *(groups[k] for k in draw)]) for draw in draws]


def resample_claim(
    found: Findings, name: str, measure: Callable[[Indices], float], needed: NDArray[np.bool_] | None = None
) -> ClaimEstimate:
    """Return a claim on a measure of all agents, with an interval over draws of students.

    Args:
        found: The league.
        name: Name of the claim.
        measure: Function of the indices of agents; NaN where it cannot be measured.
        needed: Agents among which there have to be enough students; by default all.
    """
    mean = measure(np.arange(len(found.members)))
    if count_students(found, np.ones(len(found.members), bool) if needed is None else needed) < MIN_STUDENTS:
        return ClaimEstimate(name, mean, UNKNOWN)
    return ClaimEstimate(name, mean, compute_interval([measure(indices) for indices in draw_students(found)]))
