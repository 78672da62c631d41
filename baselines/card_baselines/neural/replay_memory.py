"""A replay memory of the most recent transitions, for learning action values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.runs.checkpoint import check_arrays, read_count


class ReplayMemory:
    """Columns of transitions; new ones replace the oldest."""

    def __init__(self, capacity: int, columns: Mapping[str, tuple[tuple[int, ...], Any]]) -> None:
        """Allocate `capacity` transitions; `columns` maps names to the shape and dtype of one entry."""
        self.columns: dict[str, NDArray[Any]] = {
            name: np.zeros((capacity, *shape), dtype) for name, (shape, dtype) in columns.items()
        }
        self.capacity = capacity
        self.num_added = 0

    def add(self, **columns: NDArray[Any]) -> None:
        """Add n transitions, given as columns (n, ...), in place of the oldest."""
        count = len(next(iter(columns.values())))
        places = np.arange(self.num_added, self.num_added + count) % self.capacity
        for name, values in columns.items():
            self.columns[name][places] = values
        self.num_added += count

    def sample(self, rng: np.random.Generator, size: int) -> dict[str, torch.Tensor]:
        """Return columns of `size` transitions, drawn with replacement."""
        rows = rng.integers(0, min(self.num_added, self.capacity), size)
        return {name: torch.from_numpy(column[rows]) for name, column in self.columns.items()}

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `load_state_dict` continues: the transitions that were added, and their number."""
        filled = {name: column[: self.num_added] for name, column in self.columns.items()}
        return {**filled, "num_added": np.array(self.num_added)}

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict`; ValueError for columns of other types, shapes or lengths."""
        num_added = read_count(state, "num_added")
        filled = {name: column[:num_added] for name, column in self.columns.items()}
        check_arrays(state, filled)
        self.num_added = num_added
        for name, column in filled.items():
            column[:] = state[name]
