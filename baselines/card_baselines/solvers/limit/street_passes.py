"""The betting of two-player limit hold'em street by street, and passes over all hands and betting sequences at once.

The betting of a street is the same small tree (`Street`) after every history, only the stakes differ. A *sequence* is a
betting history that leads to the street: there are 1 preflop, 7 on the flop and 63 on the turn. The 567 of the river
are split into 9 *passes* of 63 sequences, one for each way in which the betting of the turn can close; other streets
have one pass. The last axis of every array indexes sequences.

`pass_forward` computes the opponent's reach probabilities, by hand, at each decision and close; `pass_backward`
computes the values of the learner. Hands are indexed by their place in a `RANKED` record; `buckets[h]` is the row of
the hand at place h in tables of weights (decisions, rows, actions, sequences).

Weights are regrets, summed strategies or probabilities. The policy is proportional to their positive parts, and uniform
over legal actions where none is positive (regret matching).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import NUM_PLAYERS, sum_folds_by_column, sum_showdowns_by_column
from card_baselines.solvers.regret import find_factors
from card_baselines.solvers.tree import LIMIT_ACTIONS, BettingTree
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.games.holdem.actions import FOLD_ACTION
from card_envs.poker.hands import NUM_HANDS
from card_envs.typing import Floats32, Integers

ILLEGAL, DECISION, FOLDED, CLOSED = 0, 1, 2, 3
"""Results of an action: illegal, another decision of the street, the end of the hand, the end of the street."""
PADDED = 16
"""Larger numbers of sequences are padded to a multiple of this, the width of vector instructions."""

STEP = np.dtype(
    (
        np.record,
        [
            ("player", np.int64),
            ("legal", np.int64),  # set of legal actions: bit a stands for action a
            ("kind", np.int64, (LIMIT_ACTIONS,)),  # result of each action
            ("next", np.int64, (LIMIT_ACTIONS,)),  # decision of the street, or index of the close, after each action
            ("reach", np.int64),  # slot of the opponent's reach probabilities
            ("reach_after", np.int64, (LIMIT_ACTIONS,)),  # the same after each action
            ("value", np.int64),  # slot of the learner's values
            ("value_after", np.int64, (LIMIT_ACTIONS,)),  # the same after each action
        ],
    )
)
"""One decision of a street for one learner. A slot is an index into arrays (slots, hands, sequences)."""


@dataclass(frozen=True, eq=False)
class Street:
    """The betting of one street."""

    steps: np.ndarray[Any, np.dtype[Any]]
    """(players, decisions) of `STEP`, by learner; parents come before children."""
    closes: NDArray[np.int64]
    """(players, closes): slot of the opponent's reach probabilities at each close of the street, by learner."""
    num_sequences: int
    """Length of the last axis, padding included."""
    num_passes: int
    nodes: NDArray[np.int64]
    """(passes * decisions, sequences): number of the node in the tree, -1 in the padding."""
    stakes: NDArray[np.float32]
    """(passes * decisions, actions, sequences): chips that the loser pays where the hand ends, else 0."""
    reach_slots: int
    """Number of slots of reach probabilities."""
    value_slots: int
    """Number of slots of values."""

    @property
    def num_decisions(self) -> int:
        """Number of decisions of one sequence."""
        return int(self.steps.shape[1])


def make_streets(tree: BettingTree) -> list[Street]:
    """Return the four streets of the tree of limit hold'em."""
    streets: list[Street] = []
    roots = np.zeros((1, 1), np.int64)  # (passes, sequences): nodes where the street begins
    last = int(tree.street.max())
    for street in range(last + 1):
        made, closes = _make_street(tree, roots)
        streets.append(made)
        # (sequences, closes): the next street's sequences are ordered by close, then by sequence; the closes of the
        # turn are the passes of the river
        if street < last:
            roots = closes.T if street + 1 == last else closes.T.reshape(1, -1)
    return streets


