"""A strategy for heads-up limit hold'em whose hands are in the buckets of `hand_buckets`, as it is kept and played."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_LZMA, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.betting_tree import find_nodes, grow_tree
from card_baselines.solvers.bucket_lookup import BucketFinder
from card_baselines.solvers.hand_buckets import HandBuckets
from card_envs.game import Tables
from card_envs.games.holdem.config import HoldemConfig

WHOLE = 255
"""Denominator of the stored probabilities."""


class BucketStrategy:
    """Probabilities of actions by betting and bucket."""

    def __init__(self, table: NDArray[np.uint8], buckets: HandBuckets) -> None:
        """Take probabilities (rows, 2) to fold and to raise in 255ths, rows as in `grow_tree`."""
        self.table, self.buckets = table, buckets
        self.hands_by_street = buckets.hands_by_street
        self.tree = grow_tree(HoldemConfig.limit(), self.hands_by_street)
        self._finder = BucketFinder(buckets)

    def probabilities(self, views: Tables) -> NDArray[np.float64]:
        """Return the probabilities to fold, call and raise (n, 3) of each view's actor."""
        return _to_probabilities(
            self.table[self.tree["first_row"][find_nodes(views, self.tree)] + self._finder.find(views)]
        )

    def rows(self, first: int, count: int) -> NDArray[np.float64]:
        """Return the probabilities (count, 3) in rows of the table."""
        return _to_probabilities(self.table[first : first + count])

    def hands_on(self, board: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bucket of each hand on a board, (1326,)."""
        return self._finder.hands_on(board)

    def save(self, path: Path) -> None:
        """Write a file that `load` reads: .npz with LZMA, a sixth smaller than NumPy's own compression."""
        with ZipFile(path, "w") as file:
            for name, array in {"chances": self.table, **vars(self.buckets)}.items():
                entry = ZipInfo(f"{name}.npy")  # dated 1980, so that equal strategies make equal files
                entry.compress_type = ZIP_LZMA
                with file.open(entry, "w") as part:
                    np.lib.format.write_array(part, np.asarray(array), allow_pickle=False)

    @staticmethod
    def load(path: Path) -> BucketStrategy:
        """Return the strategy of a file."""
        with np.load(path) as data:
            return BucketStrategy(data["chances"], HandBuckets(*(data[name] for name in HandBuckets.__annotations__)))


def _to_probabilities(table: NDArray[np.uint8]) -> NDArray[np.float64]:
    fold, raise_ = table.astype(np.float64).T
    return np.stack([fold, WHOLE - fold - raise_, raise_], axis=1) / WHOLE


def to_255ths(weights: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return the probabilities to fold and raise (rows, 2) of weights (rows, 3); uniform where all weights are 0."""
    shares = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, legal).astype(np.float64)
    shares = shares / shares.sum(axis=1, keepdims=True)
    fold = np.rint(shares[:, 0] * WHOLE)
    return np.stack([fold, np.minimum(np.rint(shares[:, 2] * WHOLE), WHOLE - fold)], axis=1).astype(np.uint8)
