"""`Canvas`: smooth shapes, text, playing cards and chips.

A game draws its table on any `Canvas`: pixels (`canvas.pixels`), or shapes as data for a web page (`canvas.shapes`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

from card_envs.canvas import card_design as design
from card_envs.canvas import colors
from card_envs.canvas.colors import INK, Color
from card_envs.canvas.fonts import shorten, text_width

Point = tuple[float, float]

PLATE_SIZE: Point = (118, 40)


class Canvas(ABC):
    """A picture to draw on. Positions and sizes are in pixels of the finished picture, x to the right, y down."""

    @abstractmethod
    def __init__(self, width: int, height: int, background: Color = colors.WHITE) -> None:
        """Start an empty picture."""

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent canvas with the same picture."""

    @abstractmethod
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

    @abstractmethod
    def disc(self, center: Point, radius: float, fill: Color, outline: Color | None = None, line: float = 0) -> None:
        """Draw a filled circle."""

    @abstractmethod
    def text(
        self, position: Point, text: str, size: float, color: Color = INK, align: str = "middle", bold: bool = False
    ) -> None:
        """Write a line whose capitals are centred at y; x is its `left`, `middle` or `right`."""

    @abstractmethod
    def draw_card(self, center: Point, width: float, card: int, style: str) -> None:
        """Draw a card in a style of `canvas.cards`, face down for `NO_CARD`."""

    def pill(self, center: Point, text: str, size: float, fill: Color, color: Color, bold: bool = False) -> None:
        """Write a line on a rounded label of the width of the line."""
        height = 1.5 * size
        self.box(center, (text_width(text, size) + height * 0.9, height), fill, radius=height / 2)
        self.text(center, text, size, color, bold=bold)

    def plate(self, center: Point, name: str, value: str, is_lit: bool, is_dim: bool = False) -> None:
        """Draw the name plate of a player, with two lines; a lit one has a golden frame."""
        x, y = center
        self.box(center, PLATE_SIZE, colors.PLATE, colors.GOLD if is_lit else colors.RIM, 2.5 if is_lit else 1, 9)
        self.text((x, y - 9), shorten(name, 12, PLATE_SIZE[0] - 10), 12, colors.FAINT)
        self.text((x, y + 8), value, 15, colors.FAINT if is_dim else colors.WHITE, bold=True)

    def card(self, center: Point, width: float, card: int, is_dim: bool = False) -> None:
        """Draw a card face up, or face down for `NO_CARD`; dim if it is out of play."""
        self.draw_card(center, width, card, design.SHADED if is_dim else design.PLAIN)

    def fan(self, center: Point, width: float, step: float, cards: Sequence[int]) -> None:
        """Draw cards in a row around the centre, `step` apart; of overlapping cards the right one is on top."""
        last = len(cards) - 1
        for k, card in enumerate(cards):
            style = design.COVERED if step < width and k < last else design.PLAIN
            self.draw_card((center[0] + (k - last / 2) * step, center[1]), width, card, style)

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
