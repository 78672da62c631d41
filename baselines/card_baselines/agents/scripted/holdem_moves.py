"""Kernels that rule-based agents for Texas hold'em share: cards, and the action id for a fold, call or raise."""

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
from card_envs.poker.hands import HOLE_CARDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS

RAISES_STRONG, CALLS_WEAK = 0.75, 0.5
"""Probabilities with which a loose variant raises where the strict one raises, and calls where that one folds."""


@kernel
def hole_card(t: Any, k: Any) -> Any:
    """Return the actor's first (k = 0) or second hole card."""
    return np.int64(t.deck[np.int64(t.actor) * HOLE_CARDS + k])


@kernel
def board_card(t: Any, k: Any) -> Any:
    """Return the k-th card of the board."""
    return np.int64(t.deck[np.int64(t.num_seats) * HOLE_CARDS + k])


@kernel
def sum_cards(t: Any, first: Any, count: Any) -> Any:
    """Return key and bits of `count` cards of the deck from an index on (see `poker.ranks`), and the set of them."""
    key, bits, cards = np.int64(0), np.int64(0), np.int64(0)
    for k in range(first, first + count):
        card = np.int64(t.deck[k])
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
        cards |= np.int64(1) << card
    return key, bits, cards


@kernel
def loosen(wanted: Any, random_number: Any) -> Any:
    """Return the move of the loose variant, given that of the strict one and a random number in [0, 1)."""
    if wanted == RAISE:
        return RAISE if random_number < RAISES_STRONG else CALL
    if wanted == FOLD:
        return CALL if random_number < CALLS_WEAK else FOLD
    return wanted


@kernel
def action_for(t: Any, wanted: Any) -> Any:
    """Return the action id for FOLD, CALL or RAISE: a check rather than a free fold, a call if no raise is legal."""
    if wanted == RAISE and t.max_raise_to > 0:
        return raise_action(t)
    return np.int64(FOLD_ACTION if wanted == FOLD and amount_to_call(t) > 0 else CALL_ACTION)


@kernel
def raise_action(t: Any) -> Any:
    """Return the legal raise nearest to a raise by the pot (of two the smaller one), CALL_ACTION if there is none."""
    return raise_action_to(t, np.int64(t.current_bet) + t.pot + amount_to_call(t))


@kernel
def raise_action_to(t: Any, raise_to: Any) -> Any:
    """Return the legal raise nearest to a street commitment (of two the smaller one), CALL_ACTION if there is none."""
    if t.menu == MENU_LIMIT:
        return np.int64(FIRST_RAISE_ACTION)
    if t.menu == MENU_INTEGERS:
        return min(max(raise_to, np.int64(t.min_raise_to)), np.int64(t.max_raise_to)) + INTEGERS_OFFSET
    best, smallest = np.int64(CALL_ACTION), np.int64(2**62)
    for action in range(FIRST_RAISE_ACTION, num_menu_actions(t)):
        distance = abs(amount_of(t, action) - raise_to)
        if np.int64(t.legal) >> action & 1 == 1 and distance < smallest:
            best, smallest = np.int64(action), distance
    return best
