"""Tree traversal of public chance sampling on one board: a player learns with all hands, against all of the other's.

Vectors over hands go by place (`solvers.hands`). In tables of strategies, a decision has one number per bucket for each
legal action, from the field `first` of its node on; the index of an action among the legal ones is its *place*, and
nodes have their children in this order. The policy is proportional to the positive numbers, and uniform where none is
positive (regret matching).

Where the opponent's reach probability, summed over its hands, falls below `least`, the walk continues with a
probability proportional to it, and reach is divided by that probability: estimates stay unbiased, and rare betting
costs little. With `least` 1 the opponent's actions are sampled about as in external sampling, with 0 every decision is
visited.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.regret import match_regrets
from card_baselines.solvers.tree import MAX_MENU_ACTIONS, BettingTree
from card_baselines.solvers.vector import evaluate_end, follow_policy, multiply_reach, sum_children, take_best
from card_envs.bits import bit_count
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.poker.hands import NUM_HANDS
from card_envs.rng import random_unit
from card_envs.typing import Floats32

LEARN, RESPOND, ANSWER = range(3)
"""Modes. LEARN: both players follow their tables, and the learner's regrets are added. RESPOND: as LEARN, but on the
last street the learner takes the best action with every hand. ANSWER: as LEARN, but on the last street the opponent
takes its best action with every hand."""

_RARE = np.float32(1e-3)
"""Fraction of `least`, or of the reach probability where the last street begins, below which the responder's best
action is not computed."""
_ZERO, _ONE = np.float32(0), np.float32(1)


class Walk(NamedTuple):
    """Scratch arrays of a walk; their first axis is the depth of a decision in the tree."""

    reach: Floats32
    """(depth + 1, hands): the opponent's reach probabilities."""
    own: Floats32
    """(depth + 1, hands): the learner's reach probabilities."""
    values: Floats32
    """(rows, hands): the learner's values, weighted by the opponent's reach. Row 0 is the root."""
    child: NDArray[np.int64]
    """(depth + 1, actions): row of `values` after the action at each place, -1 for places that were not visited yet."""
    policy: Floats32
    """(depth + 1, actions, buckets): the policy of the player to act."""
    sums: Floats32
    """(actions + 1, buckets): values summed by bucket, and scratch space."""
    by_card: Floats32
    """(cards,): reach probabilities summed by card."""
    node: NDArray[np.int64]
    """(depth + 1,): the decision that is visited."""
    place: NDArray[np.int64]
    """(depth + 1,): place of the action that is visited there."""
    reach_slot: NDArray[np.int64]
    """(depth + 1,): row of `reach`."""
    own_slot: NDArray[np.int64]
    """(depth + 1,): row of `own`."""
    choices: NDArray[np.int8]
    """(nodes, hands): place of the responder's best action at the decisions of one subtree of the last street."""

    @staticmethod
    def allocate(tree: BettingTree, num_buckets: NDArray[np.int64]) -> Walk:
        """Return arrays for walks over a tree, with `num_buckets` (streets,) buckets."""
        rows, buckets = tree.depth + 1, int(num_buckets.max())
        last = tree.street == len(num_buckets) - 1
        largest = int((tree.end - np.arange(len(tree.end)))[last].max())
        return Walk(
            reach=np.zeros((rows, NUM_HANDS), np.float32),
            own=np.zeros((rows, NUM_HANDS), np.float32),
            values=np.zeros((1 + rows * MAX_MENU_ACTIONS, NUM_HANDS), np.float32),
            child=np.zeros((rows, MAX_MENU_ACTIONS), np.int64),
            policy=np.zeros((rows, MAX_MENU_ACTIONS, buckets), np.float32),
            sums=np.zeros((MAX_MENU_ACTIONS + 1, buckets), np.float32),
            by_card=np.zeros(DECK_SIZE, np.float32),
            node=np.zeros(rows, np.int64),
            place=np.zeros(rows, np.int64),
            reach_slot=np.zeros(rows, np.int64),
            own_slot=np.zeros(rows, np.int64),
            choices=np.zeros((largest, NUM_HANDS), np.int8),
        )


class Hands(NamedTuple):
    """The hands that can be held with a board."""

    ranked: NDArray[Any]
    """(1,) of `RANKED`: the hands, weakest first."""
    bucket: NDArray[np.int64]
    """(streets, hands): bucket of each hand."""
    num_buckets: NDArray[np.int64]
    """(streets,): number of buckets on each street."""


class Tables(NamedTuple):
    """Tables of strategies (numbers,) in the layout of `MenuCfr`."""

    own: Floats32
    """The learner's regrets."""
    other: Floats32
    """The opponent's regrets."""
    averages: Floats32
    """Summed strategies; the walk adds the opponent's."""


class Settings(NamedTuple):
    """Settings of a walk, besides its mode."""

    learner: np.int64
    last_street: np.int64
    rate: np.float32
    """Weight of the regrets."""
    average_rate: np.float32
    """Weight of the opponent's strategy in `averages`; 0 adds nothing."""
    least: np.float32
    """The opponent's reach probability below which decisions are sampled."""


