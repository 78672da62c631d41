"""Threads that share the tables of a batch, with the same results for any number of threads."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Callable
from itertools import pairwise
from threading import Lock, Thread
from typing import Any

_HEAD_START = 256
"""Number of additional tables for the calling thread, which starts first; at most a sixteenth of all."""


class Threads:
    """Splits N tables into parts, one per thread. Kernels release the interpreter lock, so parts run in parallel.

    These are plain threads instead of OpenMP, whose waiting threads spin, which is a hundred times slower if another
    program needs the core, and which crashes a forked process. Here a forked process starts its own threads.

    Args:
        num_threads: Number of threads, the calling thread included.
        num_tables: Number of tables N.
    """

    def __init__(self, num_threads: int, num_tables: int) -> None:
        self.num_threads, self.num_tables = int(num_threads), int(num_tables)
        start = min(_HEAD_START, self.num_tables // 16)
        bounds = [0, *(start + (num_tables - start) * k // num_threads for k in range(1, num_threads + 1))]
        self.parts = [slice(first, end) for first, end in pairwise(bounds) if end > first]
        self._workers: list[_Worker] = []
        self._process = 0

    def __reduce__(self) -> tuple[type[Threads], tuple[int, int]]:
        """Pickle the two numbers; a copy starts its own threads when needed."""
        return Threads, (self.num_threads, self.num_tables)

    def run(self, check: Callable[[], None], work: Callable[..., None], *arrays: Any) -> None:
        """Call `work` for each part with the rows of the arrays that belong to it, and wait for all calls.

        Args:
            check: Called once before, while the other threads wake up; if it raises, `work` is not called.
            work: Function of the parts of `arrays`.
            *arrays: Arrays with one row per table; None is passed as it is.
        """
        if len(self.parts) == 1:
            check()
            work(*arrays)
            return
        if self._process != os.getpid():  # a fork does not copy threads
            self._start()
        try:
            errors = self._run_parallel(check, work, arrays)
        except Exception:
            raise
        except BaseException:  # such as Ctrl-C: some threads may still work, so the next run starts new ones
            self._process = 0
            raise
        for error in filter(None, errors):
            raise error

    def _run_parallel(
        self, check: Callable[[], None], work: Callable[..., None], arrays: tuple[Any, ...]
    ) -> list[BaseException | None]:
        """Do the first part in this thread and the others in theirs; return the exception of each thread, or None."""
        for worker in self._workers:
            worker.wake()
        try:
            check()
        except Exception:
            for worker in self._workers:
                worker.begin(_noop, [])
            self._wait()
            raise
        first, *others = ([None if array is None else array[part] for array in arrays] for part in self.parts)
        for worker, part in zip(self._workers, others, strict=True):
            worker.begin(work, part)
        try:
            work(*first)
        finally:
            errors = self._wait()
        return errors

    def _start(self) -> None:
        self._workers = [_Worker() for _ in self.parts[1:]]
        self._process = os.getpid()
        weakref.finalize(self, _stop, self._workers)

    def _wait(self) -> list[BaseException | None]:
        return [worker.wait() for worker in self._workers]


class _Worker:
    """A thread that waits for work, synchronised with its caller by three locks.

    Waking a thread takes longer than preparing its work, so it is woken first and gets the work afterwards.
    """

    def __init__(self) -> None:
        self._wake, self._begin, self._end = Lock(), Lock(), Lock()
        for lock in (self._wake, self._begin, self._end):
            lock.acquire()
        self._work: Callable[..., None] | None = None
        self._arrays: list[Any] = []
        self._error: BaseException | None = None
        Thread(target=self._serve, name="card_envs", daemon=True).start()

    def wake(self) -> None:
        """Wake the thread; a call of `begin` must follow."""
        self._wake.release()

    def begin(self, work: Callable[..., None] | None, arrays: list[Any]) -> None:
        """Let the woken thread call `work` with these arrays; None ends the thread."""
        self._work, self._arrays = work, arrays
        self._begin.release()

    def wait(self) -> BaseException | None:
        """Wait until the work is done, and return its exception, or None."""
        self._end.acquire()
        error, self._error = self._error, None
        return error

    def _serve(self) -> None:
        while self._wake.acquire() and self._begin.acquire() and self._work is not None:
            try:
                self._work(*self._arrays)
            except BaseException as error:
                self._error = error
            self._work, self._arrays = None, []  # an idle thread keeps no references
            self._end.release()


def _stop(workers: list[_Worker]) -> None:
    for worker in workers:
        with contextlib.suppress(RuntimeError):  # already awake, after Ctrl-C
            worker.wake()
        with contextlib.suppress(RuntimeError):
            worker.begin(None, [])


def _noop() -> None:
    """Task of worker threads that have nothing to do."""
