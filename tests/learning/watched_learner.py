"""A learner for the tests of several workers: it shows what it holds, and fails on request.

It stands in a file of its own because the other workers import it.
"""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.training.self_play_learner import Learner
from card_baselines.training.self_play_ppo import Config, game_of
from card_baselines.training.workers import Team
from tests.learning.bet_game import bet_game


def watched(config: Config, team: Team) -> WatchedLearner:
    torch.set_num_threads(1)
    return WatchedLearner(config, game_of(config), team)


def watched_at_the_bet_game(config: Config, team: Team) -> WatchedLearner:
    torch.set_num_threads(1)
    return WatchedLearner(config, bet_game(), team)


class WatchedLearner(Learner):
    first_rows: dict[str, NDArray[Any]] | None = None
    """The decisions of the first minibatch."""

    def numbers(self) -> NDArray[np.float32]:
        """Return all parameters, those that learn and those that play."""
        parameters = [*self.network.parameters(), *self.playing.parameters()]
        return torch.cat([parameter.detach().flatten() for parameter in parameters]).numpy()

    def gradients(self) -> NDArray[np.float32]:
        return torch.cat([parameter.grad.flatten() for parameter in self.network.parameters()]).numpy()

    def first_decisions(self) -> dict[str, NDArray[Any]]:
        assert self.first_rows is not None
        return self.first_rows

    def _descend(self, rows: NDArray[np.int64], *arguments: Any) -> dict[str, float]:
        measures = super()._descend(rows, *arguments)
        if self.first_rows is None:
            self.first_rows = {name: array[rows] for name, array in self.rollouts.experience.arrays.items()}
            self.first_gradients = self.gradients()
            self.first_measures = measures
        return measures

    def fail(self) -> None:
        raise ValueError("this worker has had enough")

    def be_killed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def forget_a_number(self) -> None:
        torch.nn.init.constant_(self.network.value[-1].bias, torch.nan)
