"""Pictures of Big 2 tables: four hands, the trick in the middle, and the cards that each seat has played."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from card_envs.canvas import Canvas, Point, colors, format_signed
from card_envs.cards import DECK_SIZE, NO_CARD
from card_envs.game import Game
from card_envs.games.big2.combos import card_of
from card_envs.games.big2.state import HAND_SIZE, KIND_NAMES, NOBODY, NUM_SEATS, Table
from card_envs.games.big2.view import hand
from card_envs.records import Tables
from card_envs.rendering.pictures import Painting

WIDTH, HEIGHT = 900, 600
"""Size of a picture in pixels."""

_MIDDLE: Point = (450, 300)
_TRICK_CARD, _TRICK_STEP = 62.0, 69.0
_PLAYED_CARD, _PLAYED_STEP = 25.0, 26.0
_LABEL, _NORMAL, _LARGE = 12.0, 15.0, 17.0
"""Font sizes."""


class _Place(NamedTuple):
    """Coordinates of one seat's cards, name plate and label; its 13 cards are split into rows."""

    plate: Point
    label: Point
    rows: tuple[Point, ...]
    card: float
    step: float
    played_rows: tuple[Point, ...]


_PLACES = (
    _Place((122, 520), (122, 552), ((450, 528),), 54, 36, ((450, 452),)),
    _Place((122, 336), (122, 368), ((122, 208), (122, 276)), 46, 25, ((122, 402), (122, 440))),
    _Place((122, 72), (122, 104), ((450, 72),), 54, 36, ((450, 148),)),
    _Place((778, 336), (778, 368), ((778, 208), (778, 276)), 46, 25, ((778, 402), (778, 440))),
)
"""Places at the bottom, left, top and right: clockwise from the viewer."""


def make_picture(game: Game) -> Painting:
    """Return the function that draws tables of a game."""
    return partial(paint_table, game.name)


def paint_table(name: str, tables: Tables, seat: int | None, names: Sequence[str] | None = None) -> Canvas:
    """Draw table 0. Small cards are those that a seat has played; when the deal is over, all hands are open.

    Args:
        name: Name of the game.
        tables: Records of tables.
        seat: The seat whose view is drawn, at the bottom; None for all cards, with player_0 at the bottom.
        names: Names of the seats.
    """
    t: Table = tables[0]
    canvas = Canvas(WIDTH, HEIGHT)
    _draw_table(canvas)
    canvas.text((868, 46), name.replace("big2", "big 2"), _LARGE, colors.MINT, "right", bold=True)
    names = names or [f"player_{k}" for k in range(NUM_SEATS)]
    _draw_trick(canvas, t, names)
    for k in range(NUM_SEATS):
        place = _PLACES[(k - (seat or 0)) % NUM_SEATS]
        _draw_seat(canvas, t, k, place, seat is None or seat == k or bool(t.is_over), names[k])
    return canvas


def _draw_table(canvas: Canvas) -> None:
    canvas.box(_MIDDLE, (WIDTH - 8, HEIGHT - 8), colors.RIM, radius=52)
    canvas.box(_MIDDLE, (WIDTH - 32, HEIGHT - 32), colors.FELT, radius=40)
    canvas.box(_MIDDLE, (420, 190), None, colors.FELT_LINE, 1.5, 95)


def _draw_trick(canvas: Canvas, t: Table, names: Sequence[str]) -> None:
    """Draw the trick and the seat that played it, or the seat that has control."""
    x, y = _MIDDLE
    if t.trick_size == 0:
        words = "nobody is to act" if t.actor == NOBODY else f"{names[t.actor]} has control"
        words = f"{names[t.trick_seat]} was dealt a dragon" if t.is_over else words
        canvas.text((x, y), words, _LARGE, colors.WHITE, bold=True)
        return
    cards = [card_of(int(order)) for order in t.trick_cards[: int(t.trick_size)]]
    canvas.fan(_MIDDLE, _TRICK_CARD, _TRICK_STEP, cards)
    kind = KIND_NAMES[int(t.trick_kind)]
    words = f"{kind} by {names[t.trick_seat]}" + (", who goes out" if t.is_over else "")
    canvas.text((x, y - 62), words, _NORMAL, colors.WHITE, bold=True)
    canvas.text((x, y + 62), f"led by {names[t.trick_leader]}", _LABEL, colors.MINT)


def _draw_seat(canvas: Canvas, t: Table, k: int, place: _Place, is_open: bool, name: str) -> None:
    orders = hand(t, k) if is_open else [NO_CARD] * int(t.num_cards[k])
    cards = [card if card == NO_CARD else card_of(card) for card in orders]
    for row, center in zip(_split_into_rows(cards, len(place.rows)), place.rows, strict=True):
        canvas.fan(center, place.card, place.step, row)
    played = [card_of(order) for order in range(DECK_SIZE) if int(t.played[k]) >> order & 1]
    for row, center in zip(_split_into_rows(played, len(place.played_rows)), place.played_rows, strict=True):
        canvas.fan(center, _PLAYED_CARD, _PLAYED_STEP, row)
    is_winner = bool(t.is_over) and int(t.payoff[k]) > 0
    count = int(t.num_cards[k])
    canvas.plate(place.plate, name, f"{count} card{'' if count == 1 else 's'}", k == t.actor or is_winner)
    _draw_label(canvas, t, k, place.label)


def _split_into_rows(cards: list[int], num_rows: int) -> list[list[int]]:
    """Split cards into rows; the first row is filled before the next begins."""
    length = -(-HAND_SIZE // num_rows)
    return [cards[row * length : (row + 1) * length] for row in range(num_rows)]


def _draw_label(canvas: Canvas, t: Table, k: int, center: Point) -> None:
    """Draw the label below a plate: payoff, "to act", or the last move."""
    if t.is_over:
        payoff = int(t.payoff[k])
        canvas.pill(
            center,
            f"{format_signed(payoff)} points",
            _LABEL,
            colors.GOLD if payoff > 0 else colors.RED,
            colors.INK,
            bold=True,
        )
    elif k == t.actor:
        canvas.pill(center, "to act", _LABEL, colors.GOLD, colors.INK, bold=True)
    elif t.trick_size and k == t.trick_seat:
        canvas.pill(center, KIND_NAMES[int(t.trick_kind)], _LABEL, colors.SKY, colors.INK, bold=True)
    elif has_passed(t, k):
        canvas.pill(center, "pass", _LABEL, colors.PALE, colors.GREY, bold=True)


def has_passed(t: Table, seat: int) -> bool:
    """Return True if a seat has passed since the hand to beat was played."""
    return bool(t.trick_size) and 1 <= (seat - int(t.trick_seat)) % NUM_SEATS <= int(t.passes)
