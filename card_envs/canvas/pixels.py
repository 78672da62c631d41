"""A canvas of pixels, on Pillow. Everything is drawn enlarged and reduced at the end, which smooths all edges."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from card_envs.canvas.base import CARD_BACK, CARD_BACK_LINE, CARD_EDGE, CARD_SHADE, INK, WHITE, Canvas, Color, Point
from card_envs.canvas.cards import (
    BACK_CORNER,
    BACK_LINE,
    BACK_MARGIN,
    BACK_STEP,
    CARD_RATIO,
    CORNER,
    EDGE,
    PLAIN,
    SHADE,
    SHADED,
    SUIT_COLORS,
    SUIT_OUTLINES,
    face,
    rank_words,
)
from card_envs.canvas.fonts import SCALE, X_HEIGHT, bold_stroke, font
from card_envs.cards import NO_CARD

_SPRITE_SCALE = 4
"""Cards are drawn larger again by this factor, once, and kept."""


class PixelCanvas(Canvas):
    """A canvas whose picture is an array."""

    def __init__(self, width: int, height: int, background: Color = WHITE) -> None:
        """Start an empty picture."""
        self._image = Image.new("RGB", (width * SCALE, height * SCALE), background)
        self._draw = ImageDraw.Draw(self._image)

    def copy(self) -> PixelCanvas:
        """Return a canvas with the same picture, to be drawn on separately."""
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
        """Draw a card in a style of `canvas.cards`, face down for `NO_CARD`."""
        sprite, mask = _card_sprite(card, round(width * SCALE), style)
        corner = (round(center[0] * SCALE - sprite.width / 2), round(center[1] * SCALE - sprite.height / 2))
        self._image.paste(sprite, corner, mask)


# --- cards: drawn once for each size, four times larger ---


@lru_cache(maxsize=512)
def _card_sprite(card: int, width: int, style: str) -> tuple[Image.Image, Image.Image]:
    """Return the picture and the mask of a card, `width` pixels of the enlarged picture wide."""
    if style == SHADED:
        picture, mask = _card_sprite(card, width, PLAIN)
        return Image.blend(picture, Image.new("RGB", picture.size, CARD_SHADE), SHADE), mask
    w = width * _SPRITE_SCALE
    h = round(width * CARD_RATIO) * _SPRITE_SCALE
    picture = Image.new("RGB", (w, h), CARD_EDGE)
    draw = ImageDraw.Draw(picture)
    edge = max(1, round(w * EDGE))
    draw.rounded_rectangle((edge, edge, w - 1 - edge, h - 1 - edge), w * CORNER - edge, WHITE)
    if card == NO_CARD:
        _draw_back(draw, w, h)
    else:
        _draw_face(draw, card, style, w)
    mask = Image.new("L", (w, h), 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, w - 1, h - 1), w * CORNER, 255)
    return picture.reduce(_SPRITE_SCALE), mask.reduce(_SPRITE_SCALE)


def _draw_face(draw: ImageDraw.ImageDraw, card: int, style: str, w: int) -> None:
    color, place = SUIT_COLORS[card % 4], face(card, style)
    size, letters = w * place.rank_size, font(w * place.rank_size)
    x, y = w * place.rank_x, w * place.rank_y + X_HEIGHT * size
    draw.text((x, y), rank_words(card), color, letters, "ms", stroke_width=bold_stroke(size), stroke_fill=color)
    x, y, size = w * place.suit_x, w * place.suit_y, w * place.suit_size
    for outline in SUIT_OUTLINES[card % 4]:
        draw.polygon([(x + size * px, y + size * py) for px, py in outline], color)


def _draw_back(draw: ImageDraw.ImageDraw, w: int, h: int) -> None:
    margin, line = w * BACK_MARGIN, max(1, round(w * BACK_LINE))
    draw.rounded_rectangle((margin, margin, w - 1 - margin, h - 1 - margin), w * BACK_CORNER, CARD_BACK)
    inner, step = margin * 1.9, w * BACK_STEP
    columns, rows = round((w - 2 * inner) / step), round((h - 2 * inner) / step)
    for column in range(columns):
        for row in range(rows):
            x = inner + (column + 0.5) * (w - 2 * inner) / columns
            y = inner + (row + 0.5) * (h - 2 * inner) / rows
            reach = step * 0.36
            draw.polygon([(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)], None, CARD_BACK_LINE, line)
