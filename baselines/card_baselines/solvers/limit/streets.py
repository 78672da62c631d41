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

from card_baselines.solvers.limit.betting_tree import NUM_ACTIONS
from card_baselines.solvers.tree import NUM_PLAYERS
from card_envs.games.holdem.actions import FOLD_ACTION
from card_envs.games.holdem.state import NOBODY

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
            ("kind", np.int64, (NUM_ACTIONS,)),  # result of each action
            ("next", np.int64, (NUM_ACTIONS,)),  # decision of the street, or index of the close, after each action
            ("reach", np.int64),  # slot of the opponent's reach probabilities
            ("reach_after", np.int64, (NUM_ACTIONS,)),  # the same after each action
            ("value", np.int64),  # slot of the learner's values
            ("value_after", np.int64, (NUM_ACTIONS,)),  # the same after each action
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


def make_streets(tree: Any) -> list[Street]:
    """Return the four streets of the tree (`grow_tree`) of limit hold'em."""
    streets: list[Street] = []
    roots = np.zeros((1, 1), np.int64)  # (passes, sequences): nodes where the street begins
    last = int(tree["street"].max())
    for street in range(last + 1):
        made, closes = _street(tree, roots)
        streets.append(made)
        # (passes, sequences, closes): the next street's sequences are ordered by close, then by sequence; the closes of
        # the turn are the passes of the river
        if street + 1 == last:
            roots = closes[0].T
        elif street < last:
            roots = closes[0].T.reshape(1, -1)
    return streets


def _street(tree: Any, roots: NDArray[np.int64]) -> tuple[Street, NDArray[np.int64]]:
    """Return the street whose first nodes are `roots`, and the first nodes (passes, sequences, closes) of the next."""
    shape = _Shape(tree, int(roots[0, 0]))
    found = [[_walk(tree, int(root)) for root in one] for one in roots]
    num_sequences = roots.shape[1]
    if num_sequences > PADDED:
        num_sequences = -(-num_sequences // PADDED) * PADDED
    num = shape.num_decisions
    nodes = np.full((len(roots) * num, num_sequences), -1)
    stakes = np.zeros((len(roots) * num, NUM_ACTIONS, num_sequences), np.float32)
    for p, one in enumerate(found):
        for sequence, decisions in enumerate(one):
            nodes[p * num : (p + 1) * num, sequence] = decisions
            for k, node in enumerate(decisions):
                for action, child in enumerate(tree["child"][node]):
                    if child >= 0 and tree["player"][child] == NOBODY:
                        stakes[p * num + k, action, sequence] = tree["stake"][child]
    steps = np.stack([shape.make_steps(player) for player in range(NUM_PLAYERS)])
    closing = [(k, a) for k in range(num) for a in range(NUM_ACTIONS) if steps["kind"][0, k, a] == CLOSED]
    closes = np.array([[steps["reach_after"][player, k, a] for k, a in closing] for player in range(NUM_PLAYERS)])
    following = [[[tree["child"][d[k], a] for k, a in closing] for d in one] for one in found]
    slots = int(steps["reach_after"].max()) + 1, int(steps["value_after"].max()) + 1
    street = Street(steps, closes, num_sequences, len(roots), nodes, stakes, *slots)
    return street, np.array(following, np.int64)


def _walk(tree: Any, root: int) -> list[int]:
    """Return the decisions of the street that begins at `root`, parents before children."""
    decisions, street = [], tree["street"][root]

    def visit(node: int) -> None:
        decisions.append(node)
        for child in tree["child"][node]:
            if child >= 0 and tree["player"][child] != NOBODY and tree["street"][child] == street:
                visit(int(child))

    visit(root)
    return decisions


class _Shape:
    """The betting of a street, without stakes."""

    def __init__(self, tree: Any, root: int) -> None:
        self._tree, self._decisions = tree, _walk(tree, root)
        self.num_decisions = len(self._decisions)

    def make_steps(self, learner: int) -> np.ndarray[Any, np.dtype[Any]]:
        """Return the decisions (decisions,) of `STEP` with the slots for one learner.

        A new reach slot is used for each action of the opponent. Value slots are reused as soon as the values of a
        decision are computed; decisions are visited from the last to the first.
        """
        steps = np.zeros(self.num_decisions, STEP)
        place = {node: k for k, node in enumerate(self._decisions)}
        closes, reach_slots = 0, 1
        free = np.zeros(self.num_decisions, np.int64)
        free[0] = 1
        for k, node in enumerate(self._decisions):
            step = steps[k]
            step["player"], children = self._tree["player"][node], self._tree["child"][node]
            for action, child in enumerate(children.tolist()):
                if child < 0:
                    continue
                step["legal"] |= 1 << action
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
                    free[after] = free[k] + NUM_ACTIONS
                elif action == FOLD_ACTION:
                    step["kind"][action] = FOLDED
                else:
                    step["kind"][action], step["next"][action] = CLOSED, closes
                    closes += 1
        return steps
