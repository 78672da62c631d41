"""Regression of results on control variates, designed so that it cannot make an interval much wider.

Everything is computed from *moments*: for each fold of the deals, the sums of products (k + 2, k + 2) of the numbers
(1, k control variates, result) of its deals. Coefficients that are fitted to some folds are used for another fold only,
so the estimate is unbiased for any fit, including the decision whether to use the control variates at all.

Four measures prevent large coefficients of control variates that hardly vary, or vary in rare deals only:

* a floor of their standard deviation, in their own unit, because rare events may not have occurred yet;
* a ridge penalty, chosen by the variance that it explains out of sample;
* shrinkage of the whole correction to the part that it explains out of sample, minus two standard errors of a
  correlation; if nothing remains, the correction is zero;
* no correction with fewer hands than control variates, growing to the full one at three hands per control variate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from card_envs.analysis.variance.control_terms import ControlUnits
from card_envs.analysis.variance.linear_algebra import add_products, solve_ridges
from card_envs.match.summary import skewness
from card_envs.typing import Floats, Rows

FOLDS = 5
RIDGES = (0.3, 3.0, 30.0, 300.0)
"""Strengths of the ridge penalty to choose from, equivalent to that many more deals in which each control is zero."""
_DOUBTED_ERRORS = 2.0
"""Number of standard errors that are subtracted from the out-of-sample correlation of correction and result."""
_HANDS_PER_CONTROL = 3
"""Number of hands per control from which the full correction is used. With fewer, rare large values may be missing, so
the correction shrinks linearly to zero at one hand per control."""
MAX_KEPT = 1000
"""Maximum number of samples that are stored, for the skewness of adjusted results; only moments of others are."""
_MAX_GAIN = 1000.0
"""Maximum of the ratio of plain to adjusted variance, for matches whose few deals all have the same result."""

Moments = Floats
"""(FOLDS, k + 2, k + 2): sums of products of the numbers (1, k control variates, result), by fold."""


def moments_of(controls: Floats, results: Floats, deals: Rows) -> Moments:
    """Return the moments of controls (n, k) and results (n,); the fold of a row is deals[row] % FOLDS."""
    rows = np.column_stack([np.ones(len(results)), controls, results])
    moments = np.zeros((FOLDS, rows.shape[1], rows.shape[1]))
    add_products(rows, deals % FOLDS, moments)
    return moments + np.tril(moments, -1).transpose(0, 2, 1)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Moments of the same hands in three groupings. Hands that depend on each other are in the same fold."""

    hands: Moments
    """Moments of single hands, to which coefficients are fitted."""
    deals: Moments
    """Moments of the means over the hands of each deal, which decide how much of the correction is used."""
    samples: Moments
    """Moments of the means over independent samples (deals or tables), for mean and variance of the result."""
    kept: Floats
    """(n, k + 2): 1, controls and result of each of the first samples, at most `MAX_KEPT`."""
    folds: Rows
    """(n,): fold of each of these samples."""

    def __add__(self, other: Evidence) -> Evidence:
        """Return the moments of both together; the samples of `other` must be later ones."""
        return Evidence(
            self.hands + other.hands,
            self.deals + other.deals,
            self.samples + other.samples,
            np.concatenate([self.kept, other.kept])[:MAX_KEPT],
            np.concatenate([self.folds, other.folds])[:MAX_KEPT],
        )


@dataclass(frozen=True)
class Estimate:
    """The adjusted result of an agent."""

    mean: float
    variance: float
    """Variance of the adjusted result of one sample, not of the mean."""
    skewness: float
    """Skewness of the adjusted results of the first samples, at most `MAX_KEPT`."""


def evidence_of(
    controls: Floats,
    results: Floats,
    samples: Rows,
    complete: tuple[Floats, Floats] | None,
) -> Evidence:
    """Return the moments of n deals, each played several times.

    `controls` (n, plays, k) and `results` (n, plays) are those of the hands; `samples` (n,) are the indices of the
    deals, or of the tables at which they were played, which determine the folds. `complete` are controls and results of
    the complete samples, in the same order; None if there are none.
    """
    deals = hands = moments_of(controls.mean(axis=1), results.mean(axis=1), samples)
    if (plays := results.shape[1]) > 1:
        rows = controls.reshape(len(samples) * plays, -1)
        hands = moments_of(rows, results.ravel(), np.repeat(samples, plays))
    if complete is None:
        return Evidence(hands, deals, np.zeros_like(deals), np.empty((0, deals.shape[1])), np.empty(0, np.int64))
    is_same = complete[0] is controls
    means = complete[0].mean(axis=1), complete[1].mean(axis=1)
    whole = deals if is_same else moments_of(*means, samples)
    kept = np.column_stack([np.ones(len(samples)), *means])[:MAX_KEPT]
    return Evidence(hands, deals, whole, kept, (samples % FOLDS)[:MAX_KEPT])


def estimate_adjusted(evidence: Evidence, units: ControlUnits) -> Estimate:
    """Return mean, variance and skewness of the samples' adjusted results, given the moments of all samples."""
    regression, summed = _Regression(evidence, units), evidence.samples
    weights = np.stack([regression.fit(fold)[0] for fold in range(FOLDS)])
    count, total = summed[:, 0, 0].sum(), float(np.einsum("fi,fi->", summed[:, 0], weights))
    squares = float(np.einsum("fi,fij,fj->", weights, summed, weights))
    mean = total / count
    variance = max(0.0, squares / count - mean**2) * count / max(1.0, count - 1)
    return Estimate(mean, variance, skewness((evidence.kept * weights[evidence.folds]).sum(axis=1)))


