"""Arrays of equal length that grow: what memories, rollout buffers and collectors keep their rows in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.runs.checkpoint import check_arrays

NO_ROW = -1
"""Number that stands for no row."""
Arrays = dict[str, NDArray[Any]]
Kinds = Mapping[str, tuple[tuple[int, ...], Any]]
"""Names of columns -> shape and dtype of one entry."""
_MIN_CAPACITY = 1024


class Columns:
    """Arrays with one row for each thing, which grow when they are full; the first `size` rows are in use."""

    def __init__(self, kinds: Kinds) -> None:
        """Make columns without rows; `append` adds further ones as long as there are none."""
        self.arrays: Arrays = {name: np.zeros((0, *shape), dtype) for name, (shape, dtype) in kinds.items()}
        self.size = 0

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the rows of a column that are in use."""
        return self.arrays[name][: self.size]

    def used(self) -> Arrays:
        """Return the rows of all columns that are in use."""
        return {name: self[name] for name in self.arrays}

    def take(self, rows: NDArray[np.int64]) -> Arrays:
        """Return copies of some rows."""
        return {name: array[rows] for name, array in self.arrays.items()}

    def resize(self, size: int, capacity: int | None = None) -> None:
        """Use `size` rows; arrays that are too short get twice the length, but at most `capacity`."""
        for name, old in self.arrays.items():
            if len(old) < size:
                length = max(2 * size, _MIN_CAPACITY)
                longer = np.zeros((min(length, capacity or length), *old.shape[1:]), old.dtype)
                longer[: self.size] = old[: self.size]
                self.arrays[name] = longer
        self.size = size

    def append(self, **columns: NDArray[Any]) -> NDArray[np.int64]:
        """Add n rows, given as columns (n, ...), and return their numbers; columns that are left out keep anything."""
        begin, count = self.size, len(next(iter(columns.values())))
        if not self.arrays:
            self.arrays = {name: values[:0].copy() for name, values in columns.items()}
        self.resize(begin + count)
        for name, values in columns.items():
            self.arrays[name][begin : self.size] = values
        return np.arange(begin, self.size)

    def keep(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Move these rows, in increasing order, to the front, and forget all others.

        Returns:
            (earlier size + 1,) new number of each row, `NO_ROW` for forgotten rows and at the end, for `NO_ROW` itself.
        """
        new_rows = np.full(self.size + 1, NO_ROW, np.int64)
        new_rows[rows] = np.arange(len(rows))
        for array in self.arrays.values():
            array[: len(rows)] = array[rows]
        self.size = len(rows)
        return new_rows

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Copy the columns of `used`; ValueError for columns of other types, shapes or lengths."""
        check_arrays(state, self.arrays, rows=True)
        self.arrays = {name: state[name].copy() for name in self.arrays}
        self.size = len(next(iter(self.arrays.values())))
