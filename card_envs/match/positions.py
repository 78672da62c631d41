"""Where an agent sits relative to who acts first: results depend on it as much as on skill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game, Tables


def position_names(game: Game) -> tuple[str, ...]:
    """Return what the positions of a game are called, in the order of `positions_of`."""
    positions = game.info.positions
    return positions.names if positions else tuple(f"seat {place}" for place in range(1, game.num_seats + 1))


def positions_of(game: Game, tables: Tables) -> NDArray[np.int64]:
    """Return (n, num_seats): the position of every seat, as the game counts them."""
    positions = game.info.positions
    return positions.of(tables) if positions else np.tile(np.arange(game.num_seats), (len(tables), 1))
