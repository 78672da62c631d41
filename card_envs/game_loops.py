"""`game_loops`: makes a game's kernels on arrays of tables from its kernels on one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from card_envs.compiler import kernel, short_kernel
from card_envs.game import ILLEGAL, NOBODY
from card_envs.records import Tables

__all__ = ["NO_ACTION", "TableKernel", "find_forced_action", "game_loops"]

NO_ACTION = -1
"""Returned by `forced_action` and `Game.forced_batch` where the actor has a choice."""

TableKernel = Callable[..., Any]
"""A kernel that gets the record of one table, such as `is_legal(t, action)`."""


def find_forced_action(is_legal: TableKernel, num_actions: int) -> TableKernel:
    """Return a kernel `forced_action` for `game_loops` that tries all actions; for games with few of them."""

    @kernel
    def forced_action(t: Any) -> Any:
        found = NO_ACTION
        for action in range(num_actions):
            if is_legal(t, action):
                if found != NO_ACTION:
                    return NO_ACTION
                found = action
        return found

    return forced_action


def game_loops(  # noqa: C901  ten short kernels, not one long function
    *,
    deal: TableKernel,
    is_legal: TableKernel,
    apply: TableKernel,
    reward: TableKernel,
    random_action: TableKernel,
    write_mask: TableKernel,
    censor: TableKernel,
    write_state: TableKernel,
    forced_action: TableKernel,
) -> dict[str, Any]:
    """Return the kernels of a game on arrays of tables, made from kernels on the record `t` of one table.

    Args:
        deal: `deal(t)` begins the next episode with random cards; the episode may be over at once.
        is_legal: `is_legal(t, action)` returns True if the actor may take an action, which may be any integer.
        apply: `apply(t, action)` applies a legal action.
        reward: `reward(t, seat)` returns the reward of a seat at a table whose episode is over.
        random_action: `random_action(t, stream)` draws a legal action from the random stream of record `stream`.
        write_mask: `write_mask(t, seat, m)` fills `m.mask`; all zeros unless `seat` is the actor.
        censor: `censor(t, seat)` deletes from a copy of a table what `seat` cannot see; the stream is already deleted.
        write_state: `write_state(t, o)` fills `o.values` with the perfect-information vector.
        forced_action: `forced_action(t)` returns the only legal action of the actor, or NO_ACTION if there are more;
            see `find_forced_action`.

    Returns:
        The fields of `Game` that are such kernels, for `Game(..., **loops)`. They are as fast as loops written by hand:
        Numba links kernels that are passed as arguments like any others.
    """

    @short_kernel
    def deal_one(tables: Tables, i: Any) -> Any:
        t = tables[i]
        deal(t)
        return t.actor

    @kernel
    def deal_batch(tables: Tables, rows: Any) -> None:
        for j in range(rows.shape[0]):
            deal(tables[rows[j]])

    @short_kernel
    def step(tables: Tables, i: Any, action: Any) -> Any:
        t = tables[i]
        if not is_legal(t, action):
            return ILLEGAL
        apply(t, action)
        return t.actor

    @kernel
    def first_illegal(tables: Tables, rows: Any, actions: Any) -> Any:
        for j in range(rows.shape[0]):
            if not is_legal(tables[rows[j]], actions[j]):
                return j
        return -1

    @kernel
    def step_batch(tables: Tables, rows: Any, actions: Any, rewards: Any, is_over: Any, redeal: Any) -> Any:
        illegal = first_illegal(tables, rows, actions)
        if illegal >= 0:
            return illegal
        for j in range(rows.shape[0]):
            t = tables[rows[j]]
            apply(t, actions[j])
            is_over[j] = t.is_over
            for seat in range(rewards.shape[1]):
                rewards[j, seat] = 0.0
            if t.is_over == 1:
                for seat in range(rewards.shape[1]):
                    rewards[j, seat] = reward(t, seat)
                while redeal and t.actor == NOBODY:  # again if a deal is over at once
                    deal(t)
        return -1

    @kernel
    def random_batch(tables: Tables, rows: Any, streams: Any, actions: Any) -> None:
        for j in range(rows.shape[0]):
            actions[j] = random_action(tables[rows[j]], streams[rows[j]])

    @kernel
    def mask_batch(tables: Tables, rows: Any, masks: Any) -> None:
        for j in range(rows.shape[0]):
            t = tables[rows[j]]
            write_mask(t, np.int64(t.actor), masks[j])

    @kernel
    def censor_batch(tables: Tables, rows: Any, seats: Any, views: Tables) -> None:
        for j in range(rows.shape[0]):
            views[j] = tables[rows[j]]
            t = views[j]
            for k in range(4):
                t.rng[k] = 0
            censor(t, seats[j])

    @kernel
    def state_batch(tables: Tables, rows: Any, states: Any) -> None:
        for j in range(rows.shape[0]):
            write_state(tables[rows[j]], states[j])

    @kernel
    def forced_batch(tables: Tables, rows: Any, actions: Any) -> None:
        for j in range(rows.shape[0]):
            t = tables[rows[j]]
            actions[j] = NO_ACTION if t.actor == NOBODY else forced_action(t)

    return {
        "deal": deal_one,
        "deal_batch": deal_batch,
        "step": step,
        "first_illegal": first_illegal,
        "step_batch": step_batch,
        "random_batch": random_batch,
        "mask_batch": mask_batch,
        "censor_batch": censor_batch,
        "state_batch": state_batch,
        "forced_batch": forced_batch,
    }
