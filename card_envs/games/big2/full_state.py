"""The perfect-information vector of `state()`: all hands, cards played, trick and turn, for centralised critics."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.big2.encoders.clean import trick_blocks, write_trick
from card_envs.games.big2.state import KIND_NAMES, NUM_SEATS, Table
from card_envs.observation import Block, Layout

STATE_LAYOUT = Layout(
    (
        Block("hands", (NUM_SEATS, DECK_SIZE), "cards 3D 3C 3H 3S 4D .. 2S in the hand of each seat"),
        Block("played", (NUM_SEATS, DECK_SIZE), "cards that each seat has played"),
        Block(
            "kinds_played", (NUM_SEATS, len(KIND_NAMES)), "kinds that each seat has played: " + ", ".join(KIND_NAMES)
        ),
        Block("actor", NUM_SEATS, "one-hot, all 0 when the deal is over"),
        *trick_blocks(""),
    ),
    np.int8,
)
"""Seats are absolute."""
_SIZE = STATE_LAYOUT.size
_AT = {name: place.start for name, place in STATE_LAYOUT.slices.items()}
_HANDS, _PLAYED, _ACTOR, _TRICK = _AT["hands"], _AT["played"], _AT["actor"], _AT["trick_cards"]
_KINDS, _NUM_KINDS = _AT["kinds_played"], len(KIND_NAMES)


@kernel
def write_state(t: Table, o: Any) -> None:
    """Fill `o.values` with the vector of a table."""
    for k in range(_SIZE):
        o.values[k] = 0
    for seat in range(NUM_SEATS):
        held, played = t.held[seat], t.played[seat]
        for card in range(DECK_SIZE):
            o.values[_HANDS + seat * DECK_SIZE + card] = held >> card & 1
            o.values[_PLAYED + seat * DECK_SIZE + card] = played >> card & 1
        kinds = np.int64(t.kinds_played[seat])
        for kind in range(_NUM_KINDS):
            o.values[_KINDS + seat * _NUM_KINDS + kind] = kinds >> kind & 1
    if t.is_over == 0:
        o.values[_ACTOR + np.int64(t.actor)] = 1
    if t.trick_size > 0:
        write_trick(t, np.int64(0), o, _TRICK)
