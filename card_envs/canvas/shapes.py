"""A canvas that keeps shapes as data: lists that a web page turns into SVG."""

from __future__ import annotations

from typing import Any

from card_envs.canvas import card_design as design
from card_envs.canvas import colors
from card_envs.canvas.base import Canvas, Point
from card_envs.canvas.colors import INK, Color
from card_envs.canvas.fonts import X_HEIGHT
from card_envs.cards import DECK_SIZE

Shape = list[Any]
"""Kind of shape and the arguments of the canvas method, such as ["disc", x, y, radius, fill, outline, line]."""


class ShapeCanvas(Canvas):
    """A canvas that makes a list of shapes, the lowest first; the page draws the background."""

    def __init__(self, width: int, height: int, background: Color = colors.WHITE) -> None:
        """Start an empty picture."""
        self.size = (width, height)
        self.shapes: list[Shape] = []

    def copy(self) -> ShapeCanvas:
        """Return an independent canvas with the same picture."""
        twin = ShapeCanvas(*self.size)
        twin.shapes = self.shapes.copy()  # shapes themselves are never changed
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
        """Add ["box", left, top, width, height, fill, outline, line, radius], with the line inside."""
        left, top = _round(center[0] - size[0] / 2), _round(center[1] - size[1] / 2)
        size_and_looks = [_round(size[0]), _round(size[1]), _hex(fill), _hex(outline), line, _round(radius)]
        self.shapes.append(["box", left, top, *size_and_looks])

    def disc(self, center: Point, radius: float, fill: Color, outline: Color | None = None, line: float = 0) -> None:
        """Add ["disc", x, y, radius, fill, outline, line], with the line inside."""
        x, y = center
        self.shapes.append(["disc", _round(x), _round(y), _round(radius), _hex(fill), _hex(outline), line])

    def text(
        self, position: Point, text: str, size: float, color: Color = INK, align: str = "middle", bold: bool = False
    ) -> None:
        """Add ["text", x, baseline, text, size, color, align, bold]."""
        x, baseline = _round(position[0]), _round(position[1] + X_HEIGHT * size)
        self.shapes.append(["text", x, baseline, text, size, _hex(color), align, bold])

    def draw_card(self, center: Point, width: float, card: int, style: str) -> None:
        """Add ["card", x of the centre, y of the centre, width, card id or `NO_CARD`, style]."""
        self.shapes.append(["card", _round(center[0]), _round(center[1]), width, card, style])


def card_geometry() -> dict[str, Any]:
    """Return the measures of a card for a web page; lengths are fractions of a card's width."""
    return {
        "ratio": design.CARD_RATIO,
        "corner": design.CORNER,
        "edge": design.EDGE,
        "edge_color": _hex(colors.CARD_EDGE),
        "shade": design.SHADE,
        "shade_color": _hex(colors.CARD_SHADE),
        "suit_colors": [_hex(color) for color in design.SUIT_COLORS],
        "suits": [[_path(outline) for outline in outlines] for outlines in design.SUIT_OUTLINES],
        "faces": {
            style: [list(design.face(card, style)) for card in range(DECK_SIZE)]
            for style in (design.PLAIN, design.COVERED)
        },
        "ranks": [design.rank_label(card) for card in range(DECK_SIZE)],
        "baseline": X_HEIGHT,
        "back": {
            "margin": design.BACK_MARGIN,
            "corner": design.BACK_CORNER,
            "step": design.BACK_STEP,
            "line": design.BACK_LINE,
            "color": _hex(colors.CARD_BACK),
            "line_color": _hex(colors.CARD_BACK_LINE),
        },
    }


def _path(outline: Any) -> str:
    return "M" + "L".join(f"{x:.3f} {y:.3f}" for x, y in outline) + "Z"


def _hex(color: Color | None) -> str | None:
    return None if color is None else "#{:02x}{:02x}{:02x}".format(*color)


def _round(length: float) -> float:
    """Return a length rounded to hundredths of a pixel."""
    return round(length, 2)
