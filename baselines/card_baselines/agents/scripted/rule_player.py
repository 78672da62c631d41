"""Base class of the agents that play by a rule, which is one compiled function.

Other kernels, such as that of a rollout, call the same function (`find_script`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import action_for, loosen
from card_envs.agent import Agent, Decisions, RandomAgent
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.config import is_texas_holdem


class RulePlayer(Agent):
    """Plays by the rule of a subclass; it has no memory."""

    mixes = False
    is_stateless = True
    choose_rows: ClassVar[Callable[..., None]]
    """Kernel with arguments views, random numbers (n,), `setting`, and actions (n,) int64, which it writes."""
    setting: Any = False
    """What the rule takes beside the view, such as scratch space; see `rule_kernel` and `move_kernel`."""
    plays: ClassVar[Callable[..., bool]] = staticmethod(is_texas_holdem)
    """Function that tells whether the rule is for a game; by default for Texas hold'em with any betting."""

    def can_play(self, game: Game) -> bool:
        """Return True for the games of `plays`."""
        return self.plays(game)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        actions = np.empty(len(decisions), np.int64)
        self.choose_rows(decisions.views, decisions.random_numbers, self.setting, actions)
        return actions


class Loose:
    """Mixin of the loose variant of a rule, see `holdem_moves.loosen`."""

    mixes = True
    setting = True


def rule_kernel(choose_action: Any) -> Any:
    """Return `RulePlayer.choose_rows` of a rule.

    Args:
        choose_action: Kernel that returns the action id for a view, a random number in [0, 1) and `RulePlayer.setting`.
    """

    @kernel
    def choose_rows(views: Any, random_numbers: Any, setting: Any, actions: Any) -> None:
        for j in range(views.shape[0]):
            actions[j] = choose_action(views[j], random_numbers[j], setting)

    return staticmethod(choose_rows)


def move_kernel(choose_move: Any) -> Any:
    """Return `RulePlayer.choose_rows` of a rule of Texas hold'em: a kernel that returns RAISE, CALL or FOLD for a view.

    With the setting True it plays the loose variant (`holdem_moves.loosen`).
    """

    @kernel
    def choose_action(t: Any, random_number: Any, is_loose: Any) -> Any:
        wanted = choose_move(t)
        return action_for(t, loosen(wanted, random_number) if is_loose else wanted)

    return rule_kernel(choose_action)


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
