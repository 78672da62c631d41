"""The block in which a seat sees its own hand: one slot for each position that actions speak of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.bits import bit_count
from card_envs.games.big2.combos import ONE_PER_RANK, rank_counts, ranks_present, run_starts
from card_envs.games.big2.state import HAND_SIZE, NUM_SUITS
from card_envs.jit import kernel
from card_envs.observation import Block
from card_envs.records import Table

NUM_RANKS = 13
_SUIT = NUM_RANKS
_TWO_OR_MORE = _SUIT + NUM_SUITS
_THREE_OR_MORE, _FOUR, _IN_RUN, _IN_FLUSH = range(_TWO_OR_MORE + 1, _TWO_OR_MORE + 5)
SLOT_SIZE = _IN_FLUSH + 1

HAND_BLOCK = Block(
    "hand",
    (HAND_SIZE, SLOT_SIZE),
    "one row for each of my cards, lowest first: rank 3 .. 2 (13), suit D C H S (4), whether I hold two or more, three "
    "or more, all four of its rank, whether it lies in five consecutive ranks that I hold, whether I hold five or more "
    "of its suit",
    private=True,
)
"""Must be the first block of a layout."""


@kernel
def write_hand(t: Table, seat: Any, o: Any) -> None:
    """Write a seat's cards into the first block of o.number, which is all zeros before."""
    held = t.held[seat]
    counts = rank_counts(held)
    starts = run_starts(ranks_present(held))
    in_run = starts | starts << 4 | starts << 8 | starts << 12 | starts << 16
    long_suits = np.int64(0)
    for k in range(NUM_SUITS):
        if bit_count(held & ONE_PER_RANK << k) >= 5:
            long_suits |= 1 << k
    at = np.int64(0)
    for position in range(t.num_cards[seat]):
        order = np.int64(t.hand[seat, position])
        rank, suit = order >> 2, order & 3
        count = counts >> 4 * rank & 15
        o.number[at + rank] = 1
        o.number[at + _SUIT + suit] = 1
        o.number[at + _TWO_OR_MORE] = count >= 2
        o.number[at + _THREE_OR_MORE] = count >= 3
        o.number[at + _FOUR] = count == 4
        o.number[at + _IN_RUN] = in_run >> 4 * rank & 1
        o.number[at + _IN_FLUSH] = long_suits >> suit & 1
        at += SLOT_SIZE


def decode_hand(slots: NDArray[Any]) -> list[int]:
    """Return the order numbers of the cards in the hand block."""
    held = slots[slots[:, :NUM_RANKS].any(axis=1)]
    ranks = held[:, :NUM_RANKS].argmax(axis=1)
    suits = held[:, _SUIT:_TWO_OR_MORE].argmax(axis=1)
    return [int(order) for order in 4 * ranks + suits]
