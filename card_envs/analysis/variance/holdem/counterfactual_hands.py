"""Kernels that draw and rank counterfactual hands: hands that each seat could have held in a deal of Texas hold'em.

The cards of a deal are divided into *pools*: one for each seat, with its hole cards and other cards that were not
dealt, and one of eight cards for the board. Given the pools, every pair of cards of a seat's pool is equally likely its
hand, and every order of the board's pool is equally likely, independently of each other. A seat's *counterfactual
hands* are some pairs of its pool, among them the true one. They are equally likely at first; after each action, they
have the posterior probabilities for an observer who knows the actions, the pools and the agents' strategies (Bayes'
rule).

The observer knows the pool of a seat but not its hand, so that the variance of the hand is averaged out. (AIVAT calls
these hands imaginary observations: Burch, Schmid, Moravcik, Morrill and Bowling, AAAI 2018.) `counterfactual_values`
computes the effects of actions, cards and showdowns.

Sets of seats and sets of cards of the board's pool are int64 with one bit per element.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has
from card_envs.games.holdem.state import MAX_BOARD, MAX_SEATS, Table
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.records import Tables
from card_envs.rng import STREAM, random_below, seed_stream

BOARD_POOL = 8
MAX_POOL = (DECK_SIZE - BOARD_POOL) // 2
"""Maximum number of cards in a seat's pool."""
MAX_HANDS = 200
"""Maximum number of counterfactual hands of all seats together."""
_MAX_PAIRS = MAX_POOL * (MAX_POOL - 1) // 2

_BOARDS = [sum(1 << place for place in places) for places in combinations(range(BOARD_POOL), MAX_BOARD)]
BOARDS: NDArray[np.int64] = np.array(_BOARDS)
"""(56,): all boards as sets of indices in the pool; the true board consists of the first five."""
_FLOPS = [sum(1 << place for place in places) for places in combinations(range(BOARD_POOL), 3)]
_NEXT = [
    [0],
    [0b111, *(flop for flop in _FLOPS if flop != 0b111)],
    [0b111 | 1 << place for place in range(3, BOARD_POOL)],
    [0b1111 | 1 << place for place in range(4, BOARD_POOL)],
]
NUM_NEXT: NDArray[np.int64] = np.array([len(sets) for sets in _NEXT])
NEXT: NDArray[np.int64] = np.array([[*sets, *[0] * (len(_FLOPS) - len(sets))] for sets in _NEXT])
"""(streets, 56): all sets of board cards that are possible on a street; the true set comes first."""

BOARD_VALUES = 3
"""Number of features of a seat after the cards of a street, see `counterfactual_values`."""

COUNTERFACTUAL = np.dtype(
    (
        np.record,
        [
            STREAM,
            ("num_seats", np.int64),
            ("first", np.int64, (MAX_SEATS + 1,)),  # by seat: index of its first hand, which is the true one
            ("weight", np.float64, (MAX_HANDS,)),  # probability given all actions so far; sums to 1 for each seat
            ("hole", np.uint8, (MAX_HANDS, 2)),  # card ids
            ("level", np.uint8, (len(_BOARDS), MAX_HANDS)),  # by board: order of the hands, 0 for the best
        ],
    )
)
"""The counterfactual hands of one deal."""

SCRATCH = np.dtype(
    (
        np.record,
        [
            ("order", np.int64, (MAX_HANDS,)),
            ("rest", np.uint8, (DECK_SIZE,)),
            ("num_rest", np.int64),
            ("pool", np.uint8, (MAX_POOL,)),
            ("pair", np.int64, (_MAX_PAIRS,)),
            ("board", np.uint8, (BOARD_POOL,)),
            ("beaten", np.float64, (MAX_SEATS, MAX_HANDS)),  # by level: weight of a seat's worse hands
            ("chance", np.float64, (len(_BOARDS), MAX_HANDS)),  # probability of a hand to win on a board
            ("mean", np.float64, (MAX_HANDS,)),  # of `chance` over boards
            ("value", np.float64, (MAX_SEATS, BOARD_VALUES)),
            ("expected", np.float64, (MAX_SEATS, BOARD_VALUES)),
        ],
    )
)
"""Scratch space of the kernels."""


