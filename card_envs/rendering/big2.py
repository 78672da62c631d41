"""Pictures of Big 2 tables: four hands, the trick in the middle, and the cards that each seat has played."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from card_envs.canvas import CARD_RATIO, LABEL_SIZE, PLATE_SIZE, Canvas, Label, Point, colors, format_signed
from card_envs.cards import DECK_SIZE, NO_CARD
from card_envs.game import Game
from card_envs.games.big2.combos import card_of
from card_envs.games.big2.state import HAND_SIZE, KIND_NAMES, NOBODY, NUM_SEATS, Table
from card_envs.games.big2.view import hand
from card_envs.records import Tables
from card_envs.rendering.pictures import Painting

_NORMAL, _LARGE = 15.0, 17.0
"""Font sizes."""


class _Place(NamedTuple):
    """Coordinates of one seat's cards, name plate and label; its 13 cards are split into rows."""

    plate: Point
    label: Point
    rows: tuple[Point, ...]
    card: float
    step: float
    played_rows: tuple[Point, ...]


class _Layout(NamedTuple):
    """Sizes and positions in pixels."""

    size: tuple[int, int]
    """Width and height of the picture."""
    title: Point
    """Right end of the title."""
    middle: Point
    """Centre of the trick."""
    ring: Point
    """Size of the line around the trick."""
    trick_card: float
    played_card: float
    played_step: float
    plate: Point
    """Size of a plate."""
    places: tuple[_Place, ...]
    """Places of the seats, clockwise from the bottom, where the viewer is."""


_WIDE = _Layout(
    size=(900, 600), title=(868, 46), middle=(450, 300), ring=(420, 190), trick_card=62, played_card=25, played_step=26,
    plate=PLATE_SIZE,
    places=(
        _Place((122, 520), (122, 552), ((450, 528),), 54, 36, ((450, 452),)),
        _Place((122, 336), (122, 368), ((122, 208), (122, 276)), 46, 25, ((122, 402), (122, 440))),
        _Place((122, 72), (122, 104), ((450, 72),), 54, 36, ((450, 148),)),
        _Place((778, 336), (778, 368), ((778, 208), (778, 276)), 46, 25, ((778, 402), (778, 440))),
    ),
)  # fmt: skip
"""Seats at the bottom, left, top and right."""
_NARROW = _Layout(
    size=(344, 600), title=(318, 21), middle=(172, 372), ring=(300, 128), trick_card=44, played_card=28, played_step=17,
    plate=(86, 38),
    places=(
        _Place((66, 560), (152, 560), ((172, 510),), 38, 23.9, ((172, 458),)),
        *(_Place((54, y), (54, y + 30), ((216, y),), 28, 17, ((216, y + 43),)) for y in (54, 147, 240)),
    ),
)  # fmt: skip
"""The other seats in rows, one below the other, then the trick, and the viewer at the bottom."""


def make_picture(game: Game) -> Painting:
    """Return the function that draws tables of a game."""
    return partial(paint_table, game.name)


def paint_table(
    name: str, tables: Tables, seat: int | None, names: Sequence[str] | None = None, narrow: bool = False
) -> Canvas:
    """Draw table 0, see `Painting`. Small cards are those that a seat played; at the end all hands are open."""
    layout = _NARROW if narrow else _WIDE
    t: Table = tables[0]
    canvas = Canvas(*layout.size)
    _draw_table(canvas, layout)
    canvas.text(layout.title, name.replace("big2", "big 2"), _LARGE, colors.MINT, "right", bold=True)
    names = names or [f"player_{k}" for k in range(NUM_SEATS)]
    _draw_trick(canvas, layout, t, names)
    for k in range(NUM_SEATS):
        _draw_seat(canvas, layout, t, k, seat, names[k])
    return canvas


