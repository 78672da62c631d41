"""Agents that do the same at every decision, and agents that are asked for probabilities alone, or never."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.agent import Agent, Decisions

FOLD, CALL, RAISE = 0, 1, 2


class Scripted:
    """Takes the first legal action of a list of wishes."""

    def __init__(self, name: str, *wishes: int) -> None:
        self.name = name
        self.wishes = wishes

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        legal = decisions.action_mask
        actions = np.full(len(decisions), self.wishes[-1])
        for wish in reversed(self.wishes):
            actions = np.where(legal[:, wish], wish, actions)
        return actions


class ShowsProbabilities:
    """Part of an agent that shows its probabilities, and therefore is not asked to act."""

    name = "shows_probabilities"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        raise AssertionError("an agent that shows its probabilities is not asked to act")


class Silent(Agent):
    """Plays as an agent does, and tells nothing: nobody knows what it would do with other cards."""

    def __init__(self, agent: Agent) -> None:
        self._agent, self.name = agent, agent.name

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return self._agent.act(decisions, rng)


def always_call() -> Scripted:
    return Scripted("always_call", CALL)


def always_raise() -> Scripted:
    return Scripted("always_raise", RAISE, CALL)


def always_fold() -> Scripted:
    return Scripted("always_fold", FOLD, CALL)
