"""The conclusions of Kaminsky and Liebendörfer (2020), measured in our league.

Intervals are over students with all their clones, since clones of one student resemble each other: Student's t and
Welch over the means of students, or draws of students (`Findings.student_draws`). A league with too few students of a
type gives no interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.claims import UNKNOWN, Claim
from card_baselines.papers.kaminsky2020.findings import Findings, Indices, Mask
from card_baselines.papers.kaminsky2020.paper import FILE, METRICS, MIN_STUDENTS, OUT_OF, QLEARN, SAC
from card_envs.typing import Floats

_LEADERS = 10
_MIN_KNOWN_DRAWS = 100
Interval = tuple[float, float]
Measured = dict[str, Claim]
"""Name of a claim in `paper.toml` -> the claim with our number."""


def measure_claims(found: Findings) -> list[Claim]:
    """Return our measurement of each conclusion, in the order of the file."""
    measured: Measured = {}
    for measure in (
        _measure_top, _measure_types, _measure_styles, _measure_consistency, _measure_predictions, _measure_divisions,
        _measure_leaders, _measure_tight_and_loose, _measure_actions, _compare_sac_with_call, _measure_worst_matches,
        _measure_improvement,
    ):  # fmt: skip
        measured |= measure(found)
    return [measured[name] for name in FILE.claims]


# --- numbers with intervals ---


def compute_interval(drawn: Sequence[float]) -> Interval:
    """Return the 95 % interval of draws; NaN if too few draws are finite."""
    known = [value for value in drawn if math.isfinite(value)]
    if len(known) < _MIN_KNOWN_DRAWS:
        return UNKNOWN
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def _average(name: str, values: Sequence[float]) -> Measured:
    """Return a claim on a mean over students or divisions (Student's t); without an interval for too few of them."""
    claim = FILE.claims[name]
    if 0 < len(values) < MIN_STUDENTS:
        return {name: claim.with_interval(float(np.mean(values)), UNKNOWN)}
    return {name: claim.with_runs(values)}


def _compare(found: Findings, name: str, values: Floats, above: Mask, below: Mask) -> Measured:
    """Return a claim on the difference of two groups' means over students (Welch)."""
    sides = [found.average_by_student(values, chosen) for chosen in (above, below)]
    return {name: FILE.claims[name].with_difference(*sides)}


def _resample(found: Findings, name: str, measure: Callable[[Indices], float], needed: Mask | None = None) -> Measured:
    """Return a claim on a measure of all agents, with an interval over draws of students.

    Args:
        found: The league.
        name: Name of the claim.
        measure: Function of the indices of agents; NaN where it cannot be measured.
        needed: Agents among which there have to be enough students; by default all.
    """
    everybody = np.arange(len(found.members))
    has_enough = found.count_students(np.ones(len(everybody), bool) if needed is None else needed) >= MIN_STUDENTS
    ci95 = compute_interval([measure(each) for each in found.agent_draws]) if has_enough else UNKNOWN
    return {name: FILE.claims[name].with_interval(measure(everybody), ci95)}


# --- types, divisions and metrics ---


def draw_best(found: Findings, metric: str) -> list[Indices]:
    """Return the indices of the best agents, for each draw of students and of the noise of their scores."""
    return [
        indices[np.argsort(-scores[indices], kind="stable")[: found.top]]
        for scores, indices in zip(found.draws[metric], found.agent_draws, strict=False)
    ]


def _measure_top(found: Findings) -> Measured:
    """Return the share of Q-learners at the top by each metric."""
    qlearn = found.has_type(*QLEARN)
    has_enough = min(found.count_students(found.has_type(*kinds)) for kinds in (QLEARN, SAC)) >= MIN_STUDENTS
    measured: Measured = {}
    for metric in METRICS:
        mean = float(qlearn[found.order(metric)[: found.top]].mean())
        shares = [float(qlearn[best].mean()) for best in draw_best(found, metric)] if has_enough else []
        name = f"Qlearn at the top, {metric}"
        measured[name] = FILE.claims[name].with_interval(mean, compute_interval(shares))
    return measured


def _measure_types(found: Findings) -> Measured:
    qlearn, sac = found.has_type(*QLEARN), found.has_type(*SAC)
    of_all, of_eight = found.has_type("Qlearn-All"), found.has_type("Qlearn-8")
    return _compare(found, "Qlearn above SAC", found.percentiles("median"), qlearn, sac) | _compare(
        found, "Qlearn-All earns more", found.scores["mean"], of_all, of_eight
    )


def _measure_styles(found: Findings) -> Measured:
    """Return the distance of styles within types over that within divisions, by the plane and by strategy vectors."""
    trained = np.flatnonzero(found.has_type(*QLEARN, *SAC))
    vectors = np.stack([found.styles[i].vector for i in trained]).astype(np.float32)
    measured: Measured = {}
    for name, points in (("plane", found.plane[trained]), ("strategy vector", vectors)):
        squares = (points**2).sum(axis=1)
        distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0.0))

        def measure(indices: Indices, distances: Floats = distances) -> float:
            return _compute_distance_ratio(found, indices, distances, np.searchsorted(trained, indices))

        ci95 = compute_interval([measure(draw) for draw in found.student_draws])
        claim = FILE.claims[f"style by type, {name}"]
        measured[claim.claim] = claim.with_interval(measure(trained), ci95)
    return measured


