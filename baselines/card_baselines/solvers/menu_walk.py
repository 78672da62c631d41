"""A walk over a `MenuTree` on one board: one player learns with all hands at once, against all hands of the other.

Vectors are those of `hand_vectors`. A table of strategies is one vector of numbers: a decision has a
block of one number per bucket for each legal action. A policy is the positive numbers as shares; where there are none,
all legal actions are equally likely.

Where the opponent's reach probability, summed over its hands, falls below `least`, the walk goes on with a probability
proportional to it, and what it finds counts as much more: the expectation stays, and rare betting costs little. With
`least` 1 the opponent's betting is sampled about as in external sampling, with 0 everything is visited.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hand_vectors import (
    add_up_values,
    follow_policy,
    keep_chosen,
    multiply_reach,
    sum_by_bucket,
    take_best_values,
    write_fold_values,
    write_showdown_values,
    write_zeros,
)
from card_baselines.solvers.menu_tree import DECISION, FOLDED, MAX_ACTIONS, SHOWDOWN, MenuTree
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import FOLD_ACTION
from card_envs.poker.hands import NUM_HANDS
from card_envs.rng import random_unit

Floats = NDArray[np.float32]

LEARN, RESPOND, ANSWER = range(3)
"""Modes. LEARN: both players follow their tables, and the learner's regrets are added. RESPOND: likewise, but on the
last street the learner takes the best action with every hand. ANSWER: as LEARN, but on the last street the opponent
takes its best action with every hand."""

_RARE = np.float32(1e-3)
"""A reach probability on the last street, as a share of `least` or of that where the street begins, below which the
responder does not look for its best action."""
_ZERO, _ONE = np.float32(0), np.float32(1)


class Walk(NamedTuple):
    """Arrays that a walk works on; the first axis is the number of decisions before."""

    reach: Floats
    """(depth + 1, hands): the opponent's reach probabilities."""
    own: Floats
    """(depth + 1, hands): the learner's."""
    values: Floats
    """(depth + 1, actions, hands): what the learner wins after each action, times the opponent's reach."""
    policy: Floats
    """(depth + 1, actions, buckets)."""
    sums: Floats
    """(actions + 1, buckets)."""
    by_card: Floats
    """(cards,)."""
    decision: NDArray[np.int64]
    """(depth + 1,): decision that is visited."""
    place: NDArray[np.int64]
    """(depth + 1,): place of the action that is visited there."""
    reach_slot: NDArray[np.int64]
    """(depth + 1,): row of `reach`."""
    own_slot: NDArray[np.int64]
    root: Floats
    """(hands,): what the learner wins from the first decision on."""
    choices: NDArray[np.int8]
    """(decisions, hands): place of the responder's best action, by decision from where the last street begins on."""

    @staticmethod
    def for_tree(tree: MenuTree) -> Walk:
        """Return arrays for the walks over a tree."""
        rows, buckets = tree.depth + 1, int(tree.num_buckets.max())
        last = tree.decisions["street"] == tree.last_street
        largest = int((tree.decisions["end"] - np.arange(len(tree.decisions)))[last].max())
        return Walk(
            reach=np.zeros((rows, NUM_HANDS), np.float32),
            own=np.zeros((rows, NUM_HANDS), np.float32),
            values=np.zeros((rows, MAX_ACTIONS, NUM_HANDS), np.float32),
            policy=np.zeros((rows, MAX_ACTIONS, buckets), np.float32),
            sums=np.zeros((MAX_ACTIONS + 1, buckets), np.float32),
            by_card=np.zeros(DECK_SIZE, np.float32),
            decision=np.zeros(rows, np.int64),
            place=np.zeros(rows, np.int64),
            reach_slot=np.zeros(rows, np.int64),
            own_slot=np.zeros(rows, np.int64),
            root=np.zeros(NUM_HANDS, np.float32),
            choices=np.zeros((largest, NUM_HANDS), np.int8),
        )


class Tables(NamedTuple):
    """Tables of strategies (numbers,) in the layout of the tree."""

    own: Floats
    """The learner's regrets."""
    other: Floats
    """The opponent's regrets, or the summed strategy that it plays."""
    averages: Floats
    """Summed strategies, to which the opponent's is added."""


class Settings(NamedTuple):
    """What a walk does, besides the mode."""

    learner: np.int64
    last_street: np.int64
    rate: np.float32
    """Factor of regrets."""
    average_rate: np.float32
    """Factor of the opponent's strategy in `averages`; 0 adds nothing."""
    least: np.float32
    """The opponent's reach probability below which decisions are sampled."""


