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

from card_envs.cards import DECK_SIZE, card_name
from card_envs.jit import kernel
from card_envs.poker import percentile_tables
from card_envs.poker.percentile_tables import HAND_SIZES, MATCHUPS, NUM_RANKS
from card_envs.poker.ranks import hand_rank

_COUNTS, _WINS, _TIES = percentile_tables.load()
_SMALLEST = HAND_SIZES[0]


def _percentiles_by_rank() -> NDArray[np.float32]:
    not_better = _COUNTS[:, ::-1].cumsum(axis=1)[:, ::-1]
    shares: NDArray[np.float32] = (not_better / not_better[:, :1]).astype(np.float32)
    return shares


def _percentiles_of_starting_hands() -> NDArray[np.float32]:
    scores = 2 * _WINS + _TIES
    pairs, suited = np.eye(NUM_RANKS, dtype=bool), np.tri(NUM_RANKS, k=-1, dtype=bool)
    combos = np.where(pairs, 6, np.where(suited, 4, 12))
    not_better = scores.ravel() <= scores.reshape(-1, 1)
    shares: NDArray[np.float32] = (not_better @ combos.ravel() / combos.sum()).astype(np.float32)
    return shares


PERCENTILES: NDArray[np.float32] = _percentiles_by_rank()
"""(3, 7463) the percentile of a rank among hands of 5, 6 and 7 cards; column 0 is not used."""
STARTING_PERCENTILES: NDArray[np.float32] = _percentiles_of_starting_hands()
"""(169,) the percentile of starting hands, in the order of `starting_hand`."""
STARTING_EQUITIES: NDArray[np.float64] = ((_WINS + 0.5 * _TIES) / MATCHUPS).ravel()
"""(169,) equity of starting hands against a random hand, 0.323 (32o) to 0.852 (AA)."""


@kernel
def starting_hand(a: Any, b: Any) -> Any:
    """Return the number of a starting hand, 0..168: 13 * rank + other rank, the higher first if suited."""
    high, low = max(a >> 2, b >> 2), min(a >> 2, b >> 2)
    return high * NUM_RANKS + low if a & 3 == b & 3 else low * NUM_RANKS + high


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
    return float(STARTING_PERCENTILES[_checked_starting_hand(hand)])


def starting_hand_equity(cards: Iterable[int]) -> float:
    """Return the share of the pot, 0..1, that two card ids win on average all-in against one random hand."""
    hand = [index(card) for card in cards]
    if len(hand) != 2:
        raise ValueError(f"a starting hand has 2 cards, not {len(hand)}")
    return float(STARTING_EQUITIES[_checked_starting_hand(hand)])


def _checked_starting_hand(hand: list[int]) -> int:
    for card in hand:
        if not 0 <= card < DECK_SIZE:
            raise ValueError(f"card id {card} is outside 0..{DECK_SIZE - 1}")
    if hand[0] == hand[1]:
        raise ValueError(f"card id {hand[0]} ({card_name(hand[0])}) comes twice in {hand}")
    return int(starting_hand(*hand))
