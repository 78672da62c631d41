"""Agents made of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions, StochasticAgent

Policy = Callable[[NDArray[Any], NDArray[np.int8]], NDArray[Any]]
"""Function from observations (n, d) and action masks (n, num_actions) to action probabilities (n, num_actions)."""


class _PolicyAgent(StochasticAgent):
    """Plays the probabilities that a function returns."""

    is_stateless = True

    def __init__(self, policy: Policy, name: str) -> None:
        self._policy, self.name = policy, name

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return the function's probabilities, (n, num_actions)."""
        return np.asarray(self._policy(decisions.observation, decisions.action_mask))


def policy_agent(policy: Policy, name: str = "policy") -> Agent:
    """Return an agent that plays the probabilities of a function, for matches and best responses within a script.

    Args:
        policy: Function of observations (n, d) and action masks (n, num_actions) that returns probabilities
            (n, num_actions): rows sum to 1 over legal actions.
        name: Name of the agent in results.

    Example:
        >>> from card_envs import make_game
        >>> from card_envs.match import play_match
        >>> uniform = policy_agent(lambda observation, mask: mask / mask.sum(axis=1, keepdims=True), "uniform")
        >>> play_match(make_game("kuhn_poker-v0"), [uniform, uniform], hands=10, seed=0).names
        ('uniform', 'uniform')
    """
    return _PolicyAgent(policy, name)
