"""Boards up to suit isomorphism: a canonical board for each class of boards that differ in the names of suits alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.typing import Floats, Integers

_MOST_CARDS = 4
SUIT_ORDERS: Integers = np.array(list(permutations(range(4))), np.int64)
"""(24, 4): order k renames suit s to SUIT_ORDERS[k, s]."""
CHOOSE: Integers = np.array([[comb(n, k) for k in range(_MOST_CARDS + 1)] for n in range(DECK_SIZE + 1)])
"""(53, 5): binomial coefficients, n over k."""


@dataclass(frozen=True, eq=False)
class CanonicalBoards:
    """The classes of boards with a fixed number of cards. The order of the cards makes no difference."""

    boards: Integers
    """(classes, cards): the canonical board of each class, card ids ascending."""
    counts: Integers
    """(classes,): number of boards in each class."""
    class_of: NDArray[np.int32]
    """(boards,): class of each board, by its `board_number`."""
    suit_order: NDArray[np.int8]
    """(boards,): row of `SUIT_ORDERS` that turns each board into the canonical one of its class."""

    @property
    def weights(self) -> Floats:
        """Probability (classes,) of each class among random boards."""
        return np.asarray(self.counts / self.counts.sum())

    def find(self, boards: Integers) -> tuple[Integers, Integers]:
        """Return the class (n,) of boards (n, cards), and suits (n, 4) that make them canonical (`rename_suits`)."""
        numbers = _numbers(np.sort(boards, axis=1))
        return np.asarray(self.class_of[numbers], np.int64), np.asarray(SUIT_ORDERS[self.suit_order[numbers]])


def find_classes(cards: Integers, fixed: Sequence[Integers]) -> Integers:
    """Return the class (n,) of sets of cards (n, k), numbered from 0.

    Two sets are in one class if suits can be renamed so that one becomes the other, and each of the sets `fixed` stays
    the same.
    """
    orders = SUIT_ORDERS
    for each in fixed:
        renamed = rename_suits(np.tile(each, (len(orders), 1)), orders)
        orders = orders[(np.sort(renamed, axis=1) == np.sort(each)).all(axis=1)]
    renamed = rename_suits(np.repeat(cards[:, None], len(orders), axis=1), orders)
    keys = np.sort(renamed, axis=-1) @ DECK_SIZE ** np.arange(cards.shape[1])
    return np.asarray(np.unique(keys.min(axis=1), return_inverse=True)[1], np.int64)


def count_classes(sizes: Sequence[int], num_ranks: int, num_suits: int) -> int:
    """Return the number of classes of sequences of disjoint sets of cards of a deck.

    Two sequences are in one class if suits can be renamed so that each set of one becomes that of the other. By
    Burnside's lemma, the number of classes is the mean number of sequences that a renaming does not change.

    Args:
        sizes: Number of cards in each set of a sequence.
        num_ranks: Ranks of the deck.
        num_suits: Suits of the deck, which has all its ranks in each.
    """
    orders = list(permutations(range(num_suits)))
    return sum(_count_fixed(tuple(sizes), _count_cycles(order, num_ranks)) for order in orders) // len(orders)


def _count_cycles(order: tuple[int, ...], num_ranks: int) -> tuple[int, ...]:
    """Return how many cycles of 1, 2, 3 ... cards a renaming of suits has."""
    lengths, seen = [0] * len(order), set[int]()
    for first in range(len(order)):
        suit, length = first, 0
        while suit not in seen:
            seen.add(suit)
            suit, length = order[suit], length + 1
        if length:
            lengths[length - 1] += num_ranks
    return tuple(lengths)


def _count_fixed(sizes: tuple[int, ...], cycles: tuple[int, ...]) -> int:
    """Return how many sequences of disjoint sets are unions of so many cycles of 1, 2, 3 ... cards."""
    if not sizes:
        return 1
    found = 0
    for taken in product(*(range(min(num, sizes[0]) + 1) for num in cycles)):
        if sum(length * num for length, num in enumerate(taken, 1)) == sizes[0]:
            left = tuple(num - used for num, used in zip(cycles, taken, strict=True))
            found += prod(map(comb, cycles, taken)) * _count_fixed(sizes[1:], left)
    return found


def rename_suits(cards: Integers, suits: Integers) -> Integers:
    """Return cards (..., n) of which suit s is renamed to suits[..., s]."""
    return np.asarray(cards & ~3 | np.take_along_axis(np.broadcast_to(suits, (*cards.shape[:-1], 4)), cards & 3, -1))


@cache
def canonical_boards(num_cards: int) -> CanonicalBoards:
    """Return the classes of boards of 3 cards (1,755 classes) or of 4 cards (16,432 classes)."""
    boards = np.array(list(combinations(range(DECK_SIZE), num_cards)), np.int64)
    numbers = _numbers(boards)
    best, order = np.full(len(boards), np.iinfo(np.int64).max), np.zeros(len(boards), np.int8)
    for k, suits in enumerate(SUIT_ORDERS):
        renamed = _numbers(np.sort(boards // 4 * 4 + suits[boards % 4], axis=1))
        order[renamed < best] = k
        best = np.minimum(best, renamed)
    found, classes, counts = np.unique(best, return_inverse=True, return_counts=True)
    by_number = np.argsort(numbers)
    return CanonicalBoards(
        boards[by_number[found]], counts, classes[by_number].astype(np.int32), np.ascontiguousarray(order[by_number])
    )  # fmt: skip


def _numbers(boards: Integers) -> Integers:
    """Return the `board_number` of boards (n, cards) whose card ids ascend."""
    return np.asarray(sum(CHOOSE[boards[:, k], k + 1] for k in range(boards.shape[1])), np.int64)


@kernel
def board_number(cards: Any, first: Any, num_cards: Any) -> Any:
    """Return the index of a set of `num_cards` cards among all such sets; the cards start at cards[first]."""
    number = np.int64(0)
    for i in range(first, first + num_cards):
        card, smaller = np.int64(cards[i]), np.int64(0)
        for j in range(first, first + num_cards):
            smaller += np.int64(cards[j] < card)
        number += CHOOSE[card, smaller + 1]
    return number


@kernel
def rename_suit(card: Any, order: Any) -> Any:
    """Return a card id with its suit renamed by row `order` of `SUIT_ORDERS`."""
    return (card & ~3) | SUIT_ORDERS[order, card & 3]
