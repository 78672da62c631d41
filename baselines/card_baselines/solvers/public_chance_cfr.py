"""Monte Carlo CFR with public chance sampling for heads-up limit hold'em, whose hands are put into buckets.

Johanson, Bard, Lanctot, Gibson and Bowling (AAMAS 2012), Efficient Nash equilibrium approximation through Monte Carlo
counterfactual regret minimization: an iteration draws a board, and both players learn in turn with all hands that can
be held with it, against all hands of the opponent, over the whole betting. Regrets of iteration t count t times (linear
CFR), its strategy t * t times in the average (Brown and Sandholm 2019).

Where the opponent rarely reaches the betting of a river, that river is visited with a probability proportional to
its reach, and counts as much more: the expectation stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.betting_lines import Street, streets_of
from card_baselines.solvers.betting_tree import NUM_ACTIONS, NUM_PLAYERS, grow_tree, num_rows
from card_baselines.solvers.board_suits import board_kinds, board_number, rename_suit
from card_baselines.solvers.bucket_strategy import to_255ths
from card_baselines.solvers.hand_buckets import (
    NUM_GROUPS,
    STARTING_HANDS,
    HandBuckets,
    compare_with_groups,
    join_groups,
    nearest,
)
from card_baselines.solvers.ranked_hands import RANKED, WHOLE_BOARD, rank_hands
from card_baselines.solvers.street_passes import LEARN, Workspace, add_to_average, pass_backward, pass_forward
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.config import HoldemConfig
from card_envs.poker.hands import NUM_HANDS, hand_number
from card_envs.typing import Floats32

Tables = list[Floats32]
"""Regrets or weights by street, (decisions, buckets, actions, sequences)."""

PREFLOP, FLOP, TURN, RIVER = range(4)
_RARE = 1.0
"""The opponent's reach probability of a river, for a random hand and summed over sequences, below which rivers are
skipped at random.

