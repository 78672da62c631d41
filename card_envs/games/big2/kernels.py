"""The compiled entry points of Big 2: one table at a time, and loops over many."""

from __future__ import annotations

from typing import Any

from card_envs.compiler import kernel, short_kernel
from card_envs.game import ILLEGAL
from card_envs.games.big2.legal import is_listed, random_action, write_mask
from card_envs.games.big2.state import NUM_SEATS
from card_envs.games.big2.tricks import act, deal_cards, open_deal
from card_envs.records import Tables


@kernel
def start(tables: Tables) -> None:
    """Nothing has to be drawn before the first deal of a table: whoever holds 3D opens."""


@short_kernel
def deal(tables: Tables, i: Any) -> Any:
    """Deal random hands at table i and lead 3D; return the actor."""
    t = tables[i]
    deal_cards(t)
    open_deal(t)
    return t.actor


@kernel
def deal_batch(tables: Tables, rows: Any) -> None:
    """Deal once at each row; see `deal`."""
    for j in range(rows.shape[0]):
        t = tables[rows[j]]
        deal_cards(t)
        open_deal(t)


@kernel
def deal_known(tables: Tables, i: Any) -> Any:
    """Like `deal`, with the full hands that are in the record (`hand`, `held`, `num_cards`)."""
    t = tables[i]
    open_deal(t)
    return t.actor


@short_kernel
def step(tables: Tables, i: Any, action: Any) -> Any:
    """Apply an action id at table i; return the next actor, NOBODY or ILLEGAL."""
    t = tables[i]
    if not is_listed(t, action):
        return ILLEGAL
    act(t, action)
    return t.actor


@kernel
def first_illegal(tables: Tables, rows: Any, actions: Any) -> Any:
    """Return the first position whose action is illegal, or -1."""
    for j in range(rows.shape[0]):
        if not is_listed(tables[rows[j]], actions[j]):
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
        act(t, actions[j])
        is_over[j] = t.is_over
        for seat in range(NUM_SEATS):
            rewards[j, seat] = t.payoff[seat]
        if redeal and t.is_over == 1:
            deal_cards(t)
            open_deal(t)
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
        write_mask(t, t.actor, masks[j])