def fit_weights(evidence: Evidence, units: ControlUnits) -> tuple[Floats, float]:
    """Return weights (k + 2,) of (1, controls, result) in the adjusted result of *later* deals, and the gain.

    The gain is the variance of plain results divided by the variance of adjusted results, estimated out of sample.
    """
    return _Regression(evidence, units).fit(None)


class _Regression:
    """Fits weights for each fold to the other folds; ridge regressions that several folds need are computed once."""

    def __init__(self, evidence: Evidence, units: ControlUnits) -> None:
        self._hands, self._deals, self._units = evidence.hands, evidence.deals, units
        self._known: dict[frozenset[int | None], Floats] = {}

    def fit(self, held_out: int | None) -> tuple[Floats, float]:
        """Return weights (k + 2,) of (1, controls, result), fitted to all folds but `held_out`, and their gain."""
        folds = [fold for fold in range(FOLDS) if fold != held_out]
        hands_per_control = self._hands[folds, 0, 0].sum() / len(self._units.is_stake)
        used = min(1.0, (hands_per_control - 1) / (_HANDS_PER_CONTROL - 1))
        if used <= 0:
            plain = np.zeros(self._hands.shape[1])
            plain[-1] = 1.0
            return plain, 1.0
        variance, explained, spent = self._out_of_sample(folds, held_out)
        shrinkage = _compute_shrinkage(variance, explained, spent, self._deals[folds, 0, 0].sum())
        shrinkage *= used
        saved = 2 * shrinkage * explained - shrinkage**2 * spent
        best = np.argmax(saved)
        weights = self._ridge_weights_without({held_out})[best].copy()
        weights[1:-1] *= shrinkage[best]
        left = max(variance - float(saved[best]), variance / _MAX_GAIN)
        return np.asarray(weights, np.float64), variance / left if left > 0 else 1.0

    def _out_of_sample(self, folds: list[int], held_out: int | None) -> tuple[float, Floats, Floats]:
        """Return sums over `folds`, each with the correction that is fitted to the other folds.

        They are the sum of squared deviations of the results; for each ridge, the sum of products of correction and
        result; and for each ridge, the sum of squared deviations of the correction.
        """
        variance, explained, spent = 0.0, np.zeros(len(RIDGES)), np.zeros(len(RIDGES))
        for fold in folds:
            corrections = -self._ridge_weights_without({fold, held_out})[:, 1:-1]
            covariances, count = _covariances(self._deals[fold]), self._deals[fold, 0, 0]
            variance += count * float(covariances[-1, -1])
            explained += count * (corrections @ covariances[:-1, -1])
            spent += count * np.einsum("ri,ri->r", corrections @ covariances[:-1, :-1], corrections)
        return variance, explained, spent

    def _ridge_weights_without(self, folds: set[int | None]) -> Floats:
        key = frozenset(folds)
        if key not in self._known:
            used = [fold for fold in range(FOLDS) if fold not in folds]
            self._known[key] = _ridge_weights(self._hands[used].sum(axis=0), self._units)
        return self._known[key]


def _compute_shrinkage(variance: float, explained: Floats, spent: Floats, count: float) -> Floats:
    """Return for each ridge the factor, 0 to 1, of the correction, by a lower bound of its true correlation."""
    whole = np.sqrt(variance * spent)
    correlation = np.clip(np.divide(explained, whole, out=np.zeros_like(whole), where=whole > 0), 0.0, 1.0)
    doubt = _DOUBTED_ERRORS * (1 - correlation**2) / np.sqrt(max(1.0, count))
    trusted = np.divide(explained - doubt * whole, spent, out=np.zeros_like(spent), where=spent > 0)
    return np.asarray(np.clip(trusted, 0.0, 1.0), np.float64)


def _ridge_weights(moments: Floats, units: ControlUnits) -> Floats:
    """Return weights (ridges, k + 2) from ridge regressions on the standardised controls."""
    covariances, count = _covariances(moments), max(1.0, moments[0, 0])
    stake = max(units.least_stake, np.sqrt(max(0.0, covariances[-1, -1])))
    floors = np.where(units.is_stake, stake, 1.0)
    spreads = np.sqrt(np.maximum(np.diag(covariances)[:-1], 0.0) + floors**2)
    scaled = covariances[:-1, :-1] / np.outer(spreads, spreads)
    weights, solutions = np.zeros((len(RIDGES), len(moments))), np.empty((len(RIDGES), len(scaled)))
    solve_ridges(scaled, covariances[:-1, -1] / spreads, np.array(RIDGES) / count, np.empty_like(scaled), solutions)
    weights[:, 1:-1], weights[:, -1] = -solutions / spreads, 1.0
    return weights


def _covariances(moments: Floats) -> Floats:
    """Return the covariances (k + 1, k + 1) of controls and result; zeros without samples."""
    count, sums = max(1.0, moments[0, 0]), moments[0, 1:]
    return np.asarray(moments[1:, 1:] / count - np.outer(sums, sums) / count**2, np.float64)
