"""Render modes of the environments: text, a picture, or a window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.features import Feature
from card_envs.game import Game
from card_envs.records import Tables

if TYPE_CHECKING:
    from card_envs.display import Display

RENDER_MODES = ("ansi", "human", "rgb_array")
FRAMES_PER_SECOND = 1
"""Frames per second of render mode `human`: slow enough for a person to follow a deal."""

Frame = str | NDArray[np.uint8]
"""A rendered table: text, or a picture (height, width, 3), RGB."""


class Painting(Protocol):
    """Function that draws table 0 on a `card_envs.canvas.Canvas`."""

    def __call__(
        self, make_canvas: type[Any], tables: Tables, seat: int | None, names: Sequence[str] | None = None, /
    ) -> Any:
        """Return a canvas of class `make_canvas` with table 0 as a seat sees it, with all cards for None.

        `names` are the names of the seats.
        """
        ...


PICTURE: Feature[Painting] = Feature("picture", __name__, "pictures")
"""Function that draws a table; games without it are rendered as text only. It needs Pillow (extra `render`)."""


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
    if render_mode == "human" and display is not None:
        display.show(text, partial(draw_table, game, tables, seat) if _has_pictures(game) else None)
        return None
    return text() if render_mode == "ansi" or PICTURE.find(game) is None else draw_table(game, tables, seat)


def draw_table(game: Game, tables: Tables, seat: int | None) -> NDArray[np.uint8]:
    """Return a picture, (height, width, 3) RGB, of table 0 as `seat` sees it, or with all cards for None.

    Raises:
        ValueError: For games without pictures.
    """
    from card_envs.canvas import PixelCanvas  # needs Pillow, which is an extra

    picture: NDArray[np.uint8] = PICTURE.require(game)(PixelCanvas, tables, seat).array()
    return picture


def _has_pictures(game: Game) -> bool:
    try:
        return PICTURE.find(game) is not None
    except ImportError:  # Pillow is missing
        return False
