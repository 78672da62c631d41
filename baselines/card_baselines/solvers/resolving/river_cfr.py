"""CFR+ on a river of hold'em, with all hands of both players at once, and a gadget for re-solving.

The *solver* is the player whose strategy is wanted. The gadget keeps the other one, the *opponent*, from winning more
than against the strategy that is replaced: with each hand it may stop before the subgame, and is then paid what a best
response would win from that strategy (Burch, Johanson and Bowling, AAAI 2014). The opponent comes with a part of its
estimated range without that choice, so that the solver also has something to win.

Vectors go by places of hands, weakest first (`hands.Hands`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import sum_folds, sum_showdowns
from card_baselines.solvers.regret import match_regrets
from card_baselines.solvers.tree import BettingTree
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.poker.hands import NUM_HANDS

Floats = NDArray[np.float32]
_ZERO, _HALF, _ONE = np.float32(0), np.float32(0.5), np.float32(1)
_LEAST = np.float32(-np.inf)


class RiverTree(NamedTuple):
    """A tree of betting; children come after their parents."""

    player: NDArray[np.int64]
    """(nodes,): who acts, NOBODY at the end of a hand."""
    child: NDArray[np.int64]
    """(nodes, actions): -1 where an action is illegal."""
    folded: NDArray[np.int64]
    """(nodes,): at the end of a hand, who folded, NOBODY at a showdown."""
    stake: Floats
    """(nodes,): at the end of a hand, chips that the loser pays."""
    legal: NDArray[np.int64]
    """(nodes,): set of legal actions: bit a stands for action a."""

    @staticmethod
    def from_betting(betting: BettingTree) -> RiverTree:
        """Return the tree of the betting of one street."""
        return RiverTree(betting.player, betting.child, betting.folded, betting.stake.astype(np.float32), betting.legal)


class Work(NamedTuple):
    """Arrays that the kernels work on."""

    regrets: Floats
    """(nodes, actions, hands)."""
    sums: Floats
    """(nodes, actions, hands): strategies summed with their weights."""
    policy: Floats
    """(nodes, actions, hands): the strategy of an iteration."""
    reach: Floats
    """(nodes, hands): reach probabilities of the player who does not learn."""
    own: Floats
    """(nodes, hands): those of the learner, times the weight of the iteration."""
    values: Floats
    """(nodes, hands): what the learner wins, times the other's reach."""
    by_card: Floats
    """(cards,)."""
    totals: Floats
    """(hands,): scratch space of `regret.match_regrets`."""
    enter: Floats
    """(hands,): the opponent's regret for entering the subgame."""
    stop: Floats
    """(hands,): its regret for stopping before it."""
    entered: Floats
    """(hands,): probability with which it enters."""

    @staticmethod
    def allocate(tree: RiverTree) -> Work:
        """Return arrays for a tree."""
        nodes, actions = tree.child.shape
        by_action, by_node = (nodes, actions, NUM_HANDS), (nodes, NUM_HANDS)
        shapes = [by_action] * 3 + [by_node] * 3 + [(DECK_SIZE,)] + [(NUM_HANDS,)] * 4
        return Work(*(np.zeros(shape, np.float32) for shape in shapes))


@kernel
def solve(
    tree: Any, hands: Any, solver: Any, ranges: Any, worth: Any, range_share: Any, iterations: Any, work: Any
) -> None:
    """Write the summed strategies of both players.

    `ranges` (2, hands) sum to 1; `worth` (hands,) is what the opponent is paid for stopping. With `range_share` 1 the
    ranges are taken as they are, with 0 the opponent chooses with every hand.
    """
    size, opponent = hands.size[0], 1 - solver
    share = (_ONE - range_share) / np.float32(size)
    _clear(size, work)
    for t in range(1, iterations + 1):
        for h in range(size):
            work.reach[0, h] = ranges[solver, h]
        _learn(tree, hands, opponent, np.float32(t), work)
        choose_to_enter(work.values[0], worth, size, work)
        for h in range(size):
            work.reach[0, h] = range_share * ranges[opponent, h] + share * work.entered[h]
        _learn(tree, hands, solver, np.float32(t), work)


@kernel
def respond(tree: Any, hands: Any, responder: Any, reach: Any, policy: Any, work: Any) -> None:
    """Write what a best response wins with each hand to `work.values[0]`.

    The other player holds hands with weights `reach` (hands,) and plays `policy` (nodes, actions, hands).
    """
    nodes = np.arange(tree.player.shape[0])
    for h in range(hands.size[0]):
        work.reach[0, h] = reach[h]
    pass_down(tree, nodes, hands, responder, policy, work)
    evaluate_response(tree, nodes, hands, responder, work)


@kernel
def pass_down(tree: Any, nodes: Any, hands: Any, responder: Any, policy: Any, work: Any) -> None:
    """Write the reach of the responder's opponent, who plays `policy`, after some decisions, parents first."""
    for node in nodes:
        for action in range(tree.child.shape[1]):
            after = tree.child[node, action]
            if after >= 0:
                for h in range(hands.size[0]):
                    share = _ONE if tree.player[node] == responder else policy[node, action, h]
                    work.reach[after, h] = work.reach[node, h] * share


