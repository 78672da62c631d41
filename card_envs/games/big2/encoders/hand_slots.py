"""The block of a seat's own hand, with a slot for each position that actions refer to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.bits import bit_count
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.big2.combos import ONE_PER_RANK, rank_counts, ranks_present, run_starts
from card_envs.games.big2.state import HAND_SIZE, NUM_SUITS, Table
from card_envs.observation import Block

NUM_RANKS = 13
_SUIT = NUM_RANKS
_TWO_OR_MORE = _SUIT + NUM_SUITS
SLOT_SIZE = _TWO_OR_MORE + 5  # two or more, three or more, four of the rank; in a run; in a flush

HAND_BLOCK = Block(
    "hand",
    (HAND_SIZE, SLOT_SIZE),
    "one row for each of my cards, lowest first: rank 3 .. 2 (13), suit D C H S (4), whether I hold two or more, three "
    "or more, all four of its rank, whether it lies in five consecutive ranks that I hold, whether I hold five or more "
    "of its suit",
    private=True,
)
"""The block of the own hand. It must be the first block of a layout."""


# The kernels copy slots from these tables. The widths fit one or two vector registers; the columns after the numbers of
# a slot are zeros, which the next slot or block overwrites.
_CARD_WIDTH, _SHAPE_WIDTH = 24, 8
_NUMBERS_OF_CARD = np.zeros((DECK_SIZE, _CARD_WIDTH), np.int8)
"""[order number]: rank and suit, the first numbers of a slot."""
for _order in range(DECK_SIZE):
    _NUMBERS_OF_CARD[_order, [_order >> 2, _SUIT + (_order & 3)]] = 1
_NUMBERS_OF_SHAPE = np.zeros((16, _SHAPE_WIDTH), np.int8)
"""[4 * (cards of the rank - 1) + 2 * in a run + in a flush]: numbers of a slot from `_TWO_OR_MORE` on."""
for _shape in range(16):
    _held = (_shape >> 2) + 1
    _NUMBERS_OF_SHAPE[_shape, :5] = _held >= 2, _held >= 3, _held == 4, _shape >> 1 & 1, _shape & 1


@kernel
def write_hand(t: Table, seat: Any, o: Any) -> None:
    """Write a seat's cards into the first block of o.values, which must be all zeros, before the other blocks."""
    held = t.held[seat]
    counts = rank_counts(held)
    starts = run_starts(ranks_present(held))
    in_run = starts | starts << 4 | starts << 8 | starts << 12 | starts << 16
    long_suits = np.int64(0)
    for k in range(NUM_SUITS):
        long_suits |= np.int64(bit_count(held & ONE_PER_RANK << k) >= 5) << k
    at = np.int64(0)
    for position in range(t.num_cards[seat]):
        order = np.int64(t.hand[seat, position])
        digit = order & ~3
        shape = ((counts >> digit & 15) - 1) << 2 | (in_run >> digit & 1) << 1 | long_suits >> (order & 3) & 1
        for k in range(_CARD_WIDTH):
            o.values[np.uint64(at + k)] = _NUMBERS_OF_CARD[np.uint64(order), np.uint64(k)]
        for k in range(_SHAPE_WIDTH):
            o.values[np.uint64(at + _TWO_OR_MORE + k)] = _NUMBERS_OF_SHAPE[np.uint64(shape), np.uint64(k)]
        at += SLOT_SIZE


def decode_hand(slots: NDArray[Any]) -> list[int]:
    """Return the order numbers of the cards in the block of the hand."""
    held = slots[slots[:, :NUM_RANKS].any(axis=1)]
    ranks = held[:, :NUM_RANKS].argmax(axis=1)
    suits = held[:, _SUIT:_TWO_OR_MORE].argmax(axis=1)
    return [int(order) for order in 4 * ranks + suits]
