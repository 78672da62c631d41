"""Control variates of Big 2: features of the strength of a dealt hand, minus their mean over the four hands.

The four hands of a deal are exchangeable, so the difference has mean zero. There are no control variates for events
after the deal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from card_envs.analysis.variance.control_terms import Controls, ControlTerms, ControlUnits
from card_envs.cards import DECK_SIZE
from card_envs.game import Game
from card_envs.games.big2.state import NUM_SUITS
from card_envs.match.callbacks import MatchBatch
from card_envs.typing import Floats

_NUM_RANKS = DECK_SIZE // NUM_SUITS
_FIRST_TWO = DECK_SIZE - NUM_SUITS
_RUN, _FLUSH = 5, 5
_NUM_TERMS = _NUM_RANKS + NUM_SUITS + 1 + 8


def make_control_terms(game: Game) -> type[Big2ControlTerms]:
    """Return the class of the control terms."""
    return Big2ControlTerms


class Big2ControlTerms(ControlTerms):
    """`ControlTerms` from the strengths of the dealt hands."""

    units = ControlUnits(np.zeros(_NUM_TERMS, bool), 1.0)
    """Units of the controls, which are numbers of cards or combinations."""

    def __init__(self, seed: int, hands_per_agent: Sequence[int]) -> None:
        """Ignore the arguments: agents are not asked about other hands."""

    def on_deal(self, batch: MatchBatch) -> None:
        """Compute the strengths of the hands."""
        dealt = batch.tables["held"] | batch.tables["played"]  # the deal may already have played 3D
        strengths = hand_strengths(dealt)
        self._terms = strengths - strengths.mean(axis=1, keepdims=True)

    def compute_controls(self, batch: MatchBatch, agents: Sequence[int]) -> list[Controls]:
        """Return the controls of each agent, given by its index."""
        rows = np.arange(len(batch.tables))
        terms = [self._terms[rows, batch.seats[:, agent]] for agent in agents]
        return [Controls(np.zeros(len(rows)), each) for each in terms]


def hand_strengths(dealt: NDArray[np.int64]) -> Floats:
    """Return features (n, seats, k) of the strength of hands (n, seats), which are given as sets of order numbers.

    The features are: number of cards of each rank; each two; 3D; numbers of ranks with one card, two or more, three or
    more, and four; number of runs of five ranks; whether there is a run; whether there is a full house; number of suits
    with five or more cards.
    """
    cards = (dealt[..., None] >> np.arange(DECK_SIZE)) & 1
    by_suit = cards.reshape(*dealt.shape, _NUM_RANKS, NUM_SUITS)
    rank_counts, suit_counts = by_suit.sum(axis=-1), by_suit.sum(axis=-2)
    runs = np.lib.stride_tricks.sliding_window_view(rank_counts[..., :-1] > 0, _RUN, axis=-1).all(axis=-1).sum(axis=-1)
    pairs, triples = (rank_counts >= 2).sum(axis=-1), (rank_counts >= 3).sum(axis=-1)
    combinations = [
        (rank_counts == 1).sum(axis=-1),
        pairs,
        triples,
        (rank_counts == NUM_SUITS).sum(axis=-1),
        runs,
        runs > 0,
        (triples > 0) & (pairs > 1),
        (suit_counts >= _FLUSH).sum(axis=-1),
    ]
    parts = [rank_counts, cards[..., _FIRST_TWO:], cards[..., :1], np.stack(combinations, axis=-1)]
    return np.concatenate(parts, axis=-1).astype(np.float64)
