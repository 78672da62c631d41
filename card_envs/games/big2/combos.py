"""Combinations of cards and their order (Charlesworth 2018, section 3; house rules by options).

Each combination has a *value*: of two combinations with the same number of cards, the one with the higher value wins.
`value_of` defines the values; `legal.py` lists the combinations in a hand without trying all sets of cards.

Sets of cards are 52-bit integers with a bit per order number, so that each hexadecimal digit holds the four suits of
one rank, from diamonds (lowest bit) to spades. Ranks are numbered from 0 = 3 to 12 = 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.games.big2.state import (
    FLUSH,
    FLUSH_BY_HIGHEST_CARD,
    FLUSH_BY_SUIT,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    NO_FLUSHES,
    PAIR,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPLE,
    TRIPLES_NOT_BARE,
    TWO_PAIR,
    Table,
)

RANKS = "3456789TJQKA2"
SUITS = "DCHS"

ORDER_OF_CARD = np.array([(card // 4 - 1) % 13 * 4 + (1, 0, 2, 3)[card % 4] for card in range(52)], np.uint8)
"""Order number of each card id; in card ids, the deuce is lowest and clubs come before diamonds."""
CARD_OF_ORDER = np.argsort(ORDER_OF_CARD).astype(np.uint8)
"""Card id of every order number."""

NO_COMBO = -1
"""Value of cards that are not a combination."""
KIND_SHIFT = 16
"""A value is `kind << KIND_SHIFT` plus a number that orders combinations of the same kind."""

RUN_OF_23456, RUN_OF_A2345, NO_RUN = 9, 10, -1
"""Numbers of runs that wrap around, see `config.RUNS`."""

ONE_PER_RANK = np.int64(0x1111111111111)
"""The lowest bit of every digit: one suit of all 13 ranks."""
_PAIRS_OF_BITS, _SINGLE_BITS = np.int64(0x3333333333333), np.int64(0x5555555555555)


def order_of(card: int) -> int:
    """Return the order number of a card id: 0 for 3D to 51 for 2S."""
    return int(ORDER_OF_CARD[card])


def card_of(order: int) -> int:
    """Return the card id of an order number."""
    return int(CARD_OF_ORDER[order])


def order_name(order: int) -> str:
    """Return the name of an order number, as Big 2 players write it: "3D" for 0 to "2S" for 51."""
    return RANKS[order // 4] + SUITS[order % 4]


def order_names(orders: Iterable[int]) -> str:
    """Return the names of order numbers, separated by blanks: "7C 7S"."""
    return " ".join(order_name(int(order)) for order in orders)


@kernel
def rank_counts(cards: Any) -> Any:
    """Return the number of cards of each rank in a set, one hexadecimal digit per rank."""
    pairs = cards - ((cards >> 1) & _SINGLE_BITS)
    return (pairs & _PAIRS_OF_BITS) + ((pairs >> 2) & _PAIRS_OF_BITS)


@kernel
def ranks_present(cards: Any) -> Any:
    """Return the lowest bit of each rank's digit if the set has a card of the rank."""
    return (cards | cards >> 1 | cards >> 2 | cards >> 3) & ONE_PER_RANK


@kernel
def run_starts(ranks: Any) -> Any:
    """Return the ranks that begin five consecutive ones of `ranks` (one bit per digit)."""
    return ranks & ranks >> 4 & ranks >> 8 & ranks >> 12 & ranks >> 16


@kernel
def run_of(r0: Any, r1: Any, r2: Any, r3: Any, r4: Any) -> Any:
    """Return the number of the run of five ranks in increasing order, or NO_RUN."""
    if r0 == r1 or r1 == r2 or r2 == r3 or r3 == r4:
        return NO_RUN
    if r4 - r0 == 4:
        return r0
    if r0 == 0 and r2 == 2 and r4 == 12:
        if r3 == 3:
            return RUN_OF_23456
        if r3 == 11:
            return RUN_OF_A2345
    return NO_RUN


