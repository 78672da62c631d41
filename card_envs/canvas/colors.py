"""Colours of tables and cards, RGB."""

from __future__ import annotations

Color = tuple[int, int, int]

WHITE: Color = (255, 255, 255)
INK: Color = (24, 30, 38)
FELT: Color = (32, 98, 80)
FELT_LINE: Color = (66, 130, 110)
RIM: Color = (46, 38, 34)
PLATE: Color = (36, 45, 58)
FAINT: Color = (160, 172, 186)
"""Secondary text on a plate."""
GREY: Color = (96, 106, 120)
"""Secondary text on white."""
PALE: Color = (226, 230, 236)
SKY: Color = (206, 226, 250)
MINT: Color = (190, 226, 211)
"""Secondary text on the felt."""
GOLD: Color = (255, 190, 46)
RED: Color = (255, 150, 140)
CARD_BACK: Color = (52, 92, 160)
CARD_BACK_LINE: Color = (126, 160, 214)
CARD_EDGE: Color = (150, 158, 168)
CARD_SHADE: Color = (128, 140, 146)
"""Colour that is mixed into the cards of a player who has folded."""


def to_hex(color: Color) -> str:
    """Return a colour as "#rrggbb"."""
    return "#{:02x}{:02x}{:02x}".format(*color)
