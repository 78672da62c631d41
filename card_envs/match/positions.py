"""Where an agent sits relative to who acts first: results depend on it as much as on skill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game, Tables

_BEFORE_BUTTON = ("HJ", "CO")
"""Names of the seats right before the button, as poker players say them."""


def position_names(game: Game) -> tuple[str, ...]:
    """Return what the positions of a game are called, in the order of `positions_of`."""
    count = game.num_seats
    if game.unit != "bb":
        return tuple(f"seat {place}" for place in range(1, count + 1))
    if count == 2:  # the button owes the small blind, except in RLCard's rules
        left, button = game.config.blind_list
        return ("BB" if left >= button else "SB", "BTN")
    early = max(0, count - 3 - len(_BEFORE_BUTTON))
    middle = ["UTG" if k == 0 else f"UTG+{k}" for k in range(early)]
    return ("SB", "BB", *middle, *_BEFORE_BUTTON[max(0, 5 - count) :], "BTN")[:count]


def positions_of(game: Game, tables: Tables) -> NDArray[np.int64]:
    """Return (n, num_seats): the position of every seat.

    Hold'em counts clockwise from the first seat left of the button, Big 2 from the seat that opens.
    """
    fields = tables.dtype.names or ()
    first = tables["button"].astype(np.int64) + 1 if "button" in fields else tables["opener"].astype(np.int64)
    return np.asarray((np.arange(game.num_seats) - first[:, None]) % game.num_seats, np.int64)
