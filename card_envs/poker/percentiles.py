"""How good a hand is among all hands of as many cards: the share of them that is not better.

Hands of five, six and seven cards are compared by rank, starting hands (two cards) by their equity: the share of the
pot that they win on average, all-in before the flop against one random hand. Both are exact; how the tables come about
is in `percentile_tables`. Kaminsky (2020, section 3.3.2) describes hands this way.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.poker import percentile_tables
from card_envs.poker.percentile_tables import HAND_SIZES
from card_envs.poker.ranks import hand_rank
from card_envs.poker.starting_hands import STARTING_PERCENTILES, check_starting_hand

_COUNTS, _, _ = percentile_tables.load()
_SMALLEST = HAND_SIZES[0]


def _percentiles_by_rank() -> NDArray[np.float32]:
    not_better = _COUNTS[:, ::-1].cumsum(axis=1)[:, ::-1]
    shares: NDArray[np.float32] = (not_better / not_better[:, :1]).astype(np.float32)
    return shares


PERCENTILES: NDArray[np.float32] = _percentiles_by_rank()
"""(3, 7463) the percentile of a rank among hands of 5, 6 and 7 cards; column 0 is not used."""


@kernel
def percentile_of_rank(rank: Any, num_cards: Any) -> Any:
    """Return the share of all hands of `num_cards` (5, 6 or 7) cards whose rank is `rank` or worse: 0 < x <= 1."""
    return PERCENTILES[num_cards - _SMALLEST, rank]


def hand_percentile(cards: Iterable[int]) -> float:
    """Return the share of all hands of 2, 5, 6 or 7 cards that are not better than these card ids: 0 < x <= 1.

    ValueError for another number of cards, an id outside 0..51, or a card that comes twice.
    """
    hand = [index(card) for card in cards]
    if len(hand) != 2:
        return float(percentile_of_rank(hand_rank(hand), len(hand)))
    return float(STARTING_PERCENTILES[check_starting_hand(hand)])
