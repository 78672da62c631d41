"""Pools that play rounds: this process, processes of this machine, or a Ray cluster.

A pool takes tasks and returns their outcomes in the order in which they end.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Self

from card_baselines.league.rounds import RoundOutcome, RoundTask, play_round

ATTEMPTS = 3
"""Number of worker processes that may die while they play a round, before it is given up."""
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
_CACHES = {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "64", "LRU_CACHE_CAPACITY": "16"}
"""Capacity of the caches of oneDNN and PyTorch, in compiled operations. Their default, 1024 each, takes a gigabyte
after some rounds: one operation for every batch size of a network in bfloat16."""


class Pool(ABC):
    """Plays rounds."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """Number of rounds that are played at the same time."""

    @abstractmethod
    def submit(self, task: RoundTask) -> None:
        """Begin to play a round, beside fewer than `capacity` others."""

    @abstractmethod
    def next(self) -> RoundOutcome:
        """Wait for a submitted round to end and return its outcome."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:  # noqa: B027  a hook: the default is to do nothing
        """End the rounds that are still played."""


def try_to_play(task: RoundTask) -> RoundOutcome:
    """Play a round; if that fails, return the error as the reason why it is lost."""
    try:
        return play_round(task)
    except Exception as error:
        return RoundOutcome(task.round, lost=f"{type(error).__name__}: {error}")


class InProcess(Pool):
    """Plays rounds one after the other, in this process."""

    capacity = 1

    def __init__(self) -> None:
        self._tasks: deque[RoundTask] = deque()

    def submit(self, task: RoundTask) -> None:
        """Add a round that is to be played."""
        self._tasks.append(task)

    def next(self) -> RoundOutcome:
        """Play the round that was submitted first."""
        return try_to_play(self._tasks.popleft())


class _Worker:
    """A process that plays one round at a time, with one thread, and keeps few compiled operations."""

    def __init__(self) -> None:
        """Start the process, in an executor of its own, so that its death breaks nothing else."""
        self.executor = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_begin_to_work)
        with worker_environment():
            self.process_id = self.executor.submit(os.getpid)

    def play(self, task: RoundTask) -> Future[RoundOutcome]:
        """Return the future outcome of a round; BrokenProcessPool if the process dies, or is dead."""
        try:
            return self.executor.submit(try_to_play, task)
        except BrokenProcessPool as error:
            outcome: Future[RoundOutcome] = Future()
            outcome.set_exception(error)
            return outcome


class Processes(Pool):
    """Plays rounds in processes of this machine; one that dies is replaced, and its round is played again."""

    def __init__(self, workers: int) -> None:
        """Start worker processes."""
        self._idle = [_Worker() for _ in range(workers)]
        self._playing: dict[Future[RoundOutcome], tuple[_Worker, RoundTask, int]] = {}
        """Outcome -> worker that plays the round, the round, and the number of workers that it was given to."""

    @property
    def _workers(self) -> list[_Worker]:
        return [*self._idle, *(worker for worker, _, _ in self._playing.values())]

    @property
    def capacity(self) -> int:
        """The number of processes."""
        return len(self._workers)

    @property
    def process_ids(self) -> list[int]:
        """Ids of the worker processes."""
        return [worker.process_id.result() for worker in self._workers]

    def submit(self, task: RoundTask) -> None:
        """Give a round to an idle process."""
        worker = self._idle.pop(0)  # which was started, or ended a round, before the others
        self._playing[worker.play(task)] = worker, task, 1

    def next(self) -> RoundOutcome:
        """Wait for a submitted round to end and return its outcome."""
        while True:
            ended = next(iter(wait(self._playing, return_when=FIRST_COMPLETED).done))
            worker, task, attempts = self._playing.pop(ended)
            try:
                outcome = ended.result()
            except BrokenProcessPool:
                if worker.process_id.exception() is not None:
                    raise ValueError(
                        "a worker process ended before it could begin: a script that plays with several needs the "
                        "line `if __name__ == '__main__':` around what it does"
                    ) from None
                worker = _Worker()
                if attempts < ATTEMPTS:
                    self._playing[worker.play(task)] = worker, task, attempts + 1
                    continue
                outcome = RoundOutcome(task.round, lost=f"{ATTEMPTS} workers died while they played it")
            self._idle.append(worker)
            return outcome

    def __exit__(self, *error: object) -> None:
        """End the processes, also those that still play."""
        for worker in self._workers:
            with contextlib.suppress(BrokenProcessPool, ProcessLookupError):
                os.kill(worker.process_id.result(), signal.SIGTERM)
            worker.executor.shutdown()


def _begin_to_work() -> None:
    """Leave Ctrl-C to the process that owns this one, and end when that ends, killed or not."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_owner, daemon=True).start()


def _end_with_owner() -> None:
    owner = multiprocessing.parent_process()
    assert owner is not None
    owner.join()
    os._exit(1)


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

    def next(self) -> RoundOutcome:
        """Wait for a submitted round to end and return its outcome."""
        (done,), _ = self._ray.wait(list(self._playing), num_returns=1)
        round = self._playing.pop(done)
        try:
            outcome: RoundOutcome = self._ray.get(done)
        except self._ray.exceptions.RayError as error:  # the worker died each time, or the task raised
            return RoundOutcome(round, lost=f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}")
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


@contextlib.contextmanager
def worker_environment() -> Iterator[None]:
    """Set the environment variables of processes that are started in the block: one thread each, and small caches.

    Variables that set the size of a cache keep their values.
    """
    chosen = dict.fromkeys(_THREADS, "1") | {name: os.environ.get(name, size) for name, size in _CACHES.items()}
    before = {name: value for name, value in os.environ.items() if name in chosen}
    os.environ.update(chosen)
    try:
        yield
    finally:
        for name in chosen:
            del os.environ[name]
        os.environ.update(before)
