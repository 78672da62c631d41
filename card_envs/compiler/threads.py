"""Threads that share the tables of a batch: opt-in, with the same results for any number of them."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Callable
from itertools import pairwise
from threading import Lock, Thread
from typing import Any

_HEAD_START = 256
"""About the number of tables that the caller steps while another thread wakes up; at most a sixteenth of all."""


class Threads:
    """Splits N tables into parts, one a thread. Kernels release the interpreter lock, so parts run in parallel.

    Plain threads instead of OpenMP: its waiting threads spin, which costs a hundredfold when another program wants the
    core, and a process that has used it dies when it forks. Here a forked child makes threads of its own.
    """

    def __init__(self, num_threads: int, num_tables: int) -> None:
        """Split `num_tables` tables among `num_threads` threads, the caller's included."""
        self.num_threads, self.num_tables = int(num_threads), int(num_tables)
        start = min(_HEAD_START, self.num_tables // 16)
        bounds = [0, *(start + (num_tables - start) * k // num_threads for k in range(1, num_threads + 1))]
        self.parts = [slice(first, end) for first, end in pairwise(bounds) if end > first]
        self._workers: list[_Worker] = []
        self._process = 0

    def __reduce__(self) -> tuple[type[Threads], tuple[int, int]]:
        """Pickle and copy the numbers; a copy starts threads when it first needs them."""
        return Threads, (self.num_threads, self.num_tables)

    def run(self, check: Callable[[], None], work: Callable[..., None], *arrays: Any) -> None:
        """Call `work` with the matching part of every array (or None for None), for all parts, and wait for them.

        `check` is called before, once, while the other threads wake up; if it raises, nobody works.
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
        except BaseException:  # such as Ctrl-C: who knows which of them still works? The next run makes new ones
            self._process = 0
            raise
        for error in filter(None, errors):
            raise error

    def _run_parallel(
        self, check: Callable[[], None], work: Callable[..., None], arrays: tuple[Any, ...]
    ) -> list[BaseException | None]:
        """Do the caller's part while the threads do theirs, and return the exception of each, or None."""
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
    """A thread that waits for work; three locks are all that it and its caller share.

    Waking takes longer than whatever precedes the work, so a thread is woken first and told what to do then.
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
        """Let the thread get ready; a call of `begin` must follow."""
        self._wake.release()

    def begin(self, work: Callable[..., None] | None, arrays: list[Any]) -> None:
        """Let the thread, awake, call `work` with these arrays; end it for None."""
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
            self._work, self._arrays = None, []  # an idle thread holds no array, nor the tables
            self._end.release()


def _stop(workers: list[_Worker]) -> None:
    for worker in workers:
        with contextlib.suppress(RuntimeError):  # awake already, where Ctrl-C came in between
            worker.wake()
        with contextlib.suppress(RuntimeError):
            worker.begin(None, [])


def _noop() -> None:
    """Task given to worker threads that have nothing to do."""
