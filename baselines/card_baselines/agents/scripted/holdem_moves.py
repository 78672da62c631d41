"""What rule players of Texas hold'em share: from what they want to do (fold, call, raise) to an action id."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.games.holdem.actions import (
    CALL_ACTION,
    FIRST_RAISE_ACTION,
    FOLD_ACTION,
    INTEGERS_OFFSET,
    amount_to_call,
    num_menu_actions,
)
from card_envs.games.holdem.actions import raise_to_of as amount_of
from card_envs.games.holdem.state import CALL, FOLD, MENU_INTEGERS, MENU_LIMIT, RAISE

DECK_SIZE, HOLE_CARDS, BOARD = 52, 2, (0, 3, 1, 1)

RAISES_STRONG, CALLS_WEAK = 0.75, 0.5
"""Probability with which a loose variant raises hands that the strict one always raises, and calls with
what that always folds."""


@kernel
def hole_card(t: Any, k: Any) -> Any:
    """Return the actor's first (k = 0) or second hole card."""
    return np.int64(t.deck[np.int64(t.actor) * HOLE_CARDS + k])


@kernel
def board_card(t: Any, k: Any) -> Any:
    """Return the k-th card of the board."""
    return np.int64(t.deck[np.int64(t.num_seats) * HOLE_CARDS + k])


@kernel
def loosen(wanted: Any, uniform: Any) -> Any:
    """Return the move of a loose variant where the strict one makes FOLD, CALL or RAISE; `uniform` decides."""
    if wanted == RAISE:
        return RAISE if uniform < RAISES_STRONG else CALL
    if wanted == FOLD:
        return CALL if uniform < CALLS_WEAK else FOLD
    return wanted


@kernel
def action_for(t: Any, wanted: Any) -> Any:
    """Return the action id for FOLD, CALL or RAISE: never a fold for free; a call where no raise is legal."""
    if wanted == RAISE and t.max_raise_to > 0:
        return raise_action(t)
    return np.int64(FOLD_ACTION if wanted == FOLD and amount_to_call(t) > 0 else CALL_ACTION)


@kernel
def raise_action(t: Any) -> Any:
    """Return the legal raise that is nearest to a raise by the pot, the smaller of two; CALL_ACTION if none is."""
    if t.menu == MENU_LIMIT:
        return np.int64(FIRST_RAISE_ACTION)
    pot_sized = np.int64(t.current_bet) + t.pot + amount_to_call(t)
    if t.menu == MENU_INTEGERS:
        return min(max(pot_sized, np.int64(t.min_raise_to)), np.int64(t.max_raise_to)) + INTEGERS_OFFSET
    best, smallest = np.int64(CALL_ACTION), np.int64(2**62)
    for action in range(FIRST_RAISE_ACTION, num_menu_actions(t)):
        distance = abs(amount_of(t, action) - pot_sized)
        if np.int64(t.legal) >> action & 1 == 1 and distance < smallest:
            best, smallest = np.int64(action), distance
    return best
