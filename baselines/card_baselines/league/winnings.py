"""Winnings of members from each other in rounds of two members: a matrix with standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.rounds import Earnings, RoundOutcome
from card_baselines.league.store import Store

Matrix = NDArray[np.float64]


def load_rounds(store: Store, *divisions: int) -> list[RoundOutcome]:
    """Return the rounds of some divisions that were played without students, in order."""
    learned = {planned.id for planned in store.rounds() if planned.students}
    return [each for each in store.outcomes(*divisions).values() if each.earnings and each.round not in learned]


@dataclass(frozen=True, eq=False)
class Winnings:
    """Winnings of each member from each other, per hand and seat, in the unit of the game."""

    members: tuple[int, ...]
    means: Matrix
    """(n, n): what the row wins when the column has the other seats; NaN where the two did not meet."""
    errors: Matrix
    """(n, n): standard errors of the means."""
    hands: NDArray[np.int64]
    """(n, n): number of hands."""

    @property
    def half_widths(self) -> Matrix:
        """(n, n): half the widths of the 95 % intervals."""
        return 1.96 * self.errors

    def resample(self, count: int, rng: np.random.Generator) -> Matrix:
        """Return (count, n, n): the means with normal noise of their errors, which is antisymmetric as in the hands."""
        upper = np.triu(rng.standard_normal((count, *self.means.shape)), 1)
        return np.asarray(self.means + (upper - upper.transpose(0, 2, 1)) * self.errors, np.float64)


def compute_winnings(rounds: Sequence[RoundOutcome], members: Sequence[int], chips_per_reward: int) -> Winnings:
    """Return the winnings matrix of `members`, from the rounds in which two of them played."""
    column = {member: number for number, member in enumerate(members)}
    shape = len(members), len(members)
    totals, seat_hands, noise, hands = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int64)
    for played in rounds:
        if len(played.earnings) != 2 or not played.earnings.keys() <= column.keys():
            continue
        for member, other in (tuple(played.earnings), tuple(played.earnings)[::-1]):
            won, cell = played.earnings[member], (column[member], column[other])
            totals[cell] += won.total
            seat_hands[cell] += won.seats * played.hands
            hands[cell] += played.hands
            noise[cell] += _variance_of_total(won, played.samples)
    with np.errstate(invalid="ignore", divide="ignore"):
        means, errors = totals / seat_hands / chips_per_reward, np.sqrt(noise) / seat_hands / chips_per_reward
    return Winnings(tuple(members), means, errors, hands)


def _variance_of_total(won: Earnings, samples: int) -> float:
    """Return the variance of a member's winnings in a round, estimated from its independent samples."""
    if samples < 2:
        return float("inf")
    return max(0.0, (won.squares - won.total**2 / samples) * samples / (samples - 1))


def mean_winnings(matrices: Matrix) -> Matrix:
    """Return (..., n): mean winnings of each member over the others that it met, from matrices (..., n, n)."""
    return np.asarray(np.nanmean(_without_diagonal(matrices), axis=-1), np.float64)


def median_winnings(matrices: Matrix) -> Matrix:
    """Return (..., n): median winnings over the others, which large winnings from a weak player do not change."""
    return np.asarray(np.nanmedian(_without_diagonal(matrices), axis=-1), np.float64)


def low_winnings(matrices: Matrix) -> Matrix:
    """Return (..., n): 20th percentile of the winnings over the others: results against the most difficult ones."""
    with np.errstate(invalid="ignore"):  # draws of a result without an interval are infinite
        return np.asarray(np.nanpercentile(_without_diagonal(matrices), 20, axis=-1), np.float64)


def _without_diagonal(matrices: Matrix) -> Matrix:
    return np.where(np.eye(matrices.shape[-1], dtype=bool), np.nan, matrices)
