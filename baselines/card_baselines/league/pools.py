"""Pools that play rounds: this process, processes of this machine, or a Ray cluster.

A pool takes tasks and returns their outcomes in the order in which they end.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Self

from card_baselines.league.rounds import RoundOutcome, RoundTask, play_round

ATTEMPTS = 3
"""Number of worker processes that may die while they play a round, before it is given up."""
_READY = "ready"
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
_CACHES = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "64", "LRU_CACHE_CAPACITY": "16"}
"""Capacity of the caches of oneDNN and PyTorch, in compiled operations. Their default, 1024 each, takes a gigabyte
after some rounds: one operation for every batch size of a network in bfloat16."""


@dataclass(frozen=True)
class LostRound:
    """A round that could not be played to its end."""

    round: int
    why: str


class Pool(ABC):
    """Plays rounds."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """Number of rounds that are played at the same time."""

    @abstractmethod
    def submit(self, task: RoundTask) -> None:
        """Add a round that is to be played."""

    @abstractmethod
    def next(self) -> RoundOutcome | LostRound:
        """Wait for a submitted round to end and return its outcome."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:  # noqa: B027  a hook: the default is to do nothing
        """End the rounds that are still played."""


def try_to_play(task: RoundTask) -> RoundOutcome | LostRound:
    """Play a round; if that fails, return the error as a lost round."""
    try:
        return play_round(task)
    except Exception as error:
        return LostRound(task.round, f"{type(error).__name__}: {error}")


class InProcess(Pool):
    """Plays rounds one after the other, in this process."""

    capacity = 1

    def __init__(self) -> None:
        self._tasks: deque[RoundTask] = deque()

    def submit(self, task: RoundTask) -> None:
        """Add a round that is to be played."""
        self._tasks.append(task)

    def next(self) -> RoundOutcome | LostRound:
        """Play the round that was submitted first."""
        return try_to_play(self._tasks.popleft())


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    task: RoundTask | None = None
    is_ready: bool = False


class Processes(Pool):
    """Plays rounds in processes of this machine; one that dies is replaced, and its round is played again."""

    def __init__(self, workers: int) -> None:
        """Start worker processes, which compute with one thread each and keep few compiled operations."""
        self._context = multiprocessing.get_context("spawn")
        self._attempts: dict[int, int] = {}
        self._tasks: deque[RoundTask] = deque()
        with worker_environment():
            self._workers = [self._start_worker() for _ in range(workers)]

    @property
    def capacity(self) -> int:
        """The number of processes."""
        return len(self._workers)

    @property
    def process_ids(self) -> list[int]:
        """Ids of the worker processes."""
        return [worker.process.pid or 0 for worker in self._workers]

    def submit(self, task: RoundTask) -> None:
        """Add a round that is to be played."""
        self._tasks.append(task)
        self._assign_tasks()

    def next(self) -> RoundOutcome | LostRound:
        """Wait for a submitted round to end and return its outcome."""
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
                self._assign_tasks()
                outcome: RoundOutcome | LostRound = message
                return outcome

    def _replace_worker(self, worker: _Worker) -> LostRound | None:
        """Replace a process that died, and submit its round again; return the round if it is given up."""
        task, number = worker.task, self._workers.index(worker)
        assert task is not None
        worker.process.join()
        worker.connection.close()
        if not worker.is_ready:
            raise ValueError(
                "a worker process ended before it could begin: a script that plays with several needs the line "
                "`if __name__ == '__main__':` around what it does"
            )
        with worker_environment():
            self._workers[number] = self._start_worker()
        self._attempts[task.round] = self._attempts.get(task.round, 0) + 1
        if self._attempts[task.round] >= ATTEMPTS:
            code = worker.process.exitcode
            return LostRound(
                task.round, f"{ATTEMPTS} workers died while they played it, the last with exit code {code}"
            )
        self._tasks.appendleft(task)
        self._assign_tasks()
        return None

    def _assign_tasks(self) -> None:
        """Send waiting tasks to workers that have none."""
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

    def __exit__(self, *error: object) -> None:
        """End the processes, also those that still play."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()


class RayPool(Pool):
    """Plays rounds on the processors of a cluster. Ray repeats the rounds of a node that fails on another one."""

    def __init__(self, address: str, workers: int | None = None) -> None:
        """Connect to the cluster at an address, or start one with `workers` processors here ("local")."""
        try:
            import ray
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("--ray needs Ray: pip install 'card-envs[ray]'", name=error.name) from error

        self._ray = ray
        self._owns = not ray.is_initialized()
        if self._owns:
            where = {"num_cpus": workers} if address == "local" else {}
            quiet = {"log_to_driver": False, "logging_level": "warning"}
            ray.init(address=address, **where, **quiet)
        self._play = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1, scheduling_strategy="SPREAD")(play_round)
        self._playing: dict[Any, int] = {}

    @property
    def capacity(self) -> int:
        """The current number of processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, task: RoundTask) -> None:
        """Add a round that is to be played."""
        self._playing[self._play.remote(task)] = task.round

    def next(self) -> RoundOutcome | LostRound:
        """Wait for a submitted round to end and return its outcome."""
        (done,), _ = self._ray.wait(list(self._playing), num_returns=1)
        round = self._playing.pop(done)
        try:
            outcome: RoundOutcome = self._ray.get(done)
        except self._ray.exceptions.RayError as error:  # the worker died each time, or the task raised
            return LostRound(round, f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}")
        return outcome

    def __exit__(self, *error: object) -> None:
        """Cancel the rounds that are still played, and disconnect from the cluster."""
        for task in self._playing:
            self._ray.cancel(task, force=True)
        if self._owns:
            self._ray.shutdown()


def make_pool(workers: int = 1, ray: str | None = None) -> Pool:
    """Return a pool that plays rounds.

    Args:
        workers: Number of processes of this machine, also with ray="local"; 1 plays in this process.
        ray: Address of a Ray cluster to play on instead: "auto", "local" or "ray://host:port".
    """
    if ray is not None:
        return RayPool(ray, workers if ray == "local" else None)
    if workers < 1:
        raise ValueError(f"workers {workers} must be at least 1")
    return InProcess() if workers == 1 else Processes(workers)


def _work(connection: Connection) -> None:
    """Play the rounds that come through a connection until its other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that owns this one
    connection.send(_READY)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        outcome = try_to_play(task)
        with contextlib.suppress(OSError):  # the other end is closed
            connection.send(outcome)


@contextlib.contextmanager
def worker_environment() -> Iterator[None]:
    """Set the environment variables of processes that are started in the block: one thread each, and small caches.

    Variables that set the size of a cache keep their values.
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
