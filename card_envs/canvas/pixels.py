"""A canvas of pixels, made with Pillow. Everything is drawn enlarged and reduced at the end, for smooth edges."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from card_envs.canvas import card_design as design
from card_envs.canvas import colors
from card_envs.canvas.base import Canvas, Point
from card_envs.canvas.colors import INK, Color
from card_envs.canvas.fonts import SCALE, X_HEIGHT, bold_stroke, font
from card_envs.cards import NO_CARD

_SPRITE_SCALE = 4
"""Further factor by which cards are enlarged; each card is drawn once and cached."""


class PixelCanvas(Canvas):
    """A canvas that makes an array of pixels."""

    def __init__(self, width: int, height: int, background: Color = colors.WHITE) -> None:
        """Start an empty picture."""
        self._image = Image.new("RGB", (width * SCALE, height * SCALE), background)
        self._draw = ImageDraw.Draw(self._image)

    def copy(self) -> PixelCanvas:
        """Return an independent canvas with the same picture."""
        twin = object.__new__(PixelCanvas)
        twin._image = self._image.copy()
        twin._draw = ImageDraw.Draw(twin._image)
        return twin

    def array(self) -> NDArray[np.uint8]:
        """Return the finished picture, (height, width, 3) uint8, RGB."""
        return np.asarray(self._image.reduce(SCALE)).copy()

    def box(
        self,
        center: Point,
        size: Point,
        fill: Color | None,
        outline: Color | None = None,
        line: float = 0,
        radius: float = 0,
    ) -> None:
        """Draw a rectangle with rounded corners."""
        x, y, half_width, half_height = center[0], center[1], size[0] / 2, size[1] / 2
        corners = (x - half_width, y - half_height, x + half_width, y + half_height)
        self._draw.rounded_rectangle(
            [SCALE * corner for corner in corners], radius * SCALE, fill, outline, round(line * SCALE)
        )

    def disc(self, center: Point, radius: float, fill: Color, outline: Color | None = None, line: float = 0) -> None:
        """Draw a filled circle."""
        x, y = center
        corners = (x - radius, y - radius, x + radius, y + radius)
        self._draw.ellipse([SCALE * corner for corner in corners], fill, outline, round(line * SCALE))

    def text(
        self, position: Point, text: str, size: float, color: Color = INK, align: str = "middle", bold: bool = False
    ) -> None:
        """Write a line whose capitals are centred at y; x is its `left`, `middle` or `right`."""
        x, y = position
        self._draw.text(
            (x * SCALE, (y + X_HEIGHT * size) * SCALE),
            text,
            color,
            font(size * SCALE),
            {"left": "ls", "middle": "ms", "right": "rs"}[align],
            stroke_width=bold_stroke(size * SCALE) if bold else 0,
            stroke_fill=color,
        )

    def draw_card(self, center: Point, width: float, card: int, style: str) -> None:
        """Draw a card in a style of `canvas.card_design`, face down for `NO_CARD`."""
        sprite, mask = _card_sprite(card, round(width * SCALE), style)
        corner = (round(center[0] * SCALE - sprite.width / 2), round(center[1] * SCALE - sprite.height / 2))
        self._image.paste(sprite, corner, mask)


# --- cards ---


@lru_cache(maxsize=512)
def _card_sprite(card: int, width: int, style: str) -> tuple[Image.Image, Image.Image]:
    """Return picture and mask of a card; `width` is in pixels of the enlarged picture."""
    if style == design.SHADED:
        picture, mask = _card_sprite(card, width, design.PLAIN)
        return Image.blend(picture, Image.new("RGB", picture.size, colors.CARD_SHADE), design.SHADE), mask
    w = width * _SPRITE_SCALE
    h = round(width * design.CARD_RATIO) * _SPRITE_SCALE
    picture = Image.new("RGB", (w, h), colors.CARD_EDGE)
    draw = ImageDraw.Draw(picture)
    edge = max(1, round(w * design.EDGE))
    draw.rounded_rectangle((edge, edge, w - 1 - edge, h - 1 - edge), w * design.CORNER - edge, colors.WHITE)
    if card == NO_CARD:
        _draw_back(draw, w, h)
    else:
        _draw_face(draw, card, style, w)
    mask = Image.new("L", (w, h), 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, w - 1, h - 1), w * design.CORNER, 255)
    return picture.reduce(_SPRITE_SCALE), mask.reduce(_SPRITE_SCALE)


def _draw_face(draw: ImageDraw.ImageDraw, card: int, style: str, w: int) -> None:
    color, layout = design.SUIT_COLORS[card % 4], design.face(card, style)
    size, letters = w * layout.rank_size, font(w * layout.rank_size)
    x, y = w * layout.rank_x, w * layout.rank_y + X_HEIGHT * size
    draw.text((x, y), design.rank_label(card), color, letters, "ms", stroke_width=bold_stroke(size), stroke_fill=color)
    x, y, size = w * layout.suit_x, w * layout.suit_y, w * layout.suit_size
    for outline in design.SUIT_OUTLINES[card % 4]:
        draw.polygon([(x + size * px, y + size * py) for px, py in outline], color)


def _draw_back(draw: ImageDraw.ImageDraw, w: int, h: int) -> None:
    margin, line = w * design.BACK_MARGIN, max(1, round(w * design.BACK_LINE))
    draw.rounded_rectangle((margin, margin, w - 1 - margin, h - 1 - margin), w * design.BACK_CORNER, colors.CARD_BACK)
    inner, step = margin * 1.9, w * design.BACK_STEP
    columns, rows = round((w - 2 * inner) / step), round((h - 2 * inner) / step)
    for column in range(columns):
        for row in range(rows):
            x = inner + (column + 0.5) * (w - 2 * inner) / columns
            y = inner + (row + 0.5) * (h - 2 * inner) / rows
            reach = step * 0.36
            draw.polygon(
                [(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)], None, colors.CARD_BACK_LINE, line
            )
