"""Who plays the rounds: this process, processes of this machine, or a Ray cluster (`ray_pool`).

A pool takes tasks and gives back what came of them, in the order in which they end.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Protocol, Self

from card_baselines.league.rounds import RoundOutcome, RoundTask, play_round

ATTEMPTS = 3
"""Workers that a round may bring down before it is given up."""
_READY = "ready"
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
_CACHES = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "64", "LRU_CACHE_CAPACITY": "16"}
"""Capacity of the caches of oneDNN and PyTorch, in compiled operations. They keep 1024 each unless told
otherwise, one for every number of decisions that a network in bfloat16 was ever asked about: a gigabyte after some
rounds."""


@dataclass(frozen=True)
class LostRound:
    """A round that nobody could play to its end."""

    round: int
    why: str


class Pool(Protocol):
    """Plays rounds."""

    @property
    def capacity(self) -> int:
        """How many rounds it plays at the same time."""
        ...

    def submit(self, task: RoundTask) -> None:
        """Take a round."""
        ...

    def next(self) -> RoundOutcome | LostRound:
        """Wait for a round to end and return what came of it; there must be one that was taken."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End whoever still plays."""
        ...


class InProcess:
    """Plays rounds one after the other, in this process."""

    capacity = 1

    def __init__(self) -> None:
        self._tasks: deque[RoundTask] = deque()

    def submit(self, task: RoundTask) -> None:
        """Take a round."""
        self._tasks.append(task)

    def next(self) -> RoundOutcome | LostRound:
        """Play the round that was taken first."""
        task = self._tasks.popleft()
        try:
            return play_round(task)
        except Exception as error:
            return LostRound(task.round, f"{type(error).__name__}: {error}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing plays."""


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    task: RoundTask | None = None
    is_ready: bool = False


class Processes:
    """Plays rounds in processes of this machine; one that dies is replaced, and its round is played again."""

    def __init__(self, workers: int) -> None:
        """Start as many processes, which compute with one thread each and keep few compiled operations."""
        self._context = multiprocessing.get_context("spawn")
        self._attempts: dict[int, int] = {}
        self._tasks: deque[RoundTask] = deque()
        with environment_of_workers():
            self._workers = [self._start_worker() for _ in range(workers)]

    @property
    def capacity(self) -> int:
        """The number of processes."""
        return len(self._workers)

    @property
    def process_ids(self) -> list[int]:
        """Of the workers."""
        return [worker.process.pid or 0 for worker in self._workers]

    def submit(self, task: RoundTask) -> None:
        """Take a round."""
        self._tasks.append(task)
        self._hand_out()

    def next(self) -> RoundOutcome | LostRound:
        """Wait for the first of the rounds that are played to end."""
        while True:
            playing = {worker.connection: worker for worker in self._workers if worker.task is not None}
            worker = playing[wait(list(playing))[0]]  # type: ignore[index]  # one of those that were given to it
            try:
                message = worker.connection.recv()
            except (EOFError, OSError):
                message = self._replace_worker(worker)
            if message == _READY:
                worker.is_ready = True
            elif message is not None:
                worker.task = None
                self._hand_out()
                outcome: RoundOutcome | LostRound = message
                return outcome

    def _replace_worker(self, worker: _Worker) -> LostRound | None:
        """Start another process for one that died, and let its round be played again; return it if it is given up."""
        task, number = worker.task, self._workers.index(worker)
        assert task is not None
        worker.process.join()
        worker.connection.close()
        if not worker.is_ready:
            raise ValueError(
                "a worker process ended before it could begin: a script that plays with several needs the line "
                "`if __name__ == '__main__':` around what it does"
            )
        with environment_of_workers():
            self._workers[number] = self._start_worker()
        self._attempts[task.round] = self._attempts.get(task.round, 0) + 1
        if self._attempts[task.round] >= ATTEMPTS:
            code = worker.process.exitcode
            return LostRound(
                task.round, f"{ATTEMPTS} workers died while they played it, the last with exit code {code}"
            )
        self._tasks.appendleft(task)
        self._hand_out()
        return None

    def _hand_out(self) -> None:
        for worker in self._workers:
            if worker.task is None and self._tasks:
                worker.task = self._tasks.popleft()
                with contextlib.suppress(OSError):  # it died while it had nothing to do: `next` finds out
                    worker.connection.send(worker.task)

    def _start_worker(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes, also those that still play."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()


def _work(connection: Connection) -> None:
    """Play the rounds that come through a connection until its other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that owns this one
    connection.send(_READY)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        try:
            outcome: RoundOutcome | LostRound = play_round(task)
        except Exception as error:
            outcome = LostRound(task.round, f"{type(error).__name__}: {error}")
        with contextlib.suppress(OSError):  # whoever asked is gone
            connection.send(outcome)


@contextlib.contextmanager
def environment_of_workers() -> Iterator[None]:
    """Let processes that are started in the block compute with one thread each, and keep small caches.

    Whoever has set the size of a cache keeps it.
    """
    chosen = dict.fromkeys(_THREADS, "1") | {name: os.environ.get(name, size) for name, size in _CACHES.items()}
    before = {name: os.environ.get(name) for name in chosen}
    os.environ.update(chosen)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def make_pool(workers: int = 1, ray: str | None = None) -> Pool:
    """Return a pool that plays rounds.

    Args:
        workers: Number of processes of this machine, also with ray="local"; 1 plays in this process.
        ray: Address of a Ray cluster to play on instead: "auto", "local" or "ray://host:port".
    """
    if ray is not None:
        from card_baselines.league.ray_pool import RayPool

        return RayPool(ray, workers if ray == "local" else None)
    if workers < 1:
        raise ValueError(f"workers {workers} must be at least 1")
    return InProcess() if workers == 1 else Processes(workers)
