"""Pictures of tables: a description, drawn as pixels or by a web page."""

from card_envs.canvas import colors
from card_envs.canvas.canvas import LABEL_SIZE, PLATE_SIZE, Canvas, Label, Point, format_signed
from card_envs.canvas.card_design import CARD_RATIO, card_geometry
from card_envs.canvas.fonts import font_file, text_width
from card_envs.canvas.pixels import draw_pixels

__all__ = [
    "CARD_RATIO",
    "LABEL_SIZE",
    "PLATE_SIZE",
    "Canvas",
    "Label",
    "Point",
    "card_geometry",
    "colors",
    "draw_pixels",
    "font_file",
    "format_signed",
    "text_width",
]
