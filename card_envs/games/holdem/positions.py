"""Positions of seats relative to the button."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Tables
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import Table

_BEFORE_BUTTON = ("HJ", "CO")
"""Names of the last positions before the button."""


def position_names(config: HoldemConfig) -> tuple[str, ...]:
    """Return the names of the positions, from the first seat left of the button on."""
    count = config.num_players
    if not any(config.blinds):
        return tuple(f"seat {place}" for place in range(1, count + 1))
    if count == 2:  # the button posts the small blind, except in RLCard's rules
        left, button = config.blind_list
        return ("BB" if left >= button else "SB", "BTN")
    early = max(0, count - 3 - len(_BEFORE_BUTTON))
    middle = ["UTG" if k == 0 else f"UTG+{k}" for k in range(early)]
    return ("SB", "BB", *middle, *_BEFORE_BUTTON[max(0, 5 - count) :], "BTN")[:count]


def position_of(t: Table, seat: int) -> int:
    """Return the position of a seat; kernels use `actions.seat_position`."""
    return (seat - int(t.button) - 1) % int(t.num_seats)


def positions_of(count: int, tables: Tables) -> NDArray[np.int64]:
    """Return (n, num_seats): the positions, counted clockwise from the first seat left of the button."""
    first = tables["button"].astype(np.int64) + 1
    return np.asarray((np.arange(count) - first[:, None]) % count, np.int64)
