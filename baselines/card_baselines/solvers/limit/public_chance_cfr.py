"""Monte Carlo CFR with public chance sampling for heads-up limit hold'em with hands in buckets.

Johanson, Bard, Lanctot, Gibson and Bowling (AAMAS 2012), Efficient Nash equilibrium approximation through Monte Carlo
counterfactual regret minimization: an iteration draws a board, and both players learn in turn with all hands that can
be held with it, against all hands of the opponent, over the whole betting. The regrets of iteration t have the weight
t, its strategy has the weight t^2 in the average (linear CFR, Brown and Sandholm 2019).

River betting that the opponent rarely reaches is sampled: it is visited with a probability proportional to the
opponent's reach, and its values are divided by that probability, so estimates stay unbiased.

Plain CFR finds an equilibrium between two players who both see buckets only; an opponent who sees the cards may win a
lot from it. In CFR-BR (Johanson, Bard, Burch and Bowling, AAAI 2012, Finding optimal abstract strategies in
extensive-form games) each player learns against its own responder: on the river, where the whole board is known, the
responder plays the best response with every hand; before the river it learns with buckets (the paper's hybrid of CFR
and CFR-BR).
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import FLOP, PREFLOP, RIVER, TURN, BoardBuckets, HandBuckets
from card_baselines.solvers.game_trees import grow_game
from card_baselines.solvers.hands import NUM_PLAYERS
from card_baselines.solvers.limit.street_passes import (
    CHOOSE,
    LEARN,
    Street,
    Workspace,
    add_to_average,
    make_streets,
    pass_backward,
    pass_forward,
)
from card_baselines.solvers.solver import DealSolver
from card_baselines.solvers.strategy import TableStrategy, quantise
from card_baselines.solvers.tree import LIMIT_ACTIONS
from card_envs.compiler import kernel
from card_envs.games.holdem.config import HoldemConfig
from card_envs.memory import require_free_memory
from card_envs.poker.hands import NUM_HANDS
from card_envs.rng import make_generator
from card_envs.typing import Floats32, Integers

StreetTables = list[Floats32]
"""Regrets or weights by street, (decisions, buckets, actions, sequences)."""

_RARE = 1.0
"""The opponent's reach probability of a river, for a random hand and summed over sequences, below which rivers are
skipped at random.

