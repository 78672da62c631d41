"""`draw_pixels`: draw a `Canvas` with Pillow, enlarged and reduced at the end, for smooth edges."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from card_envs.canvas import card_design as design
from card_envs.canvas import colors
from card_envs.canvas.canvas import Box, Canvas, Card, Disc, Shape, Text
from card_envs.canvas.fonts import SCALE, X_HEIGHT, bold_stroke, font
from card_envs.cards import NO_CARD

_SPRITE_SCALE = 4
"""Further factor by which cards are enlarged; each card is drawn once and cached."""
_ANCHORS = {"left": "ls", "middle": "ms", "right": "rs"}


def draw_pixels(canvas: Canvas) -> NDArray[np.uint8]:
    """Return the picture on white, (height, width, 3) uint8, RGB."""
    table = tuple(takewhile(lambda shape: isinstance(shape, Box), canvas.shapes))
    image = _draw_table(canvas.size, table).copy()
    _draw_shapes(image, canvas.shapes[len(table) :])
    return np.asarray(image.reduce(SCALE)).copy()


@lru_cache(maxsize=8)
def _draw_table(size: tuple[int, int], shapes: tuple[Shape, ...]) -> Image.Image:
    """Return the enlarged picture of the empty table, with which pictures of a game begin: its boxes are large."""
    image = Image.new("RGB", (size[0] * SCALE, size[1] * SCALE), colors.WHITE)
    _draw_shapes(image, shapes)
    return image


def _draw_shapes(image: Image.Image, shapes: Iterable[Shape]) -> None:
    draw = ImageDraw.Draw(image)
    for shape in shapes:
        match shape:
            case Box():
                corners = (shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
                draw.rounded_rectangle(
                    _enlarge(corners), shape.radius * SCALE, shape.fill, shape.outline, round(shape.line * SCALE)
                )
            case Disc(x, y, radius):
                corners = (x - radius, y - radius, x + radius, y + radius)
                draw.ellipse(_enlarge(corners), shape.fill, shape.outline, round(shape.line * SCALE))
            case Text():
                draw.text(
                    (shape.x * SCALE, shape.baseline * SCALE),
                    shape.text,
                    shape.color,
                    font(shape.size * SCALE),
                    _ANCHORS[shape.align],
                    stroke_width=bold_stroke(shape.size * SCALE) if shape.is_bold else 0,
                    stroke_fill=shape.color,
                )
            case Card():
                sprite, mask = _card_sprite(shape.card, round(shape.width * SCALE), shape.style)
                left, top = shape.x * SCALE - sprite.width / 2, shape.y * SCALE - sprite.height / 2
                image.paste(sprite, (round(left), round(top)), mask)


def _enlarge(corners: tuple[float, ...]) -> list[float]:
    return [SCALE * corner for corner in corners]


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
