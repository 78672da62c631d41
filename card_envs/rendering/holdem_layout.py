"""Where hold'em pictures draw seats, chips and board: around an oval table, or in columns for narrow screens."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

from card_envs.canvas import CARD_RATIO, PLATE_SIZE, Point


class Spot(NamedTuple):
    """Coordinates of one seat."""

    seat: Point
    """Centre of its cards, plate and label."""
    bet: Point
    """Point of its chips in front of it, or of its payoff."""
    align: str
    """Part of the chips that is at this point: `left`, `middle` or `right`."""
    button: Point
    """Centre of the dealer button."""


class TableLayout(NamedTuple):
    """Sizes and positions in pixels."""

    size: tuple[int, int]
    """Width and height of the picture."""
    middle: Point
    """Centre of the board."""
    felt: tuple[Point, Point, float]
    """Centre, size and radius of the table."""
    spots: tuple[Spot, ...]
    """Places of the seats, clockwise from the bottom, where the viewer is."""
    hole_card: float
    """Width of a hole card."""
    board_card: float
    cards_up: float
    """Distance from the centre of a seat up to its cards; down to its plate and its label."""
    plate_down: float
    label_down: float
    plate: Point
    """Size of a plate."""
    title: float
    """Font size of the title."""
    pot_line: float
    """Maximum width of a line of side pots; wider ones would overlap the chips of the lower seats."""
    has_short_amounts: bool
    """Whether large amounts are written as "1.2M"."""


_REACH: Point = (374, 226)
"""Semi-axes of the ellipse on which the seats of a wide picture are."""
_BETS_MIDDLE, _BETS_REACH = (450.0, 310.0), (242.0, 124.0)
"""Centre and semi-axes of the ellipse on which their chips are."""
_BUTTON = 14.0
"""Distance of the dealer button from the plate of a wide picture."""


@cache
def wide_layout(num_seats: int) -> TableLayout:
    """Return the layout of a picture of 900 x 600 pixels: seats around an oval table."""
    middle: Point = (450, 302)
    spots = []
    for place in range(num_seats):
        turn = 2 * math.pi * place / num_seats
        seat = _on_ellipse(middle, _REACH, turn)
        side = 1 if seat[0] <= middle[0] else -1
        button = seat[0] + side * (PLATE_SIZE[0] / 2 + _BUTTON), seat[1] + 30
        spots.append(Spot(seat, _on_ellipse(_BETS_MIDDLE, _BETS_REACH, turn), "middle", button))
    felt = 2 * _REACH[0], 2 * _REACH[1] - 40
    return TableLayout(
        size=(900, 600), middle=middle, felt=(middle, felt, felt[1] / 2), spots=tuple(spots), hole_card=46,
        board_card=60, cards_up=24, plate_down=30, label_down=62, plate=PLATE_SIZE, title=17, pot_line=205,
        has_short_amounts=False,
    )  # fmt: skip


def _on_ellipse(middle: Point, reach: Point, turn: float) -> Point:
    """Return a point of an ellipse, clockwise from the bottom."""
    return middle[0] - reach[0] * math.sin(turn), middle[1] + reach[1] * math.cos(turn)


_WIDTH = 344
"""Width of a narrow picture: on a screen of 360 pixels or more, no font is smaller than 12 pixels."""
_PLATE: Point = (86, 38)
_EDGE = 49.0
"""Distance of the centres of the outer seats from the edge."""
_ABOVE, _BELOW, _ROW = 45.0, 53.0, 100.0
"""Extent of a seat above and below its centre, and the distance of neighbours in a column."""
_TOP_SEAT, _FIRST_ROW = 86.0, {True: 158.0, False: 104.0}
"""Centres of the highest seat between the columns, and of the highest seats of the columns with and without it."""
_BOARD_CARD = 44.0


@cache
def narrow_layout(num_seats: int) -> TableLayout:
    """Return the layout of a picture for phones: a column of seats on either side, the board in a band between them."""
    rows = (num_seats - 1) // 2
    has_top, upper = num_seats % 2 == 0, (rows + 1) // 2
    top_bet, first = _TOP_SEAT + _BELOW + 13, _FIRST_ROW[has_top]
    ends = [first + _ROW * (upper - 1) + _BELOW if upper else 0.0, top_bet + 10 if has_top else 0.0]
    board = max(ends) + 40 + _BOARD_CARD * CARD_RATIO / 2
    street = board + _BOARD_CARD * CARD_RATIO / 2 + 17
    lower_row = street + 28 + _ABOVE
    heights = [first + _ROW * row if row < upper else lower_row + _ROW * (row - upper) for row in range(rows)]
    viewer = max(street + 80 + _ABOVE, heights[-1] + 95 if heights else 0.0)
    height = round(viewer + _BELOW + 8)
    left = [_side_spot(_EDGE, y, 1) for y in reversed(heights)]
    right = [_side_spot(_WIDTH - _EDGE, y, -1) for y in heights]
    top = [_middle_spot(_TOP_SEAT, top_bet)] if has_top else []
    return TableLayout(
        size=(_WIDTH, height), middle=(_WIDTH / 2, board),
        felt=((_WIDTH / 2, height / 2 + 10), (_WIDTH - 44, height - 84), 120.0),
        spots=(_middle_spot(viewer, viewer - _ABOVE - 14), *left, *top, *right), hole_card=32, board_card=_BOARD_CARD,
        cards_up=24, plate_down=14, label_down=44, plate=_PLATE, title=14, pot_line=150, has_short_amounts=True,
    )  # fmt: skip


def _side_spot(x: float, y: float, inward: int) -> Spot:
    bet = x + inward * (_PLATE[0] / 2 + 6), y + 17
    return Spot((x, y), bet, "left" if inward > 0 else "right", _narrow_button(x, y, inward))


def _middle_spot(y: float, bet: float) -> Spot:
    return Spot((_WIDTH / 2, y), (_WIDTH / 2, bet), "middle", _narrow_button(_WIDTH / 2, y, 1))


def _narrow_button(x: float, y: float, side: int) -> Point:
    """Return the centre of the dealer button: above the end of the plate, beside the cards."""
    return x + side * (_PLATE[0] / 2 + 4), y - 9
