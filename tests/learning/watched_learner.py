"""What the processes of the tests of several processes do. It stands in a file of its own because they import it."""

from __future__ import annotations

import atexit
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.ppo.config import Rates
from card_baselines.ppo.experience import Batch
from card_baselines.ppo.ppo import Config, Ppo
from card_baselines.runs.checkpoint import STATE
from card_baselines.runs.distributed import ALONE, World, joined
from tests.learning.bet_game import bet_game


@dataclass(frozen=True)
class Task:
    """Settings, and a folder for a checkpoint."""

    config: Config
    folder: Path


class WatchedPpo(Ppo):
    first_rows: dict[str, NDArray[Any]] | None = None
    """The decisions of the first minibatch."""

    def numbers(self) -> NDArray[np.float32]:
        """Return all parameters, those that learn and those that play."""
        parameters = [*self.network.parameters(), *self.playing.parameters()]
        return torch.cat([parameter.detach().flatten() for parameter in parameters]).numpy().copy()

    def gradients(self) -> NDArray[np.float32]:
        return torch.cat([parameter.grad.flatten() for parameter in self.network.parameters()]).numpy()

    def descend(self, batch: Batch, rows: NDArray[np.int64], rates: Rates) -> dict[str, torch.Tensor]:
        measures = super().descend(batch, rows, rates)
        if self.first_rows is None:
            self.first_rows = {name: tensor.numpy() for name, tensor in batch.part(rows).items()}
            self.first_gradients = self.gradients().copy()
            self.first_measures = {name: float(measure) for name, measure in measures.items()}
        return measures


def whole_and_continued(task: Task) -> dict[str, Any]:
    """Do ten updates, and again the last five from a checkpoint; return what all processes then have."""
    torch.set_num_threads(1)
    config, state = task.config, task.folder / STATE
    with joined(torch.device("cpu")) as world:
        whole = WatchedPpo(config, config.game(), world)
        found: dict[str, Any] = {"at_first": world.gather(whole.numbers())}
        for k in range(5):
            whole.update(k / 10)
        whole.save(state, {"seconds": 12.5})
        world.each(0)  # nobody reads before it is written
        continued = WatchedPpo(config, config.game(), world)
        found["progress"] = continued.load(state)
        for name, learner in (("whole", whole), ("continued", continued)):
            measures = [learner.update(k / 10) for k in range(5, 10)]
            tables = learner.tables.state()[0]["tables"]
            found[name] = {
                "weights": world.gather(learner.numbers()),
                "tables": world.gather(tables),
                "measures": measures,
                "counts": (learner.decisions, learner.updates, len(learner.tables.past)),
                "average": learner.meter.average.strategy() if learner.meter else None,
            }
        return found


def learned_at_the_bet_game(task: Task) -> dict[str, Any]:
    """Learn to bet; return the first minibatch of each process, and what process 0 made of it."""
    torch.set_num_threads(1)
    with joined(torch.device("cpu")) as world:
        learner = WatchedPpo(task.config, bet_game(), world)
        for _ in range(15):
            learner.update(0.5)
        shares = learner.update(0.5)
        assert learner.first_rows is not None
        return {
            "shares": shares,
            "decisions": world.gather(learner.first_rows),
            "gradients": learner.first_gradients,
            "measures": learner.first_measures,
        }


def alone_at_the_bet_game(config: Config, world: World = ALONE) -> WatchedPpo:
    torch.set_num_threads(1)
    return WatchedPpo(config, bet_game(), world)


def failing(task: Task) -> None:
    """Let process 1 fail."""
    with joined(torch.device("cpu")) as world:
        if world.rank == 1:
            raise RuntimeError("this process has had enough")
        world.each(0)


def failing_and_aborting(task: Task) -> None:
    """Let process 1 fail, and abort on its way out, as threads of gloo that still wait sometimes make it."""
    if os.environ["RANK"] == "1":
        atexit.register(os.abort)
    failing(task)


def diverging(task: Task) -> None:
    """Let a weight of process 1 be no number."""
    torch.set_num_threads(1)
    with joined(torch.device("cpu")) as world:
        learner = WatchedPpo(task.config, task.config.game(), world)
        if world.rank == 1:
            torch.nn.init.constant_(learner.network.value[-1].bias, torch.nan)
        learner.update(0.0)
