"""Render modes of the environments: text, a picture, or a window."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game
from card_envs.records import Tables

if TYPE_CHECKING:
    from card_envs.display import Display

RENDER_MODES = ("ansi", "human", "rgb_array")
FRAMES_PER_SECOND = 1
"""Frames per second of render mode `human`: slow enough for a person to follow a deal."""

Frame = str | NDArray[np.uint8]
"""A rendered table: text, or a picture (height, width, 3), RGB."""


def check_render_mode(render_mode: str | None, modes: tuple[str, ...] = RENDER_MODES) -> str | None:
    """Return the render mode, or raise a ValueError for one that is not among `modes`."""
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode {render_mode!r} is not known: choose one of {list(modes)} or None")
    return render_mode


def render_table(
    game: Game, tables: Tables, seat: int | None, render_mode: str, display: Display | None = None
) -> Frame | None:
    """Render table 0.

    Args:
        game: The game.
        tables: Records of tables.
        seat: The seat whose view is rendered; None for all cards.
        render_mode: One of `RENDER_MODES`. Games without pictures are rendered as text.
        display: Window or terminal for mode "human".

    Returns:
        Text or a picture; None in mode "human", after `display` has shown the table.
    """
    text = partial(game.text, tables, 0, seat)
    if render_mode == "ansi":
        return text()
    from card_envs.rendering.pictures import PICTURE, draw_table  # not needed to play

    if render_mode == "human" and display is not None:
        display.show(text, partial(draw_table, game, tables, seat) if _has_pictures(game) else None)
        return None
    return text() if PICTURE.find(game) is None else draw_table(game, tables, seat)


def _has_pictures(game: Game) -> bool:
    from card_envs.rendering.pictures import PICTURE

    try:
        return PICTURE.find(game) is not None
    except ImportError:  # Pillow is missing
        return False
