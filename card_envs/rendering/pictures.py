"""Pictures of tables, a feature of games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.features import Feature
from card_envs.game import Game
from card_envs.records import Tables


class Painting(Protocol):
    """Function that describes a picture of table 0."""

    def __call__(self, tables: Tables, seat: int | None, names: Sequence[str] | None = None, /) -> Any:
        """Return a `card_envs.canvas.Canvas` with table 0 as a seat sees it, with all cards for None.

        `names` are the names of the seats.
        """
        ...


PICTURE: Feature[Painting] = Feature("picture", "card_envs.rendering", "pictures")
"""Function that draws a table; games without it are rendered as text only. It needs Pillow (extra `render`)."""


def draw_table(game: Game, tables: Tables, seat: int | None) -> NDArray[np.uint8]:
    """Return a picture, (height, width, 3) RGB, of table 0 as `seat` sees it, or with all cards for None.

    Raises:
        ValueError: For games without pictures.
    """
    from card_envs.canvas import draw_pixels  # needs Pillow, which is an extra

    return draw_pixels(PICTURE.require(game)(tables, seat))
