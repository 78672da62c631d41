"""External sampling on a tree of betting: one deal, all actions of one player.

Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret minimization in extensive games: each deal
is traversed once for each player, who tries all of its actions, while one action of the others is sampled at each of
their decisions. `limit.mccfr` deals the cards of limit hold'em; `sampled_cfr` draws the deals of any small game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.regret import match_regrets
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.rng import random_unit
from card_envs.typing import Floats, Integers


class SampledTree(NamedTuple):
    """A tree of betting, and what deals mean at its nodes. Children come after their parents."""

    nodes: NDArray[Any]
    """(nodes,) of `tree.node_type`; `first` is the row of information set 0 in tables of regrets and strategies."""
    column: Integers
    """(nodes,): which of a deal's numbers is that of the information set at each decision."""
    rewards: Floats
    """(nodes, outcomes, players): rewards at the end of a hand, for each outcome of a deal."""


class Visits(NamedTuple):
    """The decisions that a traversal visits, parents first."""

    node: Integers
    """(nodes,)"""
    parent: Integers
    """(nodes,): index of the visit of the parent."""
    action: Integers
    """(nodes,): column of the parent's `values`: the action that leads here if the learner acts there, else 0."""
    policy: Floats
    """(nodes, actions): policy of regret matching."""
    values: Floats
    """(nodes, actions): what the learner wins after each action."""
    totals: Floats
    """(1,): scratch space of `regret.match_regrets`."""

    @staticmethod
    def allocate(num_nodes: int, num_actions: int) -> Visits:
        """Return arrays for trees with at most so many nodes."""
        node, parent, action = np.zeros((3, num_nodes), np.int64)
        policy, values = np.zeros((2, num_nodes, num_actions))
        return Visits(node, parent, action, policy, values, np.zeros(1))


@kernel
def traverse(
    tree: Any, sets: Any, deal: Any, outcome: Any, learner: Any, averaged: Any, rate: Any, weight: Any, regrets: Any,
    sums: Any, stream: Any, visits: Any,
) -> Any:  # fmt: skip
    """Traverse one deal: add the learner's regrets, and the strategies of one of the other players.

    Args:
        tree: `SampledTree`.
        sets: (deals, columns): numbers of the information sets of deals, see `SampledTree`.
        deal: The deal, an index of `sets`.
        outcome: Index of the deal's rewards.
        learner: Player who tries all actions.
        averaged: Player whose strategies are added to `sums`.
        rate: Factor of the regrets.
        weight: Factor of the strategies.
        regrets: (rows, actions): summed regrets.
        sums: (rows, actions): summed strategies.
        stream: Record with a random stream.
        visits: `Visits`.

    Returns:
        Number of decisions that were visited.
    """
    # arrays of named tuples are taken out once: each time costs Numba two atomic additions
    nodes, columns, rewards = tree
    visited, parents, actions, policy, values, totals = visits
    by_action, policy_by_action = regrets.T, policy.T
    visited[0], num, place = 0, 1, 0
    while place < num:
        node = nodes[visited[place]]
        row, is_own = node.first + sets[deal, columns[visited[place]]], node.player == learner
        match_regrets(by_action, node.legal, 1, totals, policy_by_action, row, place)
        tried = node.legal if is_own else 1 << sample_action(policy, place, random_unit(stream))
        if node.player == averaged:
            add_policy(policy, place, weight, sums, row)
        for action in range(policy.shape[1]):
            if (tried >> action) & 1:
                after, into = node.child[action], action if is_own else 0
                if nodes[after].player == NOBODY:
                    values[place, into] = rewards[after, outcome, learner]
                else:
                    visited[num], parents[num], actions[num] = after, place, into
                    num += 1
        place += 1
    for place in range(num - 1, -1, -1):
        node, value = nodes[visited[place]], values[place, 0]
        if node.player == learner:
            row = node.first + sets[deal, columns[visited[place]]]
            value = add_regrets(policy, values, place, node.legal, rate, regrets, row)
        if place > 0:
            values[parents[place], actions[place]] = value
    return num


@kernel
def sample_action(policy: Any, row: Any, random_number: Any) -> Any:
    """Return an action drawn from policy[row] by a random number in [0, 1); never one of probability 0."""
    last = 0
    for action in range(policy.shape[1]):
        if policy[row, action] > 0:
            last = action
            random_number -= policy[row, action]
            if random_number < 0:
                break
    return last


@kernel
def add_regrets(policy: Any, values: Any, place: Any, legal: Any, rate: Any, regrets: Any, row: Any) -> Any:
    """Add the regrets of the actions with values[place], and return the value of policy[place]."""
    value = 0.0
    for action in range(policy.shape[1]):
        if (legal >> action) & 1:
            value += policy[place, action] * values[place, action]
    for action in range(policy.shape[1]):
        if (legal >> action) & 1:
            regrets[row, action] += rate * (values[place, action] - value)
    return value


@kernel
def add_policy(policy: Any, place: Any, weight: Any, sums: Any, row: Any) -> None:
    """Add policy[place] to the strategies of a row."""
    for action in range(policy.shape[1]):
        sums[row, action] += weight * policy[place, action]
