"""The font that comes with Pillow, and the width of its text: pictures do not depend on installed fonts."""

from __future__ import annotations

from functools import cache, lru_cache

try:
    from PIL import ImageFont
except ImportError as error:
    raise ImportError("pictures need Pillow: pip install 'card-envs[render]'") from error

SCALE = 2
"""Factor by which pictures are drawn larger before they are reduced, for smooth edges."""
X_HEIGHT = 0.355
"""Distance from the middle of capitals and digits down to their baseline, as a fraction of the font size."""


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Return the width of a line of text in pixels."""
    return font(size * SCALE).getlength(text) / SCALE


@lru_cache(maxsize=1024)
def shorten(text: str, size: float, width: float) -> str:
    """Return a line no wider than `width` pixels; dots replace the end of its first word, as in "position_ra.. (2)"."""
    head, space, tail = text.partition(" ")
    shown, kept = text, len(head)
    while kept > 1 and text_width(shown, size) > width:
        kept -= 1
        shown = f"{head[:kept].rstrip('._')}..{space}{tail}"
    return shown


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    """Return the font; its size is in pixels of the enlarged picture."""
    found = ImageFont.load_default(size)
    if not isinstance(found, ImageFont.FreeTypeFont):
        raise ImportError("this build of Pillow has no FreeType: pip install --force-reinstall 'card-envs[render]'")
    return found


def font_file() -> bytes:
    """Return the file of the font, so that a page writes lines as wide as `text_width` says."""
    return bytes(font(12).font_bytes)


def bold_stroke(size: float) -> float:
    """Return the extra width of the strokes of bold letters."""
    return size / 36
