"""Ranks of poker hands of 5, 6 or 7 cards, 1 (royal flush) to 7462 (7-5-4-3-2), the same as in treys.

This is for kernels; Python code calls `card_envs.poker_hands`. A kernel adds up the keys and bits of the cards, the
board once and then the hole cards of each player, and looks up the total:

    key, bits = 0, 0
    for card in cards:
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
    rank = rank_of(key, bits)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker import rank_tables
from card_envs.poker.rank_tables import RANK_KEYS, ROW_BITS, SUM_BITS

BEST_RANK, WORST_RANK = 1, 7462
CATEGORIES = (
    "straight flush",
    "four of a kind",
    "full house",
    "flush",
    "straight",
    "three of a kind",
    "two pair",
    "pair",
    "high card",
)
"""Hand categories, the best first. A royal flush is the straight flush of rank 1."""
WORST_RANK_OF_CATEGORY = (10, 166, 322, 1599, 1609, 2467, 3325, 6185, WORST_RANK)
"""Worst rank in each of `CATEGORIES`; the best is one more than the worst rank of the category before."""

_CATEGORY_BOUNDS: NDArray[np.int64] = np.array(WORST_RANK_OF_CATEGORY, np.int64)
_RANK_BITS = 13
_RANK_SET = (1 << _RANK_BITS) - 1
_ROW = (1 << ROW_BITS) - 1
_COLUMN = (1 << (SUM_BITS - ROW_BITS)) - 1
# A key is the sum of rank keys in the low bits and above it, for each suit, a counter of cards in four bits. Three more
# in a counter set its top bit where the suit has five cards or more.
_COUNTERS = tuple(SUM_BITS + 4 * suit for suit in range(4))
_THREE_OF_EACH = sum(3 << counter for counter in _COUNTERS)
_FIVE_OR_MORE = sum(8 << counter for counter in _COUNTERS)
_FIVE_DIAMONDS, _FIVE_HEARTS, _FIVE_SPADES = (counter + 3 for counter in _COUNTERS[1:])  # numbers of the top bits

CARD_KEYS: NDArray[np.int64] = np.zeros(256, np.int64)
"""(256,) key of each card id; the key of a hand is the sum. 0 for numbers that are not cards, such as `NO_CARD`."""
CARD_BITS: NDArray[np.int64] = np.zeros(256, np.int64)
"""(256,) bit of each card id in the set (|) of a hand's cards, 13 bits a suit; 0 for numbers that are not cards."""
for _card in range(DECK_SIZE):
    CARD_KEYS[_card] = RANK_KEYS[_card // 4] + (1 << _COUNTERS[_card % 4])
    CARD_BITS[_card] = 1 << (_RANK_BITS * (_card % 4) + _card // 4)
_FLUSH_RANKS, _ROW_OFFSETS, _SUM_RANKS = rank_tables.TABLES


@kernel
def has_flush(key: Any) -> Any:
    """Return True if `key`, a sum of `CARD_KEYS`, contains five or more cards of one suit.

    Otherwise `rank_of` does not use the bits.
    """
    return (key + _THREE_OF_EACH) & _FIVE_OR_MORE != 0


@kernel
def rank_of(key: Any, bits: Any) -> Any:
    """Return the rank, 1..7462, of 5 to 7 different cards.

    `key` is the sum of their `CARD_KEYS`, `bits` the union of their `CARD_BITS`, both int64. Other numbers give a
    meaningless rank, but never an access outside the tables.
    """
    if has_flush(key):
        flush = (key + _THREE_OF_EACH) & _FIVE_OR_MORE
        suit = ((flush >> _FIVE_DIAMONDS) & 1) + ((flush >> _FIVE_HEARTS) & 1) * 2 + ((flush >> _FIVE_SPADES) & 1) * 3
        return np.int64(_FLUSH_RANKS[np.uint64((bits >> (suit * _RANK_BITS)) & _RANK_SET)])
    place = _ROW_OFFSETS[np.uint64(key & _ROW)] + ((key >> ROW_BITS) & _COLUMN)
    return np.int64(_SUM_RANKS[np.uint64(place)])


@kernel
def category_of(rank: Any) -> Any:
    """Return the index in `CATEGORIES` of a rank, 1..7462."""
    category = np.int64(0)
    for k in range(len(_CATEGORY_BOUNDS) - 1):  # no branch, which the processor could not predict
        category += rank > _CATEGORY_BOUNDS[k]
    return category
