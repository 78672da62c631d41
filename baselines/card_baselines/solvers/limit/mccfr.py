"""External-sampling Monte Carlo CFR for heads-up limit hold'em with hands in buckets of similar equity.

Lanctot et al. (2009), Monte Carlo sampling for regret minimization in extensive games: each iteration samples the cards
and the opponent's actions and visits all actions of the learning player. Iteration t has the weight t (linear CFR,
Brown and Sandholm 2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.equity_buckets import BOARD_AT, CARDS, bucket_of, deal_all, hands_by_street
from card_baselines.solvers.limit.betting_tree import NUM_ACTIONS, grow_tree, num_rows
from card_baselines.solvers.regret import match_regrets
from card_baselines.solvers.solver import CfrSolver
from card_baselines.solvers.tree import NUM_PLAYERS
from card_envs.compiler import kernel
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import NOBODY
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.rng import random_unit, seeded_streams

MAX_VISITS = 20_000
"""Capacity for visited nodes; the tree has fewer."""

WALK = np.dtype(
    (
        np.record,
        [
            ("bucket", np.int64, (NUM_PLAYERS, len(BOARD_AT))),  # by player and street
            ("sign", np.int64),  # showdown: 1 if player 0 wins, -1 if player 1 wins, 0 if they split
            ("policy", np.float64, (NUM_ACTIONS, 1)),  # policy at the current node
            ("totals", np.float64, (1,)),  # scratch space of `regret.match_regrets`
            ("num_visits", np.int64),
            ("node", np.int32, (MAX_VISITS,)),  # visited nodes, parents first
            ("parent", np.int32, (MAX_VISITS,)),  # index of the parent's visit, -1 at the root
            ("action", np.int8, (MAX_VISITS,)),  # action of the parent that led here
            ("value", np.float64, (MAX_VISITS, NUM_ACTIONS)),  # chips that the learner wins after each action
        ],
    )
)
"""Workspace of one iteration."""


class Mccfr(CfrSolver):
    """The solver: regrets and summed strategies, (rows, actions)."""

    def __init__(self, config: HoldemConfig, bounds: NDArray[np.float64], seed: int) -> None:
        """Start with regrets of 0.

        Args:
            config: Heads-up limit hold'em.
            bounds: Bounds of the equity buckets, (3, num_buckets - 1): flop, turn, river (`equal_bounds`).
            seed: Seed of deals and sampled actions.
        """
        self.bounds = bounds
        hands = hands_by_street(bounds)
        self.tree = grow_tree(config, hands)
        self.regrets = np.zeros((num_rows(self.tree, hands), NUM_ACTIONS), np.float32)
        self.sums = np.zeros_like(self.regrets)
        self._streams, self._walk, self._cards = seeded_streams(1, seed), np.zeros(1, WALK), np.zeros(1, CARDS)

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; both players learn in each."""
        run_iterations(
            self.tree, self.bounds, self.regrets, self.sums, self._streams, self._walk, self._cards,
            np.int64(self.iterations), np.int64(self.iterations + iterations),
        )  # fmt: skip
        self.iterations += iterations

    def restore(self, state: dict[str, NDArray[Any]], iterations: int) -> None:
        """Continue from a `state` after `iterations` iterations; ValueError for one of other buckets."""
        if "stream" in state and not state["stream"].any():
            raise ValueError("the random stream is 0, from which no random numbers come")
        super().restore(state, iterations)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return regrets, summed strategies and the random stream."""
        return {"regrets": self.regrets, "sums": self.sums, "stream": self._streams.view(np.uint8)}

    def strategy(self) -> NDArray[np.float64]:
        """Return the average strategy, (rows, 3): probabilities to fold, call, raise."""
        nodes, sums = self.tree[self.tree["player"] != NOBODY], self.sums.astype(np.float64)
        legal = np.repeat(nodes["child"] >= 0, np.diff(np.append(nodes["first_row"], len(sums))), axis=0)
        weights = np.where(sums.sum(axis=1, keepdims=True) > 0, sums, legal)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@kernel
def run_iterations(
    tree: Any, bounds: Any, regrets: Any, sums: Any, streams: Any, walks: Any, cards: Any, first: Any, end: Any
) -> None:
    """Run iterations `first` .. `end` - 1."""
    walk, stream = walks[0], streams[0]
    for iteration in range(first, end):
        deal_all(stream, cards[0])
        _evaluate_deal(cards[0], bounds, walk)
        weight = (iteration + 1) * 1e-6
        for learner in range(NUM_PLAYERS):
            _visit(tree, regrets, sums, stream, walk, np.int64(learner), weight)
            _learn(tree, regrets, walk, np.int64(learner), weight)


@kernel
def _evaluate_deal(cards: Any, bounds: Any, walk: Any) -> None:
    """Write the buckets of both players and the winner of a showdown."""
    for player in range(NUM_PLAYERS):
        for street in range(len(BOARD_AT)):
            walk.bucket[player, street] = bucket_of(
                cards.card[2 * player], cards.card[2 * player + 1], cards, np.int64(street), bounds
            )
    key, bits = np.int64(0), np.int64(0)
    for k in range(2 * NUM_PLAYERS, 2 * NUM_PLAYERS + 5):
        key += CARD_KEYS[cards.card[k]]
        bits |= CARD_BITS[cards.card[k]]
    a, b, c, d = cards.card[0], cards.card[1], cards.card[2], cards.card[3]
    mine = rank_of(key + CARD_KEYS[a] + CARD_KEYS[b], bits | CARD_BITS[a] | CARD_BITS[b])
    theirs = rank_of(key + CARD_KEYS[c] + CARD_KEYS[d], bits | CARD_BITS[c] | CARD_BITS[d])
    walk.sign = np.int64(mine < theirs) - np.int64(mine > theirs)


@kernel
def _visit(tree: Any, regrets: Any, sums: Any, stream: Any, walk: Any, learner: Any, weight: Any) -> None:
    """List the nodes of this iteration: all actions of the learner, and one sampled action of the opponent."""
    walk.num_visits = 0
    _append(walk, np.int64(0), np.int64(-1), np.int64(0))
    place = np.int64(0)
    while place < walk.num_visits:
        node = tree[walk.node[place]]
        if node.player == learner:
            for action in range(NUM_ACTIONS):
                if node.child[action] >= 0:
                    _append(walk, np.int64(node.child[action]), place, np.int64(action))
        elif node.player != NOBODY:
            row = np.int64(node.first_row) + walk.bucket[node.player, node.street]
            _set_policy(node, regrets, row, walk)
            for action in range(NUM_ACTIONS):
                sums[row, action] += weight * walk.policy[action, 0]
            action = _sample_action(walk, random_unit(stream))
            _append(walk, np.int64(node.child[action]), place, action)
        place += 1


@kernel
def _append(walk: Any, node: Any, parent: Any, action: Any) -> None:
    """Append a node to the list of visits."""
    place = walk.num_visits
    walk.node[place] = node
    walk.parent[place] = parent
    walk.action[place] = action
    walk.num_visits = place + 1


@kernel
def _set_policy(node: Any, regrets: Any, row: Any, walk: Any) -> None:
    """Write the policy of regret matching at a node."""
    match_regrets(regrets[row : row + 1].T, np.int64(node.legal), 1, walk.totals, walk.policy)


@kernel
def _sample_action(walk: Any, random_number: Any) -> Any:
    """Return an action drawn from the policy by a random number in [0, 1); never one of probability 0."""
    last = np.int64(0)
    for action in range(NUM_ACTIONS):
        if walk.policy[action, 0] > 0.0:
            last = np.int64(action)
            random_number -= walk.policy[action, 0]
            if random_number < 0.0:
                break
    return last


@kernel
def _learn(tree: Any, regrets: Any, walk: Any, learner: Any, weight: Any) -> None:
    """Propagate values from the terminal nodes back to the root, and add to the learner's regrets."""
    for place in range(walk.num_visits - 1, -1, -1):
        node = tree[walk.node[place]]
        if node.player == NOBODY:
            value = _terminal_value(node, learner, walk.sign)
        elif node.player == learner:
            row = np.int64(node.first_row) + walk.bucket[node.player, node.street]
            _set_policy(node, regrets, row, walk)
            value = 0.0
            for action in range(NUM_ACTIONS):
                if node.child[action] >= 0:
                    value += walk.policy[action, 0] * walk.value[place, action]
            for action in range(NUM_ACTIONS):
                if node.child[action] >= 0:
                    regrets[row, action] += weight * (walk.value[place, action] - value)
        else:
            value = walk.value[place, 0]
        if place > 0:
            parent = np.int64(walk.parent[place])
            is_learners = tree[walk.node[parent]].player == learner
            walk.value[parent, walk.action[place] if is_learners else 0] = value


@kernel
def _terminal_value(node: Any, player: Any, sign: Any) -> Any:
    """Return the chips that `player` wins at a terminal node; `sign` as in `WALK`."""
    if node.folded != NOBODY:
        return np.float64(-node.stake if node.folded == player else node.stake)
    return np.float64(node.stake * sign * (1 - 2 * player))
