"""CFR over all hands and all boards of a two-player game with one or two streets of cards (`vector_game`).

Both players learn in turn, in every iteration with every hand on every board; the variant of CFR
is a `regret.Schedule`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.regret import SCHEDULES, Schedule
from card_baselines.solvers.solver import CfrSolver
from card_baselines.solvers.tree import NUM_PLAYERS
from card_baselines.solvers.two_streets import traverse
from card_baselines.solvers.vector import BEST, LEARN, Tables
from card_baselines.solvers.vector_game import VectorGame, VectorStrategy
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.typing import Floats

__all__ = ["VectorCfr"]


class VectorCfr(CfrSolver):
    """The solver: regrets and summed strategies of all hands on all boards."""

    def __init__(self, game: Game, variant: str = "cfr_plus") -> None:
        """Start with regrets of 0.

        Args:
            game: A game as of `VectorGame`.
            variant: Name of a schedule in `regret.SCHEDULES`.

        Raises:
            ValueError: For unknown variants, and games that are no `VectorGame`.
        """
        if variant not in SCHEDULES:
            raise ValueError(f"variant {variant!r} is not known: choose one of {sorted(SCHEDULES)}")
        self.game, self._schedule = VectorGame(game), SCHEDULES[variant]
        self._early, self._late = (self._allocate(is_late) for is_late in (False, True))
        self._work = self.game.allocate_work()

    def _allocate(self, is_late: bool) -> Tables:
        """Return the tables of one street; regrets and their prediction are one table if nothing is predicted."""
        shape = self.game.shape_of(is_late)
        regrets, sums = (np.zeros(shape, self.game.dtype) for _ in range(2))
        return Tables(regrets, np.zeros_like(regrets) if self._schedule(1).prediction else regrets, sums)

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; both players learn in each."""
        numbers = range(self.iterations + 1, self.iterations + iterations + 1)
        game, schedules = self.game, [self._schedule(number) for number in numbers]
        learn(
            game.nodes, game.parts, game.hands.ranked, game.boards, np.arange(game.num_boards), game.weights,
            np.array(schedules, game.dtype).reshape(-1, 5),
            self._early, self._late, *self._work,
        )  # fmt: skip
        self.iterations += iterations

    def state(self) -> dict[str, NDArray[Any]]:
        """Return regrets, summed strategies and, if regrets are predicted, the predictions of both streets."""
        names = ("regrets", "predicted", "sums") if self._schedule(1).prediction else ("regrets", "sums")
        streets = (("early", self._early), ("late", self._late))
        return {f"{street}.{name}": getattr(tables, name) for street, tables in streets for name in names}

    def strategy(self) -> VectorStrategy:
        """Return the average strategy."""
        return VectorStrategy.from_sums(self.game, self._early.sums, self._late.sums)

    def find_best_responses(self) -> Floats:
        """Return what a best response of each player wins from the average strategy, (2,), in the unit of rewards."""
        game = self.game
        early, late = (tables._replace(predicted=tables.sums) for tables in (self._early, self._late))
        best = np.zeros(NUM_PLAYERS)
        for player in range(NUM_PLAYERS):
            self._work[0].reach[0] = game.weights[1 - player]
            traverse(
                game.nodes, game.parts, game.hands.ranked, game.boards, np.arange(game.num_boards), player, BEST,
                Schedule(*(game.dtype(number) for number in self._schedule(1))), early, late, *self._work,
            )  # fmt: skip
            best[player] = game.weights[player].astype(np.float64) @ self._work[0].values[0]
        return best / (game.num_deals * game.game.chips_per_reward)

    @property
    def exploitability(self) -> float:
        """What a best response wins from the average strategy, the mean of both positions."""
        return float(self.find_best_responses().mean())


@kernel
def learn(
    nodes: Any, parts: Any, hands: Any, boards: Any, drawn: Any, weights: Any, schedules: Any, early: Any, late: Any,
    work: Any, late_work: Any,
) -> None:  # fmt: skip
    """Run an iteration for each of the `schedules` (iterations, 5), the numbers of a `regret.Schedule`.

    `weights` are (2, hands), further arguments as of `two_streets.traverse`.
    """
    for t in range(schedules.shape[0]):
        row = schedules[t]
        schedule = Schedule(row[0], row[1], row[2], row[3], row[4])
        for learner in range(NUM_PLAYERS):
            for h in range(hands.num_hands):
                work.reach[0, h], work.own[0, h] = weights[1 - learner, h], schedule.average
            traverse(nodes, parts, hands, boards, drawn, learner, LEARN, schedule, early, late, work, late_work)
