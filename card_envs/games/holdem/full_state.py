"""The perfect-information vector of `state()`: all hole cards, the whole board, chips and turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import MAX_BOARD, MAX_SEATS, MAX_STREETS, NOBODY, Table
from card_envs.observation import Block, Layout, block_starts
from card_envs.records import Tables


def state_layout(config: HoldemConfig) -> Layout:
    """Return the blocks of the vector; seats are absolute numbers, amounts are fractions of all chips at the table."""
    return _layout(config.num_players)


def _layout(n: int) -> Layout:
    return Layout(
        (
            Block("hole_cards", (n, DECK_SIZE), "1 for each card of each seat"),
            Block("board", (MAX_BOARD, DECK_SIZE), "board cards in the order of the deal, also those not yet dealt"),
            Block("shown", MAX_BOARD, "1 for board cards that lie face up"),
            Block("street", MAX_STREETS, "one-hot"),
            Block("actor", n, "one-hot, all 0 when the hand is over"),
            Block("button", n, "one-hot"),
            Block("in_hand", n, "1 for seats that have not folded"),
            Block("stack", n, "chips behind"),
            Block("street_commit", n, "chips put in on this street"),
            Block("hand_commit", n, "chips put in since the deal"),
        )
    )


_STARTS = block_starts(_layout(n) for n in range(MAX_SEATS + 1))
"""Start of each block, indexed by the number of seats."""


@kernel
def write_state(tables: Tables, i: Any, states: Any) -> None:
    """Write the vector of table i into row 0."""
    t, o = tables[i], states[0]
    for k in range(o.values.shape[0]):
        o.values[k] = 0.0
    n, hole = np.int64(t.num_seats), np.int64(t.num_hole_cards)
    at = _STARTS[n]
    _write_cards(t, n, hole, at, o)
    o.values[at.street + t.street] = 1.0
    if t.actor != NOBODY:
        o.values[at.actor + t.actor] = 1.0
    o.values[at.button + t.button] = 1.0
    chips = np.int64(0 if t.is_over else t.pot)
    for seat in range(n):
        chips += t.stack[seat]
    for seat in range(n):
        o.values[at.in_hand + seat] = 1.0 if has(t.in_hand, seat) else 0.0
        o.values[at.stack + seat] = t.stack[seat] / chips
        o.values[at.street_commit + seat] = min(1.0, t.street_commit[seat] / chips)
        o.values[at.hand_commit + seat] = min(1.0, t.hand_commit[seat] / chips)


@kernel
def _write_cards(t: Table, n: Any, hole: Any, at: Any, o: Any) -> None:
    """Write the hole cards of all seats, the whole board, and the number of its cards that are face up."""
    for seat in range(n):
        for k in range(hole):
            o.values[at.hole_cards + seat * DECK_SIZE + t.deck[seat * hole + k]] = 1.0
    board, shown = np.int64(t.cards_shown[MAX_STREETS - 1]), num_board_cards(t)
    for k in range(board):
        o.values[at.board + k * DECK_SIZE + t.deck[n * hole + k]] = 1.0
    for k in range(shown):
        o.values[at.shown + k] = 1.0
