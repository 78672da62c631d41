"""Base class of the CFR algorithms that are trained in runs: iterations, and the state from which they continue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import NDArray


class CfrSolver(ABC):
    """Regrets and summed strategies, which iterations improve."""

    iterations: int = 0
    """Number of iterations so far."""

    @abstractmethod
    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; both players learn in each."""

    @abstractmethod
    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the solver, not copies of them; `restore` writes into these."""

    def restore(self, state: dict[str, NDArray[Any]], iterations: int) -> None:
        """Continue from a `state` after `iterations` iterations; ValueError for one of other buckets."""
        own = self.state()
        if any(state[name].shape != array.shape for name, array in own.items()):
            raise ValueError("the checkpoint holds a strategy for other buckets: begin anew in another folder")
        for name, array in own.items():
            array[:] = state[name]
        self.iterations = iterations
