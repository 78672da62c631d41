"""Several processes that train one network: each has tables of its own, and they average their gradients.

`torchrun` starts them, on one machine or many, and `launch` is a shorthand for one machine. All run the same program;
process 0 keeps the clock, evaluates and writes, while the others wait for it.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray

from card_baselines.runs.checkpoint import load_state, save_state, strip_prefix

Result = TypeVar("Result")
Arrays = dict[str, NDArray[Any]]

_HANG_UPS = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGQUIT") if hasattr(signal, name))
_PATIENCE_SECONDS = 10.0
_GENERATORS = 2
"""Random generators of each process in a checkpoint."""
_PAST = "past."
"""Begins the names of past selves, which all processes have in common: process 0 alone writes them."""


class WorkerError(ValueError):
    """Raised when a process that `launch` started failed; says which one, and how."""


class World:
    """The processes of a run as one of them sees them; one that is alone shares with nobody and sums nothing."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        """Be process `rank` of `size`."""
        self.rank, self.size = rank, size

    @property
    def is_first(self) -> bool:
        """True for the process that keeps the clock, evaluates and writes."""
        return self.rank == 0

    def share(self, whole: int) -> int:
        """Return this process's part of a number; where it cannot be split evenly, the first ones take one more."""
        return whole // self.size + (self.rank < whole % self.size)

    def seed(self, seed: int) -> int:
        """Return a seed of this process's own; that of process 0 is `seed` itself."""
        if self.is_first:
            return seed
        return int(np.random.SeedSequence([seed % 2**64, self.rank]).generate_state(1, np.uint64)[0])

    def total(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sum of the processes' arrays, which have one shape."""
        sums = torch.from_numpy(numbers.copy())
        self._sum(sums)
        return sums.numpy()

    def each(self, number: int) -> list[int]:
        """Return the processes' numbers, by rank."""
        numbers = np.zeros(self.size, np.int64)
        numbers[self.rank] = number
        return [int(one) for one in self.total(numbers)]

    def moments(self, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return mean and standard deviation of the values (n,) of all processes, float32; n may differ."""
        if self.size == 1:
            return values.mean(), values.std(correction=0)
        doubles = values.double()
        sums = torch.stack([torch.ones_like(doubles).sum(), doubles.sum(), doubles.square().sum()])
        self._sum(sums)
        mean, mean_square = sums[1:] / sums[0]
        return mean.float(), (mean_square - mean.square()).clamp(min=0.0).sqrt().float()

    def average(self, tensors: Sequence[torch.Tensor], weight: float) -> None:
        """Replace float32 tensors by their means over the processes, each of which counts with its `weight`."""
        if self.size == 1:
            return
        flat = torch.cat([*(tensor.flatten() for tensor in tensors), tensors[0].new_ones(1)]) * weight
        self._sum(flat)
        means = flat[:-1] / flat[-1]
        sizes = [tensor.numel() for tensor in tensors]
        for tensor, mean in zip(tensors, torch.split(means, sizes), strict=True):
            tensor.copy_(mean.view_as(tensor))

    def _sum(self, numbers: torch.Tensor) -> None:
        if self.size > 1:
            with _patience():
                dist.all_reduce(numbers)

    def from_first(self, numbers: Sequence[float]) -> list[float]:
        """Return the numbers that process 0 has; those of the others are not read."""
        if self.size == 1:
            return list(numbers)
        shared = torch.tensor(numbers, dtype=torch.float64)
        with _patience():
            dist.broadcast(shared, 0)
        return [float(number) for number in shared]

    def gather(self, thing: Result) -> list[Result]:
        """Return the things of all processes, by rank, to process 0, and nothing to the others."""
        if self.size == 1:
            return [thing]
        things: list[Any] = [None] * self.size if self.is_first else []
        with _patience():
            dist.gather_object(thing, things if self.is_first else None)
        return things


@contextmanager
def _patience() -> Iterator[None]:
    """When another process is gone, wait to be ended: then the one that failed is named, not this one."""
    try:
        yield
    except RuntimeError:
        time.sleep(_PATIENCE_SECONDS)
        raise


ALONE = World()
"""The world of a run with one process."""


def is_launched() -> bool:
    """Return True in a process that `torchrun` or `launch` started with others."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


@contextmanager
def joined(device: torch.device) -> Iterator[World]:
    """Yield the world that the environment variables of `torchrun` describe; the processes meet before the block."""
    if not is_launched():
        yield ALONE
        return
    dist.init_process_group("gloo" if device.type == "cpu" else "cpu:gloo,cuda:nccl")
    try:
        yield World(dist.get_rank(), dist.get_world_size())
    finally:
        dist.destroy_process_group()


def save_states(
    path: Path, shared: dict[str, torch.Tensor], states: Sequence[tuple[Arrays, list[str]]], progress: dict[str, Any]
) -> None:
    """Write what all processes have in common, and the arrays and random generators (as text) of each."""
    tensors = dict(shared)
    for rank, (arrays, _) in enumerate(states):
        own = {name: array for name, array in arrays.items() if rank == 0 or not name.startswith(_PAST)}
        tensors |= {f"{_prefix(rank)}{name}": torch.from_numpy(array) for name, array in own.items()}
    save_state(path, tensors, {**progress, "rngs": [text for _, texts in states for text in texts]})


def load_states(path: Path, world: World) -> tuple[dict[str, torch.Tensor], Arrays, list[str], dict[str, Any]]:
    """Return what `save_states` wrote: what all have in common, this process's arrays and generators, progress.

    Raises ValueError for a checkpoint of another number of processes.
    """
    tensors, progress = load_state(path)
    size = len(progress["rngs"]) // _GENERATORS
    if size != world.size:
        raise ValueError(
            f"{path} holds the tables of {size} workers, this run has {world.size}: "
            f"continue it with --workers {size}, or choose another folder"
        )
    past = {f"{_PAST}{name}": tensor for name, tensor in strip_prefix(f"{_prefix(0)}{_PAST}", tensors).items()}
    own = past | strip_prefix(_prefix(world.rank), tensors)
    rngs = progress["rngs"][_GENERATORS * world.rank :][:_GENERATORS]
    return tensors, {name: tensor.numpy() for name, tensor in own.items()}, rngs, progress


def _prefix(rank: int) -> str:
    """Return how the names of a process's arrays begin in a checkpoint; those of process 0 as if it were alone."""
    return f"rollouts{rank or ''}."


def launch(size: int, main: Callable[[Any], Result], config: Any) -> Result:
    """Run `main(config)` in `size` processes of this machine, as `torchrun` does; return what process 0 returned.

    `main` and its argument go to other processes: they must be picklable, and a script that calls this needs
    `if __name__ == "__main__"`. Raises WorkerError when a process fails, which ends the others.
    """
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    for name in ("torch.distributed", "torch.multiprocessing"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what happened is told once, below
    loopback = [name for _, name in socket.if_nameindex() if name.startswith("lo")]
    os.environ.setdefault("GLOO_SOCKET_IFNAME", loopback[0])  # otherwise gloo listens where the host's name leads
    settings = LaunchConfig(
        min_nodes=1, max_nodes=1, nproc_per_node=size, max_restarts=0, run_id="card-envs",
        rdzv_backend="c10d", rdzv_endpoint="localhost:0", local_addr="localhost",
    )  # fmt: skip
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, *_HANG_UPS)}
    try:
        results: dict[int, Result] = elastic_launch(settings, _follow)(main, config)
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        told: Any = failure.message  # a dictionary if the process raised; it may still end by a signal after that
        raise _explained(rank, failure.exitcode, told["message"] if isinstance(told, dict) else "") from None
    except SignalException as error:
        if error.sigval == signal.SIGINT:
            raise KeyboardInterrupt from None
        sys.exit(128 + error.sigval)
    finally:  # the launcher has put its own in their place
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return results[0]


def _explained(rank: int, exit_code: int, message: str) -> ValueError:
    """Return the error that says how process `rank` ended: what it refused, or what happened to it.

    `message` is the text of the exception that it raised, empty if it raised none.
    """
    refused, _, reason = message.partition(f"{ValueError.__name__}: ")
    if not refused and reason:
        return ValueError(reason.strip())
    ended = f"was ended by signal {-exit_code}" if exit_code < 0 else f"ended with exit code {exit_code}"
    said = f": {message.strip().splitlines()[-1]}" if message.strip() else ""
    return WorkerError(f"process {rank} {ended}{said}; the same command continues from the last checkpoint")


def _follow(main: Callable[[Any], Result], config: Any) -> Result:
    """Call `main`; Ctrl-C, which reaches all processes, is left to the one that started them."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(128 + signal.SIGINT))
    return main(config)