def _make_street(tree: BettingTree, roots: Integers) -> tuple[Street, Integers]:
    """Return the street whose first nodes are `roots`, and the first nodes (sequences, closes) after its first pass."""
    root = int(roots[0, 0])
    below = np.arange(root, tree.end[root])
    decisions = below[(tree.player[below] != NOBODY) & (tree.street[below] == tree.street[root])]
    steps = np.stack([_make_steps(tree, decisions, player) for player in range(NUM_PLAYERS)])
    closing = steps["kind"][0] == CLOSED
    # the subtrees of all roots have the same nodes, counted from the root
    padded = roots.shape[1] if roots.shape[1] <= PADDED else -(-roots.shape[1] // PADDED) * PADDED
    nodes = np.full((len(roots) * len(decisions), padded), -1)
    nodes[:, : roots.shape[1]] = (roots[:, None] + (decisions - root)[:, None]).reshape(len(nodes), -1)
    ends = tree.child[nodes]  # (decisions, sequences, actions)
    stakes = np.where((nodes[..., None] >= 0) & (ends >= 0), tree.stake[ends], 0).astype(np.float32).swapaxes(1, 2)
    slots = int(steps["reach_after"].max()) + 1, int(steps["value_after"].max()) + 1
    closes = steps["reach_after"][:, closing]
    street = Street(steps, closes, padded, len(roots), nodes, np.ascontiguousarray(stakes), *slots)
    return street, roots[0][:, None] + tree.child[decisions][closing] - root


def _make_steps(tree: BettingTree, decisions: Integers, learner: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the decisions (decisions,) of `STEP` of a street with the slots for one learner.

    A new reach slot is used for each action of the opponent. Value slots are reused as soon as the values of a decision
    are computed; decisions are visited from the last to the first.
    """
    steps = np.zeros(len(decisions), STEP)
    place = {node: k for k, node in enumerate(decisions.tolist())}
    closes, reach_slots = 0, 1
    free = np.zeros(len(decisions), np.int64)
    free[0] = 1
    for k, node in enumerate(decisions.tolist()):
        step = steps[k]
        step["player"], step["legal"] = tree.player[node], tree.legal[node]
        for action, child in enumerate(tree.child[node].tolist()):
            if child < 0:
                continue
            step["value_after"][action] = free[k] + action
            step["reach_after"][action] = step["reach"]
            if step["player"] != learner:
                step["reach_after"][action] = reach_slots
                reach_slots += 1
            if child in place:
                after = place[child]
                step["kind"][action], step["next"][action] = DECISION, after
                steps["reach"][after] = step["reach_after"][action]
                steps["value"][after] = step["value_after"][action]
                free[after] = free[k] + LIMIT_ACTIONS
            elif action == FOLD_ACTION:
                step["kind"][action] = FOLDED
            else:
                step["kind"][action], step["next"][action] = CLOSED, closes
                closes += 1
    return steps


# --- passes -----------------------------------------------------------------------------------------------------------

LEARN, BEST, FOLLOW, CHOOSE = range(4)
"""Modes of the learner at its decisions. LEARN: follow its policy and add regrets. BEST: take the best action. FOLLOW:
follow its policy. CHOOSE: take the best action and write weights, 1 for the best actions and 0 for the others."""

_ZERO, _ONE = np.float32(0), np.float32(1)


class Workspace(NamedTuple):
    """Arrays of the passes over one street."""

    reach: Floats32
    """(slots, hands, sequences): the opponent's reach probabilities; slots as in `STEP`."""
    values: Floats32
    """(slots, hands, sequences): the learner's values."""
    leaves: Floats32
    """(closes, hands, sequences): the learner's values after the closes of the street; empty on the last street."""
    sums: Floats32
    """(cards + 1, sequences): scratch space of `hands.sum_folds_by_column`."""
    shares: Floats32
    """(2, sequences): scratch space for the factors of a policy, probability = weight * shares[0] + shares[1]."""
    factors: Floats32
    """(sequences,): scratch space."""

    @staticmethod
    def allocate(street: Street, is_last: bool, num_hands: int = NUM_HANDS) -> Workspace:
        """Return arrays for a street."""
        sequences = street.num_sequences
        return Workspace(
            np.zeros((street.reach_slots, num_hands, sequences), np.float32),
            np.zeros((street.value_slots, num_hands, sequences), np.float32),
            np.zeros((0 if is_last else street.closes.shape[1], num_hands, sequences), np.float32),
            np.zeros((DECK_SIZE + 1, sequences), np.float32),
            np.zeros((2, sequences), np.float32),
            np.zeros(sequences, np.float32),
        )

    def select_sequences(self, sequences: int) -> Workspace:
        """Return the same memory as arrays of fewer `sequences`."""
        shapes = [(*array.shape[:-1], sequences) for array in self]
        parts = [array.reshape(-1)[: math.prod(s)].reshape(s) for array, s in zip(self, shapes, strict=True)]
        return Workspace(*parts)


@kernel
def pass_forward(steps: Any, first: Any, learner: Any, ranked: Any, buckets: Any, weights: Any, work: Any) -> None:
    """Write the opponent's reach probabilities of each decision and close, given those in slot 0 of `work.reach`.

    `steps` are the learner's, and weights[first] belongs to the first of them.
    """
    reach, shares = work.reach, work.shares
    for k in range(steps.shape[0]):
        step = steps[k]
        if step.player == learner:
            continue
        source = step.reach
        for h in range(ranked.num_hands):
            row = buckets[h]
            find_factors(weights[first + k, row], step.legal, shares)
            for action in range(LIMIT_ACTIONS):
                if step.kind[action] != ILLEGAL:
                    target = step.reach_after[action]
                    for sequence in range(shares.shape[1]):
                        weight = weights[first + k, row, action, sequence]
                        weight = weight if weight > _ZERO else _ZERO
                        reach[target, h, sequence] = reach[source, h, sequence] * (
                            weight * shares[0, sequence] + shares[1, sequence]
                        )


@kernel
def add_to_average(
    steps: Any, first: Any, learner: Any, ranked: Any, buckets: Any, reach: Any, averages: Any, weight: Any
) -> None:
    """Add the opponent's reach probabilities after each action, times `weight`, to its summed strategy."""
    for k in range(steps.shape[0]):
        step = steps[k]
        if step.player == learner:
            continue
        for h in range(ranked.num_hands):
            row = buckets[h]
            for action in range(LIMIT_ACTIONS):
                if step.kind[action] != ILLEGAL:
                    after = step.reach_after[action]
                    for sequence in range(averages.shape[3]):
                        averages[first + k, row, action, sequence] += weight * reach[after, h, sequence]


@kernel
def pass_backward(
    steps: Any, first: Any, learner: Any, ranked: Any, buckets: Any, weights: Any, stakes: Any, work: Any, mode: Any,
    rate: Any,
) -> None:  # fmt: skip
    """Write the learner's value of each hand, weighted by the opponent's reach, to slot 0 of `work.values`.

    Reads `work.leaves`; where these are empty, the street is the last one and a close is a showdown. With LEARN,
    `weights` are regrets, to which the instantaneous regrets times `rate` are added.
    """
    for k in range(steps.shape[0] - 1, -1, -1):
        step, node = steps[k], first + k
        for action in range(LIMIT_ACTIONS):
            if step.kind[action] == FOLDED:
                evaluate_fold(step, action, learner, ranked, stakes[node, action], work)
            elif step.kind[action] == CLOSED:
                evaluate_close(step, action, ranked, stakes[node, action], work)
        if step.player != learner:
            _sum_actions(step, ranked, work.values)
        elif mode in (BEST, CHOOSE):
            _take_best(step, ranked, work.values)
            if mode == CHOOSE:
                _write_best(step, node, ranked, buckets, weights, work.values)
        else:
            _follow(step, node, ranked, buckets, weights, work)
            if mode == LEARN:
                _add_regrets(step, node, ranked, buckets, weights, work.values, rate)


@kernel
def evaluate_fold(step: Any, action: Any, learner: Any, ranked: Any, stakes: Any, work: Any) -> None:
    """Write the learner's values after a fold."""
    sign = -_ONE if step.player == learner else _ONE
    for sequence in range(stakes.shape[0]):
        work.factors[sequence] = sign * stakes[sequence]
    reach, values = work.reach[step.reach_after[action]], work.values[step.value_after[action]]
    sum_folds_by_column(ranked, ranked.num_hands, reach, work.factors, work.sums, values)


@kernel
def evaluate_close(step: Any, action: Any, ranked: Any, stakes: Any, work: Any) -> None:
    """Write the learner's values after the close of the street: at a showdown, or from `work.leaves`."""
    target, values, leaves = step.value_after[action], work.values, work.leaves
    if leaves.shape[0] == 0:
        reach = work.reach[step.reach_after[action]]
        sum_showdowns_by_column(ranked, ranked.num_hands, reach, stakes, work.sums, values[target])
    else:
        source = step.next[action]
        for h in range(ranked.num_hands):
            for sequence in range(values.shape[2]):
                values[target, h, sequence] = leaves[source, h, sequence]


@kernel
def _sum_actions(step: Any, ranked: Any, values: Any) -> None:
    """Write the sum of the values after the opponent's actions, which are weighted by its reach."""
    target = step.value
    for h in range(ranked.num_hands):
        for sequence in range(values.shape[2]):
            values[target, h, sequence] = _ZERO
        for action in range(LIMIT_ACTIONS):
            if step.kind[action] != ILLEGAL:
                source = step.value_after[action]
                for sequence in range(values.shape[2]):
                    values[target, h, sequence] += values[source, h, sequence]


@kernel
def _take_best(step: Any, ranked: Any, values: Any) -> None:
    """Write the largest of the values after the learner's actions."""
    target = step.value
    for h in range(ranked.num_hands):
        for sequence in range(values.shape[2]):
            values[target, h, sequence] = -np.float32(np.inf)
        for action in range(LIMIT_ACTIONS):
            if step.kind[action] != ILLEGAL:
                source = step.value_after[action]
                for sequence in range(values.shape[2]):
                    best, other = values[target, h, sequence], values[source, h, sequence]
                    values[target, h, sequence] = other if other > best else best


@kernel
def _write_best(step: Any, node: Any, ranked: Any, buckets: Any, weights: Any, values: Any) -> None:
    """Write weights: 1 for actions with the largest value, 0 for others."""
    target = step.value
    for h in range(ranked.num_hands):
        row = buckets[h]
        for action in range(LIMIT_ACTIONS):
            if step.kind[action] != ILLEGAL:
                source = step.value_after[action]
                for sequence in range(values.shape[2]):
                    is_best = values[source, h, sequence] == values[target, h, sequence]
                    weights[node, row, action, sequence] = _ONE if is_best else _ZERO


@kernel
def _follow(step: Any, node: Any, ranked: Any, buckets: Any, weights: Any, work: Any) -> None:
    """Write the mean of the values after the learner's actions under its policy."""
    target, values, shares = step.value, work.values, work.shares
    for h in range(ranked.num_hands):
        row = buckets[h]
        find_factors(weights[node, row], step.legal, shares)
        for sequence in range(values.shape[2]):
            values[target, h, sequence] = _ZERO
        for action in range(LIMIT_ACTIONS):
            if step.kind[action] != ILLEGAL:
                source = step.value_after[action]
                for sequence in range(values.shape[2]):
                    weight = weights[node, row, action, sequence]
                    weight = weight if weight > _ZERO else _ZERO
                    probability = weight * shares[0, sequence] + shares[1, sequence]
                    values[target, h, sequence] += probability * values[source, h, sequence]


@kernel
def _add_regrets(step: Any, node: Any, ranked: Any, buckets: Any, regrets: Any, values: Any, rate: Any) -> None:
    """Add the instantaneous regrets of the learner's actions, times `rate`."""
    target = step.value
    for h in range(ranked.num_hands):
        row = buckets[h]
        for action in range(LIMIT_ACTIONS):
            if step.kind[action] != ILLEGAL:
                source = step.value_after[action]
                for sequence in range(values.shape[2]):
                    better = values[source, h, sequence] - values[target, h, sequence]
                    regrets[node, row, action, sequence] += rate * better
