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
    free = _read_entries(_MEMORY).get("MemAvailable", math.inf) * 1024
    limit, used = (_read_entries(_GROUP / name).get("", math.inf) for name in ("memory.max", "memory.current"))
    if math.isfinite(limit) and math.isfinite(used):
        cached = _read_entries(_GROUP / "memory.stat").get("inactive_file", 0.0)  # given back when it is needed
        free = min(free, limit - used + cached)
    return free


def find_file_limit() -> float:
    """Return how many bytes a file may take uncompressed: a quarter of the free memory, since readers make copies."""
    return find_free_memory() / 4


def require_free_memory(num_bytes: float, arrays: str, advice: str) -> None:
    """Raise a ValueError if arrays do not fit into free memory.

    Args:
        num_bytes: Size of the arrays.
        arrays: What they are, in the plural.
        advice: What to do then.
    """
    if num_bytes > (free := find_free_memory()):
        raise ValueError(f"{arrays} take {num_bytes / 2**30:,.1f} GiB, of {free / 2**30:.1f} that are free: {advice}")


def _read_entries(path: Path) -> dict[str, float]:
    """Return the numbers of a file of the system with lines "name number" or a lone number, whose name is ""."""
    if not path.exists():
        return {}
    lines = [line.replace(":", " ").split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {
        words[0] if len(words) > 1 else "": float(words[min(1, len(words) - 1)])
        for words in lines
        if words and words[min(1, len(words) - 1)].isdecimal()
    }
