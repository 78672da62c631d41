"""Boards that differ in the names of suits alone: one of each kind, and how any board becomes one of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel

_MOST_CARDS = 4
SUIT_ORDERS: NDArray[np.int64] = np.array(list(permutations(range(4))), np.int64)
"""(24, 4): order k renames suit s to SUIT_ORDERS[k, s]."""
CHOOSE: NDArray[np.int64] = np.array([[comb(n, k) for k in range(_MOST_CARDS + 1)] for n in range(DECK_SIZE + 1)])
"""(53, 5): n over k."""


@dataclass(frozen=True, eq=False)
class BoardKinds:
    """The kinds of boards with a number of cards, which have no order."""

    boards: NDArray[np.int64]
    """(kinds, cards): one board of each kind, card ids ascending."""
    counts: NDArray[np.int64]
    """(kinds,): how many boards are of that kind."""
    kind: NDArray[np.int32]
    """(boards,): kind of the board with a number, see `board_number`."""
    order: NDArray[np.int8]
    """(boards,): row of `SUIT_ORDERS` that turns it into the one of its kind."""


@cache
def board_kinds(num_cards: int) -> BoardKinds:
    """Return the kinds of boards of 3 cards, of which there are 1,755, or of 4, 16,432."""
    boards = np.array(list(combinations(range(DECK_SIZE), num_cards)), np.int64)
    numbers = _numbers(boards)
    best, order = np.full(len(boards), np.iinfo(np.int64).max), np.zeros(len(boards), np.int8)
    for k, suits in enumerate(SUIT_ORDERS):
        numbers_of_order = _numbers(np.sort(boards // 4 * 4 + suits[boards % 4], axis=1))
        order[numbers_of_order < best] = k
        best = np.minimum(best, numbers_of_order)
    found, kinds, counts = np.unique(best, return_inverse=True, return_counts=True)
    in_order = np.argsort(numbers)
    return BoardKinds(
        boards[in_order[found]], counts, kinds[in_order].astype(np.int32), np.ascontiguousarray(order[in_order])
    )  # fmt: skip


def _numbers(boards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of boards whose cards ascend."""
    return np.asarray(sum(CHOOSE[boards[:, k], k + 1] for k in range(boards.shape[1])), np.int64)


@kernel
def board_number(cards: Any, first: Any, num_cards: Any) -> Any:
    """Return the number of the set of `num_cards` different card ids from cards[first] on, whatever their order."""
    number = np.int64(0)
    for i in range(first, first + num_cards):
        card, smaller = np.int64(cards[i]), np.int64(0)
        for j in range(first, first + num_cards):
            smaller += np.int64(cards[j] < card)
        number += CHOOSE[card, smaller + 1]
    return number


@kernel
def rename_suit(card: Any, order: Any) -> Any:
    """Return a card id with its suit renamed."""
    return (card & ~3) | SUIT_ORDERS[order, card & 3]