def _compute_distance_ratio(found: Findings, agents: Indices, distances: Floats, places: Indices) -> float:
    """Return the mean distance within types over that within divisions; NaN without a pair of either kind.

    Args:
        found: The league.
        agents: Indices of clones.
        distances: Distances between all clones.
        places: Rows of `distances` of these clones.
    """
    types = np.array(found.types)[agents]
    homes = np.array([found.members[i].division for i in agents])  # copies are divisions of their own
    students = np.array([found.members[i].parent for i in agents])
    between = distances[np.ix_(places, places)]
    apart = students[:, None] != students
    same_type = apart & (types[:, None] == types)
    same_division = apart & (types[:, None] != types) & (homes[:, None] == homes)
    if not same_type.any() or not same_division.any():
        return math.nan
    return float(between[same_type].mean() / between[same_division].mean())


def _measure_consistency(found: Findings) -> Measured:
    """Return how far the ranks of two TrueSkill evaluations are apart, in percent of the ranks."""
    both = [found.ranks(found.trueskill(run)) for run in range(2)]
    shift = 100 * np.abs(both[0] - both[1]) / max(1, len(found.members) - 1)
    return _average("TrueSkill twice, Qlearn", found.average_by_student(shift, found.has_type(*QLEARN))) | _average(
        "TrueSkill twice, SAC", found.average_by_student(shift, found.has_type(*SAC))
    )


def _measure_predictions(found: Findings) -> Measured:
    """Return the rate at which each metric names the winner of a pair, and the differences that the paper names."""
    everybody = np.arange(len(found.members))
    rates = {metric: compute_prediction_rate(found, found.scores[metric], everybody) for metric in METRICS}
    draws = {
        metric: np.array([compute_prediction_rate(found, found.scores[metric], draw) for draw in found.student_draws])
        for metric in METRICS
    }
    others = [metric for metric in METRICS if metric != "trueskill"]
    numbers = {f"prediction, {metric}": (rates[metric], draws[metric]) for metric in METRICS} | {
        "TrueSkill predicts best": (
            rates["trueskill"] - max(rates[metric] for metric in others),
            draws["trueskill"] - np.max([draws[metric] for metric in others], axis=0),
        ),
        "median closely behind": (rates["median"] - rates["trueskill"], draws["median"] - draws["trueskill"]),
    }
    return {
        name: FILE.claims[name].with_interval(mean, compute_interval(drawn.tolist()))
        for name, (mean, drawn) in numbers.items()
    }


def compute_prediction_rate(found: Findings, scores: Floats, indices: Indices) -> float:
    """Return the percentage of pairs among `indices` whose winner, three against three, has the higher score."""
    means = found.winnings.means[np.ix_(indices, indices)]
    right = np.sign(means) == np.sign(scores[indices][:, None] - scores[indices])
    met = np.isfinite(means) & (indices[:, None] != indices)
    return 100 * float(right[met].mean()) if met.any() else math.nan


