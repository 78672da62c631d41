"""Agents that play inside other kernels, such as that of a rollout: those whose rule is a kernel on records."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from card_baselines.agents.scripted.always_call import AlwaysCall
from card_baselines.agents.scripted.always_raise import AlwaysRaise
from card_baselines.agents.scripted.rule_player import RulePlayer
from card_envs.agent import Agent, RandomAgent
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, INTEGERS_OFFSET, is_legal
from card_envs.games.holdem.state import MENU_INTEGERS

Script = Callable[..., None]
"""Kernel (tables, streams, random numbers, actions), arrays of one entry each: writes the action of the actor."""


def find_script(agent: Agent, game: Game) -> Script | None:
    """Return the kernel that plays as an agent does; None for agents that only the processor can play."""
    if isinstance(agent, AlwaysCall):
        return always_call
    if isinstance(agent, AlwaysRaise):
        return always_raise
    if isinstance(agent, RandomAgent):
        random_batch: Any = game.random_batch  # a function, which can be the key of a cache
        return _random_script(random_batch)
    if isinstance(agent, RulePlayer) and not isinstance(agent.setting, np.ndarray):  # which is scratch of one thread
        return _rule_script(type(agent).choose_rows, agent.setting)
    return None


@kernel
def always_call(tables: Any, streams: Any, numbers: Any, actions: Any) -> None:
    """Check or call."""
    actions[0] = CALL_ACTION


@kernel
def always_raise(tables: Any, streams: Any, numbers: Any, actions: Any) -> None:
    """Bet or raise by the smallest legal id, check or call where there is none."""
    t = tables[0]
    actions[0] = CALL_ACTION
    if t.max_raise_to > 0 and t.menu == MENU_INTEGERS:
        actions[0] = np.int64(t.min_raise_to) + INTEGERS_OFFSET
    elif t.max_raise_to > 0:
        actions[0] = FIRST_RAISE_ACTION
        while not is_legal(t, actions[0]):  # a seat that may raise has a legal id, the last one at the latest
            actions[0] += 1


@cache
def _random_script(random_batch: Any) -> Script:
    @kernel
    def play_randomly(tables: Any, streams: Any, numbers: Any, actions: Any) -> None:
        actions[0] = 0  # the index of the only table, until the action is drawn
        random_batch(tables, actions, streams, actions)

    return play_randomly


@cache
def _rule_script(choose_rows: Any, setting: Any) -> Script:
    @kernel
    def play_by_rule(tables: Any, streams: Any, numbers: Any, actions: Any) -> None:
        choose_rows(tables, numbers, setting, actions)

    return play_by_rule
