"""Drawing tables: on pixels, or as shapes for a page."""

from card_envs.canvas.base import (
    FELT,
    FELT_LINE,
    GOLD,
    GREY,
    INK,
    MINT,
    PALE,
    PLATE_SIZE,
    RED,
    RIM,
    SKY,
    WHITE,
    Canvas,
    Color,
    Point,
    format_signed,
    thousands,
)
from card_envs.canvas.cards import CARD_RATIO
from card_envs.canvas.fonts import text_width
from card_envs.canvas.pixels import PixelCanvas
from card_envs.canvas.shapes import ShapeCanvas, card_geometry

__all__ = [
    "CARD_RATIO",
    "FELT",
    "FELT_LINE",
    "GOLD",
    "GREY",
    "INK",
    "MINT",
    "PALE",
    "PLATE_SIZE",
    "RED",
    "RIM",
    "SKY",
    "WHITE",
    "Canvas",
    "Color",
    "PixelCanvas",
    "Point",
    "ShapeCanvas",
    "card_geometry",
    "format_signed",
    "text_width",
    "thousands",
]