@kernel
def run_value(t: Table, kind: Any, run: Any, suit: Any) -> Any:
    """Return the value of a STRAIGHT or STRAIGHT_FLUSH, by its run and the suit of the deciding card."""
    return (kind << KIND_SHIFT) + 4 * np.int64(t.run_level[run]) + suit


@kernel
def flush_value(t: Table, c0: Any, c1: Any, c2: Any, c3: Any, c4: Any) -> Any:
    """Return the value of a flush that is not a straight; the cards are in increasing order."""
    if t.flushes == FLUSH_BY_HIGHEST_CARD:
        return (FLUSH << KIND_SHIFT) + c4
    suit = c4 & 3
    if t.flushes == FLUSH_BY_SUIT:
        return (FLUSH << KIND_SHIFT) + (suit << 6) + c4
    ranks = 1 << (c0 >> 2) | 1 << (c1 >> 2) | 1 << (c2 >> 2) | 1 << (c3 >> 2) | 1 << (c4 >> 2)
    return (FLUSH << KIND_SHIFT) + (ranks << 2) + suit


@kernel
def value_of(t: Table, size: Any, c0: Any, c1: Any, c2: Any, c3: Any, c4: Any) -> Any:
    """Return the value of the first `size` cards (int64 order numbers in increasing order), or NO_COMBO.

    It depends on the settings in record `t`, but not on the trick.
    """
    if size == 1:
        return (SINGLE << KIND_SHIFT) + c0
    r0, r1 = c0 >> 2, c1 >> 2
    if size == 2:
        return (PAIR << KIND_SHIFT) + c1 if r0 == r1 else np.int64(NO_COMBO)
    r2 = c2 >> 2
    if size == 3:
        is_triple = r0 == r2 and t.triple_rules & TRIPLES_NOT_BARE == 0
        return (TRIPLE << KIND_SHIFT) + c2 if is_triple else np.int64(NO_COMBO)
    if size == 4:
        if r0 != r1 or r2 != c3 >> 2:
            return np.int64(NO_COMBO)
        return ((FOUR_OF_A_KIND if r0 == r2 else TWO_PAIR) << KIND_SHIFT) + c3
    return _value_of_five(t, c0, c1, c2, c3, c4)


@kernel
def _value_of_five(t: Table, c0: Any, c1: Any, c2: Any, c3: Any, c4: Any) -> Any:
    r0, r1, r2, r3, r4 = c0 >> 2, c1 >> 2, c2 >> 2, c3 >> 2, c4 >> 2
    if r0 == r1 and r3 == r4 and r1 != r3 and (r1 == r2 or r2 == r3):
        return (FULL_HOUSE << KIND_SHIFT) + r2
    is_flush = ((c0 ^ c1) | (c0 ^ c2) | (c0 ^ c3) | (c0 ^ c4)) & 3 == 0
    run = run_of(r0, r1, r2, r3, r4)
    if run != NO_RUN and t.run_level[run] >= 0:
        decider = t.run_decider[run]
        suit = (c4 if decider == 4 else c3 if decider == 3 else c2) & 3
        return run_value(t, STRAIGHT_FLUSH if is_flush else STRAIGHT, run, suit)
    if is_flush and t.flushes != NO_FLUSHES:
        return flush_value(t, c0, c1, c2, c3, c4)
    return np.int64(NO_COMBO)


@kernel
def trick_value(t: Table, size: Any) -> Any:
    """Return the value of the first `size` cards of the trick, which are in increasing order."""
    return value_of(
        t,
        size,
        np.int64(t.trick_cards[0]),
        np.int64(t.trick_cards[1]),
        np.int64(t.trick_cards[2]),
        np.int64(t.trick_cards[3]),
        np.int64(t.trick_cards[4]),
    )


@kernel
def kind_of(value: Any) -> Any:
    """Return the kind of a combination with a value."""
    return value >> KIND_SHIFT


@kernel
def beats(t: Table, value: Any, other: Any) -> Any:
    """Return True if a combination beats another of the same number of cards."""
    if other >> KIND_SHIFT == STRAIGHT_FLUSH and t.higher_straight_flush_wins == 0:
        return False
    return value > other
