"""Strategies for limit hold'em as tables: how they are stored, loaded and looked up.

A table has one row for each pair of a decision in the betting and a bucket of hands, numbered as in
`betting_tree.grow_tree`. Strategies by buckets of equity are stored in 255ths, others in 15ths.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import HOLE_CARDS, hole_card
from card_baselines.solvers.buckets.equity_buckets import CARDS, bucket_of, hands_by_street
from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_baselines.solvers.buckets.lookup import BucketFinder
from card_baselines.solvers.buckets.stored_buckets import from_stored_arrays, to_stored_arrays
from card_baselines.solvers.fifteenths import WHOLE, compress, decompress, to_fifteenths
from card_baselines.solvers.limit.betting_tree import NUM_ACTIONS, find_nodes, grow_tree, node_of, num_rows
from card_envs.compiler import kernel
from card_envs.damaged_files import explain_damage
from card_envs.game import Tables
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.poker.hands import HANDS, NUM_HANDS
from card_envs.typing import Floats, Integers

_EQUITY_WHOLE = 255
"""Denominator of the stored probabilities of an `EquityStrategy`."""
_DEALT_TO_PLAYERS = 2 * HOLE_CARDS


class TableStrategy(Protocol):
    """A strategy for limit hold'em that is a table of probabilities."""

    tree: np.ndarray[Any, np.dtype[Any]]
    """(nodes,) of `betting_tree.NODE`."""
    hands_by_street: list[int]
    """Number of buckets on each street."""

    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities to fold, call and raise (n, 3) of each view's actor."""
        ...

    def rows(self, first: int, count: int) -> Floats:
        """Return the probabilities (count, 3) in rows of the table, as `grow_tree` numbers them."""
        ...

    def hands_on(self, board: Integers) -> Integers:
        """Return the bucket (1326,) of each hand on a board of 0, 3, 4 or 5 cards.

        The entries of hands that share a card with the board are undefined.
        """
        ...


class EquityStrategy:
    """A strategy for limit hold'em by buckets of similar equity (`equity_buckets`)."""

    def __init__(self, table: Floats, bounds: Floats) -> None:
        """Make a strategy from probabilities (rows, 3) and the bounds of the buckets (3, num_buckets - 1)."""
        self.table, self.bounds = table, bounds
        self.hands_by_street = hands_by_street(bounds)
        self.tree = grow_tree(HoldemConfig.limit(), self.hands_by_street)
        if table.shape != (num_rows(self.tree, self.hands_by_street), NUM_ACTIONS) or not np.isfinite(table).all():
            raise ValueError(f"the strategy has {table.shape} probabilities, but the betting asks for others")
        self._cards = np.zeros(1, CARDS)

    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities to fold, call and raise (n, 3) of each view's actor."""
        probabilities = np.empty((len(views), NUM_ACTIONS))
        look_up(views, self.tree, self.table, self.bounds, self._cards, probabilities)
        return probabilities

    def rows(self, first: int, count: int) -> Floats:
        """Return the probabilities (count, 3) in rows of the table."""
        return self.table[first : first + count]

    def hands_on(self, board: Integers) -> Integers:
        """Return the bucket of each hand on a board, (1326,)."""
        buckets = np.zeros(NUM_HANDS, np.int64)
        self._cards[0].card[_DEALT_TO_PLAYERS : _DEALT_TO_PLAYERS + len(board)] = board
        used = np.bitwise_or.reduce(np.int64(1) << board, initial=np.int64(0))
        write_buckets(self._cards, used, np.int64(max(0, len(board) - 2)), self.bounds, buckets)
        return buckets

    def save(self, path: Path) -> None:
        """Write a file that `load_strategy` reads; probabilities are rounded to 255ths."""
        table = np.rint(self.table[:, [0, 2]] * _EQUITY_WHOLE).astype(np.uint8)
        with path.open("wb") as file:
            np.savez_compressed(file, chances=table, bounds=self.bounds.astype(np.float32))


