"""The boards of every street of a game; of boards that differ in the names of suits alone, one stands for all.

Each board continues one of the street before, its parent. After a parent, suits may be renamed if that changes neither
the parent nor the boards before it.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.betting_keys import find_sorted
from card_baselines.solvers.buckets.suit_isomorphism import SUIT_ORDERS, rename_suits
from card_envs.cards import DECK_SIZE
from card_envs.typing import Integers


class BoardList(NamedTuple):
    """The boards of a street."""

    cards: Integers
    """(boards, cards): all cards that came so far, the new ones last."""
    counts: Integers
    """(boards,): number of boards with the same parent that each stands for."""
    begin: Integers
    """(parents + 1,): where the boards of each parent begin."""
    parent: Integers
    """(boards,): the parent of each board."""
    orders: NDArray[np.bool_]
    """(boards, 24): True for rows of `SUIT_ORDERS` by which suits may be renamed after each board."""
    keys: Integers
    """(n,): keys of every board that can come after a parent, ascending."""
    board: Integers
    """(n,): the board that stands for it."""
    order: Integers
    """(n,): the row of `SUIT_ORDERS` that renames it to that board."""

    @staticmethod
    def start(merges: bool) -> BoardList:
        """Return the board of the first street, without cards; `merges` if one board stands for several later on."""
        orders = np.full((1, len(SUIT_ORDERS)), merges)
        orders[:, 0] = True
        one, none = np.zeros(1, np.int64), np.zeros(0, np.int64)
        return BoardList(np.zeros((1, 0), np.int64), one + 1, np.arange(2), one, orders, none, none, none)

    def follow(self, deck: Integers, num_cards: int) -> BoardList:
        """Return the boards of the next street, on which `num_cards` more cards of a deck (cards,) come; none for 0."""
        left = np.array([np.setdiff1d(deck, cards) for cards in self.cards])
        sets = np.array(list(combinations(range(left.shape[1]), num_cards)), np.int64)
        sets = sets if num_cards else sets[:0]
        parent = np.repeat(np.arange(len(self.cards)), len(sets))
        added = left[:, sets].reshape(len(parent), num_cards)
        keys = _find_keys(parent, added)
        best, order, same = keys.copy(), np.zeros(len(keys), np.int64), self.orders[parent]
        for k in range(1, len(SUIT_ORDERS)):
            rows = np.flatnonzero(same[:, k])
            renamed = _find_keys(parent[rows], rename_suits(added[rows], SUIT_ORDERS[k]))
            same[rows, k] = renamed == keys[rows]
            is_less = renamed < best[rows]
            best[rows[is_less]], order[rows[is_less]] = renamed[is_less], k
        chosen = np.flatnonzero(best == keys)
        if self.orders[:, 1:].any():
            chosen = chosen[np.argsort(keys[chosen])]
        by_key, sorted_keys = np.argsort(keys[chosen]), np.argsort(keys)
        board = by_key[np.searchsorted(keys[chosen[by_key]], best)]
        parent = parent[chosen]
        return BoardList(
            np.hstack([self.cards[parent], added[chosen]]), np.bincount(board),
            np.searchsorted(parent, np.arange(len(self.cards) + 1)), parent, same[chosen], keys[sorted_keys],
            board[sorted_keys], order[sorted_keys],
        )  # fmt: skip

    def find(self, parent: Integers, added: Integers) -> tuple[Integers, Integers]:
        """Return the boards (n,) after parents (n,) and new cards (n, cards), -1 for none, and how suits are renamed.

        Suits are renamed by rows (n,) of `SUIT_ORDERS`, which also hold for the hands and for cards that come later.
        """
        found = find_sorted(self.keys, _find_keys(parent, added))
        return np.where(found < 0, -1, self.board[found]), self.order[found]


def _find_keys(parent: Integers, added: Integers) -> Integers:
    """Return a number (n,) for each parent (n,) and set of new cards (n, cards), in any order."""
    factors = DECK_SIZE ** np.arange(added.shape[1] + 1)
    return np.asarray(parent * factors[-1] + np.sort(added, axis=1) @ factors[:-1], np.int64)
