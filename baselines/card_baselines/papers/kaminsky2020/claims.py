"""The conclusions of Kaminsky and Liebendörfer (2020), measured in our league.

Intervals are over students with all their clones, since clones of one student resemble each other: Student's t and
Welch over the means of students, or draws of students (`Findings.student_draws`). A league with too few students of a
type gives no interval. `WAYS` are the ways to measure that `paper.toml` names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from card_baselines.papers import claims
from card_baselines.papers.claims import UNKNOWN, Claim
from card_baselines.papers.kaminsky2020.findings import Findings, Indices, Mask
from card_baselines.papers.kaminsky2020.paper import FILE, METRICS, MIN_STUDENTS, OUT_OF, QLEARN, SAC, TRAINED_TYPES
from card_envs.typing import Floats

_LEADERS = 10
_MIN_KNOWN_DRAWS = 100
_SETTLED_ROUND = 500
"""Round of an evaluation after which section 4.2.2 finds that ratings still move."""
_TYPES = {"Q-learners": QLEARN, "actor-critics": SAC, "not Qlearn-All": ("Qlearn-8", *SAC)}
"""Group -> its types; the name of a type stands for itself."""


def measure_claims(found: Findings) -> list[Claim]:
    """Return our measurement of each conclusion, in the order of the file."""
    return claims.measure_claims(FILE.claims.values(), WAYS, found)


# --- means of agents, and differences of two groups ---


def compute_quantity(found: Findings, name: str) -> Floats:
    """Return (n,): a number of each agent, such as a score, how often it calls, or 1 for agents above Call."""
    aggression, folds = found.plane.T
    calls, raises = (1 - aggression) * (1 - folds), aggression * (1 - folds)
    percentiles = {metric: found.percentiles(metric) for metric in METRICS}
    both, call = [found.ranks(found.trueskill(run)) for run in range(2)], found.types.index("Call")
    quantities: dict[str, Floats] = {
        **found.scores,
        **{f"percentile by {metric}": values for metric, values in percentiles.items()},
        **{f"above Call by {metric}": (score > score[call]).astype(float) for metric, score in found.scores.items()},
        "percentile by TrueSkill, less others": percentiles["trueskill"]
        - (percentiles["median"] + percentiles["low"]) / 2,
        "percentile by low, less median": percentiles["low"] - percentiles["median"],
        "shift of rank": 100 * np.abs(both[0] - both[1]) / max(1, len(found.members) - 1),
        "aggression": aggression,
        "calls": calls,
        "raises less folds": raises - folds,
    }
    return quantities[name]


def find_group(found: Findings, name: str) -> Mask:
    """Return an (n,) mask of the agents of a type, of several types, of a division, or of a kind of play."""
    if name == "all":
        return np.ones(len(found.members), bool)
    if name in ("tight and passive", "aggressive and loose"):
        trained, (aggression, folds) = found.has_type(*TRAINED_TYPES), found.plane.T
        middle, sign = np.median(found.plane[trained], axis=0), 1 if name == "aggressive and loose" else -1
        return np.asarray(
            trained & (sign * aggression > sign * middle[0]) & (sign * folds < sign * middle[1]), np.bool_
        )
    if name == "first Qlearn-All":
        return np.asarray(found.has_type("Qlearn-All") & (found.generations == 1), np.bool_)
    return found.has_type(*_TYPES.get(name, (name,))) | found.is_in_division(name)


def _average(claim: Claim, values: Sequence[float]) -> Claim:
    """Return a claim on a mean over students or divisions (Student's t); without an interval for too few of them."""
    if 0 < len(values) < MIN_STUDENTS:
        return claim.with_interval(float(np.mean(values)), UNKNOWN)
    return claim.with_runs(values)


def _average_group(found: Findings, claim: Claim, quantity: str, group: str) -> Claim:
    return _average(claim, found.average_by_student(compute_quantity(found, quantity), find_group(found, group)))


def _compare_groups(found: Findings, claim: Claim, quantity: str, group: str, other: str) -> Claim:
    """Return a claim on the difference of two groups' means over students (Welch)."""
    values = compute_quantity(found, quantity)
    sides = [found.average_by_student(values, find_group(found, name)) for name in (group, other)]
    return claim.with_difference(*sides)


def _measure_gain(found: Findings, claim: Claim, metric: str, group: str) -> Claim:
    """Return the gain from the first clone to the last of each student with several, in percent of the ranks."""
    percentiles, generations, chosen = found.percentiles(metric), found.generations, find_group(found, group)
    gains = []
    for mine in found.clones:
        first, last = mine[np.argmin(generations[mine])], mine[np.argmax(generations[mine])]
        if last != first and chosen[last]:
            gains.append(float(percentiles[last] - percentiles[first]))
    return _average(claim, gains)


def _compare_mixed_divisions(found: Findings, claim: Claim) -> Claim:
    """Compare agents of mixed divisions with those of their types in divisions of their own, over mixed divisions.

    Students of one mixed division share its rounds.
    """
    percentiles, mixed, homes = found.percentiles("median"), found.is_in_division("AllAg-Cl"), found.homes
    gaps = []
    for home in sorted(set(homes[mixed].tolist())):
        by_type = [
            percentiles[(homes == home) & found.has_type(kind)].mean()
            - percentiles[~mixed & found.has_type(kind)].mean()
            for kind in TRAINED_TYPES
        ]
        gaps.append(float(np.mean(by_type)))
    return _average(claim, gaps)


def _correlate_internal_ranks(found: Findings, claim: Claim) -> Claim:
    """Return the correlation of ranks by TrueSkill inside each division with those among all."""
    correlations, outside = [], found.trueskill(0)
    clones = np.array([member.parent is not None and bool(member.division) for member in found.members])
    for home in sorted(set(found.homes[clones].tolist())):
        inner = [i for i in np.flatnonzero(clones & (found.homes == home)) if found.members[i].id in found.internal]
        inside = np.array([found.internal[found.members[i].id] for i in inner])
        if len(inner) > 1:
            correlations.append(float(np.corrcoef(_rank(inside), _rank(outside[inner]))[0, 1]))
    return _average(claim, correlations)


def _rank(scores: Floats) -> Floats:
    return np.argsort(np.argsort(scores, kind="stable"), kind="stable").astype(float)


# --- numbers whose intervals come from draws of students ---


def compute_interval(drawn: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of draws; NaN if too few draws are finite."""
    known = [value for value in drawn if math.isfinite(value)]
    if len(known) < _MIN_KNOWN_DRAWS:
        return UNKNOWN
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def _resample(
    found: Findings, claim: Claim, *details: str, measure: Callable[..., float], types: Sequence[str] = ()
) -> Claim:
    """Return a claim on a measure of agents, with an interval over draws of students.

    Args:
        found: The league.
        claim: The claim.
        details: Further arguments of `measure`.
        measure: Function of the league and the indices of agents; NaN where it cannot be measured.
        types: Types of the agents that are measured, of which there have to be enough students; by default all.
    """
    chosen = found.has_type(*(types or set(found.types)))
    draws = found.agent_draws if found.count_students(chosen) >= MIN_STUDENTS else []
    mean, *drawn = (measure(found, each[chosen[each]], *details) for each in (np.arange(len(chosen)), *draws))
    return claim.with_interval(mean, compute_interval(drawn))


def _find_best(found: Findings, metric: str, indices: Indices) -> Indices:
    count = max(1, round(len(indices) * _LEADERS / OUT_OF))
    return indices[np.argsort(-found.scores[metric][indices], kind="stable")[:count]]


def _average_best(found: Findings, indices: Indices, metric: str) -> float:
    return float(found.scores[metric][_find_best(found, metric, indices)].mean())


def _find_largest_move(found: Findings, indices: Indices) -> float:
    """Return the largest move of a rating after `_SETTLED_ROUND`; NaN in shorter evaluations."""
    return float(found.rating_moves(_SETTLED_ROUND)[indices].max())


def _count_shared(found: Findings, indices: Indices) -> float:
    """Return the share of the best tenth that all four lists have in common."""
    best = [set(_find_best(found, metric, indices).tolist()) for metric in METRICS]
    return len(set.intersection(*best)) / max(len(names) for names in best)


def _compare_agreement(found: Findings, indices: Indices) -> float:
    """Return the mean rank correlation of the mean with the other metrics, less that among these."""
    ranks = np.corrcoef([_rank(found.scores[metric][indices]) for metric in METRICS])
    mean, others = METRICS.index("mean"), [i for i, name in enumerate(METRICS) if name != "mean"]
    among = ranks[np.ix_(others, others)][np.triu_indices(len(others), 1)]
    return float(ranks[mean, others].mean() - among.mean())


def _correlate_styles(found: Findings, indices: Indices) -> float:
    """Return the correlation of aggression and folds."""
    aggression, folds = found.plane[indices].T
    if len(folds) < 2 or not np.ptp(aggression) or not np.ptp(folds):
        return math.nan
    return float(np.corrcoef(aggression, folds)[0, 1])


def _compute_skewness(found: Findings, indices: Indices) -> float:
    """Return the skewness of the 20th percentiles."""
    scores = found.scores["low"][indices]
    deviation = scores - scores.mean()
    return float((deviation**3).mean() / scores.std() ** 3) if scores.std() else math.nan


def draw_best(found: Findings, metric: str) -> list[Indices]:
    """Return the indices of the best agents, for each draw of students and of the noise of their scores."""
    return [
        indices[np.argsort(-scores[indices], kind="stable")[: found.top]]
        for scores, indices in zip(found.draws[metric], found.agent_draws, strict=False)
    ]


def _measure_top(found: Findings, claim: Claim, metric: str) -> Claim:
    """Return the share of Q-learners at the top by a metric."""
    qlearn = found.has_type(*QLEARN)
    has_enough = min(found.count_students(found.has_type(*kinds)) for kinds in (QLEARN, SAC)) >= MIN_STUDENTS
    shares = [float(qlearn[best].mean()) for best in draw_best(found, metric)] if has_enough else []
    return claim.with_interval(float(qlearn[found.order(metric)[: found.top]].mean()), compute_interval(shares))


def _compare_styles(found: Findings, claim: Claim, space: str) -> Claim:
    """Return the distance of styles within types over that within divisions, by the plane or by strategy vectors."""
    trained = np.flatnonzero(found.has_type(*TRAINED_TYPES))
    plane = found.plane[trained]
    points = plane if space == "plane" else np.stack([found.styles[i].vector for i in trained]).astype(np.float32)
    squares = (points**2).sum(axis=1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0.0))

    def measure(agents: Indices) -> float:
        return _compute_distance_ratio(found, agents, distances, np.searchsorted(trained, agents))

    return claim.with_interval(measure(trained), compute_interval([measure(draw) for draw in found.student_draws]))


def _compute_distance_ratio(found: Findings, agents: Indices, distances: Floats, places: Indices) -> float:
    """Return the mean distance within types over that within divisions; NaN without a pair of either kind.

    Args:
        found: The league.
        agents: Indices of clones.
        distances: Distances between all clones.
        places: Rows of `distances` of these clones.
    """
    types, homes = np.array(found.types)[agents], found.homes[agents]  # copies are divisions of their own
    students = np.array([found.members[i].parent for i in agents])
    between = distances[np.ix_(places, places)]
    apart = students[:, None] != students
    same_type = apart & (types[:, None] == types)
    same_division = apart & (types[:, None] != types) & (homes[:, None] == homes)
    if not same_type.any() or not same_division.any():
        return math.nan
    return float(between[same_type].mean() / between[same_division].mean())


def compute_prediction_rate(found: Findings, scores: Floats, indices: Indices) -> float:
    """Return the percentage of pairs among `indices` whose winner, three against three, has the higher score."""
    means = found.winnings.means[np.ix_(indices, indices)]
    right = np.sign(means) == np.sign(scores[indices][:, None] - scores[indices])
    met = np.isfinite(means) & (indices[:, None] != indices)
    return 100 * float(right[met].mean()) if met.any() else math.nan


def measure_prediction(found: Findings, claim: Claim, metric: str, other: str = "") -> Claim:
    """Return the rate at which a metric names the winner of a pair, less that of another, or of the "best other"."""
    agents = [np.arange(len(found.members)), *found.student_draws]

    def compute_rates(name: str) -> Floats:
        return np.array([compute_prediction_rate(found, found.scores[name], each) for each in agents])

    rates = compute_rates(metric)
    if other:
        others = [name for name in METRICS if name != metric] if other == "best other" else [other]
        rates = rates - np.max([compute_rates(name) for name in others], axis=0)
    return claim.with_interval(float(rates[0]), compute_interval(rates[1:].tolist()))


WAYS: Mapping[str, Callable[..., Claim]] = {
    "average": _average_group,
    "compare": _compare_groups,
    "gain": _measure_gain,
    "mixing": _compare_mixed_divisions,
    "internal ranks": _correlate_internal_ranks,
    "best tenth": partial(_resample, measure=_average_best),
    "largest move": partial(_resample, measure=_find_largest_move, types=TRAINED_TYPES),
    "all lists": partial(_resample, measure=_count_shared),
    "divergence": partial(_resample, measure=_compare_agreement),
    "correlation": partial(_resample, measure=_correlate_styles, types=SAC),
    "skewness": partial(_resample, measure=_compute_skewness, types=TRAINED_TYPES),
    "top": _measure_top,
    "style": _compare_styles,
    "prediction": measure_prediction,
}
"""Name in `paper.toml` -> function of the league, a claim, and the rest of what the file says."""