@kernel
def deal_counterfactual(tables: Tables, deals: Any, seed: Any, wanted: Any, hands: Any, s: Any) -> None:
    """Write the counterfactual hands of each table, at most wanted[i, seat] of each seat (1: only the true one).

    The cards that were not dealt are shuffled by random streams of (seed, deals[i]).
    """
    for i in range(tables.shape[0]):
        t, r = tables[i], hands[i]
        seed_stream(r, seed, np.uint64(deals[i]))
        r.num_seats = t.num_seats
        _shuffle_rest(r, t, s)
        for k in range(BOARD_POOL):
            s.board[k] = t.deck[2 * r.num_seats + k] if k < MAX_BOARD else _take(s)
        size, most = _pool_size(wanted, i, r.num_seats)
        for seat in range(r.num_seats):
            _deal_hands(r, t, s, seat, size, min(np.int64(wanted[i, seat]), most))
        for b in range(BOARDS.shape[0]):
            _rank_on_board(r, s, b)


@kernel
def _shuffle_rest(r: Any, t: Table, s: Any) -> None:
    """Write the cards that were not dealt, in random order."""
    used = np.int64(0)
    for k in range(2 * r.num_seats + MAX_BOARD):
        used |= np.int64(1) << np.int64(t.deck[k])
    count = np.int64(0)
    for card in range(DECK_SIZE):
        if (used >> card) & 1 == 0:
            place = random_below(r, count + 1)
            s.rest[count] = s.rest[place]
            s.rest[place] = card
            count += 1
    s.num_rest = count


@kernel
def _take(s: Any) -> Any:
    s.num_rest -= 1
    return s.rest[s.num_rest]


@kernel
def _pool_size(wanted: Any, i: Any, num_seats: Any) -> Any:
    """Return the size of the pools of seats with several hands, and the maximum number of hands per seat."""
    known = np.int64(0)
    for seat in range(num_seats):
        known += wanted[i, seat] > 1
    size = min(np.int64(MAX_POOL), (DECK_SIZE - BOARD_POOL - 2 * (num_seats - known)) // max(np.int64(1), known))
    return size, min(size * (size - 1) // 2, MAX_HANDS // num_seats)


@kernel
def _deal_hands(r: Any, t: Table, s: Any, seat: Any, size: Any, count: Any) -> None:
    """Write `count` hands of a seat: the true one and random other pairs of its pool."""
    first = np.int64(r.first[seat])
    r.first[seat + 1] = first + count
    for k in range(size if count > 1 else 2):
        s.pool[k] = t.deck[2 * seat + k] if k < 2 else _take(s)
    pairs = np.int64(0)
    for a in range(size):
        for b in range(a):
            s.pair[pairs] = MAX_POOL * a + b
            pairs += 1
    for k in range(count):  # pair 0, the true hand, stays first
        place = k + random_below(r, pairs - k) if k > 0 else k
        pair = s.pair[place]
        s.pair[place] = s.pair[k]
        r.hole[first + k, 0] = s.pool[pair % MAX_POOL]
        r.hole[first + k, 1] = s.pool[pair // MAX_POOL]
        r.weight[first + k] = 1.0 / count


@kernel
def _rank_on_board(r: Any, s: Any, b: Any) -> None:
    """Write the levels of all hands on a board."""
    key, bits, count = np.int64(0), np.int64(0), np.int64(r.first[r.num_seats])
    for k in range(BOARD_POOL):
        if has(BOARDS[b], k):
            key += CARD_KEYS[s.board[k]]
            bits |= CARD_BITS[s.board[k]]
    for h in range(count):
        x, y = r.hole[h, 0], r.hole[h, 1]
        rank = rank_of(key + CARD_KEYS[x] + CARD_KEYS[y], bits | CARD_BITS[x] | CARD_BITS[y])
        s.order[h] = rank * MAX_HANDS + h
    _sort(s, count)
    level = np.int64(0)
    for k in range(count):
        if k > 0 and s.order[k] // MAX_HANDS != s.order[k - 1] // MAX_HANDS:
            level += 1
        r.level[b, s.order[k] % MAX_HANDS] = level


@kernel
def _sort(s: Any, count: Any) -> None:
    """Sort the first `count` numbers of `order` in place (Shell 1959, gaps of Ciura 2001)."""
    for gap in (57, 23, 10, 4, 1):
        for k in range(gap, count):
            number, place = s.order[k], k
            while place >= gap and s.order[place - gap] > number:
                s.order[place] = s.order[place - gap]
                place -= gap
            s.order[place] = number