@kernel
def _no_answer(
    nodes: Any, root: Any, own: Any, tables: Any, settings: Any, hands: Any, stream: Any, walks: Any
) -> None:
    """Do nothing: used in walks without a responder."""


def _walk_with(answer: Any) -> Any:
    """Return the kernel of a walk. In mode ANSWER it calls `answer` at the first decision of the last street."""

    @kernel
    def walk_from(
        nodes: Any, root: Any, tables: Any, settings: Any, mode: Any, hands: Any, stream: Any, walks: Any
    ) -> None:
        walk, last = walks[0], settings.last_street
        depth, entered = np.int64(0), np.int64(root)
        walk.reach_slot[0], walk.own_slot[0] = 0, 0
        _enter_decision(nodes, entered, depth, tables, settings, mode, hands, walk)
        while depth >= 0:
            number, place = walk.node[depth], walk.place[depth] + 1
            node = nodes[number]
            if place == bit_count(node.legal):
                _leave_decision(node, depth, number - entered, tables, settings, mode, hands, walk)
                depth -= 1
                continue
            child, row = np.int64(node.child[place]), 1 + depth * MAX_MENU_ACTIONS + place
            walk.place[depth], walk.child[depth, place] = place, row
            if not _apply_action(nodes, node, child, depth, number - entered, settings, mode, hands, stream, walk):
                for h in range(hands.ranked[0].num_hands):
                    walk.values[row, h] = _ZERO
            elif nodes[child].player != NOBODY:
                if node.street < last and nodes[child].street == last:
                    entered = child
                    if mode == ANSWER:
                        own = walk.own[walk.own_slot[depth + 1]]
                        answer(nodes, child, own, tables, settings, hands, stream, walks)
                depth += 1
                _enter_decision(nodes, child, depth, tables, settings, mode, hands, walk)

    return walk_from


@kernel
def _apply_action(
    nodes: Any, node: Any, child: Any, depth: Any, row: Any, settings: Any, mode: Any, hands: Any, stream: Any,
    walk: Any,
) -> Any:  # fmt: skip
    """Write the reach probabilities after an action, and terminal values; return False if it was not sampled."""
    below, place, after, size = depth + 1, walk.place[depth], nodes[child], hands.ranked[0].num_hands
    own, reach, bucket = walk.own_slot[depth], walk.reach_slot[depth], hands.bucket[node.street]
    num_buckets, is_last = hands.num_buckets[node.street], node.street == settings.last_street
    walk.own_slot[below], walk.reach_slot[below] = own, reach
    if node.player == settings.learner:
        if mode == ANSWER and not is_last:
            walk.own_slot[below] = below
            multiply_reach(walk.own, own, below, walk.policy, depth, place, bucket, num_buckets, size)
    else:
        walk.reach_slot[below] = below
        if mode == ANSWER and is_last:
            _keep_chosen(walk.reach, reach, below, walk.choices[row], place, size)
        else:
            multiply_reach(walk.reach, reach, below, walk.policy, depth, place, bucket, num_buckets, size)
        is_exact = mode == RESPOND and is_last  # the best of sampled values would be too large
        if not _sample(walk.reach[below], settings.least, is_exact, hands, stream):
            return False
    if after.player == NOBODY:
        reach, values = walk.reach[walk.reach_slot[below]], walk.values[walk.child[depth, place]]
        stake = np.float32(after.stake)
        evaluate_end(after.folded, stake, settings.learner, hands.ranked[0], size, reach, walk.by_card, values)
    return True


@kernel
def _keep_chosen(reach: Any, source: Any, target: Any, chosen: Any, place: Any, size: Any) -> None:
    """Write reach[source] after the action at `place`, which the responder takes with the hands that chose it."""
    for h in range(size):
        reach[target, h] = reach[source, h] if chosen[h] == place else _ZERO


@kernel
def _sample(reach: Any, least: Any, is_exact: Any, hands: Any, stream: Any) -> Any:
    """Return True if the walk continues with this reach probability, which is scaled if that was left to chance."""
    total = _ZERO
    for h in range(hands.ranked[0].num_hands):
        total += reach[h]
    if is_exact:
        return total > _RARE * least
    if total >= least:
        return total > _ZERO
    if total <= least * np.float32(random_unit(stream)):
        return False
    factor = least / total
    for h in range(hands.ranked[0].num_hands):
        reach[h] *= factor
    return True