def predict_winners(found: Findings, metric: str) -> tuple[float, Interval]:
    """Return the percentage of pairs whose winner has the higher score by a metric, with its interval."""
    claim = _measure_predictions(found)[f"prediction, {metric}"]
    return claim.mean, claim.ci95


def _measure_divisions(found: Findings) -> Measured:
    """Return what divisions add: climbing and random matches, agents of several types, and ranks inside and outside.

    Agents of mixed divisions are compared with those of their types in divisions of their own. Students of one mixed
    division share its rounds, so that interval is over mixed divisions.
    """
    climbing, random = found.is_in_division("QlnA-Cl"), found.is_in_division("QlnA-Rn")
    percentiles, mixed = found.percentiles("median"), found.is_in_division("AllAg-Cl")
    homes = np.array([member.division if member.division is not None else -1 for member in found.members])
    gaps = []
    for home in sorted(set(homes[mixed].tolist())):
        by_type = [
            percentiles[(homes == home) & found.has_type(kind)].mean()
            - percentiles[~mixed & found.has_type(kind)].mean()
            for kind in (*QLEARN, *SAC)
        ]
        gaps.append(float(np.mean(by_type)))
    correlations, outside = [], found.trueskill(0)
    clones = np.array([member.parent is not None and bool(member.division) for member in found.members])
    for home in sorted(set(homes[clones].tolist())):
        mine = [i for i in np.flatnonzero(clones & (homes == home)) if found.members[i].id in found.internal]
        inside = np.array([found.internal[found.members[i].id] for i in mine])
        if len(mine) > 1:
            correlations.append(float(np.corrcoef(_rank(inside), _rank(outside[mine]))[0, 1]))
    return (
        _compare(found, "climbing earns more", found.scores["mean"], climbing, random)
        | _average("mixing costs", gaps)
        | _compare(found, "random is more robust", found.scores["low"], random, climbing)
        | _average("internal and global ranks agree", correlations)
    )


def _rank(scores: Floats) -> Floats:
    return np.argsort(np.argsort(scores, kind="stable"), kind="stable").astype(float)


# --- table 4.2, and figures 4.1, 4.5 to 4.7 ---


def _measure_leaders(found: Findings) -> Measured:
    """Return the scores of the best tenth of the agents (table 4.2), and how many of the four lists they share."""
    scores = found.scores

    def find_best(metric: str, indices: Indices) -> Indices:
        count = max(1, round(len(indices) * _LEADERS / OUT_OF))
        return indices[np.argsort(-scores[metric][indices], kind="stable")[:count]]

    def average(metric: str, indices: Indices) -> float:
        return float(scores[metric][find_best(metric, indices)].mean())

    def count_shared(indices: Indices) -> float:
        best = [set(find_best(metric, indices).tolist()) for metric in METRICS]
        return len(set.intersection(*best)) / max(len(names) for names in best)

    def compare_agreement(indices: Indices) -> float:
        ranks = np.corrcoef([_rank(scores[metric][indices]) for metric in METRICS])
        mean, others = METRICS.index("mean"), [i for i, name in enumerate(METRICS) if name != "mean"]
        among = ranks[np.ix_(others, others)][np.triu_indices(len(others), 1)]
        return float(ranks[mean, others].mean() - among.mean())

    measured = _resample(found, "agents in all four lists", count_shared)
    measured |= _resample(found, "mean diverges most", compare_agreement)
    for metric in METRICS:
        measured |= _resample(found, f"winnings of the best, {metric}", partial(average, metric))
    return measured


