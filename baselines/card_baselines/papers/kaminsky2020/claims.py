"""The conclusions of the paper about types, divisions and metrics, measured in our league; see `figure_claims` too."""

from __future__ import annotations

import math

import numpy as np

from card_baselines.papers.kaminsky2020.figure_claims import measure_figure_claims
from card_baselines.papers.kaminsky2020.findings import METRICS, Findings
from card_baselines.papers.kaminsky2020.judge import MIN_STUDENTS
from card_baselines.papers.kaminsky2020.measurement import (
    NUM_DRAWS,
    QLEARN,
    SAC,
    ClaimEstimate,
    Indices,
    Interval,
    average_by_student,
    compare_groups,
    compute_interval,
    compute_percentiles,
    count_students,
    group_clones,
    interval_over_students,
    summarise_claim,
)
from card_envs.typing import Floats


def measure_claims(found: Findings) -> list[ClaimEstimate]:
    """Return our measurement of each conclusion, in the order of `tables.CLAIMS`."""
    return [
        *_measure_top(found), _compare_types(found), _compare_qlearners(found), *_measure_styles(found),
        *_measure_consistency(found), *_measure_predictions(found), _compare_matchmaking(found),
        _measure_mixing(found), *measure_figure_claims(found),
    ]  # fmt: skip


def _measure_top(found: Findings) -> list[ClaimEstimate]:
    """Return the share of Q-learners at the top by each metric."""
    qlearn, sac = found.has_type(*QLEARN), found.has_type(*SAC)
    has_enough = min(count_students(found, qlearn), count_students(found, sac)) >= MIN_STUDENTS
    claims = []
    for metric in METRICS:
        mean = float(qlearn[found.order(metric)[: found.top]].mean())
        shares = [float(qlearn[best].mean()) for best in draw_best(found, metric)] if has_enough else []
        claims.append(ClaimEstimate(f"Qlearn at the top, {metric}", mean, compute_interval(shares)))
    return claims


def draw_best(found: Findings, metric: str) -> list[Indices]:
    """Return the indices of the best agents, for each draw of students and of the noise of their scores."""
    groups, rng = group_clones(found), np.random.default_rng(0)
    baselines = np.flatnonzero([member.parent is None for member in found.members])
    best = []
    for draw in found.draws[metric]:
        indices = np.concatenate([baselines, *(groups[k] for k in rng.integers(len(groups), size=len(groups)))])
        best.append(indices[np.argsort(-draw[indices], kind="stable")[: found.top]])
    return best


def _compare_types(found: Findings) -> ClaimEstimate:
    percentiles = compute_percentiles(found, "median")
    return compare_groups(found, "Qlearn above SAC", percentiles, found.has_type(*QLEARN), found.has_type(*SAC))


def _compare_qlearners(found: Findings) -> ClaimEstimate:
    sides = found.has_type("Qlearn-All"), found.has_type("Qlearn-8")
    return compare_groups(found, "Qlearn-All earns more", found.scores["mean"], *sides)


def _measure_styles(found: Findings) -> list[ClaimEstimate]:
    """Return the distance of styles within types over that within divisions, by the plane and by strategy vectors."""
    trained = np.flatnonzero(found.has_type(*QLEARN, *SAC))
    vectors = np.stack([found.styles[i].vector for i in trained]).astype(np.float32)
    claims = []
    for name, points in (("plane", found.plane[trained]), ("strategy vector", vectors)):
        squares = (points**2).sum(axis=1)
        distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0.0))

        def ratio(chosen: Indices, distances: Floats = distances) -> float:
            return _compute_distance_ratio(found, trained, chosen, distances)

        ci95 = interval_over_students(found, trained, ratio)
        claims.append(ClaimEstimate(f"style by type, {name}", ratio(np.arange(len(trained))), ci95))
    return claims


def _compute_distance_ratio(found: Findings, trained: Indices, chosen: Indices, distances: Floats) -> float:
    """Return the mean distance within types over that within divisions; NaN without a pair of either kind."""
    types = np.array(found.types)[trained[chosen]]
    homes = np.array([found.members[i].division for i in trained[chosen]])  # copies are divisions of their own
    students = np.array([found.members[i].parent for i in trained[chosen]])
    between = distances[np.ix_(chosen, chosen)]
    apart = students[:, None] != students
    same_type = apart & (types[:, None] == types)
    same_division = apart & (types[:, None] != types) & (homes[:, None] == homes)
    if not same_type.any() or not same_division.any():
        return math.nan
    return float(between[same_type].mean() / between[same_division].mean())


