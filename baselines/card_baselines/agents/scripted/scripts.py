"""Agents that play inside other kernels, such as that of a rollout: those whose rule is a kernel on records."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from card_baselines.agents.scripted.rule_player import RulePlayer
from card_envs.agent import Agent, RandomAgent
from card_envs.compiler import kernel
from card_envs.game import Game

Script = Callable[..., None]
"""Kernel (tables, streams, random numbers, actions), arrays of one entry each: writes the action of the actor."""


def find_script(agent: Agent, game: Game) -> Script | None:
    """Return the kernel that plays as an agent does; None for agents that only the processor can play."""
    if isinstance(agent, RandomAgent):
        random_batch: Any = game.random_batch  # a function, which can be the key of a cache
        return _random_script(random_batch)
    if isinstance(agent, RulePlayer) and not isinstance(agent.setting, np.ndarray):  # which is scratch of one thread
        return _rule_script(type(agent).choose_rows, agent.setting)
    return None


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
