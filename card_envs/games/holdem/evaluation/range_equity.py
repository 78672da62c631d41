"""The chance of a hold'em hand at a table to win against each of the 1,326 hands that an opponent may hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.poker.against_all import (
    AGAINST_ALL,
    WHOLE_BOARD,
    add_board_card,
    finish,
    take_hand,
    try_all_boards,
    try_random_board,
)
from card_envs.rng import seed_stream


def equities_against(
    views: Tables, seats: NDArray[np.int64], random_numbers: NDArray[np.float64], num_boards: int
) -> Any:
    """Return for each view the shares of the pot (n, 1326) that the hand of its seat wins on average without betting.

    Heads-up. On the turn and river over all boards that may come, before over `num_boards` random ones, which
    `random_numbers` fix. Against hands that share a card with what is seen the share means nothing.
    """
    records = np.zeros(len(views), AGAINST_ALL)
    _write_equities(views, seats, random_numbers, np.int64(num_boards), records)
    return records["chance"]


@kernel
def _write_equities(views: Any, seats: Any, random_numbers: Any, num_boards: Any, records: Any) -> None:
    """Write the chances of each view's hand; see `equities_against`."""
    for j in range(views.shape[0]):
        t, r = views[j], records[j]
        known = _see_cards(r, t, seats[j])
        if known >= WHOLE_BOARD - 1:
            try_all_boards(r, known)
        else:
            seed_stream(r, np.uint64(random_numbers[j] * 2.0**53), np.uint64(0))
            for _ in range(num_boards):
                try_random_board(r, known)
        finish(r)


@kernel
def _see_cards(r: Any, t: Any, seat: Any) -> Any:
    """Write hole cards and board, return how many cards are on the board."""
    known = np.int64(0)
    for street in range(t.street + 1):
        known += t.board_cards[street]
    take_hand(r, np.int64(t.deck[2 * seat]), np.int64(t.deck[2 * seat + 1]))
    for k in range(4, 4 + known):
        add_board_card(r, np.int64(t.deck[k]))
    return known
