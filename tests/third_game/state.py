"""The record of one table. Bit k of a set of cards stands for card k, which people call k + 1."""

from __future__ import annotations

import numpy as np

from card_envs.records import TableRecord, field, record_dtype

NUM_SEATS = 3
HAND_SIZE = 4
NUM_CARDS = 12
NO_CARD = -1


class Table(TableRecord):
    """One table."""

    rng = field(np.uint64, 4)
    actor = field(np.int8)
    is_over = field(np.uint8)
    payoff = field(np.int32, NUM_SEATS)
    opener = field(np.int8)  # seat that leads the first trick
    leader = field(np.int8)  # seat that leads this one
    num_tricks = field(np.int8)  # finished
    hand = field(np.uint16, NUM_SEATS)  # set of cards
    played = field(np.uint16, NUM_SEATS)  # set of cards, those of this trick included
    trick = field(np.int8, NUM_SEATS)  # card of each seat, or NO_CARD
    points = field(np.int32, NUM_SEATS)
    last_trick = field(np.int32)  # what the last trick counts


TABLE = record_dtype(Table)
