"""A small drawing layer on Pillow: smooth shapes, text, playing cards and chips, in pixels of the finished picture.

Everything is drawn enlarged and reduced at the end, which smooths all edges. Suits are shapes and the font is the one
inside Pillow, so a picture does not depend on what is installed on a machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import NO_CARD, RANKS

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError as error:
    raise ImportError("pictures need Pillow: pip install 'card-envs[render]'") from error

Color = tuple[int, int, int]
Point = tuple[float, float]

WHITE: Color = (255, 255, 255)
INK: Color = (24, 30, 38)
FELT: Color = (32, 98, 80)
FELT_LINE: Color = (66, 130, 110)
RIM: Color = (46, 38, 34)
PLATE: Color = (36, 45, 58)
FAINT: Color = (160, 172, 186)
"""Text on a plate that matters less."""
GREY: Color = (96, 106, 120)
"""Text on white that matters less."""
PALE: Color = (226, 230, 236)
SKY: Color = (206, 226, 250)
MINT: Color = (190, 226, 211)
"""Text on the felt that matters less."""
GOLD: Color = (255, 190, 46)
RED: Color = (255, 150, 140)
CARD_BACK: Color = (52, 92, 160)
CARD_BACK_LINE: Color = (126, 160, 214)
CARD_EDGE: Color = (150, 158, 168)
CARD_SHADE: Color = (128, 140, 146)
"""Mixed into the cards of a player who has folded."""

SUIT_COLORS: tuple[Color, ...] = ((20, 128, 62), (24, 98, 200), (206, 32, 44), (22, 26, 32))
"""Clubs green, diamonds blue, hearts red, spades black: the four-colour deck, which stays readable when small."""

PLATE_SIZE: Point = (118, 40)
CARD_RATIO = 1.4
"""Height of a card divided by its width."""

_SCALE = 2
"""A picture is drawn this much larger and then reduced."""
_SPRITE_SCALE = 4
"""Cards are drawn larger again by this factor, once, and kept."""
_X_HEIGHT = 0.355
"""From the middle of a line of capitals and digits down to its baseline, as a fraction of the font size."""


class Canvas:
    """A picture in the making. Positions and sizes are pixels of the finished picture, x to the right, y down."""

    def __init__(self, width: int, height: int, background: Color = WHITE) -> None:
        """Start an empty picture."""
        self._image = Image.new("RGB", (width * _SCALE, height * _SCALE), background)
        self._draw = ImageDraw.Draw(self._image)

    def copy(self) -> Canvas:
        """Return a canvas with the same picture, to be drawn on separately."""
        twin = object.__new__(Canvas)
        twin._image = self._image.copy()
        twin._draw = ImageDraw.Draw(twin._image)
        return twin

    def array(self) -> NDArray[np.uint8]:
        """Return the finished picture, (height, width, 3) uint8, RGB."""
        return np.asarray(self._image.reduce(_SCALE)).copy()

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
            [_SCALE * corner for corner in corners], radius * _SCALE, fill, outline, round(line * _SCALE)
        )

    def disc(self, center: Point, radius: float, fill: Color, outline: Color | None = None, line: float = 0) -> None:
        """Draw a filled circle."""
        x, y = center
        corners = (x - radius, y - radius, x + radius, y + radius)
        self._draw.ellipse([_SCALE * corner for corner in corners], fill, outline, round(line * _SCALE))

    def text(
        self, position: Point, text: str, size: float, color: Color = INK, align: str = "middle", bold: bool = False
    ) -> None:
        """Write a line whose capitals are centred at y; x is its `left`, `middle` or `right`."""
        x, y = position
        self._draw.text(
            (x * _SCALE, (y + _X_HEIGHT * size) * _SCALE),
            text,
            color,
            _font(size * _SCALE),
            {"left": "ls", "middle": "ms", "right": "rs"}[align],
            stroke_width=_bold_stroke(size * _SCALE) if bold else 0,
            stroke_fill=color,
        )

    def pill(self, center: Point, text: str, size: float, fill: Color, color: Color, bold: bool = False) -> None:
        """Write a line on a rounded label that is as wide as the line needs."""
        height = 1.5 * size
        self.box(center, (text_width(text, size) + height * 0.9, height), fill, radius=height / 2)
        self.text(center, text, size, color, bold=bold)

    def plate(self, center: Point, name: str, value: str, is_lit: bool, is_dim: bool = False) -> None:
        """Draw the plate of a player, with two lines; a lit one has a golden frame."""
        x, y = center
        self.box(center, PLATE_SIZE, PLATE, GOLD if is_lit else RIM, 2.5 if is_lit else 1, 9)
        self.text((x, y - 9), name, 12, FAINT)
        self.text((x, y + 8), value, 15, FAINT if is_dim else WHITE, bold=True)

    def card(self, center: Point, width: float, card: int, is_dim: bool = False) -> None:
        """Draw a card face up, or face down for `NO_CARD`; dim if it is out of play."""
        self._put_card(center, width, card, _SHADED if is_dim else _PLAIN)

    def fan(self, center: Point, width: float, step: float, cards: Sequence[int]) -> None:
        """Draw cards side by side, `step` apart, around the centre; where they overlap the right one lies on top."""
        last = len(cards) - 1
        for k, card in enumerate(cards):
            style = _COVERED if step < width and k < last else _PLAIN
            self._put_card((center[0] + (k - last / 2) * step, center[1]), width, card, style)

    def _put_card(self, center: Point, width: float, card: int, style: str) -> None:
        sprite, mask = _card_sprite(card, round(width * _SCALE), style)
        corner = (round(center[0] * _SCALE - sprite.width / 2), round(center[1] * _SCALE - sprite.height / 2))
        self._image.paste(sprite, corner, mask)

    def card_place(self, center: Point, width: float) -> None:
        """Draw the outline of a card that is yet to come."""
        self.box(center, (width, width * CARD_RATIO), None, FELT_LINE, 1.5, width * _CORNER)

    def chips(self, center: Point, radius: float, color: Color) -> None:
        """Draw a small stack of chips."""
        x, y = center
        for layer in range(3):
            self.disc((x, y + radius * (0.35 - 0.35 * layer)), radius, color, INK, 1)
        top = y - radius * 0.35
        self.disc((x, top), radius * 0.55, color, WHITE, 1.5)


def text_width(text: str, size: float) -> float:
    """Return the width of a line of text in pixels."""
    return _font(size * _SCALE).getlength(text) / _SCALE


def thousands(amount: int) -> str:
    """Return a number with separators: 1234567 as "1,234,567"."""
    return f"{amount:,}"


def signed(amount: int) -> str:
    """Return a number with its sign: "+1,200", "-300" or "0"."""
    return f"{amount:+,}" if amount else "0"


@cache
def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise ImportError("this Pillow is built without FreeType: pip install --force-reinstall 'card-envs[render]'")
    return font


def _bold_stroke(size: float) -> float:
    return size / 36


# --- cards: drawn once for each size, four times larger ---

_PLAIN, _SHADED, _COVERED = "plain", "shaded", "covered"
"""Styles of a card: alone, out of play, in a fan where the next card leaves only its left side visible."""
_SHADE = 0.62
_TEN = RANKS.index("T")
_CORNER = 0.11
"""Radius of a card's corners as a fraction of its width."""


