"""The record of one table. Bit k of a set of cards stands for card k, which people call k + 1."""

from __future__ import annotations

import numpy as np

from card_envs.rng import STREAM

NUM_SEATS = 3
HAND_SIZE = 4
NUM_CARDS = 12
NO_CARD = -1

TABLE = np.dtype(
    (
        np.record,
        [
            STREAM,
            ("actor", np.int8),
            ("is_over", np.uint8),
            ("payoff", np.int32, (NUM_SEATS,)),
            ("opener", np.int8),  # seat that leads the first trick
            ("leader", np.int8),  # seat that leads this one
            ("num_tricks", np.int8),  # finished
            ("hand", np.uint16, (NUM_SEATS,)),  # set of cards
            ("played", np.uint16, (NUM_SEATS,)),  # set of cards, those of this trick included
            ("trick", np.int8, (NUM_SEATS,)),  # card of each seat, or NO_CARD
            ("points", np.int32, (NUM_SEATS,)),
            ("last_trick", np.int32),  # what the last trick counts
        ],
    )
)