A sequence is likelier the more of its actions are the learner's, which are not drawn: the nine sums are 5 to 10 in all.
"""
_AVERAGED_EVERY = 2
"""The strategy of every second iteration is added to the average, since that costs as much as updating regrets."""
_RESPONDER = "responder."
_EVERY_HAND = np.arange(NUM_HANDS)
_ONE = np.float32(1)


class PublicChanceCfr(DealSolver):
    """The solver: regrets and summed strategies by street, (decisions, buckets, actions, sequences)."""

    responder_streets: ClassVar[int] = 0
    """Number of streets on which responders have regrets of their own."""

    def __init__(
        self, config: HoldemConfig, buckets: HandBuckets, turn: NDArray[np.uint16], seed: int, num_threads: int = 1
    ) -> None:
        """Start with regrets of 0.

        Args:
            config: Heads-up limit hold'em.
            buckets: Tables that assign hands to buckets.
            turn: Bucket of each hand on each canonical turn board, (16432, 1326): `clustering.turn_table(buckets)`.
            seed: Seed of the boards.
            num_threads: Number of threads that learn from different boards.

        Raises:
            ValueError: As `require_memory`.
        """
        self.require_memory(config, buckets.hands_by_street)
        self._config, self.tree = config, grow_game(config)
        self.streets, self.buckets, self.turn, self.seed = make_streets(self.tree), buckets, turn, seed
        self.regrets = [
            np.zeros(_shape_of(*pair), np.float32) for pair in zip(self.streets, buckets.hands_by_street, strict=True)
        ]
        self.averages = [np.zeros_like(table) for table in self.regrets]
        super().__init__(num_threads)

    @classmethod
    def require_memory(cls, config: HoldemConfig, hands_by_street: list[int]) -> None:
        """Raise ValueError if regrets and summed strategies take more memory than is free."""
        streets = make_streets(grow_game(config))
        sizes = [prod(_shape_of(*pair)) for pair in zip(streets, hands_by_street, strict=True)]
        require_free_memory(
            (2 * sum(sizes) + sum(sizes[: cls.responder_streets])) * np.dtype(np.float32).itemsize,
            f"regrets and strategies of {hands_by_street} buckets", "choose a smaller width",
        )  # fmt: skip

    def allocate_scratch(self) -> None:
        """Allocate the hands on a board, and reach probabilities and values by street."""
        self._hands = BoardBuckets(self.buckets, self.turn)
        self._work = [Workspace.allocate(street, street is self.streets[-1]) for street in self.streets]
        self._number = 0

    def learn(self, number: int) -> None:
        """Draw the board of iteration `number`, on which both players learn in turn."""
        rng = make_generator(self.seed, number - 1)
        self._hands.draw(rng)
        self._number = number
        for learner in range(NUM_PLAYERS):
            self._learn(learner, rng)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return regrets and summed strategies; boards are drawn by seed and iteration."""
        regrets = {f"regrets.{street}": table for street, table in enumerate(self.regrets)}
        return regrets | {f"averages.{street}": table for street, table in enumerate(self.averages)}

    def strategy(self) -> TableStrategy:
        """Return the average strategy."""
        place = np.zeros((len(self.tree.first), 3), np.int64)
        for k, street in enumerate(self.streets):
            rows, sequences = np.nonzero(street.nodes >= 0)
            states = self.tree.state[street.nodes[rows, sequences]]
            place[states] = np.column_stack([np.full(len(rows), k), rows, sequences])

        def find_part(state: int, legal: Integers) -> Integers:
            street, row, sequence = place[state]
            sums = self.averages[street][row, :, :, sequence].T[legal]
            return quantise(sums, np.ones(len(legal)))

        return TableStrategy.from_parts(self._config, self.buckets, find_part)

    def _learn(self, learner: int, rng: np.random.Generator) -> None:
        def play_river(number: int) -> None:
            self._pass_forward(RIVER, learner, self.regrets, self._work, number)
            self._pass_backward(RIVER, learner, self.regrets, self._work, number)

        self._walk(learner, self.regrets, self.regrets, self._work, play_river, rng)

    def _walk(
        self, learner: int, tables: StreetTables, own: StreetTables, work: list[Workspace],
        play_river: Callable[[int], None], rng: np.random.Generator,
    ) -> None:  # fmt: skip
        """Update the learner's `own` tables on the board, against an opponent that plays by `tables`.

        `play_river` is called for each close of the turn whose river is sampled: it finds the opponent's reach
        probabilities in slot 0 of the river's `reach` and writes the learner's values to slot 0 of its `values`.
        """
        preflop, flop, turn, river = work
        num = self._hands.num_hands
        preflop.reach[0, :num] = 1 / num
        self._pass_forward(PREFLOP, learner, tables, work)
        self._enter(FLOP, learner, work)
        self._pass_forward(FLOP, learner, tables, work)
        self._enter(TURN, learner, work)
        self._pass_forward(TURN, learner, tables, work)
        for number, slot in enumerate(self.streets[TURN].closes[learner].tolist()):
            share = _total(turn.reach, slot, num) / _RARE
            if share <= rng.random():
                turn.leaves[number, :num] = 0
                continue
            np.multiply(turn.reach[slot, :num], np.float32(max(1.0, 1 / share)), out=river.reach[0, :num])
            play_river(number)
            turn.leaves[number, :num] = river.values[0, :num]
        self._pass_backward(TURN, learner, own, work)
        _leave(turn, flop, num)
        self._pass_backward(FLOP, learner, own, work)
        _leave(flop, preflop, num)
        self._pass_backward(PREFLOP, learner, own, work)

    def _enter(self, street: int, learner: int, work: list[Workspace]) -> None:
        """Copy the reach probabilities of the closes before a street, side by side, to its slot 0."""
        num, closes = self._hands.num_hands, self.streets[street - 1].closes[learner]
        reach = work[street - 1].reach[closes, :num].swapaxes(0, 1).reshape(num, -1)
        work[street].reach[0, :num, : reach.shape[1]] = reach

    def _pass_forward(
        self, street: int, learner: int, tables: StreetTables, work: list[Workspace], number: int = 0
    ) -> None:
        s, hands = self.streets[street], self._hands
        args = s.steps[learner], number * s.num_decisions, learner, hands.ranked[0], hands.rows[street]
        pass_forward(*args, tables[street], work[street])
        if tables is self.regrets and self._number % _AVERAGED_EVERY == 0:
            add_to_average(*args, work[street].reach, self.averages[street], np.float32(self._number) ** 2)

    def _pass_backward(
        self, street: int, learner: int, tables: StreetTables, work: list[Workspace], number: int = 0
    ) -> None:
        s, hands = self.streets[street], self._hands
        pass_backward(
            s.steps[learner], number * s.num_decisions, learner, hands.ranked[0], hands.rows[street], tables[street],
            s.stakes, work[street], LEARN, np.float32(self._number),
        )  # fmt: skip


