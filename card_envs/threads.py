"""Threads that share the tables of a batch: opt-in, with the same results for any number of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

from card_envs.game import is_whole


class Threads:
    """Splits N tables into parts, one a thread. Kernels let go of the interpreter, so parts run side by side.

    Plain threads instead of OpenMP: its waiting threads spin, which costs a hundredfold when another program wants the
    core, and a process that has used it dies when it forks. Here a forked child makes threads of its own.
    """

    def __init__(self, num_threads: int, num_tables: int) -> None:
        """Split `num_tables` tables among `num_threads` threads, the caller's included."""
        if not is_whole(num_threads) or num_threads < 1:
            raise ValueError(f"num_threads {num_threads!r} must be a whole number, at least 1")
        self.num_threads, self.num_tables = int(num_threads), int(num_tables)
        bounds = [num_tables * k // num_threads for k in range(num_threads + 1)]
        self.parts = [slice(first, end) for first, end in pairwise(bounds) if end > first]
        self._executor: ThreadPoolExecutor | None = None
        self._process = 0

    def __reduce__(self) -> tuple[type[Threads], tuple[int, int]]:
        """Pickle and copy the numbers; a copy starts threads when it first needs them."""
        return Threads, (self.num_threads, self.num_tables)

    def run(self, work: Callable[..., None], *arrays: Any) -> None:
        """Call `work` with the matching part of every array (or None for None), for all parts, and wait for them."""
        if len(self.parts) == 1:
            work(*arrays)
            return
        if self._executor is None or self._process != os.getpid():  # a fork does not copy threads
            self._executor = ThreadPoolExecutor(len(self.parts) - 1, thread_name_prefix="card_envs")
            self._process = os.getpid()
        first, *rest = ([None if array is None else array[part] for array in arrays] for part in self.parts)
        others = [self._executor.submit(work, *part) for part in rest]
        work(*first)
        for other in others:
            other.result()
