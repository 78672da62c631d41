"""CFR over all hands and all boards of a two-player game with one or two streets of cards (`vector_game`).

Both players learn in turn, in every iteration with every hand on every board; the variant of CFR
is a `regret.Schedule`.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.regret import SCHEDULES, Schedule
from card_baselines.solvers.solver import CfrSolver
from card_baselines.solvers.tree import NUM_PLAYERS
from card_baselines.solvers.two_streets import STREAM, walk_boards
from card_baselines.solvers.vector_game import VectorGame, VectorStrategy
from card_baselines.solvers.walk import BEST, LEARN, NO_GROUPS, VISIT_ALL, Settings, Tables
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
        self._frames = self.game.allocate_frames()

    def _allocate(self, is_late: bool) -> Tables:
        """Return the tables of one street; regrets and their prediction are one table if nothing is predicted."""
        shape = self.game.shape_of(is_late)
        regrets, sums = (np.zeros(shape, self.game.dtype) for _ in range(2))
        predicted = np.zeros_like(regrets) if self._schedule(1).prediction else regrets
        return Tables(predicted, predicted, regrets, sums)

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; both players learn in each."""
        numbers = range(self.iterations + 1, self.iterations + iterations + 1)
        schedules = np.array([self._schedule(number) for number in numbers], self.game.dtype).reshape(-1, 5)
        nodes, ranked, early, extra = self._list_arguments(self._early, self._late)
        learn(nodes, ranked, early, extra, NO_GROUPS, self._frames[0], self.game.weights, schedules, STREAM)
        self.iterations += iterations

    def _list_arguments(self, early: Tables, late: Tables) -> tuple[Any, ...]:
        """Return nodes, hands, strategies and the `extra` of `two_streets.walk_boards`."""
        game = self.game
        tables, late = (Tables(*(table.reshape(-1) for table in street)) for street in (early, late))
        extra = game.boards, np.arange(game.num_boards), late, prod(game.shape_of(True)[1:]), self._frames[1]
        return game.streets.nodes, game.hands.ranked, tables, extra

    def state(self) -> dict[str, NDArray[Any]]:
        """Return regrets, summed strategies and, if regrets are predicted, the predictions of both streets."""
        tables = {"early": self._early, "late": self._late}
        names = {"regrets": "regrets", "predicted": "own", "sums": "sums"}
        if not self._schedule(1).prediction:
            del names["predicted"]
        return {f"{street}.{name}": getattr(tables[street], own) for street in tables for name, own in names.items()}

    def strategy(self) -> VectorStrategy:
        """Return the average strategy."""
        return VectorStrategy.from_sums(self.game, self._early.sums, self._late.sums)

    def find_best_responses(self) -> Floats:
        """Return what a best response of each player wins from the average strategy, (2,), in the unit of rewards."""
        game, schedule = self.game, Schedule(*(self.game.dtype(number) for number in self._schedule(1)))
        averages = (tables._replace(own=tables.sums, other=tables.sums) for tables in (self._early, self._late))
        nodes, ranked, early, extra = self._list_arguments(*averages)
        best = np.zeros(NUM_PLAYERS)
        for player in range(NUM_PLAYERS):
            self._frames[0].reach[0] = game.weights[1 - player]
            settings = Settings(player, BEST, schedule, 0, VISIT_ALL, False, 0, 0)
            walk_boards(nodes, 0, ranked, NO_GROUPS, early, settings, STREAM, self._frames[0], extra)
            best[player] = game.weights[player].astype(np.float64) @ self._frames[0].values[0]
        return best / (game.num_deals * game.game.chips_per_reward)

    @property
    def exploitability(self) -> float:
        """What a best response wins from the average strategy, the mean of both positions."""
        return float(self.find_best_responses().mean())


@kernel
def learn(
    nodes: Any, ranked: Any, tables: Any, extra: Any, groups: Any, frames: Any, weights: Any, schedules: Any,
    stream: Any,
) -> None:  # fmt: skip
    """Run an iteration for each of the `schedules` (iterations, 5), the numbers of a `regret.Schedule`.

    `weights` are (2, hands), further arguments as of `two_streets.walk_boards`.
    """
    for t in range(schedules.shape[0]):
        row = schedules[t]
        schedule = Schedule(row[0], row[1], row[2], row[3], row[4])
        for learner in range(NUM_PLAYERS):
            for h in range(ranked.num_hands):
                frames.reach[0, h], frames.own[0, h] = weights[1 - learner, h], schedule.average
            settings = Settings(learner, LEARN, schedule, 0, VISIT_ALL, False, 0, 0)
            walk_boards(nodes, 0, ranked, groups, tables, settings, stream, frames, extra)
