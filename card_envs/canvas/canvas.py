"""`Canvas`: the description of a picture of a table: shapes, lines of text and playing cards.

A game describes its table once. `canvas.pixels` draws the description with Pillow; a web page draws its `to_json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from card_envs.canvas import card_design as design
from card_envs.canvas import colors
from card_envs.canvas.colors import INK, Color, to_hex
from card_envs.canvas.fonts import X_HEIGHT, shorten, text_width

Point = tuple[float, float]

PLATE_SIZE: Point = (118, 40)
LABEL_SIZE = 12.0
"""Font size of labels."""


class Box(NamedTuple):
    """A rectangle with rounded corners and the line inside; no outline or no fill for None."""

    left: float
    top: float
    width: float
    height: float
    fill: Color | None
    outline: Color | None
    line: float
    radius: float


class Disc(NamedTuple):
    """A circle with the line inside."""

    x: float
    y: float
    radius: float
    fill: Color
    outline: Color | None
    line: float


class Text(NamedTuple):
    """A line of text; x is its `left`, `middle` or `right`, as `align` says."""

    x: float
    baseline: float
    text: str
    size: float
    color: Color
    align: str
    is_bold: bool


class Card(NamedTuple):
    """A card around its centre, in a style of `canvas.card_design`; face down for `NO_CARD`."""

    x: float
    y: float
    width: float
    card: int
    style: str


Shape = Box | Disc | Text | Card


class Label(NamedTuple):
    """A short text on a coloured ground, below a seat; none if there are no words."""

    words: str
    fill: Color
    color: Color = INK


class Canvas:
    """A picture of a size in pixels as a list of shapes, the lowest first.

    Positions and sizes are in pixels of the finished picture, x to the right, y down.
    """

    def __init__(self, width: int, height: int) -> None:
        self.size = (width, height)
        self.shapes: list[Shape] = []

    def to_json(self) -> list[list[Any]]:
        """Return the shapes as lists for a web page: kind and fields, lengths in hundredths, colours as "#rrggbb"."""
        return [[type(shape).__name__.lower(), *map(_to_json, shape)] for shape in self.shapes]

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
        left, top = center[0] - size[0] / 2, center[1] - size[1] / 2
        self.shapes.append(Box(left, top, *size, fill, outline, line, radius))

    def disc(self, center: Point, radius: float, fill: Color, outline: Color | None = None, line: float = 0) -> None:
        """Draw a filled circle."""
        self.shapes.append(Disc(*center, radius, fill, outline, line))

    def text(
        self, position: Point, text: str, size: float, color: Color = INK, align: str = "middle", bold: bool = False
    ) -> None:
        """Write a line whose capitals are centred at y; x is its `left`, `middle` or `right`."""
        self.shapes.append(Text(position[0], position[1] + X_HEIGHT * size, text, size, color, align, bold))

    def label(self, center: Point, label: Label) -> None:
        """Write the label of a seat, on a rounded ground of the width of its words."""
        if label.words:
            width, height = text_width(label.words, LABEL_SIZE), 1.5 * LABEL_SIZE
            self.box(center, (width + height * 0.9, height), label.fill, radius=height / 2)
            self.text(center, label.words, LABEL_SIZE, label.color, bold=True)

    def plate(
        self, center: Point, name: str, value: str, is_lit: bool, is_dim: bool = False, size: Point = PLATE_SIZE
    ) -> None:
        """Draw the name plate of a player, with two lines; a lit one has a golden frame."""
        x, y = center
        self.box(center, size, colors.PLATE, colors.GOLD if is_lit else colors.RIM, 2.5 if is_lit else 1, 9)
        self.text((x, y - 9), shorten(name, 12, size[0] - 10), 12, colors.FAINT)
        self.text((x, y + 8), value, 15, colors.FAINT if is_dim else colors.WHITE, bold=True)

    def card(self, center: Point, width: float, card: int, is_dim: bool = False) -> None:
        """Draw a card face up, or face down for `NO_CARD`; dim if it is out of play."""
        self.shapes.append(Card(*center, width, card, design.SHADED if is_dim else design.PLAIN))

    def fan(self, center: Point, width: float, step: float, cards: Sequence[int]) -> None:
        """Draw cards in a row around the centre, `step` apart; of overlapping cards the right one is on top."""
        last = len(cards) - 1
        for k, card in enumerate(cards):
            style = design.COVERED if step < width and k < last else design.PLAIN
            self.shapes.append(Card(center[0] + (k - last / 2) * step, center[1], width, card, style))

    def card_outline(self, center: Point, width: float) -> None:
        """Draw the outline of a card that is not dealt yet."""
        self.box(center, (width, width * design.CARD_RATIO), None, colors.FELT_LINE, 1.5, width * design.CORNER)

    def chips(self, center: Point, radius: float, color: Color) -> None:
        """Draw a small stack of chips."""
        x, y = center
        for layer in range(3):
            self.disc((x, y + radius * (0.35 - 0.35 * layer)), radius, color, colors.INK, 1)
        top = y - radius * 0.35
        self.disc((x, top), radius * 0.55, color, colors.WHITE, 1.5)


def format_signed(amount: int) -> str:
    """Return a number with its sign: "+1,200", "-300" or "0"."""
    return f"{amount:+,}" if amount else "0"


def _to_json(field: Any) -> Any:
    if isinstance(field, tuple):
        return to_hex(field)
    return round(field, 2) if isinstance(field, float) else field
