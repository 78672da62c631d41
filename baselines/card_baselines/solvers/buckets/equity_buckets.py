"""Buckets by equity: before the flop the 169 starting hands, then percentiles of the equity against a random hand.

Equity is estimated from sampled deals. The seed of the sample is a hash of the cards, so that a hand always falls into
the same bucket.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import hole_card
from card_baselines.solvers.hands import FIRST_BOARD_CARD
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.poker.draw import draw_unused_card
from card_envs.poker.equity import sample_share
from card_envs.poker.hands import BOARD_CARDS, BOARD_SIZE, HANDS, NUM_HANDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS
from card_envs.poker.starting_hands import NUM_STARTING_HANDS, starting_hand
from card_envs.rng import seeded_streams, splitmix64
from card_envs.typing import Floats, Integers

SAMPLES: NDArray[np.int64] = np.array([0, 80, 80, 120])
"""Number of deals from which equity is estimated, by street."""

_DEALT = FIRST_BOARD_CARD + BOARD_SIZE

CARDS = np.dtype((np.record, [("card", np.int64, (_DEALT,))]))
"""One deal: two hole cards of each player, then the board."""


class EquityBuckets:
    """Buckets between bounds of equity, and their lookup at tables and on boards."""

    def __init__(self, bounds: Floats) -> None:
        """Store the lower bounds of buckets 1, 2, ... by street after the first, (3, num_buckets - 1)."""
        if bounds.ndim != 2 or len(bounds) != len(BOARD_CARDS) - 1 or not np.isfinite(bounds).all():
            raise ValueError(f"the bounds of equity are of shape {bounds.shape}, not (3, buckets - 1), or not finite")
        self.bounds = bounds
        self._cards = np.zeros(1, CARDS)

    @property
    def hands_by_street(self) -> list[int]:
        """Number of buckets on each street."""
        return [NUM_STARTING_HANDS] + [self.bounds.shape[1] + 1] * self.bounds.shape[0]

    def find(self, views: Tables) -> Integers:
        """Return the buckets (n,) of the actors' hands."""
        buckets = np.empty(len(views), np.int64)
        find_buckets(views, self.bounds, self._cards, buckets)
        return buckets

    def hands_on(self, board: Integers) -> Integers:
        """Return the bucket of each hand on a board, (1326,)."""
        buckets = np.zeros(NUM_HANDS, np.int64)
        self._cards[0].card[FIRST_BOARD_CARD : FIRST_BOARD_CARD + len(board)] = board
        used = np.bitwise_or.reduce(np.int64(1) << board, initial=np.int64(0))
        write_buckets(self._cards, used, np.int64(max(0, len(board) - 2)), self.bounds, buckets)
        return buckets


@kernel
def equity_of(first: Any, second: Any, cards: Any, street: Any) -> Any:
    """Return the estimated equity, 0..1, of two hole cards with the board of `cards` on a street after the first."""
    key, bits = np.int64(0), np.int64(0)
    used = np.int64(1) << first | np.int64(1) << second
    known = BOARD_CARDS[street]
    for k in range(known):
        card = cards.card[_DEALT - BOARD_SIZE + k]
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
        used |= np.int64(1) << card
    own = np.uint64(min(first, second) * DECK_SIZE + max(first, second))
    seed = splitmix64(np.uint64(used) ^ splitmix64(own))
    missing = BOARD_SIZE - known
    return sample_share(first, second, key, bits, used, missing, np.int64(1), SAMPLES[street], seed)


@kernel
def bucket_of(first: Any, second: Any, cards: Any, street: Any, bounds: Any) -> Any:
    """Return the bucket of two hole cards on a street; bounds[street - 1] are the lower bounds of buckets 1, 2, ..."""
    if street == 0:
        return np.int64(starting_hand(first, second))
    equity = equity_of(first, second, cards, street)
    low, high = np.int64(0), np.int64(bounds.shape[1])
    while low < high:
        middle = (low + high) >> 1
        if bounds[street - 1, middle] <= equity:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def find_buckets(views: Any, bounds: Any, cards: Any, buckets: Any) -> None:
    """Write the bucket of the actor's hand in each view; `cards` (1,) of `CARDS` is scratch space."""
    for j in range(views.shape[0]):
        t = views[j]
        for k in range(num_board_cards(t)):
            cards[0].card[FIRST_BOARD_CARD + k] = t.deck[FIRST_BOARD_CARD + k]
        buckets[j] = bucket_of(hole_card(t, 0), hole_card(t, 1), cards[0], np.int64(t.street), bounds)


@kernel
def write_buckets(cards: Any, used: Any, street: Any, bounds: Any, buckets: Any) -> None:
    """Write the bucket of each hand that shares no card with the set `used`, the board of `cards`."""
    for hand in range(NUM_HANDS):
        a, b = np.int64(HANDS[hand, 0]), np.int64(HANDS[hand, 1])
        if ((used >> a) | (used >> b)) & 1 == 0:
            buckets[hand] = bucket_of(a, b, cards[0], street, bounds)


@kernel
def deal_all(stream: Any, cards: Any) -> None:
    """Write nine different random cards, drawn from the stream of a record."""
    used = np.int64(0)
    for k in range(_DEALT):
        card = draw_unused_card(stream, used)
        used |= np.int64(1) << card
        cards.card[k] = card


@kernel
def _sample_equities(streams: Any, scratch: Any, equities: Any) -> None:
    """Write the equities (samples, 3) of random hands on random boards, by street after the first."""
    for i in range(equities.shape[0]):
        deal_all(streams[0], scratch[0])
        for street in range(1, len(BOARD_CARDS)):
            equities[i, street - 1] = equity_of(scratch[0].card[0], scratch[0].card[1], scratch[0], street)


def equal_bounds(num_buckets: int, seed: int, samples: int = 100_000) -> NDArray[np.float64]:
    """Return bounds (3, num_buckets - 1) with which a random hand falls into each bucket of a street equally often."""
    equities = np.empty((samples, len(BOARD_CARDS) - 1))
    _sample_equities(seeded_streams(1, seed), np.zeros(1, CARDS), equities)
    shares = np.arange(1, num_buckets) / num_buckets
    return np.ascontiguousarray(np.quantile(equities, shares, axis=0).T)
