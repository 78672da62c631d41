"""Estimates of equity: the mean share of the pot against random hands on random boards.

A hash of the known cards chooses the random cards, so the same cards always have the same estimate. Before the flop,
estimates cost most: those of all hands ship as one file, which `tests/helpers/poker_tables.py` computes. Equities at a
showdown are means over all hands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.bits import lowest_bit
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker.draw import hash_to_card, hash_to_unused_card
from card_envs.poker.pinned_tables import load_pinned
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.poker.starting_hands import STARTING_PERCENTILES, starting_hands
from card_envs.rng import splitmix64

TABLE_FILE = Path(__file__).with_name("sampled_equity_tables.npz")
TABLE_SHA256 = "a74a02acdb230f0c6f0f8c9acb7358710328a4df2faa6fb36fc1c3264eb4c505"
"""Hash of the content of `TABLE_FILE`."""

SAMPLES = 200
"""Number of random deals for an estimate."""
QUARTERS = 4
"""Starting hands are divided by strength into this number of groups of equal size."""
_UNKNOWN = 0.5
"""Equity against a quarter of which no deal had a hand."""

_CARDS = np.arange(DECK_SIZE)
_QUARTER_OF_CARDS: NDArray[np.int64] = np.minimum(
    QUARTERS * (1.0 - STARTING_PERCENTILES[starting_hands(np.stack(np.meshgrid(_CARDS, _CARDS), axis=-1))]),
    QUARTERS - 1,
).astype(np.int64)
"""(52, 52) quarter of the starting hand of two card ids, 0 the best."""
_BITS, _COUNTER = 16, 0xFFFF
"""Bits of the counter of a quarter, and their mask; one integer holds the four counters."""


class Tables(NamedTuple):
    """Lookup table of the encoder `equity`."""

    by_quarter: NDArray[np.float32]
    """(1326, 4) equity of each of `poker.hands.HANDS` against each quarter of starting hands, the best first."""


TABLES = load_pinned(Tables, TABLE_FILE, TABLE_SHA256)


@kernel
def write_sampled_equities(first: Any, second: Any, board: Any, missing: Any, o: Any, at: Any) -> None:
    """Write the equity of two cards against a random hand to o.values[at], and against each quarter behind it.

    `board` is the set of the board cards that are shown; `missing` are to come. A chain of hashes chooses the cards.
    Each deal begins one hash later than the deal before, so that most cards of a deal are already computed.
    """
    used = np.int64(1) << first | np.int64(1) << second
    seed = splitmix64(splitmix64(np.uint64(used)) ^ np.uint64(used | board))
    used |= board
    board_key, board_bits = _describe_board(board)
    my_key, my_bits = CARD_KEYS[first] + CARD_KEYS[second], CARD_BITS[first] | CARD_BITS[second]
    mine = rank_of(board_key + my_key, board_bits | my_bits)  # for a board that is complete
    s0 = splitmix64(seed)  # hashes of this deal and the next ones, and the cards that they stand for
    s1 = splitmix64(s0)
    s2 = splitmix64(s1)
    s3 = splitmix64(s2)
    s4 = splitmix64(s3)
    c0, c1, c2, c3, c4 = hash_to_card(s0), hash_to_card(s1), hash_to_card(s2), hash_to_card(s3), hash_to_card(s4)
    counts, halves = np.int64(0), np.int64(0)  # deals of each quarter, and half pots won
    for _ in range(SAMPLES):
        a = _choose_unused(used, c0, c1, s1)
        taken = used | np.int64(1) << a
        b = _choose_unused(taken, c1, c2, s2)
        key, bits = board_key, board_bits
        if missing:
            taken |= np.int64(1) << b
            card = _choose_unused(taken, c2, c3, s3)
            key += CARD_KEYS[card]
            bits |= CARD_BITS[card]
            taken |= np.int64(1) << card
            if missing > 1:
                card = _choose_unused(taken, c3, c4, s4)
                key += CARD_KEYS[card]
                bits |= CARD_BITS[card]
                taken |= np.int64(1) << card
            next_seed = s4
            for _ in range(2, missing):  # before the flop
                card = hash_to_unused_card(taken, next_seed)
                key += CARD_KEYS[card]
                bits |= CARD_BITS[card]
                taken |= np.int64(1) << card
                next_seed = splitmix64(next_seed)
            mine = rank_of(key + my_key, bits | my_bits)
        other = rank_of(key + CARD_KEYS[a] + CARD_KEYS[b], bits | CARD_BITS[a] | CARD_BITS[b])
        place = _BITS * _QUARTER_OF_CARDS[a, b]
        counts += np.int64(1) << place
        halves += _half_pots(mine, other) << place
        s1, s2, s3, s4 = s2, s3, s4, splitmix64(s4)
        c0, c1, c2, c3, c4 = c1, c2, c3, c4, hash_to_card(s4)
    _write_shares(counts, halves, SAMPLES, o, at)


@kernel
def write_showdown_equities(first: Any, second: Any, board: Any, o: Any, at: Any) -> None:
    """Write what `write_sampled_equities` estimates for a board with no card to come, from all hands."""
    key, bits = _describe_board(board)
    mine = rank_of(key + CARD_KEYS[first] + CARD_KEYS[second], bits | CARD_BITS[first] | CARD_BITS[second])
    unseen = np.int64((1 << DECK_SIZE) - 1) ^ (board | np.int64(1) << first | np.int64(1) << second)
    counts, halves = np.int64(0), np.int64(0)
    while unseen:
        a = lowest_bit(unseen)
        unseen &= unseen - 1
        others = unseen
        while others:
            b = lowest_bit(others)
            others &= others - 1
            other = rank_of(key + CARD_KEYS[a] + CARD_KEYS[b], bits | CARD_BITS[a] | CARD_BITS[b])
            place = _BITS * _QUARTER_OF_CARDS[a, b]
            counts += np.int64(1) << place
            halves += _half_pots(mine, other) << place
    count = np.int64(0)
    for quarter in range(QUARTERS):
        count += counts >> (_BITS * quarter) & _COUNTER
    _write_shares(counts, halves, count, o, at)


@kernel
def _describe_board(board: Any) -> Any:
    """Return the key and the bits of a set of cards (see `poker.ranks`)."""
    key, bits = np.int64(0), np.int64(0)
    while board:
        card = lowest_bit(board)
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
        board &= board - 1
    return key, bits


@kernel
def _half_pots(mine: Any, other: Any) -> Any:
    """Return the halves of a pot, 0 to 2, that a hand with rank `mine` wins against one with rank `other`."""
    return np.int64(np.int64(mine <= other) + np.int64(mine < other))


@kernel
def _write_shares(counts: Any, halves: Any, num_deals: Any, o: Any, at: Any) -> None:
    """Write the share of all deals to o.values[at] and that of the deals of each quarter behind it."""
    total = np.int64(0)
    for quarter in range(QUARTERS):
        count, won = counts >> (_BITS * quarter) & _COUNTER, halves >> (_BITS * quarter) & _COUNTER
        total += won
        o.values[at + 1 + quarter] = 0.5 * won / count if count else _UNKNOWN
    o.values[at] = 0.5 * total / num_deals


@kernel
def _choose_unused(used: Any, first: Any, second: Any, seed: Any) -> Any:
    """Return `first` unless `used` contains it, else `second`, else the next unused card of the chain after `seed`.

    The choice between the first two has no branch, which the processor would predict wrongly for every tenth card.
    """
    card = first ^ ((first ^ second) & -(used >> first & 1))
    return hash_to_unused_card(used, splitmix64(seed)) if used >> card & 1 else card


assert 2 * SAMPLES < 1 << _BITS - 1, "counters have 16 bits, the last one a sign"
