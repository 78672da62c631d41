"""Conversion between action ids of our hold'em games and of OpenSpiel's `universal_poker`, which Kaggle also uses.

Action numbers of `universal_poker`, by betting abstraction:

* any, in limit games: 0 fold, 1 check or call, 2 bet or raise
* `fullgame`: 0, 1; for a bet or raise the player's chips in the hand after it
* `fcpa`: 0, 1, 2 bet the pot, 3 all-in
* `fchpa`: 0, 1, 2 bet the pot, 3 all-in, 4 bet half of the pot

The pot includes the call, as in our bet menus. Half of the pot is offered only if the whole pot is possible. A bet of
the pot that is all-in has number 2. Seats are those of our OpenSpiel games: player 0 is the first seat left of the
button, heads-up the big blind. Tables follow the rules `acpc`.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from card_envs.game import ILLEGAL, Game, Tables, is_whole
from card_envs.games.holdem.actions import (
    CALL_ACTION,
    FIRST_RAISE_ACTION,
    FOLD_ACTION,
    amount_to_call,
    find_raise,
    raise_to_of,
)
from card_envs.games.holdem.kernels import apply_decision
from card_envs.games.holdem.state import CALL, FOLD, MAX_CHIPS, MENU_LIMIT, RAISE
from card_envs.games.holdem.view import chips_before_street

__all__ = ["Abstraction", "apply_universal_poker", "from_universal_poker", "to_universal_poker"]

Abstraction = Literal["fullgame", "fcpa", "fchpa"]
"""Value of `bettingAbstraction`."""
_POT, _ALL_IN, _HALF_POT = 2, 3, 4
_SIZES: dict[str, tuple[int, ...]] = {"fcpa": (_POT, _ALL_IN), "fchpa": (_POT, _ALL_IN, _HALF_POT)}
_NO_BET = MAX_CHIPS + 1
"""Illegal street commitment, for numbers that are not bets."""


def to_universal_poker(game: Game, tables: Tables, i: int, action: int, abstraction: Abstraction = "fullgame") -> int:
    """Convert one of our action ids to the action number of `universal_poker`.

    Args:
        game: A hold'em game.
        tables: Tables of the game.
        i: Index of the table.
        action: Our action id, legal at the table.
        abstraction: Betting abstraction of `universal_poker`; not used for limit games.

    Returns:
        The action number, see the module.

    Raises:
        ValueError: If the action is not legal at the table, or has no number in the abstraction.
    """
    _require_known(abstraction)
    _require_whole("action", action)
    if game.first_illegal(tables, np.array([i]), np.array([action])) >= 0:
        raise ValueError(game.why_illegal(tables, i, action))
    t = tables[i]
    if action in (FOLD_ACTION, CALL_ACTION) or t.menu == MENU_LIMIT:
        return action
    raise_to = int(raise_to_of(t, action))
    if abstraction == "fullgame":
        return raise_to + chips_before_street(tables[i])
    for number in _SIZES[abstraction]:
        if _raise_to(tables, i, number, abstraction) == raise_to:
            return number
    raise ValueError(f"raising to {raise_to} is none of the bets that {abstraction} offers")


def from_universal_poker(game: Game, tables: Tables, i: int, number: int, abstraction: Abstraction = "fullgame") -> int:
    """Convert an action number of `universal_poker` to our action id.

    Args:
        game: A hold'em game.
        tables: Tables of the game.
        i: Index of the table.
        number: The action number, see the module.
        abstraction: Betting abstraction of `universal_poker`.

    Returns:
        Our action id.

    Raises:
        ValueError: If our game has no legal action with that amount; `apply_universal_poker` accepts every amount that
            the rules allow.
    """
    raise_to = _raise_to(tables, i, number, abstraction)
    action = number if raise_to is None else find_raise(tables[i], raise_to)
    if action is None or game.first_illegal(tables, np.array([i]), np.array([action])) >= 0:
        raise ValueError(f"number {number} of {abstraction} is not a legal action of {game.name} at this table")
    return action


def apply_universal_poker(tables: Tables, i: int, number: int, abstraction: Abstraction = "fullgame") -> None:
    """Apply an action number of `universal_poker` at a table, with its exact amount and any bet menu.

    Args:
        tables: Tables of a hold'em game.
        i: Index of the table.
        number: The action number, see the module.
        abstraction: Betting abstraction of `universal_poker`.

    Raises:
        ValueError: If the rules do not allow the action.
    """
    raise_to = _raise_to(tables, i, number, abstraction)
    kind = RAISE if raise_to is not None else FOLD if number == FOLD_ACTION else CALL
    if int(apply_decision(tables, i, kind, raise_to or 0)) == ILLEGAL:
        raise ValueError(f"number {number} of {abstraction} is not legal at this table")


def _require_known(abstraction: str) -> None:
    if abstraction not in get_args(Abstraction):
        raise ValueError(f"abstraction {abstraction!r} is not known: choose one of {get_args(Abstraction)}")


def _require_whole(name: str, number: object) -> None:
    if not is_whole(number):
        raise ValueError(f"{name} {number!r} must be a whole number")


def _raise_to(tables: Tables, i: int, number: int, abstraction: Abstraction) -> int | None:
    """Return the street commitment of an action number, also if it is illegal; None for folds and calls."""
    _require_known(abstraction)
    _require_whole("number", number)
    t = tables[i]
    if number in (FOLD_ACTION, CALL_ACTION):
        return None
    if t.menu == MENU_LIMIT:
        return int(t.max_raise_to) if number == FIRST_RAISE_ACTION else _NO_BET
    if abstraction == "fullgame":
        return min(max(number - chips_before_street(tables[i]), 0), _NO_BET)
    return _size(tables, i, number) if number in _SIZES[abstraction] else _NO_BET


def _size(tables: Tables, i: int, number: int) -> int:
    """Return the street commitment of a bet of `fcpa` or `fchpa`, also if it is illegal."""
    t = tables[i]
    bet, most = int(t.current_bet), int(t.max_raise_to)
    pot = int(t.pot) + int(amount_to_call(t))
    if number == _ALL_IN:
        return most if bet + pot != most else _NO_BET
    if bet + pot > most:
        return _NO_BET
    return bet + (pot if number == _POT else pot // 2)
