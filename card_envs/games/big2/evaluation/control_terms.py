"""The controls of Big 2: how good a hand was dealt, in several ways, less what the four hands are on average.

Whoever sits where, the four hands of a deal are exchangeable, so the difference has mean zero. It is known before
anybody acts; what happens later in a deal has no controls.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.game import Tables
from card_envs.game_info import Controls, ControlUnits
from card_envs.games.big2.state import NUM_SEATS, NUM_SUITS
from card_envs.play_statistics import Hands
from card_envs.typing import Floats, Rows

_NUM_RANKS = DECK_SIZE // NUM_SUITS
_FIRST_TWO = DECK_SIZE - NUM_SUITS
_RUN, _FLUSH = 5, 5
_NUM_TERMS = _NUM_RANKS + NUM_SUITS + 1 + 8


class Big2ControlTerms:
    """Looks at the hands of a batch as they are dealt, and returns their controls at the end."""

    units = ControlUnits(np.zeros(_NUM_TERMS, bool), 1.0)
    """All are numbers of cards or of combinations."""

    def __init__(self, seed: int, hands_of: Sequence[int]) -> None:
        """Nothing is drawn, and nobody asked."""

    def on_deal(self, batch: Hands) -> None:
        """Note what the hands are worth."""
        dealt = batch.tables["held"] | batch.tables["played"]  # the deal itself may lead 3D
        strengths = hand_strengths(dealt)
        self._terms = strengths - strengths.mean(axis=1, keepdims=True)

    def counterfactual_tables(self, batch: Hands, rows: Rows) -> tuple[Tables, Rows]:
        """Return no tables: nothing is to be asked."""
        return batch.tables[:0], rows[:0]

    def on_actions(self, batch: Hands, rows: Rows, actions: Rows, chances: Floats) -> None:
        """Do nothing: only the cards count."""

    def compute_controls(self, batch: Hands, places: Sequence[int]) -> list[Controls]:
        """Return the controls of each of `places`."""
        rows = np.arange(len(batch.tables))
        terms = [self._terms[rows, (place + batch.hands) % NUM_SEATS] for place in places]
        return [Controls(np.zeros(len(rows)), each) for each in terms]


def hand_strengths(dealt: NDArray[np.int64]) -> Floats:
    """Return numbers (n, seats, k) that tell how good hands (n, seats) are, given as sets of order numbers.

    How many cards of each rank, which twos, 3D; ranks with one card, with two or more, three or more, four; runs of
    five ranks, whether there is one, a full house; suits with five cards.
    """
    cards = (dealt[..., None] >> np.arange(DECK_SIZE)) & 1
    by_suit = cards.reshape(*dealt.shape, _NUM_RANKS, NUM_SUITS)
    of_rank, of_suit = by_suit.sum(axis=-1), by_suit.sum(axis=-2)
    runs = np.lib.stride_tricks.sliding_window_view(of_rank[..., :-1] > 0, _RUN, axis=-1).all(axis=-1).sum(axis=-1)
    pairs, triples = (of_rank >= 2).sum(axis=-1), (of_rank >= 3).sum(axis=-1)
    combinations = [
        (of_rank == 1).sum(axis=-1),
        pairs,
        triples,
        (of_rank == NUM_SUITS).sum(axis=-1),
        runs,
        runs > 0,
        (triples > 0) & (pairs > 1),
        (of_suit >= _FLUSH).sum(axis=-1),
    ]
    parts = [of_rank, cards[..., _FIRST_TWO:], cards[..., :1], np.stack(combinations, axis=-1)]
    return np.concatenate(parts, axis=-1).astype(np.float64)
