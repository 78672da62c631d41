"""Monte Carlo CFR by external sampling in any small game, over the information states of its `PublicTree`.

Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret minimization in extensive games: each deal
is traversed once for each player, who tries all of its actions, while one action of the others is sampled at each of
their decisions (`traverse`, on a tree of betting; `limit.mccfr` deals the cards of limit hold'em for it).

Deals are drawn without replacement until all have been drawn, and only those that differ: cards that are
interchangeable, such as cards of one rank in Leduc hold'em, need not be told apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.runs.ranges import require_range
from card_baselines.solvers.regret import SCHEDULES, match_regrets, regret_matching
from card_baselines.solvers.solver import CfrSolver
from card_baselines.solvers.tree import node_type
from card_envs.analysis.exploitability.public_tree import Node, PublicTree
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.rng import random_below, random_unit, seeded_streams
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


class Deals(NamedTuple):
    """The deals of a game, without those that are equivalent to another one."""

    sets: Integers
    """(deals, columns): number of the information set that a deal belongs to, among those of equal betting."""
    order: Integers
    """(all deals,): deals in the order in which they are drawn, each as often as deals are equivalent to it."""
    num_drawn: Integers
    """(1,): how many of `order` have been drawn; then they are shuffled."""


class SmallGame:
    """A small game as arrays.

    Information states of equal betting that differ in interchangeable cards only have one row in the solver's tables.
    """

    def __init__(self, public: PublicTree) -> None:
        states = list_nodes(public.root)
        number_of = {state: number for number, state in enumerate(states)}
        nodes = np.zeros(len(states), node_type(public.game.num_actions))
        nodes["player"], nodes["child"], column = [state.seat for state in states], -1, np.zeros(len(states), np.int64)
        columns: dict[bytes, int] = {}
        seen: list[Integers] = []
        for k, (state, node) in enumerate(zip(states, nodes, strict=True)):
            node["child"][state.actions] = [number_of[after] for after in state.children]
            if state.seat != NOBODY:
                cards = state.states - state.states.min()
                column[k] = columns.setdefault(cards.tobytes(), len(columns))
                if len(columns) > len(seen):
                    seen.append(cards)
        nodes["legal"] = (nodes["child"] >= 0) @ (1 << np.arange(public.game.num_actions))
        is_over = nodes["player"] == NOBODY
        rewards = np.array([state.rewards for state in states if state.seat == NOBODY])
        kinds, sets = merge_deals(np.array(seen), rewards.swapaxes(0, 1).reshape(public.num_deals, -1))
        size = np.where(is_over, 0, sets.max(axis=1)[column] + 1)
        nodes["first"], self.num_rows = np.cumsum(size) - size, int(size.sum())
        _, first = np.unique(kinds, return_index=True)
        by_outcome = np.zeros((len(nodes), len(first), public.game.num_seats))
        by_outcome[is_over] = rewards[:, first]
        self.tree = SampledTree(nodes, column, by_outcome)
        self.deals = Deals(np.ascontiguousarray(sets[:, first].T), kinds, np.array([len(kinds)]))
        self.mask = public.decisions.action_mask
        """(states, num_actions): legal actions at the information states of the tree."""
        self.row_of = np.zeros(len(self.mask), np.int64)
        """(states,): row of each information state."""
        for state, first, each in zip(states, nodes["first"], column, strict=True):
            if state.seat != NOBODY:
                self.row_of[state.states] = first + sets[each]


def list_nodes(node: Node) -> list[Node]:
    """Return the public states from one on, parents first."""
    return [node, *(each for child in node.children for each in list_nodes(child))]


def merge_deals(seen: Integers, rewards: Floats) -> tuple[Integers, Integers]:
    """Merge deals that differ in interchangeable cards only, and the information sets that consist of such deals.

    Colour refinement: deals are told apart if their rewards differ or they belong to information sets that are told
    apart, and these if they do not have equally many deals of each kind. Equilibria of the merged game are equilibria
    (Grohe, Kersting, Mladenov and Selman 2014, Dimension reduction via colour refinement).

    Args:
        seen: (columns, deals): for each way in which information sets divide the deals, that of each deal.
        rewards: (deals, n): rewards of each deal in all possible ends of a hand.

    Returns:
        The kind of each deal (deals,), and for each way the merged information set of each deal (columns, deals).
    """
    kinds = np.unique(rewards, axis=0, return_inverse=True)[1].ravel()
    while True:
        sets = np.array([_merge_sets(cards, kinds) for cards in seen])
        refined = np.unique(np.vstack([kinds, sets]), axis=1, return_inverse=True)[1].ravel()
        if refined.max() == kinds.max():
            return kinds, sets
        kinds = refined


def _merge_sets(cards: Integers, kinds: Integers) -> Integers:
    """Return equal numbers (deals,) for deals in information sets with equally many deals of each kind."""
    order = np.lexsort((kinds, cards))
    numbers: dict[bytes, int] = {}
    found = [
        numbers.setdefault(part.tobytes(), len(numbers))
        for part in np.split(kinds[order], np.flatnonzero(np.diff(cards[order])) + 1)
    ]
    return np.array(found)[cards]


class SampledCfr(CfrSolver):
    """The solver: regrets and summed strategies of the information states."""

    def __init__(self, public: PublicTree, seed: int, variant: str = "cfr", deals: int = 1000) -> None:
        """Start with regrets of 0.

        Args:
            public: The public states of a game.
            seed: Seed of deals and sampled actions.
            variant: Name of a schedule in `regret.SCHEDULES`, one without predictions.
            deals: Number of deals in an iteration.

        Raises:
            ValueError: For a schedule that is unknown or predicts.
        """
        known = [name for name, schedule in SCHEDULES.items() if not schedule(1).prediction]
        if variant not in known:
            raise ValueError(f"variant {variant!r} cannot be sampled: choose one of {known}")
        self.game, self._schedule, self._num_deals = SmallGame(public), SCHEDULES[variant], deals
        num_nodes, num_actions = len(self.game.tree.nodes), public.game.num_actions
        self._regrets, self._sums = np.zeros((2, self.game.num_rows, num_actions))
        self._streams, self._visits = seeded_streams(1, seed), Visits.allocate(num_nodes, num_actions)
        self._decisions = np.zeros(1, np.int64)

    @property
    def num_decisions(self) -> int:
        """Number of decisions visited so far."""
        return int(self._decisions[0])

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; all players learn in each."""
        for _ in range(iterations):
            self.iterations += 1
            schedule = self._schedule(self.iterations)
            self._decisions += learn(
                self.game.tree, self.game.deals, self._num_deals, schedule.rate, schedule.average, self._regrets,
                self._sums, self._streams, self._visits,
            )  # fmt: skip
            if (schedule.positive, schedule.negative) != (1, 1):
                self._regrets *= np.where(self._regrets > 0, schedule.positive, schedule.negative)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return regrets, summed strategies, the random stream and the order of the deals."""
        deals = self.game.deals
        return {
            "regrets": self._regrets, "sums": self._sums, "stream": self._streams.view(np.uint8), "order": deals.order,
            "num_drawn": deals.num_drawn, "decisions": self._decisions,
        }  # fmt: skip

    def restore(self, state: dict[str, NDArray[Any]], iterations: int) -> None:
        """Continue from a `state` after `iterations` iterations; ValueError for one of another game."""
        order, num_drawn = state.get("order", np.empty(0)), state.get("num_drawn", np.full(1, -1))
        is_same_deals = np.array_equal(np.sort(order), np.sort(self.game.deals.order))
        if not is_same_deals or num_drawn.shape != (1,) or not 0 <= num_drawn[0] <= len(order):
            raise ValueError("the checkpoint holds the deals of another game: begin anew in another folder")
        if "decisions" in state:
            require_range("decisions", state["decisions"], 0, 2**48)
        super().restore(state, iterations)

    def strategy(self) -> Floats:
        """Return the average strategy at all information states of the tree, (states, num_actions)."""
        return self._match(self._sums)

    def latest_strategy(self) -> Floats:
        """Return the strategy of regret matching at all information states of the tree, (states, num_actions)."""
        return self._match(self._regrets)

    def _match(self, table: Floats) -> Floats:
        """Return positive numbers in proportion, uniform over the legal actions where there are none."""
        return regret_matching(table[self.game.row_of], self.game.mask)


@kernel
def learn(
    tree: Any, deals: Any, num_deals: Any, rate: Any, weight: Any, regrets: Any, sums: Any, streams: Any, visits: Any
) -> Any:  # fmt: skip
    """Run an iteration, see `sampled.traverse`, and return the number of decisions visited."""
    stream, num_players, num = streams[0], tree.rewards.shape[2], np.int64(0)
    for _ in range(num_deals):
        deal = draw(deals, stream)
        for learner in range(num_players):
            averaged = (learner + 1) % num_players
            num += traverse(
                tree, deals.sets, deal, deal, learner, averaged, rate, weight, regrets, sums, stream, visits
            )
    return num


@kernel
def draw(deals: Any, stream: Any) -> Any:
    """Draw a deal without replacement; after the last one, all are shuffled again."""
    place = deals.num_drawn[0]
    if place == deals.order.shape[0]:
        for k in range(deals.order.shape[0] - 1, 0, -1):
            j = random_below(stream, np.int64(k + 1))
            deals.order[k], deals.order[j] = deals.order[j], deals.order[k]
        place = 0
    deals.num_drawn[0] = place + 1
    return deals.order[place]
