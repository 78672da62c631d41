"""What the text says of table 4.2 and of figures 4.1, 4.5 to 4.7, 4.9 and 4.10, measured in our league."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.kaminsky2020.findings import METRICS, Findings
from card_baselines.papers.kaminsky2020.measurement import (
    QLEARN,
    SAC,
    ClaimEstimate,
    Indices,
    average_by_student,
    compare_groups,
    compute_percentiles,
    group_clones,
    resample_claim,
    summarise_claim,
)
from card_baselines.papers.kaminsky2020.tables import OUT_OF
from card_envs.typing import Floats

Mask = NDArray[np.bool_]
_LEADERS = 10


def measure_figure_claims(found: Findings) -> list[ClaimEstimate]:
    """Return our measurement of each of these claims, in the order of `tables.CLAIMS`."""
    return [
        *_measure_leaders(found), *_measure_tight_and_loose(found), *_measure_actions(found),
        *_compare_sac_with_call(found), *_measure_worst_matches(found), *_measure_improvement(found),
        _measure_robustness(found), _measure_internal_ranks(found),
    ]  # fmt: skip


def _measure_leaders(found: Findings) -> list[ClaimEstimate]:
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
        mean, others = list(METRICS).index("mean"), [i for i, name in enumerate(METRICS) if name != "mean"]
        among = ranks[np.ix_(others, others)][np.triu_indices(len(others), 1)]
        return float(ranks[mean, others].mean() - among.mean())

    return [
        *(resample_claim(found, f"winnings of the best, {metric}", partial(average, metric)) for metric in METRICS),
        resample_claim(found, "agents in all four lists", count_shared),
        resample_claim(found, "mean diverges most", compare_agreement),
    ]


def _rank(scores: Floats) -> Floats:
    return np.argsort(np.argsort(scores, kind="stable"), kind="stable").astype(float)


def _measure_tight_and_loose(found: Findings) -> list[ClaimEstimate]:
    """Return how tight and passive agents rank by TrueSkill, and loose and aggressive ones by 20th percentile."""
    trained = found.has_type(*QLEARN, *SAC)
    aggression, folds = found.plane.T
    middle = np.median(found.plane[trained], axis=0)
    tight = trained & (aggression < middle[0]) & (folds > middle[1])
    loose = trained & (aggression > middle[0]) & (folds < middle[1])
    percentiles = {metric: compute_percentiles(found, metric) for metric in METRICS}
    worse = percentiles["trueskill"] - (percentiles["median"] + percentiles["low"]) / 2
    robust = percentiles["low"] - percentiles["median"]
    return [
        summarise_claim("tight and passive last by TrueSkill", average_by_student(found, worse, tight)),
        summarise_claim("aggressive and loose are robust", average_by_student(found, robust, loose)),
    ]


def _measure_actions(found: Findings) -> list[ClaimEstimate]:
    """Return how often types of agents call and raise in the situations of a strategy vector."""
    aggression, folds = found.plane.T
    calls, raises = (1 - aggression) * (1 - folds), aggression * (1 - folds)
    of_all, of_eight = found.has_type("Qlearn-All"), found.has_type("Qlearn-8")
    others = found.has_type("Qlearn-8", *SAC)

    def correlate(indices: Indices) -> float:
        chosen = indices[found.has_type(*SAC)[indices]]
        if len(chosen) < 2 or not np.ptp(aggression[chosen]) or not np.ptp(folds[chosen]):
            return math.nan
        return float(np.corrcoef(aggression[chosen], folds[chosen])[0, 1])

    return [
        summarise_claim("Qlearn-All seldom calls", average_by_student(found, calls, of_all)),
        summarise_claim("Qlearn-All raises more than it folds", average_by_student(found, raises - folds, of_all)),
        compare_groups(found, "Qlearn-8 calls more", calls, of_eight, of_all),
        compare_groups(found, "Qlearn-All is most aggressive", aggression, of_all, others),
        resample_claim(found, "SAC aggressive when tight", correlate, found.has_type(*SAC)),
    ]


def _compare_sac_with_call(found: Findings) -> list[ClaimEstimate]:
    """Return the share of actor-critics above the player that always calls, by three metrics."""
    call, sac = found.types.index("Call"), found.has_type(*SAC)
    above = {metric: (scores > scores[call]).astype(float) for metric, scores in found.scores.items()}
    return [
        summarise_claim(f"SAC above Call, {metric}", average_by_student(found, above[metric], sac))
        for metric in ("mean", "median", "trueskill")
    ]


def _measure_worst_matches(found: Findings) -> list[ClaimEstimate]:
    """Return the shape of the 20th percentiles, and how the first clones of Qlearn-All rank by them."""
    scores, trained = found.scores["low"], found.has_type(*QLEARN, *SAC)

    def compute_skewness(indices: Indices) -> float:
        chosen = scores[indices[trained[indices]]]
        deviation = chosen - chosen.mean()
        return float((deviation**3).mean() / chosen.std() ** 3) if chosen.std() else math.nan

    first = found.has_type("Qlearn-All") & (found.generations == 1)
    ranks = average_by_student(found, compute_percentiles(found, "low"), first)
    return [
        resample_claim(found, "20th percentile left-skewed", compute_skewness, trained),
        summarise_claim("first clones of Qlearn-All are robust", ranks),
    ]


def _measure_improvement(found: Findings) -> list[ClaimEstimate]:
    """Return the gain from the first clone to the last, in percent of the ranks."""
    qlearn, both = found.has_type(*QLEARN), np.ones(len(found.members), bool)
    return [
        summarise_claim("Qlearn improves by TrueSkill", _compute_gains(found, "trueskill", qlearn)),
        summarise_claim("improvement is small", _compute_gains(found, "median", both)),
        summarise_claim("improvement is small, mean", _compute_gains(found, "mean", both)),
        summarise_claim("improvement is small, low", _compute_gains(found, "low", both)),
    ]


def _compute_gains(found: Findings, metric: str, chosen: Mask) -> list[float]:
    """Return the gain of each student with several clones among the chosen agents."""
    percentiles, generations = compute_percentiles(found, metric), found.generations
    gains = []
    for mine in group_clones(found):
        first, last = mine[np.argmin(generations[mine])], mine[np.argmax(generations[mine])]
        if last != first and chosen[last]:
            gains.append(float(percentiles[last] - percentiles[first]))
    return gains


def _measure_robustness(found: Findings) -> ClaimEstimate:
    """Return the 20th percentile of Qlearn-All after random matches less that after climbing."""
    sides = found.is_in_division("QlnA-Rn"), found.is_in_division("QlnA-Cl")
    return compare_groups(found, "random is more robust", found.scores["low"], *sides)


def _measure_internal_ranks(found: Findings) -> ClaimEstimate:
    """Return the rank correlation of the ratings inside divisions and among all agents, over divisions."""
    homes = np.array([-1 if member.parent is None else member.division or -1 for member in found.members])
    outside, correlations = found.trueskill(0), []
    for home in sorted(set(homes.tolist()) - {-1}):
        mine = [i for i in np.flatnonzero(homes == home) if found.members[i].id in found.internal]
        inside = np.array([found.internal[found.members[i].id] for i in mine])
        if len(mine) > 1:
            correlations.append(float(np.corrcoef(_rank(inside), _rank(outside[mine]))[0, 1]))
    return summarise_claim("internal and global ranks agree", correlations)
