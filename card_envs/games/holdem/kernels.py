"""The compiled entry points of hold'em: one table at a time, and loops over many."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel, short_kernel
from card_envs.game import ILLEGAL, NOBODY
from card_envs.games.holdem.actions import (
    FIRST_RAISE_ACTION,
    is_legal,
    kind_of,
    owed,
    raise_to_of,
    random_action,
    write_mask,
)
from card_envs.games.holdem.betting import act, deal_cards, move_button, start_hand
from card_envs.games.holdem.state import CALL, FOLD
from card_envs.records import Table, Tables
from card_envs.rng import random_below


@kernel
def start(tables: Tables) -> None:
    """Put the button of every table on a random seat, where it moves."""
    for i in range(tables.shape[0]):
        t = tables[i]
        if t.button_moves == 1:
            t.button = random_below(t, np.int64(t.num_seats))


@short_kernel
def deal(tables: Tables, i: Any) -> Any:
    """Move the button, deal and post blinds at table i; return the actor."""
    t = tables[i]
    _next_hand(t)
    return t.actor


@kernel
def deal_batch(tables: Tables, rows: Any) -> None:
    """Deal once at each row; see `deal`."""
    for j in range(rows.shape[0]):
        _next_hand(tables[rows[j]])


@kernel
def _next_hand(t: Table) -> None:
    move_button(t)
    deal_cards(t, np.int64(0))
    start_hand(t)


@kernel
def deal_known(tables: Tables, i: Any, known: Any) -> Any:
    """Like `deal`, but leave the button where it is and keep the first `known` cards of the deck field."""
    t = tables[i]
    deal_cards(t, known)
    start_hand(t)
    return t.actor


@short_kernel
def step(tables: Tables, i: Any, action: Any) -> Any:
    """Apply an action id at table i; return the next actor, NOBODY or ILLEGAL."""
    t = tables[i]
    if not is_legal(t, action):
        return ILLEGAL
    _apply(t, action)
    return t.actor


@kernel
def _apply(t: Table, action: Any) -> None:
    act(t, kind_of(action), raise_to_of(t, action) if action >= FIRST_RAISE_ACTION else 0)


@kernel
def first_illegal(tables: Tables, rows: Any, actions: Any) -> Any:
    """Return the first position whose action is illegal, or -1."""
    for j in range(rows.shape[0]):
        if not is_legal(tables[rows[j]], actions[j]):
            return j
    return -1


@kernel
def step_batch(tables: Tables, rows: Any, actions: Any, rewards: Any, is_over: Any, redeal: Any) -> Any:
    """Apply one action for each row; see `Game.step_batch`."""
    illegal = first_illegal(tables, rows, actions)
    if illegal >= 0:
        return illegal
    for j in range(rows.shape[0]):
        t = tables[rows[j]]
        _apply(t, actions[j])
        is_over[j] = t.is_over
        for seat in range(t.num_seats):
            rewards[j, seat] = 0.0
        if t.is_over == 1:
            for seat in range(t.num_seats):
                rewards[j, seat] = t.payoff[seat] / t.reward_unit
            while redeal and t.actor == NOBODY:  # more than once where the blinds put everybody all-in
                _next_hand(t)
    return -1


@kernel
def random_batch(tables: Tables, rows: Any, streams: Any, actions: Any) -> None:
    """Write a uniformly random legal action for each row."""
    for j in range(rows.shape[0]):
        actions[j] = random_action(tables[rows[j]], streams[rows[j]])


@kernel
def mask_batch(tables: Tables, rows: Any, masks: Any) -> None:
    """Write the action mask of each row's actor."""
    for j in range(rows.shape[0]):
        t = tables[rows[j]]
        write_mask(t, np.int64(t.actor), masks[j])


@kernel
def apply_decision(tables: Tables, i: Any, kind: Any, raise_to: Any) -> Any:
    """Apply FOLD, CALL or RAISE to any amount, whatever the bet menu, at table i; return the next actor or ILLEGAL."""
    t = tables[i]
    if t.actor == NOBODY or not decision_is_legal(t, kind, raise_to):
        return ILLEGAL
    act(t, kind, raise_to)
    return t.actor


@kernel
def decision_is_legal(t: Table, kind: Any, raise_to: Any) -> Any:
    """Return True if the rules allow a decision, the bet menu aside."""
    if kind == FOLD:
        return t.legal & 1 == 1
    return kind == CALL or (t.max_raise_to > 0 and t.min_raise_to <= raise_to <= t.max_raise_to)


@kernel
def betting_options(tables: Tables, i: Any) -> Any:
    """Return (may fold, chips to call, min raise-to, max raise-to) of the actor; the last two are 0 without a raise."""
    t = tables[i]
    return t.legal & 1 == 1, min(owed(t), t.stack[t.actor]), t.min_raise_to, t.max_raise_to
