"""A strategy for flop hold'em as a `TableStrategy`, small enough to come with a package.

The run folder of `card-envs train cfr --preset cfr_flop` holds 1.4 GB. `python -m card_baselines.solvers.flop_table RUN
FILE` writes a table of it: hands up to suit isomorphism, probabilities in parts of a whole.

Rounded one by one, the probabilities of many similar hands would err in the same direction, and the opponent would gain
by it. So each hand hands its error on to the next one in the order of strength (error diffusion: Floyd and Steinberg
1976), weighted by the player's reach probability, and what similar hands do in all stays as it was. Decisions that a
player's own earlier actions rule out have no influence; they get the numbers of the hand before, which take no room.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.canonical_hands import CanonicalHands, list_flop_hands
from card_baselines.solvers.buckets.hand_buckets import NUM_STARTING_HANDS, STARTING_HANDS
from card_baselines.solvers.strategy import FINE, STRATEGY, TableStrategy
from card_baselines.solvers.vector_cfr import VectorGame
from card_envs.compiler import kernel
from card_envs.damaged_files import open_arrays
from card_envs.envs import make_game
from card_envs.files import replace_file
from card_envs.typing import Floats, Integers

PARTS = 5
"""Parts of a probability on the flop, a divisor of 255; before the flop they are stored in 255ths."""
SMALLEST = 0.01
"""Probabilities below it become 0."""


def make_table(game: VectorGame, early: Floats, late: Floats) -> TableStrategy:
    """Return the table of a strategy for flop hold'em with the whole deck.

    Args:
        game: The game.
        early: (decisions, actions, hands): probabilities before the flop.
        late: (flops, decisions, actions, hands): probabilities on each canonical flop.
    """
    return TableStrategy.from_parts(game.game.config, CanonicalHands(), _Rounding(game, early, late).round, whole=FINE)


class _Rounding:
    """Rounds the probabilities of one decision after the other, parents first."""

    def __init__(self, game: VectorGame, early: Floats, late: Floats) -> None:
        self._game, self._early, self._late = game, early, late
        hands, known = list_flop_hands(), game.hands.numbers
        self._flops, self._places = hands.flop, game.places[1][hands.flop, hands.hand]
        self._starting = STARTING_HANDS[hands.hand]
        _, first, count = np.unique(STARTING_HANDS[known], return_index=True, return_counts=True)
        self._first, self._counts = first, (count, hands.num_hands)
        self._rounded: dict[int, Integers] = {}
        """Numerators (actions, buckets) of the decisions so far, by node."""
        self._reach: dict[int, Floats] = {}
        """Reach probabilities (buckets,) of the player there."""

    def round(self, state: int, legal: Integers) -> Integers:
        """Return the numerators (m, buckets) of the legal actions (m,) at a decision."""
        tree = self._game.tree
        node = int(tree.first[state])
        is_late, row = bool(tree.street[node]), int(self._game.streets.row[node])
        if is_late:
            shares = np.stack([self._late[self._flops, row, action, self._places] for action in legal])
        else:
            shares = self._early[row][legal][:, self._first]
        reach = self._find_reach(node, is_late)
        found: NDArray[Any] = np.zeros(shares.shape, np.uint8)
        parts = PARTS if is_late else FINE
        goal, owed = np.zeros((2, len(legal)))
        diffuse_errors(shares.astype(np.float64), reach * self._counts[is_late], parts, SMALLEST, goal, owed, found)
        self._rounded[node] = np.zeros((tree.child.shape[1], found.shape[1]), np.uint8)
        self._rounded[node][legal] = found * np.uint8(FINE // parts)
        self._reach[node] = reach
        return self._rounded[node][legal]

    def _find_reach(self, node: int, is_late: bool) -> Floats:
        """Return the probability (buckets,) of the player's own actions before a decision, as rounded."""
        tree, player = self._game.tree, self._game.tree.player[node]
        action = int(tree.action[node])
        above = int(tree.parent[node])
        while above >= 0 and tree.player[above] != player:
            above, action = int(tree.parent[above]), int(tree.action[above])
        if above < 0:
            return np.ones(len(self._flops) if is_late else NUM_STARTING_HANDS)
        reach = self._reach[above] * (self._rounded[above][action] / FINE)
        return np.asarray(reach[self._starting] if is_late and not tree.street[above] else reach)


@kernel
def diffuse_errors(shares: Any, weights: Any, whole: Any, smallest: Any, goal: Any, owed: Any, parts: Any) -> None:
    """Write probabilities in parts of `whole`, and add the error of each column to the next ones.

    Args:
        shares: (actions, n): the probabilities.
        weights: (n,): weight of each column. Those without weight get the parts of the column before.
        whole: Sum of the parts of each column.
        smallest: Actions of a smaller probability are not taken, except the most likely one.
        goal: (actions,): scratch space.
        owed: (actions,): zeros, in which errors are added up.
        parts: (actions, n): the result.
    """
    for k in range(shares.shape[1]):
        if weights[k] > 0:
            _set_goal(shares, k, weights[k], smallest, goal, owed)
            end, before = 0.0, 0.0
            for action in range(shares.shape[0]):
                end += goal[action]
                rounded = np.rint(end * whole)
                parts[action, k] = rounded - before
                before = rounded
                owed[action] += weights[k] * (shares[action, k] - parts[action, k] / whole)
        else:
            for action in range(shares.shape[0]):
                parts[action, k] = parts[action, k - 1] if k > 0 else whole * (action == 0)


@kernel
def _set_goal(shares: Any, k: Any, weight: Any, smallest: Any, goal: Any, owed: Any) -> None:
    """Write the probabilities of a column, changed by what is owed to the actions that it takes."""
    largest, total = 0.0, 0.0
    for action in range(shares.shape[0]):
        largest = max(largest, shares[action, k])
    for action in range(shares.shape[0]):
        share = shares[action, k]
        goal[action] = max(0.0, share + owed[action] / weight) if share >= min(smallest, largest) else 0.0
        total += goal[action]
    for action in range(shares.shape[0]):
        if total > 0:
            goal[action] /= total
        else:  # the actions that it takes have had too much: it is rounded on its own
            goal[action] = shares[action, k]


def main(run: str, file: str) -> None:
    """Write the table of a run folder."""
    game = VectorGame(make_game("flop_holdem-v0"))
    with open_arrays(Path(run) / STRATEGY, game.max_file_bytes) as data:
        table = make_table(game, data["early"], data["late"])
    with replace_file(Path(file)) as temporary:
        table.save(temporary)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(
            "usage: python -m card_baselines.solvers.flop_table RUN FILE (a run folder of cfr_flop, a new .npz file)"
        )
    main(*sys.argv[1:])
