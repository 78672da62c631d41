"""The learner of solvers whose hands are told apart by buckets: iterations, checkpoints with the buckets, resuming."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.runs.checkpoint import load_state, save_state, strip_prefix
from card_baselines.runs.config import require
from card_baselines.runs.learner import Learner
from card_baselines.solvers.bucket_making import make_buckets, turn_table
from card_baselines.solvers.hand_buckets import HandBuckets
from card_baselines.solvers.solver_run import SolverConfig

_BUCKETS, _TURN, _SOLVER = "buckets.", "turn", "solver."  # names of tensors in a checkpoint begin so


@dataclass(frozen=True, kw_only=True)
class BucketConfig(SolverConfig):
    """Settings of solvers with buckets."""

    width: int
    """Flop, turn and river tell width * width kinds of hands apart each."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 2, "width")


class BucketLearner(Learner):
    """Runs a solver; buckets are made when they are first needed, unless a checkpoint brings them."""

    iterations_at_once: ClassVar[int]
    """Iterations between two looks at the clock."""

    def __init__(self, config: BucketConfig) -> None:
        self._settings = config
        self._loaded: tuple[HandBuckets, NDArray[np.uint16]] | None = None

    @abstractmethod
    def make_solver(self, buckets: HandBuckets, turn: NDArray[np.uint16]) -> Any:
        """Return a new solver for these buckets; `turn` is the table of `turn_table`."""

    def make_buckets(self) -> HandBuckets:
        """Return the buckets of a new run."""
        return make_buckets(self._settings.width, self._settings.seed)

    @cached_property
    def tables(self) -> tuple[HandBuckets, NDArray[np.uint16]]:
        """The buckets, and the table of those on the turn."""
        if self._loaded is not None:
            return self._loaded
        buckets = self.make_buckets()
        return buckets, turn_table(buckets)

    @cached_property
    def solver(self) -> Any:
        """Regrets and summed strategies, which iterations improve."""
        return self.make_solver(*self.tables)

    @property
    def done(self) -> int:
        """Iterations so far."""
        return int(self.solver.iterations) if "solver" in self.__dict__ else 0

    def update(self, fraction: float) -> dict[str, float]:
        """Do some iterations; the first time one, which compiles."""
        left = self._settings.iterations - self.solver.iterations
        self.solver.run(min(self.iterations_at_once if self.solver.iterations else 1, left))
        return {}

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write regrets, sums and buckets; boards are drawn by seed and iteration."""
        buckets, turn = self.tables
        arrays = {_SOLVER + name: array for name, array in self.solver.state().items()}
        arrays |= {_BUCKETS + name: array for name, array in vars(buckets).items()} | {_TURN: turn}
        tensors = {name: torch.from_numpy(_to_int16(array)) for name, array in arrays.items()}
        save_state(path, tensors, {**progress, "iterations": self.done})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; returns the progress that was saved with it."""
        tensors, progress = load_state(path)
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        tables = strip_prefix(_BUCKETS, arrays)
        tables["flop"] = tables["flop"].view(np.uint16)
        self._loaded = HandBuckets(**tables), arrays[_TURN].view(np.uint16)
        self.solver.restore(strip_prefix(_SOLVER, arrays), progress["iterations"])
        return progress


def _to_int16(array: NDArray[Any]) -> NDArray[Any]:
    """Return a 16-bit array as signed numbers, the only ones of that size that all versions of PyTorch know."""
    return array.view(np.int16) if array.dtype == np.uint16 else array
