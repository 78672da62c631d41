"""How agents play: who takes the tricks."""

from __future__ import annotations

import numpy as np

from card_envs.game import Game
from card_envs.match import MatchBatch
from card_envs.statistics import PlayCounter, Statistic, ratio
from tests.third_game.game import NUM_SEATS


def make_statistics(game: Game) -> type[DozenStatistics]:
    return DozenStatistics


class DozenStatistics(PlayCounter):
    """Points a deal."""

    def __init__(self) -> None:
        self._points, self._deals = np.zeros(NUM_SEATS, np.int64), 0

    def on_end(self, batch: MatchBatch) -> None:
        self._points += batch.order_by_agent(batch.tables["points"].astype(np.int64)).sum(axis=0)
        self._deals += len(batch.tables)

    def compute_statistics(self) -> tuple[tuple[Statistic, ...], ...]:
        return tuple((ratio("points", int(points), self._deals),) for points in self._points)
