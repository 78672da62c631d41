"""Base classes of the CFR algorithms that are trained in runs: iterations, and the state from which they continue."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numpy.typing import NDArray

from card_baselines.runs.ranges import require_range

_SUMMED = ("sums", "averages")
"""Beginnings of the names of summed strategies, after the name of a street; they are not negative."""
_STREAM = "stream"
"""Name of the random stream of solvers that have one."""
_LARGEST = 1e30
"""No regret is larger; sums of larger ones could be infinite."""


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
        if _STREAM in own and _STREAM in state and not state[_STREAM].any():
            raise ValueError("the random stream is 0, from which no random numbers come")
        for name, array in own.items():
            if name not in state or (state[name].dtype, state[name].shape) != (array.dtype, array.shape):
                raise ValueError(
                    f"the checkpoint holds a strategy for other buckets ({name} differs): begin anew in another folder"
                )
            if array.dtype.kind == "f":
                is_sum = name.rpartition(".")[2].startswith(_SUMMED)
                require_range(name, state[name], 0.0 if is_sum else -_LARGEST, _LARGEST)
        for name, array in own.items():
            array[:] = state[name]
        self.iterations = iterations


class DealSolver(CfrSolver):
    """A solver whose iterations depend on the seed and their numbers only, so that several threads can do them.

    All threads change the same regrets and strategies, without locks (Recht, Re, Wright and Niu 2011, Hogwild!): if two
    add to the same number at the same moment, one addition is lost. With more than one thread, results therefore differ
    from run to run.
    """

    def __init__(self, num_threads: int) -> None:
        """Allocate the arrays of the first thread; those of the others follow in the first `run` that needs them."""
        self._num_threads = num_threads
        self._others: list[DealSolver] = []
        self.allocate_scratch()

    @abstractmethod
    def allocate_scratch(self) -> None:
        """Allocate the arrays that iterations overwrite, of which each thread needs its own."""

    @abstractmethod
    def learn(self, number: int) -> None:
        """Do iteration `number`, from 1."""

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; all players learn in each. Each thread does every n-th."""
        numbers = range(self.iterations + 1, self.iterations + iterations + 1)
        while len(self._others) < self._num_threads - 1:
            self._others.append(copy.copy(self))
            self._others[-1].allocate_scratch()
        if self._num_threads == 1:
            self._learn_all(numbers)
        else:
            parts = [numbers[k :: self._num_threads] for k in range(self._num_threads)]
            with ThreadPoolExecutor(self._num_threads) as pool:
                list(pool.map(DealSolver._learn_all, [self, *self._others], parts))  # raises what a thread raised
        self.iterations += iterations

    def _learn_all(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self.learn(number)
