"""What tables are drawn with: colours, and a `Canvas` of smooth shapes, text, playing cards and chips.

A game draws on any `Canvas`: on one of pixels (`canvas.pixels`), or on one that keeps the shapes as data for a page
(`canvas.shapes`). So a picture and the page show the same table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

from card_envs.canvas.cards import CARD_RATIO, CORNER, COVERED, PLAIN, SHADED
from card_envs.canvas.fonts import shorten, text_width

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
"""Mixed into the cards of a player that has folded."""

PLATE_SIZE: Point = (118, 40)


class Canvas(ABC):
    """A picture in the making. Positions and sizes are pixels of the finished picture, x to the right, y down."""

    @abstractmethod
    def __init__(self, width: int, height: int, background: Color = WHITE) -> None:
        """Start an empty picture."""

    @abstractmethod
    def copy(self) -> Self:
        """Return a canvas with the same picture, to be drawn on separately."""

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
        """Write a line on a rounded label that is as wide as the line needs."""
        height = 1.5 * size
        self.box(center, (text_width(text, size) + height * 0.9, height), fill, radius=height / 2)
        self.text(center, text, size, color, bold=bold)

    def plate(self, center: Point, name: str, value: str, is_lit: bool, is_dim: bool = False) -> None:
        """Draw the plate of a player, with two lines; a lit one has a golden frame."""
        x, y = center
        self.box(center, PLATE_SIZE, PLATE, GOLD if is_lit else RIM, 2.5 if is_lit else 1, 9)
        self.text((x, y - 9), shorten(name, 12, PLATE_SIZE[0] - 10), 12, FAINT)
        self.text((x, y + 8), value, 15, FAINT if is_dim else WHITE, bold=True)

    def card(self, center: Point, width: float, card: int, is_dim: bool = False) -> None:
        """Draw a card face up, or face down for `NO_CARD`; dim if it is out of play."""
        self.draw_card(center, width, card, SHADED if is_dim else PLAIN)

    def fan(self, center: Point, width: float, step: float, cards: Sequence[int]) -> None:
        """Draw cards side by side, `step` apart, around the centre; where they overlap the right one lies on top."""
        last = len(cards) - 1
        for k, card in enumerate(cards):
            style = COVERED if step < width and k < last else PLAIN
            self.draw_card((center[0] + (k - last / 2) * step, center[1]), width, card, style)

    def card_place(self, center: Point, width: float) -> None:
        """Draw the outline of a card that is yet to come."""
        self.box(center, (width, width * CARD_RATIO), None, FELT_LINE, 1.5, width * CORNER)

    def chips(self, center: Point, radius: float, color: Color) -> None:
        """Draw a small stack of chips."""
        x, y = center
        for layer in range(3):
            self.disc((x, y + radius * (0.35 - 0.35 * layer)), radius, color, INK, 1)
        top = y - radius * 0.35
        self.disc((x, top), radius * 0.55, color, WHITE, 1.5)


def thousands(amount: int) -> str:
    """Return a number with separators: 1234567 as "1,234,567"."""
    return f"{amount:,}"


def format_signed(amount: int) -> str:
    """Return a number with its sign: "+1,200", "-300" or "0"."""
    return f"{amount:+,}" if amount else "0"
