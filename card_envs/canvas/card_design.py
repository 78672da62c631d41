"""The design of a playing card: positions of rank and suit, outlines of the suits, colours, styles; and as JSON.

Lengths are fractions of the card's width, measured from the upper left corner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from card_envs.canvas import colors
from card_envs.canvas.colors import to_hex
from card_envs.canvas.fonts import X_HEIGHT
from card_envs.cards import DECK_SIZE, RANKS

CARD_RATIO = 1.4
"""Height of a card divided by its width."""
CORNER = 0.11
"""Radius of a card's corners."""
EDGE = 0.016
"""Width of the line around a card."""
BACK_MARGIN, BACK_CORNER, BACK_STEP, BACK_LINE = 0.08, 0.06, 0.155, 0.018
"""Pattern on the back: margin, radius of the corners, distance of the lozenges, width of the lines."""

SUIT_COLORS = ((20, 128, 62), (24, 98, 200), (206, 32, 44), (22, 26, 32))
"""Clubs green, diamonds blue, hearts red, spades black: the four-colour deck, readable at small sizes."""

PLAIN, SHADED, COVERED = "plain", "shaded", "covered"
"""Styles of a card: fully visible, out of play, in a fan where the next card covers all but the left side."""
SHADE = 0.62
"""Weight of `CARD_SHADE` in the colours of a shaded card, 0 .. 1."""

_TEN = RANKS.index("T")


class Face(NamedTuple):
    """Centres and sizes of rank and suit on a card."""

    rank_x: float
    rank_y: float
    rank_size: float
    suit_x: float
    suit_y: float
    suit_size: float
    """Half the height of the suit symbol."""


def face(card: int, style: str) -> Face:
    """Return positions and sizes of rank and suit; the rank 10 is wider than the others."""
    is_ten = card // 4 == _TEN
    if style == COVERED:
        return Face(0.28, 0.34, 0.42 if is_ten else 0.52, 0.28, 0.82, 0.18)
    return Face(0.37 if is_ten else 0.31, 0.36, 0.56, 0.66, 0.99, 0.26)


def rank_label(card: int) -> str:
    """Return the rank as it is printed on a card: "2" to "10", "J" to "A"."""
    return RANKS[card // 4].replace("T", "10")


Outline = Sequence[tuple[float, float]]


def _circle(x: float, y: float, radius: float) -> Outline:
    turns = [2 * math.pi * k / 48 for k in range(48)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


def _stem(top: float) -> Outline:
    """Return the stem of clubs and spades, with concave sides."""
    steps = [k / 12 for k in range(13)]
    right = [(0.06 + 0.34 * step**2.4, top + (1 - top) * step) for step in steps]
    return [*right, *((-x, y) for x, y in reversed(right))]


def _diamond() -> Outline:
    turns = [2 * math.pi * k / 64 for k in range(64)]
    bend = 1.7  # 1: an ellipse, 2: a rhombus, above 2: concave edges
    return [
        (0.76 * math.copysign(abs(math.cos(turn)) ** bend, math.cos(turn)),
         math.copysign(abs(math.sin(turn)) ** bend, math.sin(turn)))
        for turn in turns
    ]  # fmt: skip


def _heart() -> Outline:
    turns = [2 * math.pi * k / 72 for k in range(72)]
    waves = [13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t) for t in turns]
    return [(0.95 * math.sin(turn) ** 3, -(wave + 2.5) / 14.7) for turn, wave in zip(turns, waves, strict=True)]


SUIT_OUTLINES: tuple[list[Outline], ...] = (
    [_circle(0, -0.5, 0.44), _circle(-0.48, 0.2, 0.44), _circle(0.48, 0.2, 0.44), _circle(0, 0, 0.3), _stem(0)],
    [_diamond()],
    [_heart()],
    [[(x, -0.86 * y - 0.14) for x, y in _heart()], _stem(0)],
)
"""Polygons of each suit around (0, 0), reaching from -1 to 1 in height."""


def card_geometry() -> dict[str, Any]:
    """Return the measures of a card for a web page; lengths are fractions of a card's width."""
    return {
        "ratio": CARD_RATIO,
        "corner": CORNER,
        "edge": EDGE,
        "edge_color": to_hex(colors.CARD_EDGE),
        "shade": SHADE,
        "shade_color": to_hex(colors.CARD_SHADE),
        "suit_colors": [to_hex(color) for color in SUIT_COLORS],
        "suits": [[_path(outline) for outline in outlines] for outlines in SUIT_OUTLINES],
        "faces": {style: [list(face(card, style)) for card in range(DECK_SIZE)] for style in (PLAIN, COVERED)},
        "ranks": [rank_label(card) for card in range(DECK_SIZE)],
        "baseline": X_HEIGHT,
        "back": {
            "margin": BACK_MARGIN,
            "corner": BACK_CORNER,
            "step": BACK_STEP,
            "line": BACK_LINE,
            "color": to_hex(colors.CARD_BACK),
            "line_color": to_hex(colors.CARD_BACK_LINE),
        },
    }


def _path(outline: Outline) -> str:
    return "M" + "L".join(f"{x:.3f} {y:.3f}" for x, y in outline) + "Z"
