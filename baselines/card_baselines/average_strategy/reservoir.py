"""A uniform random sample of a stream of rows whose length is not known in advance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.runs.checkpoint import check_arrays, read_count

_INITIAL_CAPACITY = 1024


class Reservoir:
    """Keeps at most `capacity` of the rows added so far, each with the same probability.

    Algorithm R of Vitter (Random sampling with a reservoir, 1985): row number i, counted from 0, replaces a random row
    with probability capacity / (i + 1).
    """

    def __init__(self, capacity: int, columns: Mapping[str, tuple[tuple[int, ...], Any]]) -> None:
        """Make an empty reservoir; memory is allocated as rows are added.

        Args:
            capacity: Number of rows that are kept.
            columns: Names of the columns -> shape and dtype of one entry.
        """
        self.capacity = capacity
        self.num_seen = 0
        """Number of rows added so far, kept or not."""
        self._columns: dict[str, NDArray[Any]] = {
            name: np.zeros((0, *shape), dtype) for name, (shape, dtype) in columns.items()
        }

    def __len__(self) -> int:
        """Return the number of rows that are kept."""
        return min(self.num_seen, self.capacity)

    def add(self, rng: np.random.Generator, **columns: NDArray[Any]) -> None:
        """Offer n rows, given as columns (n, ...)."""
        count = len(next(iter(columns.values())))
        numbers = np.arange(self.num_seen, self.num_seen + count)
        places = np.where(numbers < self.capacity, numbers, rng.integers(0, numbers + 1))
        kept = np.flatnonzero(places < self.capacity)
        self._reserve(min(self.num_seen + count, self.capacity))
        for name, values in columns.items():
            self._columns[name][places[kept]] = values[kept]  # if rows have the same place, the last one stays
        self.num_seen += count

    def _reserve(self, size: int) -> None:
        """Make room for `size` rows; the arrays double."""
        for name, old in self._columns.items():
            if len(old) < size:
                length = min(self.capacity, max(size, _INITIAL_CAPACITY, 2 * len(old)))
                self._columns[name] = np.zeros((length, *old.shape[1:]), old.dtype)
                self._columns[name][: len(old)] = old

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of the kept rows (len(self), ...)."""
        return self._columns[name][: len(self)]

    def sample(self, rng: np.random.Generator, size: int) -> dict[str, NDArray[Any]]:
        """Return columns of `size` kept rows, drawn with replacement."""
        rows = rng.integers(0, len(self), size)
        return {name: column[rows] for name, column in self._columns.items()}

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `load_state_dict` continues."""
        return {"num_seen": np.array(self.num_seen), **{name: self.column(name) for name in self._columns}}

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict`; ValueError for columns of other types, shapes or lengths."""
        num_seen = read_count(state, "num_seen")
        check_arrays(state, self._columns, rows=True)
        columns = {name: state[name].copy() for name in self._columns}
        if any(len(column) != min(num_seen, self.capacity) for column in columns.values()):
            raise ValueError(f"the columns of a reservoir have not the length of {num_seen} rows seen")
        self.num_seen, self._columns = num_seen, columns
