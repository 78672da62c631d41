"""Pictures of hold'em tables, Kuhn and Leduc included."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from card_envs.canvas import CARD_RATIO, LABEL_SIZE, Canvas, Label, Point, colors, text_width
from card_envs.cards import NO_CARD
from card_envs.game import Game
from card_envs.games.holdem.actions import has
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.showdown import contribution, split_pot
from card_envs.games.holdem.state import CALL, FOLD, MAX_LEVELS, RAISE, RECENT_ACTIONS, STREET_NAMES, Table
from card_envs.games.holdem.view import board, chips_behind, hole_cards, is_shown, position_of, reaches_showdown
from card_envs.poker_hands import hand_category, hand_rank
from card_envs.records import Tables
from card_envs.rendering.holdem_layout import Spot, TableLayout, narrow_layout, wide_layout
from card_envs.rendering.pictures import Painting

_RANK_WORDS = ("deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")

_SMALL, _NORMAL, _LARGE = 13.0, 15.0, 17.0
"""Font sizes."""
_MAX_POTS = 5
"""Maximum number of pots that are listed."""
_CHIP_COLOR, _POT_CHIP_COLOR = (214, 64, 58), (62, 108, 196)
_SHORT_FROM = 100_000
"""Smallest amount that a narrow picture shortens."""


def make_picture(game: Game) -> Painting:
    """Return the function that draws tables of a game."""
    return partial(paint_table, game.name, game.config)


def paint_table(
    name: str,
    config: HoldemConfig,
    tables: Tables,
    seat: int | None,
    names: Sequence[str] | None = None,
    narrow: bool = False,
) -> Canvas:
    """Draw table 0, see `Painting`."""
    layout = (narrow_layout if narrow else wide_layout)(config.num_players)
    t: Table = tables[0]
    canvas = Canvas(*layout.size)
    _draw_table(canvas, layout)
    _draw_title(canvas, layout, name, config)
    _draw_middle(canvas, layout, t)
    names = names or [f"player_{k}" for k in range(int(t.num_seats))]
    for k in range(int(t.num_seats)):
        _draw_seat(canvas, layout, t, k, seat, names[k])
    return canvas


def _draw_table(canvas: Canvas, layout: TableLayout) -> None:
    center, (width, height), radius = layout.felt
    canvas.box(center, (width, height), colors.RIM, radius=radius)
    canvas.box(center, (width - 26, height - 26), colors.FELT, radius=radius - 13)
    canvas.box(center, (width - 58, height - 58), None, colors.FELT_LINE, 1.5, radius - 29)


def _draw_title(canvas: Canvas, layout: TableLayout, name: str, config: HoldemConfig) -> None:
    """Write the game and its stakes into the upper left corner."""
    words = name.replace("_", " ").replace("holdem", "hold'em")
    canvas.text((16, 1.2 * layout.title), words, layout.title, colors.INK, "left", bold=True)
    blinds = [f"{blind:,}" for blind in config.blinds if blind]
    stakes = [f"blinds {' / '.join(blinds)}"] if blinds else []
    stakes += [f"ante {max(config.ante_list):,}"] if any(config.ante_list) else []
    lines = [", ".join(stakes)] if layout.has_short_amounts else stakes
    for line, words in enumerate(lines):
        canvas.text((16, 2.4 * layout.title + 17 * line), words, _SMALL, colors.GREY, "left")


# --- the middle of the table: pot, board, street ---


def _draw_middle(canvas: Canvas, layout: TableLayout, t: Table) -> None:
    x, y = layout.middle
    num_places = int(np.sum(t.board_cards[: int(t.num_streets)]))
    half_card = layout.board_card * CARD_RATIO / 2 if num_places else 0.0
    cards, step = board(t), layout.board_card + 7
    for place in range(num_places):
        center = (x + (place - (num_places - 1) / 2) * step, y)
        if place < len(cards):
            canvas.card(center, layout.board_card, cards[place])
        else:
            canvas.card_outline(center, layout.board_card)
    words = f"pot {int(t.pot):,}"
    _draw_chips(canvas, (x, y - half_card - (21 if num_places else 0)), words, _POT_CHIP_COLOR, _LARGE)
    lines = [STREET_NAMES[int(t.street)].upper()] if int(t.num_streets) > 1 else []
    for k, line in enumerate([*lines, *_pot_lines(t, layout)]):
        canvas.text((x, y + half_card + 17 + 16 * k), line, LABEL_SIZE, colors.MINT, bold=k == 0)


def _pot_lines(t: Table, layout: TableLayout) -> list[str]:
    """Return short lines that list the pots; [] if there are no side pots."""
    parts = [f"{name} {_format_chips(chips, layout.has_short_amounts)}" for name, chips in side_pots(t)]
    if len(parts) == 1:
        return []
    if len(parts) > _MAX_POTS:
        parts[_MAX_POTS - 1 :] = [f"and {len(parts) - _MAX_POTS + 1} more"]
    lines = parts[:1]
    for part in parts[1:]:
        longer = f"{lines[-1]}   {part}"
        if text_width(longer, LABEL_SIZE) <= layout.pot_line:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _draw_chips(
    canvas: Canvas, point: Point, words: str, color: tuple[int, int, int], size: float, align: str = "middle"
) -> None:
    """Draw a stack of chips and an amount next to it; together, their `left`, `middle` or `right` is at a point."""
    radius, gap = size * 0.55, size * 0.45
    width = 2 * radius + gap + text_width(words, size)
    left = point[0] - {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * width
    canvas.chips((left + radius, point[1]), radius, color)
    canvas.text((left + 2 * radius + gap, point[1]), words, size, colors.WHITE, "left", bold=True)


def _format_chips(chips: int, is_short: bool) -> str:
    """Return an amount of chips: "1,234,567", or "1.23M" where space is short."""
    if not is_short or chips < _SHORT_FROM:
        return f"{chips:,}"
    return f"{chips / 1e6:.3g}M" if chips >= 999_500 else f"{chips / 1e3:.3g}k"


def side_pots(t: Table) -> list[tuple[str, int]]:
    """Return name and chips of the main pot and of every side pot so far.

    A pot ends at the amount of a player who is all-in and has not folded. The pot "uncalled" holds chips that nobody
    has matched.
    """
    seats = range(int(t.num_seats))
    bets = [int(contribution(t, k)) for k in seats]
    levels = sorted({bets[k] for k in seats if has(t.in_hand, k) and not chips_behind(t, k)} | {max(bets)})
    num_payers = [sum(chips > below for chips in bets) for below in (0, *levels[:-1])]
    names = ["uncalled" if count == 1 else "side" if k else "main" for k, count in enumerate(num_payers)]
    return list(zip(names, split_pot(t, levels), strict=True))


# --- one seat ---


def _draw_seat(canvas: Canvas, layout: TableLayout, t: Table, k: int, viewer: int | None, name: str) -> None:
    spot = layout.spots[(k - (viewer or 0)) % int(t.num_seats)]
    x, y = spot.seat
    is_in = bool(has(t.in_hand, k))
    wins = bool(t.is_over) and int(t.payoff[k]) > 0
    cards = hole_cards(t, k)
    if not (viewer is None or viewer == k or is_shown(t, k)):
        cards = [NO_CARD] * len(cards)
    for i, card in enumerate(cards):
        left = x + (i - (len(cards) - 1) / 2) * (layout.hole_card + 3)
        canvas.card((left, y - layout.cards_up), layout.hole_card, card, not is_in)
    plate = x, y + layout.plate_down
    canvas.plate(
        plate,
        name,
        _format_chips(int(t.stack[k]), layout.has_short_amounts),
        k == t.actor or wins,
        not is_in,
        layout.plate,
    )
    if k == t.button:
        canvas.disc(spot.button, 11, colors.WHITE, colors.INK, 1.5)
        canvas.text(spot.button, "D", _SMALL, colors.INK, bold=True)
    canvas.label((x, y + layout.label_down), _label(t, k, cards, layout.has_short_amounts))
    _draw_bet(canvas, layout, t, k, spot)


def _draw_bet(canvas: Canvas, layout: TableLayout, t: Table, k: int, spot: Spot) -> None:
    """Draw the chips in front of a seat: its bets on this street, or its payoff when the hand is over."""
    if t.is_over:
        payoff = int(t.payoff[k])
        words = f"{'-' if payoff < 0 else '+' if payoff else ''}{_format_chips(abs(payoff), layout.has_short_amounts)}"
        if payoff > 0:
            _draw_chips(canvas, spot.bet, words, _CHIP_COLOR, _NORMAL, spot.align)
        elif payoff or has(t.in_hand, k):
            canvas.text(spot.bet, words, _NORMAL, colors.RED if payoff else colors.MINT, spot.align, bold=True)
    elif t.street_commit[k]:
        words = _format_chips(int(t.street_commit[k]), layout.has_short_amounts)
        _draw_chips(canvas, spot.bet, words, _CHIP_COLOR, _NORMAL, spot.align)


def _label(t: Table, k: int, cards: list[int], is_short: bool) -> Label:
    """Return the label below a seat: its hand at a showdown, "to act", or its last move."""
    if not has(t.in_hand, k):
        return Label("fold", colors.PALE, colors.GREY)
    if reaches_showdown(t):
        words = "" if NO_CARD in cards else hand_name(cards, board(t))
        return Label(words, colors.GOLD) if t.payoff[k] > 0 else Label(words, colors.PALE)
    if t.is_over:
        return Label("wins", colors.GOLD)
    if k == t.actor:
        return Label("to act", colors.GOLD)
    return Label(last_move(t, k, is_short), colors.SKY)


def hand_name(cards: list[int], board_cards: list[int]) -> str:
    """Return the name of a hand at showdown: "two pair"; for one or two cards "pair of kings", "king high"."""
    hand = [*cards, *board_cards]
    if len(hand) >= 5:
        rank = hand_rank(hand)
        return "royal flush" if rank == 1 else hand_category(rank)
    ranks = [card // 4 for card in hand]
    name = _RANK_WORDS[max(ranks)]
    return f"pair of {name}s" if len(ranks) == 2 and ranks[0] == ranks[1] else f"{name} high"


def last_move(t: Table, seat: int, is_short: bool = False) -> str:
    """Return a seat's last move on this street: "check", "call", "bet 4", "raise to 8", "all-in", "blind", or ""."""
    chips = int(t.street_commit[seat])
    amount = _format_chips(chips, is_short)
    if t.stack[seat] == 0:
        return f"all-in {amount}" if chips else "all-in"
    blind = int(t.blind[position_of(t, seat)]) if t.street == 0 else 0
    kind = _last_kind(t, seat)
    if kind == RAISE:
        is_bet = t.raiser[t.street, 0] == seat and seat not in t.raiser[t.street, 1:]
        is_bet = is_bet and not (t.street == 0 and any(t.blind))
        return f"bet {amount}" if is_bet else f"raise to {amount}"
    if kind == CALL:
        return "check" if chips <= blind else "call"
    return f"blind {_format_chips(blind, is_short)}" if blind else ""


def _last_kind(t: Table, seat: int) -> int:
    """Return CALL or RAISE for a seat that acted on this street, FOLD for one that folded or did not act."""
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
    # the decision is older than those that the table records one by one: compare the levels at which the seat acted
    return CALL if max(called, default=-1) > max(raised, default=-1) else RAISE
