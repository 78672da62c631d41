"""The rows of the cheating sheet: types of hands, best first within those with a board and within those without.

With a board the hand counts once it is complete: cards that are still to come are drawn from those that the player has
not seen, so before the river the type is random and `count_types` says how likely each is. Without a board it is a
matter of the two hole cards.

The published encoder gives ace-high hands the row of a pair of deuces; so does this one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import sum_cards
from card_envs.cards import DECK_SIZE, RANKS
from card_envs.compiler import kernel
from card_envs.games.holdem.showdown import first_board_card, num_board_cards
from card_envs.games.holdem.state import MAX_BOARD
from card_envs.poker.draw import draw_unused_card
from card_envs.poker.hands import HANDS, NUM_HANDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, WORST_RANK, WORST_RANK_OF_CATEGORY, rank_of
from card_envs.poker_hands import hand_ranks
from card_envs.rng import make_generator

NUM_TYPES = 45
"""Rows of a sheet."""
SAMPLES = 2_000_000
"""Random hands of seven cards; a share of a row is then known to +- 0.04 percentage points."""

_TWO_PAIR, _FIRST_PAIR, _ACE_HIGH = 1, 2, 14
_POCKET_ACES, _HOLE_ACE_HIGH = 20, 33
_ACE = len(RANKS) - 1
_THREE_OF_A_KIND, _TWO_PAIRS, _PAIR = 5, 6, 7  # places in WORST_RANK_OF_CATEGORY


def _types_by_rank() -> NDArray[np.int64]:
    """Return (7463,): the row of a finished hand by its rank."""
    rows = np.zeros(WORST_RANK + 1, np.int64)
    last_strong, last_two_pair, last_pair, _ = WORST_RANK_OF_CATEGORY[_THREE_OF_A_KIND:]
    rows[last_strong + 1 : last_two_pair + 1] = _TWO_PAIR
    of_each_pair = (last_pair - last_two_pair) // len(RANKS)
    for k in range(len(RANKS)):
        first = last_two_pair + 1 + k * of_each_pair
        rows[first : first + of_each_pair] = _FIRST_PAIR + k
    first = last_pair + 1
    for k, size in enumerate(_high_card_ranks()):
        rows[first : first + size] = _ACE_HIGH + k
        first += size
    return rows


def _high_card_ranks() -> list[int]:
    """Return how many ranks of hands have nothing but a high card, by that card, ace first.

    Four lower ranks beside it, without the one choice that makes a straight; an ace makes two.
    """
    sizes = []
    for high in range(_ACE, 4, -1):
        four_lower = high * (high - 1) * (high - 2) * (high - 3) // 24
        sizes.append(four_lower - (2 if high == _ACE else 1))
    return sizes


TYPE_OF_RANK = _types_by_rank()
"""(7463,): row of a finished hand of seven cards by its rank."""


@kernel
def hole_type(first: Any, second: Any) -> Any:
    """Return the row of two hole cards (ids)."""
    a, b = np.int64(first) >> 2, np.int64(second) >> 2
    if a == b:
        return _POCKET_ACES + _ACE - a
    return _HOLE_ACE_HIGH + _ACE - max(a, b)


def measure_type_shares(samples: int = SAMPLES, seed: int = 0) -> NDArray[np.float64]:
    """Return (45,): shares of rows 0 to 19 among seven cards (sampled) and of rows 20 to 44 among two (counted)."""
    rng = make_generator(seed)
    shares = np.zeros(NUM_TYPES)
    keys = rng.random((samples // 10, DECK_SIZE), np.float32)
    for _ in range(10):
        hands = np.argpartition(keys, 7, axis=1)[:, :7].astype(np.uint8)
        shares += np.bincount(TYPE_OF_RANK[hand_ranks(hands)], minlength=NUM_TYPES) / samples
        keys = rng.random(keys.shape, np.float32)
    for first, second in HANDS:
        shares[hole_type(first, second)] += 1 / NUM_HANDS
    return shares


@kernel
def rank_keys(t: Any, seat: Any) -> Any:
    """Return (key, bits, cards) of a seat's hole cards and the board: as in `poker.ranks`, and the set of card ids."""
    key, bits, cards = sum_cards(t, np.int64(seat) * t.num_hole_cards, np.int64(2))
    board_key, board_bits, board = sum_cards(t, first_board_card(t), num_board_cards(t))
    return key + board_key, bits | board_bits, cards | board


@kernel
def random_type(t: Any, seat: Any, stream: Any) -> Any:
    """Return the row of a seat's hand, the board completed once with cards drawn from `stream`."""
    shown = num_board_cards(t)
    if shown == 0:
        hole = np.int64(seat) * t.num_hole_cards
        return hole_type(t.deck[hole], t.deck[hole + 1])
    key, bits, cards = rank_keys(t, seat)
    for _ in range(MAX_BOARD - shown):
        card = draw_unused_card(stream, cards)
        cards |= np.int64(1) << card
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
    return TYPE_OF_RANK[rank_of(key, bits)]


@kernel
def count_types(t: Any, seat: Any, c: Any) -> Any:
    """Write into c.count (45,) how many completions of the board make each row; return how many there are.

    All are counted: 1 before the flop and on the river, 46 on the turn, 1,081 on the flop.
    """
    for row in range(NUM_TYPES):
        c.count[row] = 0
    shown = num_board_cards(t)
    if shown == 0:
        hole = np.int64(seat) * t.num_hole_cards
        c.count[hole_type(t.deck[hole], t.deck[hole + 1])] = 1
        return 1
    key, bits, cards = rank_keys(t, seat)
    missing = MAX_BOARD - shown
    if missing == 0:
        c.count[TYPE_OF_RANK[rank_of(key, bits)]] = 1
        return 1
    total = 0
    for first in range(DECK_SIZE):
        if (cards >> first) & 1:
            continue
        one_key, one_bits = key + CARD_KEYS[first], bits | CARD_BITS[first]
        if missing == 1:
            c.count[TYPE_OF_RANK[rank_of(one_key, one_bits)]] += 1
            total += 1
            continue
        for second in range(first + 1, DECK_SIZE):
            if (cards >> second) & 1 == 0:
                rank = rank_of(one_key + CARD_KEYS[second], one_bits | CARD_BITS[second])
                c.count[TYPE_OF_RANK[rank]] += 1
                total += 1
    return total