def _measure_consistency(found: Findings) -> list[ClaimEstimate]:
    """Return how far the ranks of two TrueSkill evaluations are apart, in percent of the ranks."""
    both = [found.ranks(found.trueskill(run)) for run in range(2)]
    shift = 100 * np.abs(both[0] - both[1]) / max(1, len(found.members) - 1)
    return [
        summarise_claim(f"TrueSkill twice, {name}", average_by_student(found, shift, found.has_type(*kinds)))
        for name, kinds in (("Qlearn", QLEARN), ("SAC", SAC))
    ]


def _measure_predictions(found: Findings) -> list[ClaimEstimate]:
    """Return the rate at which each metric names the winner of a pair, and the differences that the paper names."""
    all_agents = np.arange(len(found.members))
    rates = {metric: compute_prediction_rate(found, found.scores[metric], all_agents) for metric in METRICS}
    draws = _draw_rates(found)
    claims = [
        ClaimEstimate(f"prediction, {metric}", rates[metric], compute_interval(draws[metric].tolist()))
        for metric in METRICS
    ]
    others = [metric for metric in METRICS if metric != "trueskill"]
    lead = rates["trueskill"] - max(rates[metric] for metric in others)
    leads = draws["trueskill"] - np.max([draws[metric] for metric in others], axis=0)
    behind, drawn_behind = rates["median"] - rates["trueskill"], draws["median"] - draws["trueskill"]
    return [
        *claims,
        ClaimEstimate("TrueSkill predicts best", lead, compute_interval(leads.tolist())),
        ClaimEstimate("median closely behind", behind, compute_interval(drawn_behind.tolist())),
    ]


def _draw_rates(found: Findings) -> dict[str, Floats]:
    """Return, by metric, the rates for many draws of students; the draws are the same for all metrics."""
    groups, rng = group_clones(found), np.random.default_rng(0)
    drawn = [np.concatenate([groups[k] for k in rng.integers(len(groups), size=len(groups))]) for _ in range(NUM_DRAWS)]
    return {
        metric: np.array([compute_prediction_rate(found, found.scores[metric], indices) for indices in drawn])
        for metric in METRICS
    }


def compute_prediction_rate(found: Findings, scores: Floats, indices: Indices) -> float:
    """Return the percentage of pairs among `indices` whose winner, three against three, has the higher score."""
    means = found.winnings.means[np.ix_(indices, indices)]
    right = np.sign(means) == np.sign(scores[indices][:, None] - scores[indices])
    met = np.isfinite(means) & (indices[:, None] != indices)
    return 100 * float(right[met].mean()) if met.any() else math.nan


def predict_winners(found: Findings, metric: str) -> tuple[float, Interval]:
    """Return the percentage of pairs whose winner has the higher score by a metric, with its interval."""
    claim = next(each for each in _measure_predictions(found) if each.name == f"prediction, {metric}")
    return claim.mean, claim.ci95


def _compare_matchmaking(found: Findings) -> ClaimEstimate:
    """Return the winnings of Qlearn-All after climbing less those after random matches."""
    sides = found.is_in_division("QlnA-Cl"), found.is_in_division("QlnA-Rn")
    return compare_groups(found, "climbing earns more", found.scores["mean"], *sides)


def _measure_mixing(found: Findings) -> ClaimEstimate:
    """Return how agents of mixed divisions rank, relative to those of their types in divisions of their own.

    Students of one mixed division share its rounds, so the interval is over mixed divisions.
    """
    percentiles, mixed = compute_percentiles(found, "median"), found.is_in_division("AllAg-Cl")
    homes = np.array([member.division if member.division is not None else -1 for member in found.members])
    gaps = []
    for home in sorted(set(homes[mixed].tolist())):
        by_type = [
            percentiles[(homes == home) & found.has_type(kind)].mean()
            - percentiles[~mixed & found.has_type(kind)].mean()
            for kind in (*QLEARN, *SAC)
        ]
        gaps.append(float(np.mean(by_type)))
    return summarise_claim("mixing costs", gaps)
