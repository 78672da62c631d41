"""Drawing tables: as pixels, or as shapes for a web page."""

from card_envs.canvas import colors
from card_envs.canvas.base import PLATE_SIZE, Canvas, Point, format_signed
from card_envs.canvas.card_design import CARD_RATIO
from card_envs.canvas.fonts import text_width
from card_envs.canvas.pixels import PixelCanvas
from card_envs.canvas.shapes import ShapeCanvas, card_geometry

__all__ = [
    "CARD_RATIO",
    "PLATE_SIZE",
    "Canvas",
    "PixelCanvas",
    "Point",
    "ShapeCanvas",
    "card_geometry",
    "colors",
    "format_signed",
    "text_width",
]
