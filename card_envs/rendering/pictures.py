"""Pictures of tables, a feature of games."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.display import Display
from card_envs.features import Feature
from card_envs.game import Game
from card_envs.records import Tables
from card_envs.rendering import Frame

Painting = Callable[..., Any]
"""Function (tables, seat, names=None, narrow=False) -> `card_envs.canvas.Canvas` of table 0 as a seat sees it, with the
seat at the bottom; for seat None with all cards, and player_0 at the bottom. `names` are those of the seats; `narrow`
asks for a picture for narrow screens."""

PICTURE: Feature[Painting] = Feature("picture", "card_envs.rendering", "pictures")
"""Function that draws a table; games without it are rendered as text only. It needs Pillow (extra `render`)."""


def draw_table(game: Game, tables: Tables, seat: int | None) -> NDArray[np.uint8]:
    """Return table 0 as `seat` sees it, or with all cards for None, as a picture (height, width, 3) RGB.

    A game without pictures is a ValueError.
    """
    from card_envs.canvas import draw_pixels  # needs Pillow, which is an extra

    return draw_pixels(PICTURE.require(game)(tables, seat))


def render_table(
    game: Game, tables: Tables, seat: int | None, render_mode: str, display: Display | None = None
) -> Frame | None:
    """Return table 0 as text or a picture as `seat` sees it, or with all cards for None; None after `display` shows it.

    `render_mode` is one of `RENDER_MODES`; in mode "human", `display` is the window or terminal. Games without pictures
    are rendered as text.
    """
    text = partial(game.text, tables, 0, seat)
    if render_mode == "ansi":
        return text()
    if render_mode == "human" and display is not None:
        display.show(text, partial(draw_table, game, tables, seat) if _has_pictures(game) else None)
        return None
    return text() if PICTURE.find(game) is None else draw_table(game, tables, seat)


def _has_pictures(game: Game) -> bool:
    try:
        return PICTURE.find(game) is not None
    except ImportError:  # Pillow is missing
        return False
