"""The perfect-information vector of `state()`: all hole cards, the whole board, chips and turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.games.holdem.actions import has
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import NOBODY
from card_envs.jit import kernel
from card_envs.observation import Block, Layout


def state_layout(config: HoldemConfig) -> Layout:
    """Return the blocks of the vector; seats are absolute, amounts are fractions of all chips at the table."""
    n = config.num_players
    return Layout(
        (
            Block("hole_cards", (n, DECK_SIZE), "1 for each card of each seat"),
            Block("board", (5, DECK_SIZE), "board cards in the order of the deal, also those not yet dealt"),
            Block("shown", 5, "1 for board cards that lie face up"),
            Block("street", 4, "one-hot"),
            Block("actor", n, "one-hot, all 0 when the hand is over"),
            Block("button", n, "one-hot"),
            Block("in_hand", n, "1 for seats that have not folded"),
            Block("stack", n, "chips behind"),
            Block("street_commit", n, "chips put in on this street"),
            Block("hand_commit", n, "chips put in since the deal"),
        )
    )


@kernel
def write_state(tables: Any, i: Any, states: Any) -> None:
    """Write the vector of table i into row 0."""
    t, o = tables[i], states[0]
    for k in range(o.number.shape[0]):
        o.number[k] = 0.0
    n, hole = np.int64(t.num_seats), np.int64(t.num_hole_cards)
    chips = np.int64(0 if t.is_over else t.pot)
    at = np.int64(0)
    for seat in range(n):
        chips += t.stack[seat]
        for k in range(hole):
            o.number[at + t.deck[seat * hole + k]] = 1.0
        at += DECK_SIZE
    board, shown = np.int64(0), np.int64(0)
    for street in range(t.num_streets):
        board += t.board_cards[street]
        shown += t.board_cards[street] if street <= t.street else 0
    for k in range(board):
        o.number[at + k * DECK_SIZE + t.deck[n * hole + k]] = 1.0
    at += 5 * DECK_SIZE
    for k in range(shown):
        o.number[at + k] = 1.0
    o.number[at + 5 + t.street] = 1.0
    at += 9
    if t.actor != NOBODY:
        o.number[at + t.actor] = 1.0
    o.number[at + n + t.button] = 1.0
    at += 2 * n
    for seat in range(n):
        o.number[at + seat] = 1.0 if has(t.in_hand, seat) else 0.0
        o.number[at + n + seat] = t.stack[seat] / chips
        o.number[at + 2 * n + seat] = min(1.0, t.street_commit[seat] / chips)
        o.number[at + 3 * n + seat] = min(1.0, t.hand_commit[seat] / chips)
