"""Pictures of hold'em tables, and of the small games (Kuhn, Leduc) that are played on the same kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, TypeVar

import numpy as np

from card_envs.canvas import (
    CARD_RATIO,
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
    Point,
    format_signed,
    text_width,
    thousands,
)
from card_envs.cards import NO_CARD
from card_envs.games.holdem.actions import has
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.positions import position_of
from card_envs.games.holdem.state import CALL, FOLD, MAX_LEVELS, RAISE, RECENT_ACTIONS, Table
from card_envs.games.holdem.view import STREET_NAMES, board, hole_cards, is_shown, reaches_showdown
from card_envs.poker.ranks import hand_category, hand_rank
from card_envs.records import Tables

C = TypeVar("C", bound=Canvas)

_RANK_WORDS = ("deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")

WIDTH, HEIGHT = 900, 600
"""Size of a picture in pixels."""

_MIDDLE: Point = (450, 302)
_SEATS_REACH: Point = (374, 226)
"""Half axes of the ellipse on which the seats lie."""
_BETS_MIDDLE: Point = (450, 310)
_BETS_REACH: Point = (242, 124)
"""Half axes of the ellipse on which chips in front of the seats lie."""

_HOLE_CARD, _BOARD_CARD = 46.0, 60.0
_CARDS_UP, _PLATE_DOWN, _LABEL_DOWN = 24.0, 30.0, 62.0
"""Distances from the middle of a seat up to its cards, down to its plate and down to its label."""
_LABEL, _SMALL, _NORMAL, _LARGE = 12.0, 13.0, 15.0, 17.0
"""Font sizes."""
_MAX_POTS, _POT_LINE = 5, 205.0
"""Parts of the pot that are written, and the width of their lines: more would run into the chips of the lower seats."""
_CHIP_COLOR, _POT_CHIP_COLOR = (214, 64, 58), (62, 108, 196)


def paint_table(
    name: str,
    config: HoldemConfig,
    make_canvas: type[C],
    tables: Tables,
    seat: int | None,
    names: Sequence[str] | None = None,
) -> C:
    """Return table 0 on a canvas of a kind, with the cards that `seat` sees, or all cards for None.

    The seat that looks (player_0 for None) sits at the bottom, the others follow clockwise.
    `names` are those of the seats.
    """
    t: Table = tables[0]
    canvas: C = _empty_table(make_canvas).copy()
    _draw_title(canvas, name, config)
    _draw_middle(canvas, t)
    names = names or [f"player_{k}" for k in range(int(t.num_seats))]
    for k in range(int(t.num_seats)):
        _draw_seat(canvas, t, k, seat, names[k])
    return canvas


@cache
def _empty_table(make_canvas: type[C]) -> C:
    canvas = make_canvas(WIDTH, HEIGHT)
    width, height = 2 * _SEATS_REACH[0], 2 * _SEATS_REACH[1] - 40
    canvas.box(_MIDDLE, (width, height), RIM, radius=height / 2)
    canvas.box(_MIDDLE, (width - 26, height - 26), FELT, radius=height / 2 - 13)
    canvas.box(_MIDDLE, (width - 58, height - 58), None, FELT_LINE, 1.5, height / 2 - 29)
    return canvas


def _draw_title(canvas: Canvas, name: str, config: HoldemConfig) -> None:
    """Write the game and its stakes into the upper left corner."""
    canvas.text((16, 20), name.replace("_", " ").replace("holdem", "hold'em"), _LARGE, INK, "left", bold=True)
    blinds = [thousands(blind) for blind in config.blinds if blind]
    stakes = [f"blinds {' / '.join(blinds)}"] if blinds else []
    stakes += [f"ante {thousands(max(config.ante_list))}"] if any(config.ante_list) else []
    for line, words in enumerate(stakes):
        canvas.text((16, 41 + 17 * line), words, _SMALL, GREY, "left")


# --- the middle of the table: pot, board, street ---


def _draw_middle(canvas: Canvas, t: Table) -> None:
    x, y = _MIDDLE
    num_places = int(np.sum(t.board_cards[: int(t.num_streets)]))
    half_card = _BOARD_CARD * CARD_RATIO / 2 if num_places else 0.0
    cards, step = board(t), _BOARD_CARD + 7
    for place in range(num_places):
        center = (x + (place - (num_places - 1) / 2) * step, y)
        if place < len(cards):
            canvas.card(center, _BOARD_CARD, cards[place])
        else:
            canvas.card_place(center, _BOARD_CARD)
    words = f"pot {thousands(int(t.pot))}"
    _draw_chips(canvas, (x, y - half_card - (21 if num_places else 0)), words, _POT_CHIP_COLOR, _LARGE)
    lines = [STREET_NAMES[int(t.street)].upper()] if int(t.num_streets) > 1 else []
    for k, line in enumerate([*lines, *_pot_lines(t)]):
        canvas.text((x, y + half_card + 17 + 16 * k), line, _LABEL, MINT, bold=k == 0)


def _pot_lines(t: Table) -> list[str]:
    """Return the parts of the pot in words, if there are side pots, in short lines."""
    parts = [f"{name} {thousands(chips)}" for name, chips in side_pots(t)]
    if len(parts) == 1:
        return []
    if len(parts) > _MAX_POTS:
        parts[_MAX_POTS - 1 :] = [f"and {len(parts) - _MAX_POTS + 1} more"]
    lines = parts[:1]
    for part in parts[1:]:
        longer = f"{lines[-1]}   {part}"
        if text_width(longer, _LABEL) <= _POT_LINE:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _draw_chips(canvas: Canvas, center: Point, words: str, color: tuple[int, int, int], size: float) -> None:
    """Draw a stack of chips and an amount next to it, together centred."""
    radius, gap = size * 0.55, size * 0.45
    width = 2 * radius + gap + text_width(words, size)
    left = center[0] - width / 2
    canvas.chips((left + radius, center[1]), radius, color)
    canvas.text((left + 2 * radius + gap, center[1]), words, size, WHITE, "left", bold=True)


def side_pots(t: Table) -> list[tuple[str, int]]:
    """Return name and chips of the main pot and of every side pot so far; one pot while nobody is all-in for less.

    A pot ends where a player who is still in has no more chips; "uncalled" are chips that nobody has matched.
    """
    seats = range(int(t.num_seats))
    in_for = [int(t.hand_commit[k]) for k in seats]
    antes = [0] * len(in_for)
    if t.dead_antes:  # they belong to the main pot whole and count for no level
        antes = [min(int(t.ante[position_of(t, k)]), in_for[k]) for k in seats]
    bets = [chips - ante for chips, ante in zip(in_for, antes, strict=True)]
    levels = sorted({bets[k] for k in seats if has(t.in_hand, k) and _is_all_in(t, k)} | {max(bets)})
    pots: list[tuple[str, int]] = []
    below = 0
    for level in levels:
        paid = [min(chips, level) - below for chips in bets if chips > below]
        name = "uncalled" if len(paid) == 1 else "side" if pots else "main"
        pots.append((name, sum(paid) + (0 if pots else sum(antes))))
        below = level
    return pots


def _is_all_in(t: Table, seat: int) -> bool:
    """Return True if a seat has put in all its chips; those that it wins in the end are not counted."""
    won = int(t.payoff[seat]) + int(t.hand_commit[seat]) if t.is_over else 0
    return int(t.stack[seat]) == won


# --- one seat ---


class _Look(NamedTuple):
    """Text and colors of a label."""

    words: str
    fill: tuple[int, int, int]
    color: tuple[int, int, int]


def _draw_seat(canvas: Canvas, t: Table, k: int, viewer: int | None, name: str) -> None:
    x, y = _place(t, k, viewer, _MIDDLE, _SEATS_REACH)
    is_in = bool(has(t.in_hand, k))
    wins = bool(t.is_over) and int(t.payoff[k]) > 0
    cards = hole_cards(t, k)
    if not (viewer is None or viewer == k or is_shown(t, k)):
        cards = [NO_CARD] * len(cards)
    for i, card in enumerate(cards):
        left = x + (i - (len(cards) - 1) / 2) * (_HOLE_CARD + 3)
        canvas.card((left, y - _CARDS_UP), _HOLE_CARD, card, not is_in)
    chips = thousands(int(t.stack[k]))
    canvas.plate((x, y + _PLATE_DOWN), name, chips, is_lit=k == t.actor or wins, is_dim=not is_in)
    if k == t.button:
        _draw_button(canvas, x, y + _PLATE_DOWN)
    label = _label(t, k, cards)
    if label.words:
        canvas.pill((x, y + _LABEL_DOWN), label.words, _LABEL, label.fill, label.color, bold=True)
    _draw_bet(canvas, t, k, viewer)


def _place(t: Table, k: int, viewer: int | None, middle: Point, reach: Point) -> Point:
    """Return where seat k lies on an ellipse, clockwise from the bottom, where the seat lies that looks."""
    turn = 2 * math.pi * ((k - (viewer or 0)) % int(t.num_seats)) / int(t.num_seats)
    return middle[0] - reach[0] * math.sin(turn), middle[1] + reach[1] * math.cos(turn)


def _draw_button(canvas: Canvas, x: float, y: float) -> None:
    """Draw the dealer button at the side of a plate that looks to the middle."""
    side = 1 if x <= _MIDDLE[0] else -1
    center = (x + side * (PLATE_SIZE[0] / 2 + 14), y)
    canvas.disc(center, 11, WHITE, INK, 1.5)
    canvas.text(center, "D", _SMALL, INK, bold=True)


def _draw_bet(canvas: Canvas, t: Table, k: int, viewer: int | None) -> None:
    """Draw what a seat has put in on this street, or what it won or lost in the end, before the seat."""
    center = _place(t, k, viewer, _BETS_MIDDLE, _BETS_REACH)
    if t.is_over:
        payoff = int(t.payoff[k])
        if payoff > 0:
            _draw_chips(canvas, center, format_signed(payoff), _CHIP_COLOR, _NORMAL)
        elif payoff or has(t.in_hand, k):
            canvas.text(center, format_signed(payoff), _NORMAL, RED if payoff else MINT, bold=True)
    elif t.street_commit[k]:
        _draw_chips(canvas, center, thousands(int(t.street_commit[k])), _CHIP_COLOR, _NORMAL)


def _label(t: Table, k: int, cards: list[int]) -> _Look:
    """Return the line below a seat: its hand at a showdown, or that it is to act, or what it did last."""
    if not has(t.in_hand, k):
        return _Look("fold", PALE, GREY)
    if reaches_showdown(t):
        words = "" if NO_CARD in cards else hand_in_words(cards, board(t))
        return _Look(words, GOLD, INK) if t.payoff[k] > 0 else _Look(words, PALE, INK)
    if t.is_over:
        return _Look("wins", GOLD, INK)
    if k == t.actor:
        return _Look("to act", GOLD, INK)
    return _Look(last_move(t, k), SKY, INK)


def hand_in_words(cards: list[int], board_cards: list[int]) -> str:
    """Return a hand at showdown in words: "two pair"; of one or two cards "pair of kings", "king high"."""
    hand = [*cards, *board_cards]
    if len(hand) >= 5:
        rank = hand_rank(hand)
        return "royal flush" if rank == 1 else hand_category(rank)
    ranks = [card // 4 for card in hand]
    name = _RANK_WORDS[max(ranks)]
    return f"pair of {name}s" if len(ranks) == 2 and ranks[0] == ranks[1] else f"{name} high"


def last_move(t: Table, seat: int) -> str:
    """Return a seat's last move on this street: "check", "call", "bet 4", "raise to 8", "all-in", "blind", or ""."""
    chips = int(t.street_commit[seat])
    if t.stack[seat] == 0:
        return f"all-in {thousands(chips)}" if chips else "all-in"
    blind = int(t.blind[position_of(t, seat)]) if t.street == 0 else 0
    kind = _last_kind(t, seat)
    if kind == RAISE:
        is_bet = t.raiser[t.street, 0] == seat and seat not in t.raiser[t.street, 1:]
        is_bet = is_bet and not (t.street == 0 and any(t.blind))
        return f"bet {thousands(chips)}" if is_bet else f"raise to {thousands(chips)}"
    if kind == CALL:
        return "check" if chips <= blind else "call"
    return f"blind {thousands(blind)}" if blind else ""


def _last_kind(t: Table, seat: int) -> int:
    """Return CALL or RAISE for a seat that acted on this street, FOLD for one that did not, or that folded."""
    street = int(t.street)
    raised = [level for level in range(MAX_LEVELS - 1) if t.raiser[street, level] == seat]
    called = [level for level in range(MAX_LEVELS) if has(t.callers[street, level], seat)]
    if not raised and not called and not (street and t.street_commit[seat]):
        return FOLD
    decisions = int(t.num_decisions)
    for decision in range(decisions - 1, max(decisions - RECENT_ACTIONS, 0) - 1, -1):
        move = int(t.recent_move[decision % RECENT_ACTIONS])
        if move // 4 == seat:
            return move % 4
    # further back than the table remembers one by one: the last level at which the seat acted tells
    return CALL if max(called, default=-1) > max(raised, default=-1) else RAISE
