"""PettingZoo's conventions for illegal actions, on top of `GameAEC`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from card_envs.aec import GameAEC
from card_envs.game import NOBODY, IllegalActionError, Tables

__all__ = ["ILLEGAL_REWARD", "ConventionalAEC", "OutOfBoundsError"]

ILLEGAL_REWARD = -1.0
"""Reward of an illegal action, the same as that of PettingZoo's TerminateIllegalWrapper."""


class OutOfBoundsError(IllegalActionError, AssertionError):
    """Raised for an action outside the action space; also an AssertionError, as in PettingZoo."""


class ConventionalAEC(GameAEC):
    """A `GameAEC` that behaves like PettingZoo's three standard wrappers around it, without their cost.

    An illegal action warns, gives the offender `ILLEGAL_REWARD` and ends the episode for all agents; the table is then
    shown as it was, with nobody to act. An action outside the action space raises. `step` after all agents have left
    warns. A loop over `agent_iter` without `step` raises.
    """

    _has_moved = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next episode; see `GameAEC.reset`."""
        super().reset(seed, options)
        self._has_moved = True

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Take the action of `agent_selection`; an illegal one ends the episode."""
        self._has_moved = True
        try:
            super().step(action)
        except IllegalActionError as error:
            if not self.agents:
                warnings.warn(f"step() does nothing: {error}", stacklevel=2)
                return
            agent = self.agent_selection
            if isinstance(action, bool) or not self.action_spaces[agent].contains(action):
                raise OutOfBoundsError(str(error)) from error
            if self.terminations[agent]:
                raise
            warnings.warn(f"illegal action, the episode ends: {error}", stacklevel=2)
            self._end_by_illegal_action(agent)

    def _agents_in_turn(self, max_iter: int) -> Iterator[str]:
        for agent in super()._agents_in_turn(max_iter):
            if not self._has_moved:
                raise AssertionError("call step() or reset() in a loop over agent_iter()")
            self._has_moved = False
            yield agent

    def _end_by_illegal_action(self, offender: str) -> None:
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[offender] = ILLEGAL_REWARD
        self._cumulative_rewards = dict(self.rewards)
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {"action_mask": self._no_mask} for agent in self.agents}
        self._observed = {}
        self.agent_selection = self.agents[0]
        if self.render_mode == "human":
            self.render()

    def _tables_to_render(self) -> Tables:
        """Return the table without an actor if an illegal action ended the episode, else as it is."""
        is_over = not self.agents or self.truncations[self.agents[0]]
        if not is_over or self._tables["actor"][0] == NOBODY:
            return self._tables
        tables = self._tables.copy()
        tables["actor"] = NOBODY
        return tables