@kernel
def _no_answer(
    decisions: Any, root: Any, own: Any, tables: Any, settings: Any, hands: Any, stream: Any, walks: Any
) -> None:
    """Do nothing: a walk without responder."""


def _walk_with(answer: Any) -> Any:
    """Return the kernel of a walk that calls `answer` where the last street begins and the opponent responds."""

    @kernel
    def walk_from(
        decisions: Any, root: Any, tables: Any, settings: Any, mode: Any, hands: Any, stream: Any, walks: Any
    ) -> None:
        walk, last = walks[0], settings.last_street
        depth, entered = np.int64(0), np.int64(root)
        walk.decision[0], walk.place[0], walk.reach_slot[0], walk.own_slot[0] = root, -1, 0, 0
        _begin(decisions, depth, tables, settings, mode, hands, walk)
        while depth >= 0:
            number = walk.decision[depth]
            node, place = decisions[number], walk.place[depth] + 1
            walk.place[depth] = place
            if place == node.num_legal:
                _end(node, depth, number - entered, tables, settings, mode, hands, walk)
                depth -= 1
            elif not _go_down(node, depth, place, number - entered, settings, mode, hands, stream, walk):
                write_zeros(walk.values[depth, place], hands)
            elif node.kind[place] == DECISION:
                child = np.int64(node.child[place])
                if node.street < last and decisions[child].street == last:
                    entered = child
                    if mode == ANSWER:
                        own = walk.own[walk.own_slot[depth + 1]]
                        answer(decisions, child, own, tables, settings, hands, stream, walks)
                depth += 1
                walk.decision[depth], walk.place[depth] = child, -1
                _begin(decisions, depth, tables, settings, mode, hands, walk)

    return walk_from


@kernel
def _go_down(
    node: Any, depth: Any, place: Any, row: Any, settings: Any, mode: Any, hands: Any, stream: Any, walk: Any
) -> Any:
    """Write the reach probabilities after an action and the values of an end; return False to leave it out."""
    below = depth + 1
    walk.own_slot[below] = walk.own_slot[depth]
    is_last = node.street == settings.last_street
    if node.player == settings.learner:
        walk.reach_slot[below] = walk.reach_slot[depth]
        if mode == ANSWER and not is_last:
            walk.own_slot[below] = below
            policy = walk.policy[depth, place]
            multiply_reach(walk.own[walk.own_slot[depth]], policy, hands.bucket[node.street], walk.own[below], hands)
    else:
        walk.reach_slot[below] = below
        reach = walk.reach[below]
        if mode == ANSWER and is_last:
            keep_chosen(walk.reach[walk.reach_slot[depth]], walk.choices[row], place, reach, hands)
        else:
            policy = walk.policy[depth, place]
            multiply_reach(walk.reach[walk.reach_slot[depth]], policy, hands.bucket[node.street], reach, hands)
        is_exact = mode == RESPOND and is_last  # the best of sampled values would be too large
        if not _sample(reach, settings.least, is_exact, hands, stream):
            return False
    reach, values = walk.reach[walk.reach_slot[below]], walk.values[depth, place]
    if node.kind[place] == FOLDED:
        stake = -node.stake[place] if node.player == settings.learner else node.stake[place]
        write_fold_values(reach, stake, hands, walk.by_card, values)
    elif node.kind[place] == SHOWDOWN:
        write_showdown_values(reach, node.stake[place], hands, walk.by_card, values)
    return True


@kernel
def _sample(reach: Any, least: Any, is_exact: Any, hands: Any, stream: Any) -> Any:
    """Return False to leave out what has this reach probability; scale it if it was likely to be left out."""
    total = _ZERO
    for h in range(hands.size[0]):
        total += reach[h]
    if is_exact:
        return total > _RARE * least
    if total >= least:
        return total > _ZERO
    if total <= least * np.float32(random_unit(stream)):
        return False
    factor = least / total
    for h in range(hands.size[0]):
        reach[h] *= factor
    return True


