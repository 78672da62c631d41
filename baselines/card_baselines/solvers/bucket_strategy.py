"""A strategy for heads-up limit hold'em whose hands are in the buckets of `hand_buckets`, as it is kept and played."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.betting_tree import find_nodes, grow_tree
from card_baselines.solvers.bucket_lookup import BucketFinder
from card_baselines.solvers.hand_buckets import HandBuckets
from card_envs.game import Tables
from card_envs.games.holdem.config import HoldemConfig

WHOLE = 255
"""Chances are kept in so many parts."""


class BucketStrategy:
    """Chances of actions by betting and bucket."""

    def __init__(self, chances: NDArray[np.uint8], buckets: HandBuckets) -> None:
        """Take chances (rows, 2) to fold and to raise in 255ths, rows as in `grow_tree`."""
        self.chances, self.buckets = chances, buckets
        self.hands_by_street = buckets.hands_by_street
        self.tree = grow_tree(HoldemConfig.limit(), self.hands_by_street)
        self._finder = BucketFinder(buckets)

    def of(self, views: Tables) -> NDArray[np.float64]:
        """Return the chances to fold, call and raise (n, 3) of each view's actor."""
        return _as_shares(self.chances[self.tree["first_row"][find_nodes(views, self.tree)] + self._finder.find(views)])

    def rows(self, first: int, count: int) -> NDArray[np.float64]:
        """Return the chances (count, 3) in rows of the table."""
        return _as_shares(self.chances[first : first + count])

    def hands_on(self, board: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bucket of each hand on a board, (1326,)."""
        return self._finder.hands_on(board)

    def save(self, path: Path) -> None:
        """Write a file that `load` reads."""
        with path.open("wb") as file:
            np.savez_compressed(file, chances=self.chances, **vars(self.buckets))

    @staticmethod
    def load(path: Path) -> BucketStrategy:
        """Return the strategy of a file."""
        with np.load(path) as data:
            return BucketStrategy(data["chances"], HandBuckets(*(data[name] for name in HandBuckets.__annotations__)))


def _as_shares(chances: NDArray[np.uint8]) -> NDArray[np.float64]:
    fold, raise_ = chances.astype(np.float64).T
    return np.stack([fold, WHOLE - fold - raise_, raise_], axis=1) / WHOLE


def to_255ths(weights: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return the chances to fold and raise (rows, 2) of weights (rows, 3); all legal actions alike where they are 0."""
    shares = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, legal).astype(np.float64)
    shares = shares / shares.sum(axis=1, keepdims=True)
    fold = np.rint(shares[:, 0] * WHOLE)
    return np.stack([fold, np.minimum(np.rint(shares[:, 2] * WHOLE), WHOLE - fold)], axis=1).astype(np.uint8)
