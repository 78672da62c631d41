"""The betting of two-player limit hold'em street by street, so that many betting sequences are computed side by side.

The betting of a street is the same small tree (`Street`) after every history, only the stakes differ. A *sequence* is a
betting history that leads to the street: there are 1 preflop, 7 on the flop and 63 on the turn. The 567 of the river
are split into 9 *passes* of 63 sequences, one for each way in which the betting of the turn can close; other streets
have one pass. The last axis of every array indexes sequences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.tree import LIMIT_ACTIONS, NUM_PLAYERS, BettingTree, Numbers
from card_envs.game import NOBODY
from card_envs.games.holdem.actions import FOLD_ACTION

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


def _make_street(tree: BettingTree, roots: Numbers) -> tuple[Street, Numbers]:
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


def _make_steps(tree: BettingTree, decisions: Numbers, learner: int) -> np.ndarray[Any, np.dtype[Any]]:
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
