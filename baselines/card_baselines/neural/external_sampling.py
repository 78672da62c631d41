"""External-sampling traversals of many deals at a time.

Lanctot et al. (2009): in each deal one seat, the traverser, tries all of its actions, while cards and the actions of
all other seats are sampled. The tables of all deals advance together, one decision at a time: a table at which the
traverser acts is copied once for each legal action, so every step is one call of the engine and one of the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import choose
from card_envs.game import Game, Tables
from card_envs.typing import Floats

MAX_TABLES = 2_000_000
"""Maximum number of tables in memory at a time: a gigabyte of hold'em."""

Policy = Callable[[NDArray[Any], NDArray[np.int8]], Floats]
"""Observations (n, d) and action masks (n, num_actions) -> probabilities (n, num_actions)."""


def require_two_players(game: Game) -> None:
    """Raise ValueError unless the game has two seats."""
    if game.num_seats != 2:
        raise ValueError(
            f"this algorithm is for two players, {game.name} has {game.num_seats} seats: train self_play_ppo there"
        )


class SampledDecisions(NamedTuple):
    """n decisions of a traversal."""

    observation: NDArray[Any]
    """(n, d)"""
    action_mask: NDArray[np.int8]
    """(n, num_actions)"""
    values: Floats
    """(n, num_actions)"""
    weight: Floats
    """(n,): 1 over the probability that the traverser's own actions led here; 1 where all of them are tried."""


class Samples(NamedTuple):
    """The decisions of a traversal."""

    own: SampledDecisions
    """Decisions of the traversers, with sampled advantages: the value of each legal action minus that of the strategy,
    0 for illegal ones, in the unit of rewards."""
    others: SampledDecisions
    """Decisions of the other seats, with the action probabilities of the strategy."""


@dataclass(frozen=True)
class Step:
    """The n decisions after k actions."""

    observation: NDArray[Any]
    """(n, d): observation of the seat that acts."""
    action_mask: NDArray[np.int8]
    """(n, num_actions)"""
    strategy: Floats
    """(n, num_actions)"""
    is_own: NDArray[np.bool_]
    """(n,): whether the traverser acts."""
    weight: Floats
    """(n,): as in `SampledDecisions`."""


def join_steps(steps: Sequence[Step], advantages: Sequence[Floats]) -> Samples:
    """Return the decisions of all steps, given the advantages (n, num_actions) at each."""

    def join(own: bool, values: Iterable[Floats]) -> SampledDecisions:
        chosen = [
            [column[step.is_own == own] for column in (step.observation, step.action_mask, each, step.weight)]
            for step, each in zip(steps, values, strict=True)
        ]
        return SampledDecisions(*map(np.concatenate, zip(*chosen, strict=True)))

    return Samples(join(True, advantages), join(False, [step.strategy for step in steps]))


@dataclass(frozen=True)
class _Level(Step):
    """A step, and the tables after each action that was tried there, their children."""

    parent: NDArray[np.int64]
    """(children,): index of the decision before each child."""
    action: NDArray[np.int64]
    """(children,): action that leads to each child."""
    rewards: Floats
    """(children,): reward of the traverser where the deal is over, else 0."""
    continuing: NDArray[np.int64]
    """Indices of the children whose deals are not over, the decisions of the next level."""


def traverse(
    game: Game, tables: Tables, traversers: NDArray[np.int64], policy: Policy, rng: np.random.Generator
) -> Samples:
    """Play deals to their ends by external sampling, and compute the traversers' advantages at their decisions.

    Args:
        game: The game; all of its chance events must happen when the cards are dealt.
        tables: (n,) tables before their first decision; they are not changed.
        traversers: (n,) seat of the traverser at each table.
        policy: Strategy of all seats.
        rng: Random generator of the other seats' actions.

    Raises:
        ValueError: If the deals branch into more than `MAX_TABLES` tables.
    """
    levels: list[_Level] = []
    while len(tables):
        level, children = _advance(game, tables, traversers, policy, rng)
        levels.append(level)
        tables, traversers = children[level.continuing], traversers[level.parent[level.continuing]]
    return _collect(levels)


def _advance(
    game: Game, tables: Tables, traversers: NDArray[np.int64], policy: Policy, rng: np.random.Generator
) -> tuple[_Level, Tables]:
    """Return the decisions at the tables, and copies of the tables after all actions that are tried."""
    observation, action_mask = game.observe_actors(tables, np.arange(len(tables)))
    probabilities = policy(observation, action_mask)
    is_own = tables["actor"] == traversers
    own, own_action = np.nonzero(action_mask * is_own[:, None])
    others = np.flatnonzero(~is_own)
    parent = np.concatenate([own, others])
    if len(parent) > MAX_TABLES:
        raise ValueError(
            f"the traversals of {game.name} branch into {len(parent):,} tables, {MAX_TABLES:,} at most fit: choose "
            "fewer traversals or bet sizes (bet_menu), or an algorithm that plays single lines (self_play_ppo, nfsp)"
        )
    action = np.concatenate([own_action, choose(probabilities[others], rng.random(len(others)))])
    children = tables[parent]
    seat_rewards = np.empty((len(parent), game.num_seats), np.float32)
    is_over = np.empty(len(parent), np.uint8)
    game.step_batch(children, np.arange(len(parent)), action, seat_rewards, is_over, False)
    rewards = np.where(is_over, seat_rewards[np.arange(len(parent)), traversers[parent]], 0.0)
    continuing = np.flatnonzero(is_over == 0)
    seen = observation, action_mask, probabilities, is_own, np.ones(len(tables))
    return _Level(*seen, parent, action, rewards, continuing), children


def _collect(levels: list[_Level]) -> Samples:
    """Propagate values from the ends back to the deals, and return the samples, the last decisions first."""
    advantages: list[Floats] = []
    next_values = np.empty(0)
    for level in reversed(levels):
        child_values = level.rewards.copy()
        child_values[level.continuing] = next_values
        values = np.zeros(level.strategy.shape)
        values[level.parent, level.action] = child_values  # 0 for the other seats' actions that were not sampled
        expected = (values * level.strategy).sum(axis=1)
        next_values = np.where(level.is_own, expected, values.sum(axis=1))
        advantages.append((values - expected[:, None]) * level.action_mask)
    return join_steps(levels[::-1], advantages)
