"""The perfect-information vector of `state()`: all hands, cards played, trick and turn, for centralised critics."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
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
        Block("trick_cards", DECK_SIZE, "hand to beat: its cards; none in control"),
        Block("trick_kind", len(KIND_NAMES), "hand to beat: its kind, one-hot"),
        Block("trick_seat", NUM_SEATS, "who played the hand to beat, one-hot"),
        Block("trick_leader", NUM_SEATS, "who led the trick, one-hot"),
        Block("passes", NUM_SEATS - 1, "consecutive passes since the hand to beat: 0, 1, 2, one-hot"),
    ),
    np.int8,
)
"""Seats are absolute."""
_SIZE = STATE_LAYOUT.size
_AT = {name: place.start for name, place in STATE_LAYOUT.slices.items()}
_HANDS, _PLAYED, _ACTOR, _CARDS = _AT["hands"], _AT["played"], _AT["actor"], _AT["trick_cards"]
_KINDS, _NUM_KINDS = _AT["kinds_played"], len(KIND_NAMES)
_KIND, _SEAT, _LEADER, _PASSES = _AT["trick_kind"], _AT["trick_seat"], _AT["trick_leader"], _AT["passes"]


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
        for k in range(t.trick_size):
            o.values[_CARDS + np.int64(t.trick_cards[k])] = 1
        o.values[_KIND + np.int64(t.trick_kind)] = 1
        o.values[_SEAT + np.int64(t.trick_seat)] = 1
        o.values[_LEADER + np.int64(t.trick_leader)] = 1
        o.values[_PASSES + np.int64(t.passes)] = 1
