"""Play statistics of Big 2, which `docs/results/evaluation_methods.md` defines."""

from __future__ import annotations

import numpy as np

from card_envs.game import Game
from card_envs.games.big2.state import NUM_SEATS
from card_envs.match.callbacks import MatchBatch
from card_envs.statistics import PlayCounter, Statistic, ratio, share
from card_envs.typing import Rows


def make_statistics(game: Game) -> type[Big2Statistics]:
    """Return the class of the counter."""
    return Big2Statistics


class Big2Statistics(PlayCounter):
    """Counter of wins, cards left and control."""

    def __init__(self) -> None:
        self._deals = 0
        self._wins, self._cards_left, self._leads = (np.zeros(NUM_SEATS, np.int64) for _ in range(3))

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Count the agents that lead."""
        leading = rows[batch.tables["trick_size"][rows] == 0]
        agents = batch.agent_indices(leading, batch.tables["actor"][leading].astype(np.int64))
        self._leads += np.bincount(agents, minlength=len(self._leads))

    def on_end(self, batch: MatchBatch) -> None:
        """Count wins and cards."""
        left = batch.order_by_agent(batch.tables["num_cards"].astype(np.int64))
        self._wins += (left == 0).sum(axis=0)
        self._cards_left += left.sum(axis=0)
        self._deals += len(left)

    def compute_statistics(self) -> tuple[tuple[Statistic, ...], ...]:
        """Return the statistics of each agent."""
        return tuple(
            (
                share("win rate", int(wins), self._deals),
                ratio("cards left", int(cards), self._deals - int(wins)),
                share("control share", int(leads), int(self._leads.sum())),
            )
            for wins, cards, leads in zip(self._wins, self._cards_left, self._leads, strict=True)
        )
