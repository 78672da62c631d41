"""Action numbers of OpenSpiel's `universal_poker`, Kaggle's poker among its users, for our hold'em tables and back.

* any, limit games: 0 folds, 1 checks or calls, 2 bets or raises
* `fullgame`: 0, 1, and all chips that the player has put in since the deal after a bet or raise
* `fcpa`: 0, 1, 2 the pot, 3 all-in
* `fchpa`: 0, 1, 2 the pot, 3 all-in, 4 half of the pot

The pot is counted after calling, as in our bet menus; half of it is offered only where the whole is possible. A pot
that is all the player has left has the number of the pot. Seats are those of our OpenSpiel games: player 0 is the first
left of the button, heads-up the big blind. Tables follow the rules `acpc`.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from card_envs.game import ILLEGAL, Game, Tables
from card_envs.games.holdem.actions import (
    CALL_ACTION,
    FIRST_RAISE_ACTION,
    FOLD_ACTION,
    INTEGERS_OFFSET,
    amount_to_call,
    num_menu_actions,
    raise_to_of,
)
from card_envs.games.holdem.kernels import apply_decision
from card_envs.games.holdem.state import CALL, FOLD, MAX_CHIPS, MENU_INTEGERS, MENU_LIMIT, RAISE

Abstraction = Literal["fullgame", "fcpa", "fchpa"]
"""Value of `bettingAbstraction`."""
_POT, _ALL_IN, _HALF_POT = 2, 3, 4
_SIZES: dict[str, tuple[int, ...]] = {"fcpa": (_POT, _ALL_IN), "fchpa": (_POT, _ALL_IN, _HALF_POT)}
_NO_BET = MAX_CHIPS + 1
"""Street commitment of numbers that stand for no bet; the rules never allow it."""


def to_universal_poker(game: Game, tables: Tables, i: int, action: int, abstraction: Abstraction = "fullgame") -> int:
    """Return the number in `universal_poker` of one of our actions.

    Args:
        game: A hold'em game.
        tables: Its tables.
        i: Table at which the action is legal.
        action: Our action id.
        abstraction: Betting abstraction of the other game; limit games have one set of numbers.

    Raises:
        ValueError: If the action is not legal at the table, or has no number in the abstraction.
    """
    _require_known(abstraction)
    if game.first_illegal(tables, np.array([i]), np.array([action])) >= 0:
        raise ValueError(game.why_illegal(tables, i, action))
    t = tables[i]
    if action in (FOLD_ACTION, CALL_ACTION) or t.menu == MENU_LIMIT:
        return action
    raise_to = int(raise_to_of(t, action))
    if abstraction == "fullgame":
        return raise_to + _chips_before(tables, i)
    for number in _SIZES[abstraction]:
        if _raise_to(tables, i, number, abstraction) == raise_to:
            return number
    raise ValueError(f"raising to {raise_to} is none of the bets that {abstraction} offers")


def from_universal_poker(game: Game, tables: Tables, i: int, number: int, abstraction: Abstraction = "fullgame") -> int:
    """Return our action id of an action number of `universal_poker`.

    Args:
        game: A hold'em game.
        tables: Its tables.
        i: Table of the actor.
        number: The number.
        abstraction: Betting abstraction of the other game.

    Raises:
        ValueError: If the game has no legal action of that amount; `apply_universal_poker` takes every amount that the
            rules allow.
    """
    raise_to = _raise_to(tables, i, number, abstraction)
    action = number if raise_to is None else _find_raise(tables, i, raise_to)
    if action is None or game.first_illegal(tables, np.array([i]), np.array([action])) >= 0:
        raise ValueError(f"number {number} of {abstraction} is no legal action of {game.name} at this table")
    return action


def apply_universal_poker(tables: Tables, i: int, number: int, abstraction: Abstraction = "fullgame") -> None:
    """Apply an action number of `universal_poker` to table i, with its exact amount whatever the bet menu.

    Raises:
        ValueError: If the rules do not allow it.
    """
    raise_to = _raise_to(tables, i, number, abstraction)
    kind = RAISE if raise_to is not None else FOLD if number == FOLD_ACTION else CALL
    if int(apply_decision(tables, i, kind, raise_to or 0)) == ILLEGAL:
        raise ValueError(f"number {number} of {abstraction} is not legal at this table")


def _require_known(abstraction: str) -> None:
    if abstraction not in get_args(Abstraction):
        raise ValueError(f"abstraction {abstraction!r} is not known: choose one of {get_args(Abstraction)}")


def _chips_before(tables: Tables, i: int) -> int:
    """Return the chips that the actor put in on earlier streets."""
    t = tables[i]
    return int(t.hand_commit[t.actor]) - int(t.street_commit[t.actor])


def _raise_to(tables: Tables, i: int, number: int, abstraction: Abstraction) -> int | None:
    """Return the street commitment that a number asks for, legal or not; None for those that do not raise."""
    _require_known(abstraction)
    t = tables[i]
    if number in (FOLD_ACTION, CALL_ACTION):
        return None
    if t.menu == MENU_LIMIT:
        return int(t.max_raise_to) if number == FIRST_RAISE_ACTION else _NO_BET
    if abstraction == "fullgame":
        return min(number - _chips_before(tables, i), _NO_BET)
    return _size(tables, i, number) if number in _SIZES[abstraction] else _NO_BET


def _size(tables: Tables, i: int, number: int) -> int:
    """Return the street commitment of a bet of `fcpa` or `fchpa`, legal or not."""
    t = tables[i]
    bet, most = int(t.current_bet), int(t.max_raise_to)
    pot = int(t.pot) + int(amount_to_call(t))
    if number == _ALL_IN:
        return most if bet + pot != most else _NO_BET
    if bet + pot > most:
        return _NO_BET
    return bet + (pot if number == _POT else pot // 2)


def _find_raise(tables: Tables, i: int, raise_to: int) -> int | None:
    """Return our action id of a raise to an amount, None if the bet menu has none."""
    t = tables[i]
    if t.max_raise_to == 0:
        return None
    if t.menu == MENU_INTEGERS:
        return INTEGERS_OFFSET + raise_to if raise_to > 0 else None
    found = (
        action for action in range(FIRST_RAISE_ACTION, int(num_menu_actions(t))) if raise_to_of(t, action) == raise_to
    )
    return next(found, None)
