"""The perfect-information vector of `state()`: all hole cards, the whole board, chips, turn and betting."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.default import history_blocks, place_in_deck, write_history
from card_envs.games.holdem.showdown import first_board_card
from card_envs.games.holdem.state import NOBODY, Table
from card_envs.observation import Block, Layout


def state_layout(config: HoldemConfig) -> Layout:
    """Return the blocks of the vector; seats are absolute numbers, amounts are fractions of all chips at the table."""
    n, deck, streets = config.num_players, config.deck_size, len(config.board_cards)
    with_cards = sum(number > 0 for number in config.board_cards)
    blocks = [Block("hole_cards", (n, deck), "1 for each card of each seat")]
    if with_cards:
        blocks.append(Block("board", (with_cards, deck), "board cards by the street that shows them, also before it"))
    return Layout(
        (
            *blocks,
            Block("street", streets, "one-hot"),
            Block("actor", n, "one-hot, all 0 when the hand is over"),
            Block("button", n, "one-hot"),
            Block("in_hand", n, "1 for seats that have not folded"),
            Block("stack", n, "chips behind"),
            Block("street_commit", n, "chips put in on this street"),
            Block("hand_commit", n, "chips put in since the deal"),
            Block("min_raise_to", 1, "smallest raise open to the actor, 0 where none is"),
            Block("max_raise_to", 1, "largest raise open to the actor, 0 where none is"),
            *history_blocks(config, ""),
        )
    )


@kernel
def write_state(t: Table, o: Any) -> None:
    """Fill `o.values` with the vector of a table."""
    for k in range(o.values.shape[0]):
        o.values[k] = 0.0
    n = np.int64(t.num_seats)
    at = _write_cards(t, n, o)
    o.values[np.uint64(at + t.street)] = 1.0
    at += np.int64(t.num_streets)
    if t.actor != NOBODY:
        o.values[np.uint64(at + t.actor)] = 1.0
    o.values[np.uint64(at + n + t.button)] = 1.0
    at += 2 * n
    chips = np.int64(0 if t.is_over else t.pot)
    for seat in range(n):
        chips += t.stack[seat]
    scale = 1.0 / chips
    for seat in range(n):
        o.values[np.uint64(at + seat)] = 1.0 if has(t.in_hand, seat) else 0.0
        o.values[np.uint64(at + n + seat)] = t.stack[seat] * scale
        o.values[np.uint64(at + 2 * n + seat)] = min(1.0, t.street_commit[seat] * scale)
        o.values[np.uint64(at + 3 * n + seat)] = min(1.0, t.hand_commit[seat] * scale)
    at += 4 * n
    o.values[np.uint64(at)] = min(1.0, t.min_raise_to * scale)
    o.values[np.uint64(at + 1)] = min(1.0, t.max_raise_to * scale)
    write_history(t, np.int64(0), o, at + 2, scale)


@kernel
def _write_cards(t: Table, n: Any, o: Any) -> Any:
    """Write the hole cards of all seats and the whole board; return the index after them."""
    deck, hole = np.int64(t.deck_size), np.int64(t.num_hole_cards)
    for seat in range(n):
        for k in range(hole):
            o.values[np.uint64(seat * deck) + place_in_deck(t, seat * hole + k)] = 1.0
    at, card = n * deck, first_board_card(t)
    for street in range(t.num_streets):
        number = np.int64(t.board_cards[street])
        for k in range(number):
            o.values[np.uint64(at) + place_in_deck(t, card + k)] = 1.0
        card += number
        if number > 0:
            at += deck
    return at
