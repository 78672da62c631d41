"""Kernels of hold'em for `Game`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.game import ILLEGAL, NOBODY
from card_envs.game_loops import game_loops
from card_envs.games.holdem.actions import (
    FIRST_RAISE_ACTION,
    forced_action,
    is_legal,
    kind_of,
    raise_to_of,
    random_action,
    write_mask,
)
from card_envs.games.holdem.betting import act, deal_cards, move_button, restore_stacks, start_hand
from card_envs.games.holdem.full_state import write_state
from card_envs.games.holdem.state import CALL, FOLD, Table
from card_envs.games.holdem.view import censor
from card_envs.records import Tables
from card_envs.rng import random_below


@kernel
def start(tables: Tables) -> None:
    """Put the button of every table on a random seat, in games whose button moves."""
    for i in range(tables.shape[0]):
        t: Table = tables[i]
        if t.button_moves == 1:
            t.button = random_below(t, np.int64(t.num_seats))


@kernel
def deal_hand(t: Table) -> None:
    """Move the button, restore the stacks, deal and post blinds."""
    move_button(t)
    restore_stacks(t)
    deal_cards(t, np.int64(0))
    start_hand(t)


@kernel
def apply_action(t: Table, action: Any) -> None:
    """Apply a legal action id of the seat to act."""
    act(t, kind_of(action), raise_to_of(t, action) if action >= FIRST_RAISE_ACTION else 0)


@kernel
def _reward(t: Table, seat: Any) -> Any:
    return t.payoff[seat] / t.chips_per_reward


LOOPS = game_loops(
    deal=deal_hand,
    is_legal=is_legal,
    apply=apply_action,
    reward=_reward,
    random_action=random_action,
    write_mask=write_mask,
    censor=censor,
    write_state=write_state,
    forced_action=forced_action,
)
deal, step = LOOPS["deal"], LOOPS["step"]


@kernel
def deal_known(tables: Tables, i: Any, known: Any) -> Any:
    """Deal like `deal`, but keep the button, the stacks and the first `known` cards of the deck field."""
    t: Table = tables[i]
    deal_cards(t, known)
    start_hand(t)
    return t.actor


def begin_hand(tables: Tables, i: int, button: int, stacks: Sequence[int], deck: Sequence[int]) -> int:
    """Begin a hand at table i, whatever happened there before, and return the actor, NOBODY if it is over at once.

    `stacks` are the chips of each seat until the next `deal` restores them; `deck` are the first card ids of the deck
    field, and cards that are missing are random.
    """
    t: Table = tables[i]
    t.button = button
    t.stack[: len(stacks)] = stacks
    t.deck[: len(deck)] = deck
    return int(deal_known(tables, i, len(deck)))


@kernel
def apply_decision(tables: Tables, i: Any, kind: Any, raise_to: Any) -> Any:
    """Apply FOLD, CALL or RAISE to any amount, independent of the bet menu; return the next actor or ILLEGAL."""
    t: Table = tables[i]
    if t.actor == NOBODY or not decision_is_legal(t, kind, raise_to):
        return ILLEGAL
    act(t, kind, raise_to)
    return t.actor


@kernel
def decision_is_legal(t: Table, kind: Any, raise_to: Any) -> Any:
    """Return True if the rules allow a decision, independent of the bet menu."""
    if kind == FOLD:
        return t.legal & 1 == 1
    return kind == CALL or (t.max_raise_to > 0 and t.min_raise_to <= raise_to <= t.max_raise_to)
