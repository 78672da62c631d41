"""Views of a table for one seat: a censored copy for agents, text for people; names of actions and positions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import NO_CARD, card_names
from card_envs.compiler import kernel
from card_envs.game_info import ActionParts
from card_envs.games.holdem.actions import CALL_ACTION, FOLD_ACTION, amount_to_call, has, is_legal, raise_to_of
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.showdown import first_board_card, num_board_cards
from card_envs.games.holdem.state import MAX_DEALT, NOBODY, STREET_NAMES, Table
from card_envs.records import Tables

_BEFORE_BUTTON = ("HJ", "CO")
"""Names of the last positions before the button."""


@kernel
def censor(t: Table, seat: Any) -> None:
    """Delete the undealt board cards and the hole cards that `seat` cannot see."""
    for owner in range(t.num_seats):
        if owner != seat and not is_shown(t, owner):
            for i in range(t.num_hole_cards):
                t.deck[np.int64(owner) * t.num_hole_cards + i] = NO_CARD
    if not reaches_showdown(t):
        for i in range(first_board_card(t) + num_board_cards(t), MAX_DEALT):
            t.deck[i] = NO_CARD


@kernel
def reaches_showdown(t: Table) -> Any:
    """Return True if the hand is over and two or more seats show their cards."""
    return t.is_over == 1 and np.int64(t.in_hand) & (np.int64(t.in_hand) - 1) != 0


@kernel
def is_shown(t: Table, seat: Any) -> Any:
    """Return True if a seat's hole cards are public: at a showdown, if it has not folded."""
    return reaches_showdown(t) and has(t.in_hand, seat)


def hole_cards(t: Table, seat: int) -> list[int]:
    """Return the hole cards of a seat as card ids, NO_CARD where a view hides them."""
    count = int(t.num_hole_cards)
    return [int(card) for card in t.deck[seat * count : (seat + 1) * count]]


def board(t: Table) -> list[int]:
    """Return the board cards that are face up as card ids."""
    start = int(first_board_card(t))
    return [int(card) for card in t.deck[start : start + int(num_board_cards(t))]]


def chips_before_street(t: Table) -> int:
    """Return the chips that the actor put in on earlier streets."""
    return int(t.hand_commit[t.actor]) - int(t.street_commit[t.actor])


def chips_behind(t: Table, seat: int) -> int:
    """Return the stack of a seat, without what it wins at the end of the hand."""
    return int(t.stack[seat]) - (int(t.payoff[seat]) + int(t.hand_commit[seat]) if t.is_over else 0)


def action_name(tables: Tables, i: int, action: int) -> str:
    """Return the name of an action of the actor at table i: "fold", "check", "call 2", "bet 4", "raise to 8".

    Ids that are no legal raise, and all ids if nobody is to act, stand for no amount: they are called "action 3".
    """
    t: Table = tables[i]
    if t.actor == NOBODY:
        return f"action {action}"
    if action == FOLD_ACTION:
        return "fold"
    if action == CALL_ACTION:
        chips = min(int(amount_to_call(t)), int(t.stack[t.actor]))
        return f"call {chips}" if chips else "check"
    if not is_legal(t, action):
        return f"action {action}"
    amount = int(raise_to_of(t, action))
    all_in = " all-in" if amount == int(t.stack[t.actor]) + int(t.street_commit[t.actor]) else ""
    return (f"raise to {amount}" if t.current_bet else f"bet {amount}") + all_in


def action_parts(tables: Tables, i: int, action: int) -> ActionParts:
    """Return the amount that an action of the actor at table i bets or raises to, if it does."""
    if action in (FOLD_ACTION, CALL_ACTION):
        return ActionParts()
    amount = int(raise_to_of(tables[i], action))
    return ActionParts(raise_to=amount if amount >= 0 else None)


def private_cards(tables: Tables, i: int, seat: int) -> list[int]:
    """Return the hole cards of a seat at table i, NO_CARD where a view hides them."""
    return hole_cards(tables[i], seat)


def text(tables: Tables, i: int, seat: int | None) -> str:
    """Return table i as lines of text, with the cards that `seat` sees, or all cards for None."""
    t: Table = tables[i]
    lines = [f"{STREET_NAMES[t.street]}   board {card_names(board(t)) or '-'}   pot {t.pot}"]
    for k in range(t.num_seats):
        visible = seat is None or seat == k or is_shown(t, k)
        cards = card_names(hole_cards(t, k) if visible else [NO_CARD] * int(t.num_hole_cards))
        marks = "".join((" D" if k == t.button else "", " <" if k == t.actor else ""))
        status = "" if has(t.in_hand, k) else " folded"
        result = f"  {int(t.payoff[k]):+d}" if t.is_over else ""
        commit = f"  in for {t.street_commit[k]}" if t.street_commit[k] else ""
        lines.append(f"player_{k}  {cards}  stack {t.stack[k]}{commit}{status}{result}{marks}")
    return "\n".join(lines)


def position_names(config: HoldemConfig) -> tuple[str, ...]:
    """Return the names of the positions, from the first seat left of the button on."""
    count = config.num_players
    if not any(config.blinds):
        return tuple(f"seat {place}" for place in range(1, count + 1))
    if count == 2:  # the button posts the small blind, except in RLCard's rules
        left, button = config.blind_list
        return ("BB" if left >= button else "SB", "BTN")
    early = max(0, count - 3 - len(_BEFORE_BUTTON))
    middle = ["UTG" if k == 0 else f"UTG+{k}" for k in range(early)]
    return ("SB", "BB", *middle, *_BEFORE_BUTTON[max(0, 5 - count) :], "BTN")[:count]


def position_of(t: Table, seat: int) -> int:
    """Return the position of a seat; kernels use `actions.seat_position`."""
    return (seat - int(t.button) - 1) % int(t.num_seats)


def positions_of(count: int, tables: Tables) -> NDArray[np.int64]:
    """Return (n, num_seats): the positions, counted clockwise from the first seat left of the button."""
    first = tables["button"].astype(np.int64) + 1
    return np.asarray((np.arange(count) - first[:, None]) % count, np.int64)
