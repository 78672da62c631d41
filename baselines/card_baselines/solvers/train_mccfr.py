"""Compute a strategy for heads-up limit hold'em by Monte Carlo CFR, for the player `cfr`.

The run folder is an agent. The strategy of `cfr` and `cfr_small` is such a run: `solvers/data` says with which
settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import load_state, save_state
from card_baselines.runs.config import require
from card_baselines.runs.learner import Learner
from card_baselines.solvers.cfr import STRATEGY, save_strategy
from card_baselines.solvers.equity_buckets import equal_bounds
from card_baselines.solvers.mccfr import Mccfr
from card_baselines.solvers.solver_run import SolverConfig, make_algorithm
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig

_AT_ONCE = 20_000  # iterations between two looks at the clock


@dataclass(frozen=True, kw_only=True)
class Config(SolverConfig):
    """Settings of a run; it ends with the first of iterations and minutes."""

    iterations: int = 4_000_000
    """Deals that are played through, for both players."""
    minutes: float = 60.0
    buckets: int = 40
    """Buckets of hands on each street after the first."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "shi_rules", "equity")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 600.0
    evaluation_hands: int = 2000
    final_hands: int = 50_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 2, "buckets")


class MccfrLearner(Learner):
    """The solver: regrets and summed strategies, which iterations improve."""

    def __init__(self, config: Config, game: Game) -> None:
        """Begin with nothing."""
        self._iterations = config.iterations
        self._solver = Mccfr(HoldemConfig.limit(), equal_bounds(config.buckets, config.seed), config.seed)

    @property
    def done(self) -> int:
        """Iterations so far."""
        return self._solver.iterations

    def update(self, fraction: float) -> dict[str, float]:
        """Do some iterations; the first time one, which compiles."""
        self._solver.run(min(_AT_ONCE if self.done else 1, self._iterations - self.done))
        return {}

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy."""
        with replace_file(run.path / STRATEGY) as temporary:
            save_strategy(temporary, self._solver.strategy(), self._solver.bounds)

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write regrets, sums and the random stream."""
        arrays = self._solver.state()
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        save_state(path, tensors, {**progress, "iterations": self.done})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`."""
        tensors, progress = load_state(path)
        arrays = {name: np.asarray(tensor.numpy()) for name, tensor in tensors.items()}
        self._solver.restore(arrays, progress["iterations"])
        return progress


ALGORITHM = make_algorithm("mccfr", Config, MccfrLearner)