A sequence is likelier the more of its actions are the learner's, which are not drawn: the nine sums are 5 to 10 in all.
"""
_AVERAGED_EVERY = 2
"""Iterations between those whose strategies are summed: sums cost as much as regrets."""


class PublicChanceCfr:
    """A run: regrets and summed strategies by street, (decisions, buckets, actions, sequences); `run` improves them."""

    def __init__(self, config: HoldemConfig, buckets: HandBuckets, turn: NDArray[np.uint16], seed: int) -> None:
        """Start from scratch.

        Args:
            config: Heads-up limit hold'em.
            buckets: Tables that assign hands to buckets.
            turn: Bucket of each hand on each kind of turn board, (16432, 1326): `turn_table(buckets)`.
            seed: Seed of the boards.
        """
        self.tree = grow_tree(config, buckets.hands_by_street)
        self.streets, self.buckets, self.turn, self.seed = streets_of(self.tree), buckets, turn, seed
        self.regrets = [_table(*pair) for pair in zip(self.streets, buckets.hands_by_street, strict=True)]
        self.averages = [np.zeros_like(table) for table in self.regrets]
        self.iterations = 0
        self._hands = BucketsOfBoard(buckets, turn)
        self._work = [Workspace.allocate(street, street is self.streets[-1]) for street in self.streets]

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations: on each board both players learn in turn."""
        for _ in range(iterations):
            rng = np.random.default_rng((self.seed, self.iterations))
            self._hands.set_board(rng.choice(DECK_SIZE, WHOLE_BOARD, replace=False))
            self.iterations += 1
            for learner in range(NUM_PLAYERS):
                self._learn(learner, rng)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `restore` continues."""
        regrets = {f"regrets.{street}": table for street, table in enumerate(self.regrets)}
        return regrets | {f"averages.{street}": table for street, table in enumerate(self.averages)}

    def restore(self, state: dict[str, NDArray[Any]], iterations: int) -> None:
        """Continue from a `state` after `iterations` iterations; ValueError for one of other buckets."""
        own = self.state()
        if any(state[name].shape != table.shape for name, table in own.items()):
            raise ValueError("the checkpoint holds a strategy for other buckets: begin anew in another folder")
        for name, table in own.items():
            table[:] = state[name]
        self.iterations = iterations

    def strategy(self) -> NDArray[np.uint8]:
        """Return the average strategy, (rows, 2): probabilities to fold and raise in 255ths; rows as in `grow_tree`."""
        rows = np.zeros((num_rows(self.tree, self.buckets.hands_by_street), 2), np.uint8)
        for street, sums in zip(self.streets, self.averages, strict=True):
            legal = self.tree["child"][street.nodes] >= 0  # (decisions, sequences, actions)
            for k, sequence in np.argwhere(street.nodes >= 0):
                table = to_255ths(sums[k, :, :, sequence], legal[k, sequence])
                first = self.tree["first_row"][street.nodes[k, sequence]]
                rows[first : first + len(table)] = table
        return rows

    def _learn(self, learner: int, rng: np.random.Generator) -> None:
        def play_river(number: int) -> None:
            self._pass_forward(RIVER, learner, self.regrets, self._work, number)
            self._pass_backward(RIVER, learner, self.regrets, self._work, number)

        self._walk(learner, self.regrets, self.regrets, self._work, play_river, rng)

    def _walk(
        self, learner: int, tables: Tables, own: Tables, work: list[Workspace], play_river: Callable[[int], None],
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        """Let a learner improve its `own` tables on the board, against an opponent that plays by `tables`.

        `play_river` is called for each close of the turn that is not left out: the opponent's reach probabilities are
        in slot 0 of the river's `reach`, and the learner's values are to be written to slot 0 of its `values`.
        """
        preflop, flop, turn, river = work
        num = self._hands.num_hands
        preflop.reach[0, :num] = 1 / num
        self._pass_forward(PREFLOP, learner, tables, work)
        _gather_sequences(preflop.reach, self.streets[PREFLOP].closes[learner], flop.reach, num)
        self._pass_forward(FLOP, learner, tables, work)
        _gather_sequences(flop.reach, self.streets[FLOP].closes[learner], turn.reach, num)
        self._pass_forward(TURN, learner, tables, work)
        for number, slot in enumerate(self.streets[TURN].closes[learner].tolist()):
            share = _total(turn.reach, slot, num) / _RARE
            if share <= rng.random():
                turn.leaves[number, :num] = 0
                continue
            copy_scaled(turn.reach, slot, river.reach, num, np.float32(max(1.0, 1 / share)))
            play_river(number)
            turn.leaves[number, :num] = river.values[0, :num]
        self._pass_backward(TURN, learner, own, work)
        _scatter_sequences(turn.values, flop.leaves, num)
        self._pass_backward(FLOP, learner, own, work)
        _scatter_sequences(flop.values, preflop.leaves, num)
        self._pass_backward(PREFLOP, learner, own, work)

    def _pass_forward(self, street: int, learner: int, tables: Tables, work: list[Workspace], number: int = 0) -> None:
        s, hands = self.streets[street], self._hands
        args = s.steps[learner], number * s.num_decisions, learner, hands.ranked[0], hands.rows[street]
        pass_forward(*args, tables[street], work[street])
        if tables is self.regrets and self.iterations % _AVERAGED_EVERY == 0:
            add_to_average(*args, work[street].reach, self.averages[street], np.float32(self.iterations) ** 2)

    def _pass_backward(self, street: int, learner: int, tables: Tables, work: list[Workspace], number: int = 0) -> None:
        s, hands = self.streets[street], self._hands
        pass_backward(
            s.steps[learner], number * s.num_decisions, learner, hands.ranked[0], hands.rows[street], tables[street],
            s.stakes, work[street], LEARN, np.float32(self.iterations),
        )  # fmt: skip


def _table(street: Street, rows: int) -> Floats32:
    return np.zeros((len(street.nodes), rows, NUM_ACTIONS, street.sequences), np.float32)


class BucketsOfBoard:
    """The hands that can be held with a board, weakest first, and their buckets on every street."""

    def __init__(self, buckets: HandBuckets, turn: NDArray[np.uint16]) -> None:
        """Begin with no board."""
        self._buckets, self._turn = buckets, turn
        self.ranked = np.zeros(1, RANKED)
        self.rows = np.zeros((4, NUM_HANDS), np.int64)
        """(streets, 1326): bucket of the hand at each place."""
        self._members = np.zeros((1, NUM_HANDS, NUM_GROUPS), np.float32)
        self._sums = np.zeros((DECK_SIZE + 1, NUM_GROUPS), np.float32)
        self._values = np.zeros((2, NUM_HANDS, NUM_GROUPS), np.float32)
        self._features = np.zeros((NUM_HANDS, NUM_GROUPS), np.float32)
        self._distances = np.zeros(buckets.river.shape[2], np.float32)

    @property
    def num_hands(self) -> int:
        """Hands that can be held with the board."""
        return int(self.ranked[0].num_hands)

    def set_board(self, board: NDArray[np.int64]) -> None:
        """Compute ranks and buckets on a board of five cards, the first three of which are the flop."""
        rank_hands(board, self.ranked[0])
        rows, buckets = self.rows, self._buckets
        num = self.num_hands
        rows[PREFLOP, :num] = STARTING_HANDS[self.ranked[0].number[:num]]
        for street, table in ((FLOP, buckets.flop), (TURN, self._turn)):
            kinds = board_kinds(street + 2)
            look_up(self.ranked[0], board, street + 2, kinds.kind, kinds.order, table, rows, street)
        join_groups(self.ranked[0], buckets.groups, self._members)
        compare_with_groups(self.ranked[0], self._members, self._sums, self._values, self._features)
        assign_all(buckets.river, self._features, num, self._distances, rows, RIVER)


@kernel
def look_up(
    ranked: Any, board: Any, num_cards: Any, kinds: Any, orders: Any, table: Any, rows: Any, street: Any
) -> None:
    """Write the buckets of all hands on the first cards of a board, from a table by kind of board."""
    number = board_number(board, 0, num_cards)
    kind, order = kinds[number], orders[number]
    for h in range(ranked.num_hands):
        a, b = rename_suit(ranked.first[h], order), rename_suit(ranked.second[h], order)
        rows[street, h] = table[kind, hand_number(a, b)]


@kernel
def assign_all(tree: Any, features: Any, num: Any, distances: Any, rows: Any, street: Any) -> None:
    """Write the nearest buckets of the first `num` features."""
    for h in range(num):
        rows[street, h] = nearest(tree, features, h, distances)


# --- from street to street ------------------------------------------------------------------------------------------


@kernel
def _gather_sequences(source: Any, slots: Any, target: Any, num: Any) -> None:
    """Put the reach probabilities of the closes of a street side by side, where the next street begins."""
    sequences = source.shape[2]
    for close in range(slots.shape[0]):
        for h in range(num):
            for sequence in range(sequences):
                target[0, h, close * sequences + sequence] = source[slots[close], h, sequence]


@kernel
def _scatter_sequences(values: Any, leaves: Any, num: Any) -> None:
    """Take the values where a street begins apart into those after the closes of the street before."""
    sequences = leaves.shape[2]
    for close in range(leaves.shape[0]):
        for h in range(num):
            for sequence in range(sequences):
                leaves[close, h, sequence] = values[0, h, close * sequences + sequence]


@kernel
def copy_scaled(source: Any, slot: Any, target: Any, num: Any, factor: Any) -> None:
    """Write `factor` times one slot of reach probabilities to slot 0 of `target`."""
    for h in range(num):
        for sequence in range(source.shape[2]):
            target[0, h, sequence] = source[slot, h, sequence] * factor


@kernel
def _total(source: Any, slot: Any, num: Any) -> Any:
    total = 0.0
    for h in range(num):
        for sequence in range(source.shape[2]):
            total += source[slot, h, sequence]
    return total