def _measure_tight_and_loose(found: Findings) -> Measured:
    """Return how tight and passive agents rank by TrueSkill, and loose and aggressive ones by 20th percentile."""
    trained = found.has_type(*QLEARN, *SAC)
    aggression, folds = found.plane.T
    middle = np.median(found.plane[trained], axis=0)
    tight = trained & (aggression < middle[0]) & (folds > middle[1])
    loose = trained & (aggression > middle[0]) & (folds < middle[1])
    percentiles = {metric: found.percentiles(metric) for metric in METRICS}
    worse = percentiles["trueskill"] - (percentiles["median"] + percentiles["low"]) / 2
    robust = percentiles["low"] - percentiles["median"]
    return _average("tight and passive last by TrueSkill", found.average_by_student(worse, tight)) | _average(
        "aggressive and loose are robust", found.average_by_student(robust, loose)
    )


def _measure_actions(found: Findings) -> Measured:
    """Return how often types of agents call and raise in the situations of a strategy vector."""
    aggression, folds = found.plane.T
    calls, raises = (1 - aggression) * (1 - folds), aggression * (1 - folds)
    of_all, of_eight = found.has_type("Qlearn-All"), found.has_type("Qlearn-8")
    others, sac = found.has_type("Qlearn-8", *SAC), found.has_type(*SAC)

    def correlate(indices: Indices) -> float:
        chosen = indices[sac[indices]]
        if len(chosen) < 2 or not np.ptp(aggression[chosen]) or not np.ptp(folds[chosen]):
            return math.nan
        return float(np.corrcoef(aggression[chosen], folds[chosen])[0, 1])

    return (
        _average("Qlearn-All seldom calls", found.average_by_student(calls, of_all))
        | _average("Qlearn-All raises more than it folds", found.average_by_student(raises - folds, of_all))
        | _compare(found, "Qlearn-8 calls more", calls, of_eight, of_all)
        | _compare(found, "Qlearn-All is most aggressive", aggression, of_all, others)
        | _resample(found, "SAC aggressive when tight", correlate, sac)
    )


def _compare_sac_with_call(found: Findings) -> Measured:
    """Return the share of actor-critics above the player that always calls, by three metrics."""
    call, sac = found.types.index("Call"), found.has_type(*SAC)
    measured: Measured = {}
    for metric in ("mean", "median", "trueskill"):
        above = (found.scores[metric] > found.scores[metric][call]).astype(float)
        measured |= _average(f"SAC above Call, {metric}", found.average_by_student(above, sac))
    return measured


def _measure_worst_matches(found: Findings) -> Measured:
    """Return the shape of the 20th percentiles, and how the first clones of Qlearn-All rank by them."""
    scores, trained = found.scores["low"], found.has_type(*QLEARN, *SAC)

    def compute_skewness(indices: Indices) -> float:
        chosen = scores[indices[trained[indices]]]
        deviation = chosen - chosen.mean()
        return float((deviation**3).mean() / chosen.std() ** 3) if chosen.std() else math.nan

    first = found.has_type("Qlearn-All") & (found.generations == 1)
    ranks = found.average_by_student(found.percentiles("low"), first)
    return _resample(found, "20th percentile left-skewed", compute_skewness, trained) | _average(
        "first clones of Qlearn-All are robust", ranks
    )


def _measure_improvement(found: Findings) -> Measured:
    """Return the gain from the first clone to the last, in percent of the ranks."""
    qlearn, both = found.has_type(*QLEARN), np.ones(len(found.members), bool)
    claims: Sequence[tuple[str, str, NDArray[np.bool_]]] = (
        ("Qlearn improves by TrueSkill", "trueskill", qlearn),
        ("improvement is small", "median", both),
        ("improvement is small, mean", "mean", both),
        ("improvement is small, low", "low", both),
    )
    measured: Measured = {}
    for name, metric, chosen in claims:
        measured |= _average(name, _compute_gains(found, metric, chosen))
    return measured


def _compute_gains(found: Findings, metric: str, chosen: Mask) -> list[float]:
    """Return the gain of each student with several clones among the chosen agents."""
    percentiles, generations = found.percentiles(metric), found.generations
    gains = []
    for mine in found.clones:
        first, last = mine[np.argmin(generations[mine])], mine[np.argmax(generations[mine])]
        if last != first and chosen[last]:
            gains.append(float(percentiles[last] - percentiles[first]))
    return gains
