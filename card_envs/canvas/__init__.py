"""Pictures of tables: a description, drawn as pixels or by a web page."""

from card_envs.canvas import colors
from card_envs.canvas.canvas import PLATE_SIZE, Canvas, Point, format_signed
from card_envs.canvas.card_design import CARD_RATIO, card_geometry
from card_envs.canvas.fonts import font_file, text_width
from card_envs.canvas.pixels import draw_pixels

__all__ = [
    "CARD_RATIO",
    "PLATE_SIZE",
    "Canvas",
    "Point",
    "card_geometry",
    "colors",
    "draw_pixels",
    "font_file",
    "format_signed",
    "text_width",
]
