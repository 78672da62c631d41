"""Action probabilities of an agent: returned by the agent, or estimated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.agent.base import Agent
from card_envs.agent.decisions import Decisions
from card_envs.game import check_actions, is_whole


def softmax(logits: NDArray[np.floating], action_mask: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return the probabilities (n, num_actions) of logits, zero for illegal actions."""
    legal = np.where(action_mask == 1, logits, -np.inf).astype(np.float64)
    exponentials = np.exp(legal - legal.max(axis=1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True), np.float64)


def action_probabilities(agent: Agent, decisions: Decisions) -> NDArray[np.float64]:
    """Return the action probabilities of an agent that defines `probabilities`, checked.

    Returns:
        (n, num_actions) float64; rows sum to 1.

    Raises:
        ValueError: If the shape is another one, or the numbers are no probabilities of legal actions.
    """
    given = np.asarray(agent.probabilities(decisions), np.float64)
    shape = decisions.action_mask.shape
    if given.shape != shape:
        raise ValueError(f"agent {agent.name!r} returned probabilities of shape {given.shape}: {shape} is needed")
    total, legal_total = given.sum(axis=1), np.where(decisions.action_mask == 1, given, 0.0).sum(axis=1)
    if not (given >= 0).all() or not np.allclose(legal_total, 1, atol=1e-4) or (total > legal_total + 1e-4).any():
        raise ValueError(
            f"agent {agent.name!r} returned wrong probabilities: those of legal actions must sum to 1, others be 0"
        )
    return given


def find_probabilities(agent: Agent, decisions: Decisions, rng: np.random.Generator, draws: int) -> NDArray[np.float64]:
    """Return the action probabilities that an agent shows, or estimates where it shows none.

    Args:
        agent: The agent.
        decisions: A batch of n decisions.
        rng: Random generator of the estimate.
        draws: Number of actions that the estimate samples at each decision.

    Returns:
        (n, num_actions) probabilities; rows sum to 1.

    Raises:
        ValueError: If the agent shows numbers that are no probabilities of legal actions.
    """
    if agent.shows_probabilities:
        return action_probabilities(agent, decisions)
    return estimate_probabilities(agent, decisions, rng, draws)


def estimate_probabilities(
    agent: Agent, decisions: Decisions, rng: np.random.Generator, draws: int
) -> NDArray[np.float64]:
    """Estimate action probabilities by the share of calls of `act` that take each action.

    The random numbers of the calls are evenly spaced, so that the error is about 1 / draws. Agents that do not mix
    (`Agent.mixes`) are called once, and the result is exact.

    Args:
        agent: The agent.
        decisions: A batch of n decisions.
        rng: Random generator, passed to `act`.
        draws: Number of calls.

    Returns:
        (n, num_actions) probabilities; rows sum to 1.

    Raises:
        ValueError: For a number of calls below 1, and for an agent that chooses an illegal action.
    """
    if not is_whole(draws) or draws < 1:
        raise ValueError(f"draws {draws!r} must be a whole number of actions to sample, at least 1")
    tries = draws if agent.mixes else 1
    counts = np.zeros((len(decisions), decisions.game.num_actions))
    rows = np.arange(len(decisions))
    repeated = decisions
    for draw in range(tries):
        repeated = repeated.with_random_numbers(np.full(len(decisions), (draw + 0.5) / tries))
        counts[rows, check_actions(agent.act(repeated, rng), len(decisions))] += 1
    illegal = np.argwhere((counts > 0) & (decisions.action_mask == 0))
    if len(illegal):
        row, action = illegal[0].tolist()
        legal = decisions.legal_actions(row)
        raise ValueError(f"agent {agent.name!r} chose the illegal action {action}; legal ones were {legal}")
    return counts / tries