def _shape_of(street: Street, rows: int) -> tuple[int, int, int, int]:
    """Return the shape (decisions, rows, actions, sequences) of a table."""
    return len(street.nodes), rows, LIMIT_ACTIONS, street.num_sequences


def _leave(street: Workspace, before: Workspace, num: int) -> None:
    """Copy the values where a street begins to the closes before it."""
    closes, _, sequences = before.leaves.shape
    values = street.values[0, :num, : closes * sequences]
    before.leaves[:, :num] = values.reshape(num, closes, sequences).swapaxes(0, 1)


@kernel
def _total(source: Any, slot: Any, num: Any) -> Any:
    """Return the sum of one slot of reach probabilities."""
    total = 0.0
    for h in range(num):
        for sequence in range(source.shape[2]):
            total += source[slot, h, sequence]
    return total


class PublicChanceCfrBr(PublicChanceCfr):
    """The solver: each player learns against a responder; `strategy` returns the players' average strategy."""

    responder_streets = RIVER

    def __init__(
        self, config: HoldemConfig, buckets: HandBuckets, turn: NDArray[np.uint16], seed: int, num_threads: int = 1
    ) -> None:
        """Start with regrets of 0; arguments as of `PublicChanceCfr`."""
        super().__init__(config, buckets, turn, seed, num_threads)
        self._responder = [np.zeros_like(table) for table in self.regrets[: self.responder_streets]]

    def allocate_scratch(self) -> None:
        """Allocate the arrays of `PublicChanceCfr` twice, and the responder's choices on the river."""
        super().allocate_scratch()
        self._responder_work = [Workspace.allocate(street, street is self.streets[-1]) for street in self.streets]
        river = self.streets[RIVER]
        shape = river.num_passes, river.num_decisions, NUM_HANDS, LIMIT_ACTIONS, river.num_sequences
        self._choices = np.zeros(shape, np.float32)
        """(passes, decisions, hands, actions, sequences): the responder's play on the river, 1 for its best actions."""
        self._is_chosen = np.zeros(river.num_passes, np.bool_)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of `PublicChanceCfr`, and the responders' regrets."""
        tables = {f"{_RESPONDER}{street}": table for street, table in enumerate(self._responder)}
        return super().state() | tables

    def _learn(self, learner: int, rng: np.random.Generator) -> None:
        """Update the responder to a player on the board, and then the player."""
        responder = NUM_PLAYERS - 1 - learner
        self._is_chosen[:] = False

        def respond(number: int) -> None:
            self._pass_forward(RIVER, responder, self.regrets, self._responder_work, number)
            self._choose(responder, number)

        def play_river(number: int) -> None:
            if not self._is_chosen[number]:
                self._enter_river(responder, number)
                self._choose(responder, number)
            self._follow_choices(learner, number)
            self._pass_backward(RIVER, learner, self.regrets, self._work, number)

        self._walk(responder, self.regrets, self._responder, self._responder_work, respond, rng)
        self._walk(learner, self._responder, self.regrets, self._work, play_river, rng)

    def _enter_river(self, responder: int, number: int) -> None:
        """Compute the player's reach probabilities on a river that the responder did not visit."""
        turn, river = self._responder_work[TURN], self._responder_work[RIVER]
        slot = int(self.streets[TURN].closes[responder][number])
        s, hands = self.streets[RIVER], self._hands
        river.reach[0, : hands.num_hands] = turn.reach[slot, : hands.num_hands]
        steps, first = s.steps[responder], number * s.num_decisions
        pass_forward(steps, first, responder, hands.ranked[0], hands.rows[RIVER], self.regrets[RIVER], river)

    def _choose(self, responder: int, number: int) -> None:
        """Write the responder's best response to the reach probabilities in the river's `reach`, and its values."""
        s, first = self.streets[RIVER], number * self.streets[RIVER].num_decisions
        stakes = s.stakes[first : first + s.num_decisions]
        pass_backward(
            s.steps[responder], 0, responder, self._hands.ranked[0], _EVERY_HAND, self._choices[number], stakes,
            self._responder_work[RIVER], CHOOSE, _ONE,
        )  # fmt: skip
        self._is_chosen[number] = True

    def _follow_choices(self, learner: int, number: int) -> None:
        """Compute the responder's reach probabilities on a river, where it plays its best response."""
        work, hands = self._work[RIVER], self._hands
        steps = self.streets[RIVER].steps[learner]
        pass_forward(steps, 0, learner, hands.ranked[0], _EVERY_HAND, self._choices[number], work)