@kernel
def _enter_decision(
    nodes: Any, number: Any, depth: Any, tables: Any, settings: Any, mode: Any, hands: Any, walk: Any
) -> None:
    """Begin to visit a decision: write its policy, and add the opponent's to the averages."""
    walk.node[depth], walk.place[depth] = number, -1
    for place in range(MAX_MENU_ACTIONS):
        walk.child[depth, place] = -1
    node = nodes[number]
    is_learner = node.player == settings.learner
    responds = (mode == RESPOND and is_learner) or (mode == ANSWER and not is_learner)
    if responds and node.street == settings.last_street:
        return
    size = hands.num_buckets[node.street]
    if is_learner:
        _write_policy(tables.own, node, size, walk.policy[depth], walk.sums)
        return
    _write_policy(tables.other, node, size, walk.policy[depth], walk.sums)
    if settings.average_rate > _ZERO:
        reach = walk.reach[walk.reach_slot[depth]]
        _add_to_average(node, size, walk.policy[depth], reach, settings.average_rate, hands, walk.sums[0], tables)


@kernel
def _write_policy(table: Any, node: Any, size: Any, policy: Any, sums: Any) -> None:
    """Write the policy (actions, buckets) of regret matching at a decision."""
    num = bit_count(node.legal)
    regrets = table[node.first : node.first + num * size].reshape(num, size)
    match_regrets(regrets, (np.int64(1) << num) - 1, size, sums[num], policy)


@kernel
def _add_to_average(
    node: Any, size: Any, policy: Any, reach: Any, rate: Any, hands: Any, reached: Any, tables: Any
) -> None:
    """Add the opponent's policy, times its reach probability and `rate`, to its summed strategy."""
    averages = tables.averages
    _sum_by_bucket(reach, hands, node.street, size, reached)
    for k in range(bit_count(node.legal)):
        first, shares = node.first + k * size, policy[k]
        for b in range(size):
            averages[first + b] += rate * reached[b] * shares[b]


@kernel
def _sum_by_bucket(values: Any, hands: Any, street: Any, size: Any, sums: Any) -> None:
    """Write the sum of the values of the hands in each bucket."""
    for b in range(size):
        sums[b] = _ZERO
    for h in range(hands.ranked[0].num_hands):
        sums[hands.bucket[street, h]] += values[h]


@kernel
def _leave_decision(
    node: Any, depth: Any, row: Any, tables: Any, settings: Any, mode: Any, hands: Any, walk: Any
) -> None:
    """Write the values of a decision, and add regrets."""
    values, child, size = walk.values, walk.child, hands.ranked[0].num_hands
    target = 0 if depth == 0 else child[depth - 1, walk.place[depth - 1]]
    if node.player != settings.learner:
        sum_children(values, target, child, depth, size)
    elif mode == RESPOND and node.street == settings.last_street:
        take_best(values, target, child, depth, size)
        _write_best(values, target, child, depth, size, walk.choices[row])
    else:
        bucket, num_buckets = hands.bucket[node.street], hands.num_buckets[node.street]
        follow_policy(values, target, child, depth, walk.policy, bucket, num_buckets, size)
        _add_regrets(node, depth, num_buckets, tables.own, settings.rate, hands, walk)


@kernel
def _write_best(values: Any, target: Any, child: Any, depth: Any, size: Any, chosen: Any) -> None:
    """Write the first place whose action has the value of the decision."""
    for h in range(size):
        place = 0
        while values[child[depth, place], h] != values[target, h]:
            place += 1
        chosen[h] = place


@kernel
def _add_regrets(node: Any, depth: Any, size: Any, table: Any, rate: Any, hands: Any, walk: Any) -> None:
    """Add the instantaneous regrets, times `rate`, to the learner's table."""
    num, policy, sums = walk.place[depth] + 1, walk.policy[depth], walk.sums
    mean = sums[num]
    for b in range(size):
        mean[b] = _ZERO
    for k in range(num):
        shares, total = policy[k], sums[k]
        _sum_by_bucket(walk.values[walk.child[depth, k]], hands, node.street, size, total)
        for b in range(size):
            mean[b] += shares[b] * total[b]
    for k in range(num):
        first, total = node.first + k * size, sums[k]
        for b in range(size):
            table[first + b] += rate * (total[b] - mean[b])


_respond_from = _walk_with(_no_answer)


@kernel
def _answer(nodes: Any, root: Any, own: Any, tables: Any, settings: Any, hands: Any, stream: Any, walks: Any) -> None:
    """Write to `choices` the opponent's best response below `root` to the learner, whose reach there is `own`."""
    walk, response = walks
    learner, total = settings.learner, _ZERO
    for h in range(hands.ranked[0].num_hands):
        response.reach[0, h] = own[h]
        total += own[h]
    for number in range(root, np.int64(nodes[root].end)):
        if nodes[number].player == 1 - learner:  # default where the learner's reach is tiny: check or call
            call = np.int8(nodes[number].legal & 1)  # its place: 1 where a fold is legal
            for h in range(hands.ranked[0].num_hands):
                walk.choices[number - root, h] = call
    swapped = Settings(1 - learner, settings.last_street, _ZERO, _ZERO, total)
    both = Tables(tables.other, tables.own, tables.averages)
    _respond_from(nodes, root, both, swapped, np.int64(RESPOND), hands, stream, (response, response))


walk_from = _walk_with(_answer)
"""The kernel of the traversal. It writes the values of the root to row 0 of `values` of the first walk."""
