"""Equities of a hold'em hand at a table against each of the 1,326 hands that an opponent may hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.poker.against_all import (
    AGAINST_ALL,
    add_board_card,
    finish,
    take_hand,
    try_all_boards,
    try_random_board,
)
from card_envs.poker.hands import BOARD_SIZE
from card_envs.rng import seed_stream


def equities_against(
    views: Tables, seats: NDArray[np.int64], random_numbers: NDArray[np.float64], num_boards: int
) -> Any:
    """Return the equity of each seat's hand against each hand of the opponent in heads-up games.

    Equities are means over all boards on the turn and river, over random boards before. Against hands that hold a
    visible card, they have no meaning.

    Args:
        views: (n,) censored tables.
        seats: (n,) the seats that see them.
        random_numbers: (n,) numbers in [0, 1) that determine the random boards.
        num_boards: Number of random boards.

    Returns:
        (n, 1326) equities, 0 to 1.
    """
    records = np.zeros(len(views), AGAINST_ALL)
    _write_equities(views, seats, random_numbers, np.int64(num_boards), records)
    return records["chance"]


@kernel
def _write_equities(views: Any, seats: Any, random_numbers: Any, num_boards: Any, records: Any) -> None:
    """Write the equities of each view's hand, see `equities_against`."""
    for j in range(views.shape[0]):
        t, r = views[j], records[j]
        known = _see_cards(r, t, seats[j])
        if known >= BOARD_SIZE - 1:
            try_all_boards(r, known)
        else:
            seed_stream(r, np.uint64(random_numbers[j] * 2.0**53), np.uint64(0))
            for _ in range(num_boards):
                try_random_board(r, known)
        finish(r)


@kernel
def _see_cards(r: Any, t: Any, seat: Any) -> Any:
    """Write hole cards and board, and return the number of cards on the board."""
    known = num_board_cards(t)
    take_hand(r, np.int64(t.deck[2 * seat]), np.int64(t.deck[2 * seat + 1]))
    for k in range(4, 4 + known):
        add_board_card(r, np.int64(t.deck[k]))
    return known
