"""Ranks of poker hands of 5, 6 or 7 cards, 1 (royal flush) to 7462 (7-5-4-3-2), the same as in treys.

The lookup is that of `poker.ranks`, which kernels call. It is compiled at the first call.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.bits import bit_count, lowest_bit
from card_envs.cards import DECK_SIZE, check_cards
from card_envs.compiler import entry_point, kernel, short_kernel
from card_envs.poker.rank_tables import LARGEST_HAND, SMALLEST_HAND
from card_envs.poker.ranks import (
    BEST_RANK,
    CARD_BITS,
    CARD_KEYS,
    CATEGORIES,
    WORST_RANK,
    WORST_RANK_OF_CATEGORY,
    rank_of,
)

__all__ = ["hand_category", "hand_rank", "hand_rank_of_set", "hand_ranks"]

_BYTE = 0xFF
_DECK = (1 << DECK_SIZE) - 1


def hand_rank(cards: Iterable[int]) -> int:
    """Return the rank of the best five of 5, 6 or 7 cards, as treys counts.

    Args:
        cards: Card ids.

    Returns:
        1 (royal flush) to 7462 (7-5-4-3-2): a lower rank is a better hand.

    Raises:
        ValueError: For another number of cards, an id outside 0..51, or a card that comes twice.

    Example:
        >>> from card_envs.cards import card_ids
        >>> hand_rank(card_ids("As Ks Qs Js Ts 2c 2d"))
        1
    """
    hand = cards if type(cards) is list or type(cards) is tuple else tuple(map(index, cards))
    try:
        rank = _rank_packed_cards_entry(len(hand), int.from_bytes(bytes(hand), "big"))
    except (ValueError, OverflowError):  # an id that no byte holds, or more cards than a 64-bit integer has bytes
        rank = 0
    if rank == 0:
        _explain(tuple(map(index, hand)))
    return rank


def hand_rank_of_set(cards: int) -> int:
    """Return the rank, as `hand_rank` does, of a set of cards. This is the fastest way to rank one hand.

    Args:
        cards: Integer in which bit c stands for card id c: `1 << c` for each card, joined by `|`.

    Returns:
        1 (royal flush) to 7462.

    Raises:
        ValueError: For fewer than 5 or more than 7 cards, and for bits outside 0..51.
        TypeError: If `cards` is not an integer.
    """
    if type(cards) is not int:
        cards = index(cards)
    try:
        rank = _rank_card_set_entry(cards)
    except OverflowError:  # a bit that no 64-bit integer holds
        rank = 0
    if rank == 0:
        _explain_set(cards)
    return rank


def hand_ranks(cards: NDArray[np.integer[Any]]) -> NDArray[np.uint16]:
    """Return the ranks of many hands that have the same number of cards.

    Args:
        cards: (N, 5), (N, 6) or (N, 7) card ids of any integer type; C-contiguous uint8 is fastest, others are copied.

    Returns:
        (N,) uint16, each 1 (royal flush) to 7462.

    Raises:
        ValueError: For other shapes, an id outside 0..51, or a card that comes twice in a hand.
        TypeError: If the array does not hold integers.
    """
    hands = np.asarray(cards)
    if not np.issubdtype(hands.dtype, np.integer):
        raise TypeError(f"cards are {hands.dtype}: give an array of integers, card ids 0..{DECK_SIZE - 1}")
    if hands.ndim != 2 or not SMALLEST_HAND <= hands.shape[1] <= LARGEST_HAND:
        raise ValueError(f"cards have shape {hands.shape}: give (N, {SMALLEST_HAND}) to (N, {LARGEST_HAND})")
    ranks = np.empty(len(hands), np.uint16)
    if len(hands) == 0:
        return ranks
    if hands.dtype != np.uint8 and (hands.max() >= DECK_SIZE or hands.min() < 0):
        _explain_batch(hands)
    hands = np.ascontiguousarray(hands, np.uint8)
    if not _rank_hands(hands.view([("cards", np.uint8, hands.shape[1:])]).ravel(), ranks):
        _explain_batch(hands)
    return ranks


def hand_category(rank: int) -> str:
    """Return the hand category, one of `CATEGORIES`, of a rank 1..7462; ValueError for any other number."""
    if not BEST_RANK <= rank <= WORST_RANK:
        raise ValueError(f"rank {rank} is outside {BEST_RANK}..{WORST_RANK}")
    return CATEGORIES[bisect_left(WORST_RANK_OF_CATEGORY, rank)]


@short_kernel
def _rank_packed_cards(num_cards: Any, packed: Any) -> Any:
    """Return the rank of the card ids in the `num_cards` low bytes; 0 unless they are 5 to 7 different cards."""
    if num_cards < SMALLEST_HAND or num_cards > LARGEST_HAND:
        return 0
    key, bits = 0, 0
    for _ in range(num_cards):
        key += CARD_KEYS[packed & _BYTE]
        bits |= CARD_BITS[packed & _BYTE]
        packed >>= 8
    return rank_of(key, bits) if bit_count(bits) == num_cards else 0


@short_kernel
def _rank_card_set(cards: Any) -> Any:
    """Return the rank of a set of card ids; 0 unless they are 5 to 7 cards."""
    count = bit_count(cards)
    if cards & ~_DECK or count < SMALLEST_HAND or count > LARGEST_HAND:
        return 0
    key, bits = 0, 0
    while cards:
        card = lowest_bit(cards)
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
        cards &= cards - 1
    return rank_of(key, bits)


def _compile_at_first_call(name: str, function: Callable[..., int], *examples: int) -> Callable[..., int]:
    """Return a function that compiles a kernel and puts it under `name` into this module, before it calls it.

    Later calls skip Numba's dispatch on types.
    """

    def compile_and_call(*arguments: int) -> int:
        globals()[name] = compiled = entry_point(function, *examples)
        return int(compiled(*arguments))

    return compile_and_call


_rank_packed_cards_entry = _compile_at_first_call("_rank_packed_cards_entry", _rank_packed_cards, 0, 0)
_rank_card_set_entry = _compile_at_first_call("_rank_card_set_entry", _rank_card_set, 0)


@kernel
def _rank_hands(hands: Any, ranks: Any) -> Any:
    """Write the ranks of all `hands`; return False if a hand has a card twice or an id that is not a card.

    Hands are records, not rows of an array, so that their length is part of the type and Numba unrolls the loop.
    """
    wrong = np.int64(0)
    for i in range(len(hands)):
        hand = hands[i]["cards"]
        key, bits = 0, 0
        for k in range(len(hand)):
            key += CARD_KEYS[hand[k]]
            bits |= CARD_BITS[hand[k]]
        wrong |= bit_count(bits) ^ len(hand)
        ranks[i] = rank_of(key, bits)
    return wrong == 0


def _explain_batch(hands: NDArray[np.integer[Any]]) -> None:
    for row, hand in enumerate(hands.tolist()):
        _explain(hand, f" in hand {row}")


def _explain(hand: Sequence[int], where: str = "") -> None:
    """Raise a ValueError if the cards are not a hand that has a rank."""
    if not SMALLEST_HAND <= len(hand) <= LARGEST_HAND:
        raise ValueError(f"a hand of {len(hand)} cards has no rank: give {SMALLEST_HAND} to {LARGEST_HAND} cards")
    check_cards(hand, where)


def _explain_set(cards: int) -> None:
    """Raise a ValueError if a set of cards is not a hand that has a rank."""
    if not 0 <= cards <= _DECK:
        raise ValueError(f"card set {cards:#x} has other bits than 0..{DECK_SIZE - 1}: bit c stands for card id c")
    _explain([card for card in range(DECK_SIZE) if cards >> card & 1])