@kernel
def evaluate_response(tree: Any, nodes: Any, hands: Any, responder: Any, work: Any) -> None:
    """Write the values of a best response at some nodes, parents first, whose other children have values."""
    size, values = hands.size[0], work.values
    for k in range(nodes.shape[0] - 1, -1, -1):
        node = nodes[k]
        if tree.player[node] == NOBODY:
            settle(tree, node, hands, responder, work)
        elif tree.player[node] == responder:
            take_best(tree.child[node], size, values, values[node])
        else:
            add_children(tree.child[node], size, values, values[node])


@kernel
def _clear(size: Any, work: Any) -> None:
    for h in range(size):
        work.enter[h], work.stop[h], work.entered[h] = _ZERO, _ZERO, _ONE
    for node in range(work.regrets.shape[0]):
        for action in range(work.regrets.shape[1]):
            for h in range(size):
                work.regrets[node, action, h], work.sums[node, action, h] = _ZERO, _ZERO


@kernel
def choose_to_enter(values: Any, worth: Any, size: Any, work: Any) -> None:
    """Update the probabilities with which the opponent enters the subgame, where its hands win `values`."""
    for h in range(size):
        expected = work.entered[h] * values[h] + (_ONE - work.entered[h]) * worth[h]
        work.enter[h] = max(_ZERO, work.enter[h] + values[h] - expected)
        work.stop[h] = max(_ZERO, work.stop[h] + worth[h] - expected)
        total = work.enter[h] + work.stop[h]
        work.entered[h] = work.enter[h] / total if total > _ZERO else _HALF


@kernel
def _learn(tree: Any, hands: Any, learner: Any, weight: Any, work: Any) -> None:
    """Add regrets of a player, and its strategy times `weight`; `work.reach[0]` are the other's hands."""
    size = hands.size[0]
    for h in range(size):
        work.own[0, h] = weight
    for node in range(tree.player.shape[0]):
        if tree.player[node] != NOBODY:
            match_regrets(work.regrets[node], tree.legal[node], size, work.totals, work.policy[node])
            _write_reach(tree, node, learner, size, work)
    for node in range(tree.player.shape[0] - 1, -1, -1):
        if tree.player[node] == NOBODY:
            settle(tree, node, hands, learner, work)
        elif tree.player[node] == learner:
            _add_regrets(tree.child[node], work.regrets[node], work.policy[node], size, work.values, work.values[node])
        else:
            add_children(tree.child[node], size, work.values, work.values[node])


@kernel
def _write_reach(tree: Any, node: Any, learner: Any, size: Any, work: Any) -> None:
    """Write reach probabilities after a decision, and add the learner's strategy to the sums."""
    for action in range(tree.child.shape[1]):
        after = tree.child[node, action]
        if after < 0:
            continue
        policy = work.policy[node, action]
        if tree.player[node] == learner:
            sums = work.sums[node, action]
            for h in range(size):
                work.own[after, h] = work.own[node, h] * policy[h]
                sums[h] += work.own[after, h]
                work.reach[after, h] = work.reach[node, h]
        else:
            for h in range(size):
                work.own[after, h] = work.own[node, h]
                work.reach[after, h] = work.reach[node, h] * policy[h]


@kernel
def settle(tree: Any, node: Any, hands: Any, learner: Any, work: Any) -> None:
    """Write what the learner wins at an end of the hand."""
    stake = tree.stake[node]
    if tree.folded[node] == NOBODY:
        sum_showdowns(hands, hands.size[0], work.reach[node], stake, work.by_card, work.values[node])
    else:
        stake = -stake if tree.folded[node] == learner else stake
        sum_folds(hands, hands.size[0], work.reach[node], stake, work.by_card, work.values[node])


@kernel
def _add_regrets(child: Any, regrets: Any, policy: Any, size: Any, values: Any, target: Any) -> None:
    """Write the values of the learner's strategy at a decision, and add regrets, which never become negative."""
    for h in range(size):
        target[h] = _ZERO
    for action in range(child.shape[0]):
        if child[action] >= 0:
            after = values[child[action]]
            for h in range(size):
                target[h] += policy[action, h] * after[h]
    for action in range(child.shape[0]):
        if child[action] >= 0:
            after = values[child[action]]
            for h in range(size):
                regrets[action, h] = max(_ZERO, regrets[action, h] + after[h] - target[h])


@kernel
def add_children(child: Any, size: Any, values: Any, target: Any) -> None:
    """Write the values of a decision of the other player."""
    for h in range(size):
        target[h] = _ZERO
    for action in range(child.shape[0]):
        if child[action] >= 0:
            after = values[child[action]]
            for h in range(size):
                target[h] += after[h]


@kernel
def take_best(child: Any, size: Any, values: Any, target: Any) -> None:
    """Write the values of the best action with each hand."""
    for h in range(size):
        target[h] = _LEAST
    for action in range(child.shape[0]):
        if child[action] >= 0:
            after = values[child[action]]
            for h in range(size):
                target[h] = max(target[h], after[h])
