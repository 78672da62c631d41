"""A canvas that keeps what is drawn as data: lists that a page turns into SVG."""

from __future__ import annotations

from typing import Any

from card_envs.canvas.base import CARD_BACK, CARD_BACK_LINE, CARD_EDGE, CARD_SHADE, INK, WHITE, Canvas, Color, Point
from card_envs.canvas.cards import (
    BACK_CORNER,
    BACK_LINE,
    BACK_MARGIN,
    BACK_STEP,
    CARD_RATIO,
    CORNER,
    COVERED,
    EDGE,
    PLAIN,
    SHADE,
    SUIT_COLORS,
    SUIT_OUTLINES,
    face,
    rank_words,
)
from card_envs.canvas.fonts import X_HEIGHT
from card_envs.cards import DECK_SIZE

Shape = list[Any]
"""Kind, then numbers and words in the order of the canvas method: ["disc", x, y, radius, fill, outline, line]."""


class ShapeCanvas(Canvas):
    """A canvas whose picture is a list of shapes, the lowest first; the background is left to the page."""

    def __init__(self, width: int, height: int, background: Color = WHITE) -> None:
        """Start an empty picture."""
        self.size = (width, height)
        self.shapes: list[Shape] = []

    def copy(self) -> ShapeCanvas:
        """Return a canvas with the same picture, to be drawn on separately."""
        twin = ShapeCanvas(*self.size)
        twin.shapes = self.shapes.copy()  # the shapes themselves are never changed
        return twin

    def box(
        self,
        center: Point,
        size: Point,
        fill: Color | None,
        outline: Color | None = None,
        line: float = 0,
        radius: float = 0,
    ) -> None:
        """Keep ["box", left, top, width, height, fill, outline, line, radius]; the line lies inside."""
        left, top = _short(center[0] - size[0] / 2), _short(center[1] - size[1] / 2)
        size_and_looks = [_short(size[0]), _short(size[1]), _hex(fill), _hex(outline), line, _short(radius)]
        self.shapes.append(["box", left, top, *size_and_looks])

    def disc(self, center: Point, radius: float, fill: Color, outline: Color | None = None, line: float = 0) -> None:
        """Keep ["disc", x, y, radius, fill, outline, line]; the line lies inside."""
        x, y = center
        self.shapes.append(["disc", _short(x), _short(y), _short(radius), _hex(fill), _hex(outline), line])

    def text(
        self, position: Point, text: str, size: float, color: Color = INK, align: str = "middle", bold: bool = False
    ) -> None:
        """Keep ["text", x, baseline, words, size, color, align, bold]."""
        x, baseline = _short(position[0]), _short(position[1] + X_HEIGHT * size)
        self.shapes.append(["text", x, baseline, text, size, _hex(color), align, bold])

    def draw_card(self, center: Point, width: float, card: int, style: str) -> None:
        """Keep ["card", x of the middle, y of the middle, width, card id or `NO_CARD`, style]."""
        self.shapes.append(["card", _short(center[0]), _short(center[1]), width, card, style])


def card_geometry() -> dict[str, Any]:
    """Return all that a page needs to draw cards as `PixelCanvas` does; lengths are fractions of a card's width."""
    return {
        "ratio": CARD_RATIO,
        "corner": CORNER,
        "edge": EDGE,
        "edge_color": _hex(CARD_EDGE),
        "shade": SHADE,
        "shade_color": _hex(CARD_SHADE),
        "suit_colors": [_hex(color) for color in SUIT_COLORS],
        "suits": [[_path(outline) for outline in outlines] for outlines in SUIT_OUTLINES],
        "faces": {style: [list(face(card, style)) for card in range(DECK_SIZE)] for style in (PLAIN, COVERED)},
        "ranks": [rank_words(card) for card in range(DECK_SIZE)],
        "baseline": X_HEIGHT,
        "back": {
            "margin": BACK_MARGIN,
            "corner": BACK_CORNER,
            "step": BACK_STEP,
            "line": BACK_LINE,
            "color": _hex(CARD_BACK),
            "line_color": _hex(CARD_BACK_LINE),
        },
    }


def _path(outline: Any) -> str:
    return "M" + "L".join(f"{x:.3f} {y:.3f}" for x, y in outline) + "Z"


def _hex(color: Color | None) -> str | None:
    return None if color is None else "#{:02x}{:02x}{:02x}".format(*color)


def _short(length: float) -> float:
    """Return a length with the digits that can be seen."""
    return round(length, 2)