@lru_cache(maxsize=512)
def _card_sprite(card: int, width: int, style: str) -> tuple[Image.Image, Image.Image]:
    """Return the picture and the mask of a card, `width` pixels of the enlarged picture wide."""
    if style == _SHADED:
        picture, mask = _card_sprite(card, width, _PLAIN)
        return Image.blend(picture, Image.new("RGB", picture.size, CARD_SHADE), _SHADE), mask
    w = width * _SPRITE_SCALE
    h = round(width * CARD_RATIO) * _SPRITE_SCALE
    picture = Image.new("RGB", (w, h), CARD_EDGE)
    draw = ImageDraw.Draw(picture)
    edge = max(1, round(w * 0.016))
    draw.rounded_rectangle((edge, edge, w - 1 - edge, h - 1 - edge), w * _CORNER - edge, WHITE)
    if card == NO_CARD:
        _draw_back(draw, w, h)
    elif style == _PLAIN:
        _draw_rank(draw, card, w * (0.37 if card // 4 == _TEN else 0.31), w * 0.36, w * 0.56)
        _draw_suit(draw, card % 4, w * 0.66, w * 0.99, w * 0.26)
    else:
        _draw_rank(draw, card, w * 0.28, w * 0.34, w * (0.42 if card // 4 == _TEN else 0.52))
        _draw_suit(draw, card % 4, w * 0.28, w * 0.82, w * 0.18)
    mask = Image.new("L", (w, h), 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, w - 1, h - 1), w * _CORNER, 255)
    return picture.reduce(_SPRITE_SCALE), mask.reduce(_SPRITE_SCALE)


def _draw_rank(draw: ImageDraw.ImageDraw, card: int, x: float, y: float, size: float) -> None:
    color = SUIT_COLORS[card % 4]
    name = RANKS[card // 4].replace("T", "10")
    stroke = _bold_stroke(size)
    draw.text((x, y + _X_HEIGHT * size), name, color, _font(size), "ms", stroke_width=stroke, stroke_fill=color)


def _draw_back(draw: ImageDraw.ImageDraw, w: int, h: int) -> None:
    margin, line = w * 0.08, max(1, round(w * 0.018))
    draw.rounded_rectangle((margin, margin, w - 1 - margin, h - 1 - margin), w * 0.06, CARD_BACK)
    inner, step = margin * 1.9, w * 0.155
    columns, rows = round((w - 2 * inner) / step), round((h - 2 * inner) / step)
    for column in range(columns):
        for row in range(rows):
            x = inner + (column + 0.5) * (w - 2 * inner) / columns
            y = inner + (row + 0.5) * (h - 2 * inner) / rows
            reach = step * 0.36
            draw.polygon([(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)], None, CARD_BACK_LINE, line)


def _draw_suit(draw: ImageDraw.ImageDraw, suit: int, x: float, y: float, size: float) -> None:
    """Draw a suit around (x, y); it reaches `size` above and below."""
    color = SUIT_COLORS[suit]
    for outline in _SUIT_OUTLINES[suit]:
        draw.polygon([(x + size * px, y + size * py) for px, py in outline], color)


Outline = Sequence[Point]


def _circle(x: float, y: float, radius: float) -> Outline:
    turns = [2 * math.pi * k / 48 for k in range(48)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


def _stem(top: float) -> Outline:
    """Return the foot of clubs and spades, with hollow sides."""
    steps = [k / 12 for k in range(13)]
    right = [(0.06 + 0.34 * step**2.4, top + (1 - top) * step) for step in steps]
    return [*right, *((-x, y) for x, y in reversed(right))]


def _diamond() -> Outline:
    turns = [2 * math.pi * k / 64 for k in range(64)]
    bend = 1.7  # 1 would be an ellipse, 2 straight edges of a rhombus, more hollow ones
    return [
        (0.76 * math.copysign(abs(math.cos(turn)) ** bend, math.cos(turn)),
         math.copysign(abs(math.sin(turn)) ** bend, math.sin(turn)))
        for turn in turns
    ]  # fmt: skip


def _heart() -> Outline:
    turns = [2 * math.pi * k / 72 for k in range(72)]
    waves = [13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t) for t in turns]
    return [(0.95 * math.sin(turn) ** 3, -(wave + 2.5) / 14.7) for turn, wave in zip(turns, waves, strict=True)]


_SUIT_OUTLINES: tuple[list[Outline], ...] = (
    [_circle(0, -0.5, 0.44), _circle(-0.48, 0.2, 0.44), _circle(0.48, 0.2, 0.44), _circle(0, 0, 0.3), _stem(0)],
    [_diamond()],
    [_heart()],
    [[(x, -0.86 * y - 0.14) for x, y in _heart()], _stem(0)],
)
