"""Positions: where a seat is relative to the first to act, on which results depend as much as on skill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game, Tables


def position_names(game: Game) -> tuple[str, ...]:
    """Return the names of the positions that `positions_of` numbers, such as ("small blind", "big blind")."""
    positions = game.info.positions
    return positions.names if positions else tuple(f"seat {seat}" for seat in range(1, game.num_seats + 1))


def positions_of(game: Game, tables: Tables) -> NDArray[np.int64]:
    """Return (n, num_seats): the position of every seat, an index of `position_names`."""
    positions = game.info.positions
    return positions.of(tables) if positions else np.tile(np.arange(game.num_seats), (len(tables), 1))