def _draw_table(canvas: Canvas, layout: _Layout) -> None:
    width, height = layout.size
    rim = 12 * width / _WIDE.size[0]
    center = width / 2, height / 2
    canvas.box(center, (width - 8, height - 8), colors.RIM, radius=40 + rim)
    canvas.box(center, (width - 8 - 2 * rim, height - 8 - 2 * rim), colors.FELT, radius=40)
    canvas.box(layout.middle, layout.ring, None, colors.FELT_LINE, 1.5, layout.ring[1] / 2)


def _draw_trick(canvas: Canvas, layout: _Layout, t: Table, names: Sequence[str]) -> None:
    """Draw the trick and the seat that played it, or the seat that has control."""
    x, y = layout.middle
    if t.trick_size == 0:
        words = "nobody is to act" if t.actor == NOBODY else f"{names[t.actor]} has control"
        words = f"{names[t.trick_seat]} was dealt a dragon" if t.is_over else words
        canvas.text((x, y), words, _LARGE, colors.WHITE, bold=True)
        return
    cards = [card_of(int(order)) for order in t.trick_cards[: int(t.trick_size)]]
    canvas.fan(layout.middle, layout.trick_card, layout.trick_card + 7, cards)
    kind = KIND_NAMES[int(t.trick_kind)]
    words = f"{kind} by {names[t.trick_seat]}" + (", who goes out" if t.is_over else "")
    aside = layout.trick_card * CARD_RATIO / 2 + 18.6
    canvas.text((x, y - aside), words, _NORMAL, colors.WHITE, bold=True)
    canvas.text((x, y + aside), f"led by {names[t.trick_leader]}", LABEL_SIZE, colors.MINT)


def _draw_seat(canvas: Canvas, layout: _Layout, t: Table, k: int, viewer: int | None, name: str) -> None:
    place = layout.places[(k - (viewer or 0)) % NUM_SEATS]
    is_open = viewer is None or viewer == k or bool(t.is_over)
    orders = hand(t, k) if is_open else [NO_CARD] * int(t.num_cards[k])
    cards = [card if card == NO_CARD else card_of(card) for card in orders]
    for row, center in zip(_split_into_rows(cards, len(place.rows)), place.rows, strict=True):
        canvas.fan(center, place.card, place.step, row)
    played = [card_of(order) for order in range(DECK_SIZE) if int(t.played[k]) >> order & 1]
    for row, center in zip(_split_into_rows(played, len(place.played_rows)), place.played_rows, strict=True):
        canvas.fan(center, layout.played_card, layout.played_step, row)
    is_winner = bool(t.is_over) and int(t.payoff[k]) > 0
    count = int(t.num_cards[k])
    words = f"{count} card{'' if count == 1 else 's'}"
    canvas.plate(place.plate, name, words, k == t.actor or is_winner, size=layout.plate)
    canvas.label(place.label, _label(t, k))


def _split_into_rows(cards: list[int], num_rows: int) -> list[list[int]]:
    """Split cards into rows; the first row is filled before the next begins."""
    length = -(-HAND_SIZE // num_rows)
    return [cards[row * length : (row + 1) * length] for row in range(num_rows)]


def _label(t: Table, k: int) -> Label:
    """Return the label below a plate: payoff, "to act", or the last move."""
    if t.is_over:
        payoff = int(t.payoff[k])
        return Label(f"{format_signed(payoff)} points", colors.GOLD if payoff > 0 else colors.RED)
    if k == t.actor:
        return Label("to act", colors.GOLD)
    if t.trick_size and k == t.trick_seat:
        return Label(KIND_NAMES[int(t.trick_kind)], colors.SKY)
    return Label("pass" if has_passed(t, k) else "", colors.PALE, colors.GREY)


def has_passed(t: Table, seat: int) -> bool:
    """Return True if a seat has passed since the hand to beat was played."""
    return bool(t.trick_size) and 1 <= (seat - int(t.trick_seat)) % NUM_SEATS <= int(t.passes)
