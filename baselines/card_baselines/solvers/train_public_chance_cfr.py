"""Compute a strategy for heads-up limit hold'em by CFR with public chance sampling, for the player `cfr`.

The run folder is an agent. The strategy of `cfr_large` is such a run: `solvers/data` says with which settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import load_state, save_state, strip_prefix
from card_baselines.runs.config import require
from card_baselines.runs.learner import Learner
from card_baselines.solvers.bucket_making import make_buckets, turn_table
from card_baselines.solvers.bucket_strategy import BucketStrategy
from card_baselines.solvers.cfr import STRATEGY
from card_baselines.solvers.hand_buckets import HandBuckets
from card_baselines.solvers.public_chance_cfr import PublicChanceCfr
from card_baselines.solvers.public_chance_cfr_br import PublicChanceCfrBr
from card_baselines.solvers.solver_run import SolverConfig, make_algorithm
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig

_AT_ONCE = 20  # iterations between two looks at the clock
_BUCKETS, _TURN, _SOLVER = "buckets.", "turn", "solver."  # names of tensors in a checkpoint begin so


@dataclass(frozen=True, kw_only=True)
class Config(SolverConfig):
    """Settings of a run; it ends with the first of iterations and minutes."""

    iterations: int = 100_000
    """Boards that are drawn; on each, both players learn with all their hands against all of the opponent's."""
    minutes: float = 0.0
    width: int = 32
    """Flop, turn and river have width * width buckets of hands each."""
    cfr_br: bool = False
    """Each player learns against a responder that plays the best response on the river, not against the other player
    (CFR-BR): harder to exploit, and an iteration costs 2.6 times as much."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "equity", "cfr_small")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 3600.0
    evaluation_hands: int = 20_000
    final_hands: int = 100_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 2, "width")


class PublicChanceLearner(Learner):
    """The solver: regrets and summed strategies, which iterations improve."""

    def __init__(self, config: Config, game: Game) -> None:
        """Begin with nothing; buckets are made when they are first needed, unless a checkpoint brings them."""
        self._config = config
        self._made: tuple[HandBuckets, Any] | None = None

    @cached_property
    def _solver(self) -> PublicChanceCfr:
        if self._made is None:
            buckets = make_buckets(self._config.width, self._config.seed)
            self._made = buckets, turn_table(buckets)
        buckets, turn = self._made
        solver = PublicChanceCfrBr if self._config.cfr_br else PublicChanceCfr
        return solver(HoldemConfig.limit(), buckets, turn, self._config.seed)

    @property
    def done(self) -> int:
        """Iterations so far."""
        return self._solver.iterations if "_solver" in self.__dict__ else 0

    def update(self, fraction: float) -> dict[str, float]:
        """Do some iterations; the first time one, which compiles."""
        solver = self._solver
        solver.run(min(_AT_ONCE if solver.iterations else 1, self._config.iterations - solver.iterations))
        return {}

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy with its buckets."""
        with replace_file(run.path / STRATEGY) as temporary:
            BucketStrategy(self._solver.strategy(), self._solver.buckets).save(temporary)

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write regrets, sums and buckets; boards are drawn by seed and iteration."""
        solver = self._solver
        arrays = {_SOLVER + name: array for name, array in solver.state().items()}
        arrays |= {_BUCKETS + name: array for name, array in vars(solver.buckets).items()}
        arrays[_TURN] = solver.turn
        tensors = {name: torch.from_numpy(_to_int16(array)) for name, array in arrays.items()}
        save_state(path, tensors, {**progress, "iterations": self.done})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`."""
        tensors, progress = load_state(path)
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        tables = strip_prefix(_BUCKETS, arrays)
        tables["flop"] = tables["flop"].view(np.uint16)
        self._made = HandBuckets(**tables), arrays[_TURN].view(np.uint16)
        self._solver.restore(strip_prefix(_SOLVER, arrays), progress["iterations"])
        return progress


def _to_int16(array: Any) -> Any:
    """Return a 16-bit array as signed numbers, the only ones of that size that all versions of PyTorch know."""
    return array.view(np.int16) if array.dtype == np.uint16 else array


ALGORITHM = make_algorithm("public_chance_cfr", Config, PublicChanceLearner, checkpoint_seconds=600.0)
