"""Taking luck out of results: the same mean, a smaller interval.

While a match is played, *controls* are computed for each hand: numbers whose mean is zero whatever the agents do, such
as how much the turn changed an agent's equity. What a regression of the results on the controls explains was luck, and
is taken off. The estimate stays right on average, for two reasons: the controls have mean zero, and the coefficients
for a deal are fitted to other deals (five folds). `docs/evaluation.md` has the derivation.

The controls are those of MIVAT (White and Bowling, Learning a value analysis tool for agent evaluation, IJCAI 2009) for
the cards and of AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling, AAAI 2018) for the actions of agents that show
their probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import SupportsAct
from card_envs.analysis.variance.hand_controls import HandControls
from card_envs.game import Game
from card_envs.match.callbacks import Batch, Rows
from card_envs.match.result import MatchResult
from card_envs.match.statistics import Summary, student_t_quantile

_FOLDS = 5
_RIDGES = (1.0, 10.0, 100.0, 1000.0, 10000.0)
"""Of which the regression takes the best: so many deals at zero are added for each standardised control, against
correlations by chance."""


_SMALLEST_SPREAD = 1e-9
"""Standard deviation below which a control is constant, up to rounding."""


@dataclass(frozen=True)
class Adjusted:
    """An agent's result without the luck that the controls explain."""

    summary: Summary
    hands_factor: float
    """How many times as many hands plain play (no duplicate deals, no controls) needs for the same interval."""


class ControlVariates:
    """A callback that computes controls and moments; give it to `play_match` and ask `adjusted` afterwards.

    For hold'em with two hole cards of a full deck, 2 to 10 seats; others raise a ValueError. Agents with memory, whose
    hands depend on each other, are not supported. Agents that define `probabilities` get controls for their actions.
    """

    def __init__(self, game: Game, agents: Sequence[SupportsAct], seed: int) -> None:
        self._controls = HandControls(game, agents, seed)
        self._places = range(1) if game.num_seats == 2 else range(game.num_seats)  # two agents mirror each other
        self._moments: NDArray[np.float64] | None = None

    def on_deal(self, batch: Batch) -> None:
        """Prepare for new hands."""
        self._controls.on_deal(batch)

    def on_actions(self, batch: Batch, rows: Rows, actions: Rows) -> None:
        """Note what the controls depend on."""
        self._controls.on_actions(batch, rows, actions)

    def on_end(self, batch: Batch) -> None:
        """Add the moments of the batch's deals, by fold."""
        payoffs = batch.by_place(batch.tables["payoff"][:, : batch.game.num_seats].astype(np.int64))
        means = payoffs.reshape(-1, batch.plays, batch.game.num_seats).mean(axis=1) / batch.game.chips_per_reward
        folds = batch.deals[:: batch.plays] % _FOLDS
        for place, controls in zip(self._places, self._controls.of_batch(batch, self._places), strict=True):
            controls = controls.reshape(len(means), batch.plays, -1).mean(axis=1)
            rows = np.column_stack([np.ones(len(means)), controls, means[:, place]])
            if self._moments is None:
                self._moments = np.zeros((len(self._places), _FOLDS, rows.shape[1], rows.shape[1]))
            for fold in range(_FOLDS):
                mine = rows[folds == fold]
                self._moments[place, fold] += mine.T @ mine

    def adjusted(self, result: MatchResult) -> tuple[Adjusted, ...]:
        """Return the adjusted result of each agent, of the match that was watched, `result` being its plain result."""
        if self._moments is None or self._moments[0, :, 0, 0].sum() != result.deals or result.hands_per_table != 1:
            raise ValueError("these control variates have not watched the deals of this result, all of them")
        estimates = [_adjust(self._moments[place]) for place in self._places]
        if len(estimates) < len(result.names):
            estimates.append((-estimates[0][0], estimates[0][1]))
        return tuple(
            _report(name, mean, variance, sd, result)
            for name, (mean, variance), sd in zip(result.names, estimates, result.hand_sds, strict=True)
        )


def _report(name: str, mean: float, variance: float, sd_of_hand: float, result: MatchResult) -> Adjusted:
    deals, plays = result.deals, result.hands_per_sample
    error = math.sqrt(variance / deals) if deals > 1 else math.nan
    reach = error * student_t_quantile(0.975, deals - 1) if deals > 1 else math.inf
    factor = sd_of_hand**2 / (variance * plays) if variance > 0 else math.inf
    return Adjusted(Summary(name, mean, (mean - reach, mean + reach), error, deals), factor)


def _adjust(moments: NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and variance of a deal's adjusted result, from moments (folds, k, k) of (1, controls, result)."""
    count, sums, squares = moments[:, 0, 0].sum(), 0.0, 0.0
    for fold in range(len(moments)):
        weights = _weights(np.delete(moments, fold, axis=0))
        sums += float(moments[fold, 0] @ weights)
        squares += float(weights @ moments[fold] @ weights)
    mean = sums / count
    return mean, max(0.0, squares / count - mean**2) * count / max(1.0, count - 1)


def _weights(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights (k,) of (1, controls, result) in the adjusted result, fitted to the folds of `moments`.

    The ridge is the one that explains each of the folds best with what is fitted to the others.
    """
    left_over = np.zeros(len(_RIDGES))
    for fold in range(len(moments)):
        tried = _ridge_weights(np.delete(moments, fold, axis=0).sum(axis=0))
        covariances = _covariances(moments[fold])
        left_over += moments[fold, 0, 0] * np.einsum("ri,ij,rj->r", tried[:, 1:], covariances, tried[:, 1:])
    weights = _ridge_weights(moments.sum(axis=0))
    return np.asarray(weights[np.argmin(left_over)], np.float64)


def _ridge_weights(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights (ridges, k) from ridge regressions on the standardised controls; 0 for those that never differ."""
    covariances, count = _covariances(moments), max(1.0, moments[0, 0])
    spreads = np.sqrt(np.maximum(np.diag(covariances)[:-1], 0))
    varies = np.flatnonzero(spreads > _SMALLEST_SPREAD)
    correlations = covariances[np.ix_(varies, varies)] / np.outer(spreads[varies], spreads[varies])
    values, vectors = np.linalg.eigh(correlations)
    turned = vectors.T @ (covariances[varies, -1] / spreads[varies])
    weights = np.zeros((len(_RIDGES), len(moments)))
    weights[:, -1] = 1.0
    for row, ridge in zip(weights, _RIDGES, strict=True):
        row[1 + varies] = -(vectors @ (turned / (np.maximum(values, 0) + ridge / count))) / spreads[varies]
    return weights


def _covariances(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the covariances of controls and result, all zero without samples."""
    count, sums = max(1.0, moments[0, 0]), moments[0, 1:]
    return np.asarray(moments[1:, 1:] / count - np.outer(sums, sums) / count**2, np.float64)
