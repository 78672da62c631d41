"""What both Gymnasium environments show of a table: the observation space, texts and pictures of the learner's seat."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from card_envs.game import Game

Observation = dict[str, NDArray[Any]]
Info = dict[str, Any]
Frame = str | NDArray[np.uint8]


def observation_space(game: Game) -> spaces.Space[Any]:
    """Return the observation space of a game: {"observation", "action_mask"}."""
    mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
    return spaces.Dict({"observation": game.layout.space, "action_mask": mask})


def make_renderers(
    game: Game, tables: Any, seat: int
) -> tuple[Callable[[], str], Callable[[], NDArray[np.uint8]] | None]:
    """Return functions that describe and draw table 0 as a seat sees it; None for games without pictures."""
    picture = None if game.info.paint is None else partial(game.info.draw, tables, seat)
    return partial(game.text, tables, 0, seat), picture


def check_render_mode(render_mode: str | None, modes: tuple[str, ...]) -> str | None:
    """Return the render mode; raise ValueError for one that is not among `modes`."""
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode {render_mode!r} is not known: choose one of {list(modes)} or None")
    return render_mode
