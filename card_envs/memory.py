"""Errors of tables that do not fit into memory, and how much of it is free."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from card_envs.game import Game

_MEMORY, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")
"""Where Linux tells the memory of the machine and of a container."""


@contextmanager
def explain_memory(game: Game, num_tables: int) -> Iterator[None]:
    """Say in a MemoryError how much memory the tables take, in place of NumPy's error about one of their arrays."""
    try:
        yield
    except (MemoryError, ValueError) as error:
        if isinstance(error, ValueError) and "Maximum allowed" not in str(error):
            raise
        number = np.dtype(game.layout.dtype).itemsize
        each = game.new_tables(1).nbytes + game.layout.size * number + game.num_actions
        raise MemoryError(
            f"num_tables {num_tables:,}: a table of {game.name} takes {each:,} bytes, so these take "
            f"{num_tables * each / 2**30:,.0f} GiB; choose fewer"
        ) from error


def find_free_memory() -> float:
    """Return how many bytes a process can still allocate without swapping, infinity where the system does not tell."""
    free = math.inf
    if _MEMORY.exists():
        entries = dict(line.split(":", 1) for line in _MEMORY.read_text().splitlines())
        free = int(entries["MemAvailable"].split()[0]) * 1024
    limit, used = (_GROUP / name for name in ("memory.max", "memory.current"))
    if limit.exists() and used.exists() and (most := limit.read_text().strip()) != "max":
        free = min(free, int(most) - int(used.read_text()))
    return free
