"""Several processes that train one network: workers, each at tables of its own, that average their gradients.

Worker 0 is the process that was started. It leads: what it does with its learner it tells the others to do with theirs,
so a run reads the same with one worker and with many, and all hold the same weights at all times. Orders and answers go
through pipes, sums through PyTorch's gloo on the loopback interface. No worker outlives worker 0.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed
from numpy.typing import NDArray

Learner = TypeVar("Learner")

_PATIENCE = 10.0
"""Seconds for the others to end after one of them has failed."""


class WorkerError(RuntimeError):
    """Raised in worker 0 when another worker failed; says which one, and how."""


class Team:
    """The workers of a run as one of them sees them; who is alone, shares with nobody and sums nothing."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        """Be worker `rank` of `size`."""
        self.rank, self.size = rank, size
        self._others: list[tuple[BaseProcess, Connection]] = []  # of worker 0

    def share(self, whole: int) -> int:
        """Return this worker's part of a number; where it cannot be split evenly, the first ones take one more."""
        return whole // self.size + (self.rank < whole % self.size)

    def seed(self, seed: int) -> int:
        """Return a seed of this worker's own; that of worker 0 is `seed` itself."""
        if self.rank == 0:
            return seed
        return int(np.random.SeedSequence([seed % 2**64, self.rank]).generate_state(1, np.uint64)[0])

    def total(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sum of the workers' arrays, which have one shape."""
        sums = torch.from_numpy(numbers.copy())
        self._sum(sums)
        return sums.numpy()

    def each(self, number: int) -> list[int]:
        """Return the workers' numbers, by rank."""
        numbers = np.zeros(self.size, np.int64)
        numbers[self.rank] = number
        return [int(one) for one in self.total(numbers)]

    def moments(self, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return mean and standard deviation of the values (n,) of all workers, float32; n may differ."""
        if self.size == 1:
            return values.mean(), values.std(correction=0)
        doubles = values.double()
        sums = torch.stack([torch.ones_like(doubles).sum(), doubles.sum(), doubles.square().sum()])
        self._sum(sums)
        mean, mean_square = sums[1:] / sums[0]
        return mean.float(), (mean_square - mean.square()).clamp(min=0.0).sqrt().float()

    def average(self, tensors: Sequence[torch.Tensor], weight: float) -> None:
        """Replace float32 tensors by their means over the workers, each of which counts with its `weight`."""
        if self.size == 1:
            return
        flat = torch.cat([*(tensor.flatten() for tensor in tensors), torch.ones(1)]) * weight
        self._sum(flat)
        means = flat[:-1] / flat[-1]
        sizes = [tensor.numel() for tensor in tensors]
        for tensor, mean in zip(tensors, torch.split(means, sizes), strict=True):
            tensor.copy_(mean.view_as(tensor))

    def _sum(self, numbers: torch.Tensor) -> None:
        if self.size == 1:
            return
        try:
            torch.distributed.all_reduce(numbers)
        except RuntimeError as error:  # another worker is gone, and worker 0 finds out why
            raise (self._why_it_broke() if self.rank == 0 else SystemExit) from error

    def tell(self, method: str, *arguments: Any) -> None:
        """Let the others call that method of their learners. None but worker 0 has others to tell."""
        self._order(method, arguments, False)

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """Let the others call that method of their learners; returns their answers, by rank."""
        self._order(method, arguments, True)
        return self._answers()

    def _order(self, method: str, arguments: tuple[Any, ...], is_asked: bool) -> None:
        for _, pipe in self._others:
            try:
                pipe.send((method, arguments, is_asked))
            except OSError as error:
                raise self._why_it_broke() from error

    def _answers(self) -> list[Any]:
        answers = []
        for _, pipe in self._others:
            try:
                answers.append(pipe.recv())
            except (EOFError, OSError) as error:
                raise self._why_it_broke() from error
            if isinstance(answers[-1], WorkerError):
                raise answers[-1]
        return answers

    def _why_it_broke(self) -> WorkerError:
        """Return what the worker that failed said last, or how it ended; the others leave without a word."""
        for rank, (process, pipe) in enumerate(self._others, 1):
            process.join(_PATIENCE)
            said = None
            with suppress(EOFError, OSError):
                while pipe.poll():
                    said = pipe.recv()
            if isinstance(said, WorkerError):
                return said
            if process.exitcode:
                return WorkerError(f"worker {rank} ended with exit code {process.exitcode}")
        return WorkerError("the workers lost each other")

    def hire(self, make: Callable[[Team], Learner], folder: str) -> Learner:
        """Start the other workers, and return what `make` makes for worker 0. They meet in `folder`, once."""
        context = multiprocessing.get_context("spawn")
        for rank in range(1, self.size):
            pipe, theirs = context.Pipe()
            process = context.Process(target=_follow, args=(make, Team(rank, self.size), theirs, folder))
            process.start()
            theirs.close()
            self._others.append((process, pipe))
        learner = make(self)
        self._answers()  # all have theirs
        self.meet(folder)
        self._answers()  # all have met, and need the folder no more
        return learner

    def meet(self, folder: str) -> None:
        """Wait for the other workers, who call this too; from now on, they can be summed over."""
        torch.distributed.init_process_group(
            "gloo", init_method=f"file://{folder}/workers", rank=self.rank, world_size=self.size
        )

    def dismiss(self) -> None:
        """End the other workers, who own nothing that must be kept."""
        for process, _ in self._others:
            process.terminate()
        for process, pipe in self._others:
            process.join()
            pipe.close()
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()


ALONE = Team()
"""The team of a run with one worker."""


@contextmanager
def hired(size: int, make: Callable[[Team], Learner]) -> Iterator[Learner]:
    """Yield what `make` makes for worker 0 of `size`, and end the others after the block.

    With more than one worker, `make` and the arguments of `tell` and `ask` go to other processes: they must be
    picklable, and a script that calls this needs `if __name__ == "__main__"`.
    """
    if size == 1:
        yield make(ALONE)
        return
    loopback = [name for _, name in socket.if_nameindex() if name.startswith("lo")]
    os.environ.setdefault("GLOO_SOCKET_IFNAME", loopback[0])  # else gloo listens where the host's name leads
    team = Team(0, size)
    try:
        with tempfile.TemporaryDirectory() as folder:
            learner = team.hire(make, folder)
        yield learner
    finally:
        team.dismiss()


def _follow(make: Callable[[Team], Any], team: Team, pipe: Connection, folder: str) -> None:
    """Be a worker other than 0: do as it says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes, and worker 0 ends the others
    threading.Thread(target=_end_with_worker_0, daemon=True).start()
    try:
        learner = make(team)
        pipe.send("ready")
        team.meet(folder)
        pipe.send("met")
        for method, arguments, is_asked in _orders(pipe):
            answer = getattr(learner, method)(*arguments)
            if is_asked:
                pipe.send(answer)
    except Exception:
        with suppress(OSError):
            pipe.send(WorkerError(f"worker {team.rank} failed:\n{traceback.format_exc()}"))


def _orders(pipe: Connection) -> Iterator[tuple[str, tuple[Any, ...], bool]]:
    """Yield what worker 0 says, until it is gone."""
    with suppress(EOFError, OSError):
        while True:
            yield pipe.recv()


def _end_with_worker_0() -> None:
    leader = multiprocessing.parent_process()
    assert leader is not None
    leader.join()
    os._exit(1)