@kernel
def _begin(decisions: Any, depth: Any, tables: Any, settings: Any, mode: Any, hands: Any, walk: Any) -> None:
    """Write the policy of the decision that is visited, and add it to the averages."""
    node = decisions[walk.decision[depth]]
    is_learner = node.player == settings.learner
    responds = (mode == RESPOND and is_learner) or (mode == ANSWER and not is_learner)
    if responds and node.street == settings.last_street:
        return
    size = hands.num_buckets[node.street]
    if is_learner:
        _match_regrets(tables.own, node, size, walk.policy[depth], walk.sums[0])
        return
    _match_regrets(tables.other, node, size, walk.policy[depth], walk.sums[0])
    if settings.average_rate > _ZERO:
        reach = walk.reach[walk.reach_slot[depth]]
        _add_to_average(node, size, walk.policy[depth], reach, settings.average_rate, hands, walk.sums[0], tables)


@kernel
def _match_regrets(table: Any, node: Any, size: Any, policy: Any, totals: Any) -> None:
    """Write the positive numbers of each bucket as shares, or equal shares."""
    for b in range(size):
        totals[b] = _ZERO
    for k in range(node.num_legal):
        first, shares = node.offset + k * size, policy[k]
        for b in range(size):
            number = table[first + b]
            number = number if number > _ZERO else _ZERO
            shares[b] = number
            totals[b] += number
    fair = _ONE / np.float32(node.num_legal)
    for k in range(node.num_legal):
        shares = policy[k]
        for b in range(size):
            total = totals[b]
            shares[b] = shares[b] / total if total > _ZERO else fair


@kernel
def _add_to_average(
    node: Any, size: Any, policy: Any, reach: Any, rate: Any, hands: Any, reached: Any, tables: Any
) -> None:
    """Add the opponent's policy, times its reach probability and a rate, to its summed strategy."""
    averages = tables.averages
    sum_by_bucket(reach, hands, node.street, size, reached)
    for k in range(node.num_legal):
        first, shares = node.offset + k * size, policy[k]
        for b in range(size):
            averages[first + b] += rate * reached[b] * shares[b]


@kernel
def _end(node: Any, depth: Any, row: Any, tables: Any, settings: Any, mode: Any, hands: Any, walk: Any) -> None:
    """Carry the values of a decision to the one before (those of the root to `walk.root`), and learn."""
    values = walk.values[depth]
    target = walk.root if depth == 0 else walk.values[depth - 1, walk.place[depth - 1]]
    if node.player != settings.learner:
        add_up_values(values, node.num_legal, target, hands)
    elif mode == RESPOND and node.street == settings.last_street:
        take_best_values(values, node.num_legal, target, walk.choices[row], hands)
    else:
        size = hands.num_buckets[node.street]
        follow_policy(values, walk.policy[depth], node.num_legal, hands.bucket[node.street], target, hands)
        _add_regrets(node, values, walk.policy[depth], size, tables.own, settings.rate, hands, walk.sums)


@kernel
def _add_regrets(node: Any, values: Any, policy: Any, size: Any, table: Any, rate: Any, hands: Any, sums: Any) -> None:
    """Add to the learner's regrets, times a rate."""
    mean = sums[node.num_legal]
    for b in range(size):
        mean[b] = _ZERO
    for k in range(node.num_legal):
        shares, total = policy[k], sums[k]
        sum_by_bucket(values[k], hands, node.street, size, total)
        for b in range(size):
            mean[b] += shares[b] * total[b]
    for k in range(node.num_legal):
        first, total = node.offset + k * size, sums[k]
        for b in range(size):
            table[first + b] += rate * (total[b] - mean[b])


_respond_from = _walk_with(_no_answer)


@kernel
def _answer(
    decisions: Any, root: Any, own: Any, tables: Any, settings: Any, hands: Any, stream: Any, walks: Any
) -> None:
    """Write to `choices` the opponent's best actions from `root` on against the learner, who comes there with `own`."""
    walk, response = walks
    learner, total = settings.learner, _ZERO
    for h in range(hands.size[0]):
        response.reach[0, h] = own[h]
        total += own[h]
    for number in range(root, np.int64(decisions[root].end)):
        if decisions[number].player != learner:  # where the learner hardly comes, the opponent checks or calls
            call = np.int8(decisions[number].action[0] == FOLD_ACTION)
            for h in range(hands.size[0]):
                walk.choices[number - root, h] = call
    swapped = Settings(1 - learner, settings.last_street, _ZERO, _ZERO, total)
    both = Tables(tables.other, tables.own, tables.averages)
    _respond_from(decisions, root, both, swapped, np.int64(RESPOND), hands, stream, (response, response))


walk_from = _walk_with(_answer)
"""The kernel: values of the root go to the `root` of the first walk."""
