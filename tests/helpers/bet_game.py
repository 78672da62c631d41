"""The bet game: two seats, one after the other, check (0) or bet (1); whoever bets gets a chip from the other.

Betting is strictly dominant for both. What the first seat wins is paid when the second one ends the deal: a wrapper
that gives rewards to whoever acted last teaches the first seat nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.game import ILLEGAL, NOBODY, Game
from card_envs.observation import Block, Encoder, Layout
from card_envs.rng import STREAM

TABLE = np.dtype(
    (
        np.record,
        [STREAM, ("actor", np.int8), ("is_over", np.uint8), ("payoff", np.int32, (2,)), ("bet", np.int32, (2,))],
    )
)
CHECK, BET = 0, 1


def deal(tables: Any, i: int) -> int:
    t = tables[i]
    t.actor, t.is_over, t.payoff[:], t.bet[:] = 0, 0, 0, 0
    return 0


def deal_batch(tables: Any, rows: Any) -> None:
    for row in rows:
        deal(tables, row)


def step(tables: Any, i: int, action: int) -> int:
    t = tables[i]
    if t.actor == NOBODY or action not in (CHECK, BET):
        return ILLEGAL
    t.bet[t.actor] = action
    t.actor = 1 if t.actor == 0 else NOBODY
    if t.actor == NOBODY:
        t.is_over = 1
        t.payoff[0] = t.bet[0] - t.bet[1]
        t.payoff[1] = -t.payoff[0]
    return int(t.actor)


def first_illegal(tables: Any, rows: Any, actions: Any) -> int:
    for j, row in enumerate(rows):
        if tables[row].actor == NOBODY or actions[j] not in (CHECK, BET):
            return j
    return -1


def step_batch(tables: Any, rows: Any, actions: Any, rewards: Any, is_over: Any, redeal: bool) -> int:
    for j, row in enumerate(rows):
        assert step(tables, row, actions[j]) != ILLEGAL
        is_over[j], rewards[j] = tables[row].is_over, tables[row].payoff
        if redeal and is_over[j]:
            deal(tables, row)
    return -1


def observe(tables: Any, i: int, seat: int, observations: Any, masks: Any) -> None:
    observations[0].values[:] = np.arange(2) == seat
    masks[0].mask[:] = 1


def observe_batch(tables: Any, rows: Any, observations: Any, masks: Any) -> None:
    for j, row in enumerate(rows):
        observe(tables, row, tables[row].actor, observations[j : j + 1], masks[j : j + 1])


def mask_batch(tables: Any, rows: Any, masks: Any) -> None:
    masks["mask"][:] = 1


def unused(*arguments: Any) -> Any:
    raise NotImplementedError


def bet_game() -> Game:
    layout = Layout((Block("seat", 2, "the seat that sees this"),))
    encoder = Encoder("seat", 1, lambda config: layout, observe, observe_batch, unused)
    return Game(
        name="bet_game",
        config=None,
        rules_profiles=(),
        encoders={"seat": encoder},
        with_encoder=unused,
        encoder=encoder,
        layout=layout,
        state_layout=layout,
        num_seats=2,
        num_actions=2,
        unit="chips",
        chips_per_reward=1,
        max_reward=1.0,
        option_names=(),
        new_tables=lambda num_tables: np.zeros(num_tables, TABLE),
        start=lambda tables: None,
        deal=deal,
        deal_batch=deal_batch,
        deal_with=unused,
        step=step,
        first_illegal=first_illegal,
        step_batch=step_batch,
        random_batch=unused,
        mask_batch=mask_batch,
        censor_batch=unused,
        state_batch=unused,
        forced_batch=unused,
        action_name=unused,
        why_illegal=unused,
        text=unused,
    )
