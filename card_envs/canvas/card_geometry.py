"""The design of a card as JSON, for a web page that draws cards."""

from __future__ import annotations

from typing import Any

from card_envs.canvas import card_design as design
from card_envs.canvas import colors
from card_envs.canvas.canvas import to_hex
from card_envs.canvas.fonts import X_HEIGHT
from card_envs.cards import DECK_SIZE


def card_geometry() -> dict[str, Any]:
    """Return the measures of a card for a web page; lengths are fractions of a card's width."""
    return {
        "ratio": design.CARD_RATIO,
        "corner": design.CORNER,
        "edge": design.EDGE,
        "edge_color": to_hex(colors.CARD_EDGE),
        "shade": design.SHADE,
        "shade_color": to_hex(colors.CARD_SHADE),
        "suit_colors": [to_hex(color) for color in design.SUIT_COLORS],
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
            "color": to_hex(colors.CARD_BACK),
            "line_color": to_hex(colors.CARD_BACK_LINE),
        },
    }


def _path(outline: Any) -> str:
    return "M" + "L".join(f"{x:.3f} {y:.3f}" for x, y in outline) + "Z"