class BucketStrategy:
    """A strategy for limit hold'em by buckets of similar distributions of equity (`hand_buckets`)."""

    def __init__(self, table: NDArray[np.uint8], buckets: HandBuckets) -> None:
        """Make a strategy from probabilities of fold and raise (rows, 2) in 15ths, and its buckets."""
        self.table, self.buckets = table, buckets
        self.hands_by_street = buckets.hands_by_street
        self.tree = grow_tree(HoldemConfig.limit(), self.hands_by_street)
        if table.shape != (num_rows(self.tree, self.hands_by_street), 2) or table.sum(axis=1).max() > WHOLE:
            raise ValueError(f"the strategy has {table.shape} probabilities, but the betting asks for others")
        self._finder = BucketFinder(buckets)

    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities to fold, call and raise (n, 3) of each view's actor."""
        rows = self.tree["first_row"][find_nodes(views, self.tree)] + self._finder.find(views)
        return _to_probabilities(self.table[rows])

    def rows(self, first: int, count: int) -> Floats:
        """Return the probabilities (count, 3) in rows of the table."""
        return _to_probabilities(self.table[first : first + count])

    def hands_on(self, board: Integers) -> Integers:
        """Return the bucket of each hand on a board, (1326,)."""
        return self._finder.hands_on(board)

    def save(self, path: Path) -> None:
        """Write a file that `load_strategy` reads."""
        with path.open("wb") as file:
            np.savez(file, shares=compress(self.table.reshape(-1)), **to_stored_arrays(self.buckets))


def load_strategy(path: Path) -> EquityStrategy | BucketStrategy:
    """Return the strategy for limit hold'em in a file written by either `save`."""
    with explain_damage(path), np.load(path) as data:
        if "bounds" in data:
            fold, raise_ = data["chances"].T / _EQUITY_WHOLE
            table = np.column_stack([fold, np.maximum(0.0, 1.0 - fold - raise_), raise_])
            return EquityStrategy(table, data["bounds"].astype(np.float64))
        if "shares" not in data:
            raise ValueError(f"{path} holds no strategy that this version reads: train it again")
        buckets, packed = from_stored_arrays(data), data["shares"]
        tree = grow_tree(HoldemConfig.limit(), buckets.hands_by_street)
        return BucketStrategy(decompress(packed, 2 * num_rows(tree, buckets.hands_by_street)).reshape(-1, 2), buckets)


def _to_probabilities(table: NDArray[np.uint8]) -> Floats:
    """Return the probabilities to fold, call and raise (n, 3) of fold and raise in 15ths (n, 2)."""
    fold, raise_ = table.astype(np.float64).T
    return np.stack([fold, WHOLE - fold - raise_, raise_], axis=1) / WHOLE


def round_shares(weights: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return the probabilities of fold and raise in 15ths (rows, 2), given weights of the actions (rows, 3).

    Rows whose weights are all 0 become uniform over the `legal` actions (3,).
    """
    shares = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, legal).astype(np.float64)
    return to_fifteenths((shares / shares.sum(axis=1, keepdims=True)).T)[[0, 2]].T.astype(np.uint8)


@kernel
def look_up(views: Any, tree: Any, strategy: Any, bounds: Any, cards: Any, probabilities: Any) -> None:
    """Write the action probabilities of each view's actor in limit hold'em; `cards` is a record of scratch space."""
    for j in range(views.shape[0]):
        t = views[j]
        for k in range(num_board_cards(t)):
            cards[0].card[_DEALT_TO_PLAYERS + k] = t.deck[_DEALT_TO_PLAYERS + k]
        bucket = bucket_of(hole_card(t, 0), hole_card(t, 1), cards[0], np.int64(t.street), bounds)
        row = np.int64(tree[node_of(t, tree)].first_row) + bucket
        for action in range(NUM_ACTIONS):
            probabilities[j, action] = strategy[row, action]


@kernel
def write_buckets(cards: Any, used: Any, street: Any, bounds: Any, buckets: Any) -> None:
    """Write the bucket of each hand that shares no card with the set `used`, the board of `cards`."""
    for hand in range(NUM_HANDS):
        a, b = np.int64(HANDS[hand, 0]), np.int64(HANDS[hand, 1])
        if ((used >> a) | (used >> b)) & 1 == 0:
            buckets[hand] = bucket_of(a, b, cards[0], street, bounds)
