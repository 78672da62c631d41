"""Legal actions of the actor: their list in the record, the action mask, and a random one.

Only combinations in the hand are enumerated. In control, `trick_value` is -1, below the value of each combination, so
that leading and following use the same loops.

A hand is described by two integers with one hexadecimal digit per rank: `counts`, the number of cards of the rank, and
`starts`, the position of the first of them. Both fit a register, unlike arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import bit_count, lowest_bit
from card_envs.compiler import kernel
from card_envs.game_loops import NO_ACTION
from card_envs.games.big2.actions import (
    FIRST_PAIR,
    FOUR_CARD_ACTIONS,
    NUM_ACTIONS,
    PAIR_ACTIONS,
    PASS,
    TRIPLE_ACTIONS,
    five_card_action,
)
from card_envs.games.big2.combos import (
    KIND_SHIFT,
    NO_RUN,
    ONE_PER_RANK,
    RUN_OF_23456,
    RUN_OF_A2345,
    beats,
    flush_value,
    rank_counts,
    ranks_present,
    run_of,
    run_starts,
    run_value,
)
from card_envs.games.big2.state import (
    FLUSH,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    NO_FLUSHES,
    NOBODY,
    NUM_SUITS,
    OPENING_DECISION,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPLE,
    TRIPLES_ALL,
    TRIPLES_NOT_BARE,
    TWO_PAIR,
    Table,
)
from card_envs.rng import random_below

_HEART = 2
"""Index of the heart among the four cards of a rank."""
_SIX, _ACE, _TWO = 3, 11, 12
_THREE_FOUR_FIVE_TWO = np.int64(0x1000000000111)
_DIGITS = np.int64(0xFFFFFFFFFFFFF)
"""All thirteen digits."""


@kernel
def list_legal(t: Table) -> None:
    """Fill `legal` and `num_legal` of record `t` for the actor."""
    seat = np.int64(t.actor)
    size = np.int64(t.trick_size)
    n = np.int64(0)
    if t.opening_rules & OPENING_DECISION and t.num_decisions == 0:
        n = _add(t, n, np.int64(0))  # 3D, the lowest card, must be led
    elif size == 0:
        n = _add_singles(t, seat, n)
        n = _add_sets(t, seat, n)
        n = _add_fives(t, seat, n)
    else:
        if size == 1:
            n = _add_singles(t, seat, n)
        elif size == 5:
            if t.num_cards[seat] >= 5 and beats(t, STRAIGHT_FLUSH << KIND_SHIFT | 0xFFFF, t.trick_value):
                n = _add_fives(t, seat, n)
        elif t.num_cards[seat] >= size:
            n = _add_sets(t, seat, n)
        n = _add(t, n, np.int64(PASS))
    t.num_legal = n


@kernel
def is_listed(t: Table, action: Any) -> Any:
    """Return True if the actor may take action id `action`, which may be any integer."""
    for k in range(t.num_legal):  # noqa: SIM110  Numba supports no generators
        if t.legal[k] == action:
            return True
    return False


@kernel
def write_mask(t: Table, seat: Any, m: Any) -> None:
    """Write 1 for every legal id into m.mask (int8), 0 elsewhere; all zeros unless `seat` is the actor."""
    for action in range(NUM_ACTIONS):
        m.mask[action] = 0
    if t.actor == seat:
        for k in range(t.num_legal):
            m.mask[t.legal[k]] = 1


@kernel
def random_action(t: Table, stream: Any) -> Any:
    """Return a uniformly random legal id, drawn from the random stream of record `stream`; PASS if the deal is over."""
    if t.num_legal <= 1:
        return np.int64(PASS if t.actor == NOBODY else t.legal[0])
    return np.int64(t.legal[random_below(stream, t.num_legal)])


@kernel
def forced_action(t: Table) -> Any:
    """Return the only legal id, or NO_ACTION if there are more."""
    return np.int64(t.legal[0]) if t.num_legal == 1 else np.int64(NO_ACTION)


@kernel
def _add(t: Table, n: Any, action: Any) -> Any:
    t.legal[n] = action
    return n + 1


@kernel
def _digit(digits: Any, rank: Any) -> Any:
    return digits >> 4 * rank & 15


@kernel
def _first_positions(counts: Any) -> Any:
    """Return the position of the first card of each rank, one digit per rank: cumulative sums of `counts`."""
    sums = counts + (counts << 4)
    sums = sums + (sums << 8 & _DIGITS)
    sums = sums + (sums << 16 & _DIGITS)
    sums = sums + (sums << 32 & _DIGITS)
    return sums << 4 & _DIGITS


@kernel
def _add_singles(t: Table, seat: Any, n: Any) -> Any:
    position = np.int64(t.num_cards[seat]) - 1
    while position >= 0 and t.hand[seat, position] > t.trick_value:  # a single's value is its order number
        n = _add(t, n, position)
        position -= 1
    return n


@kernel
def _add_sets(t: Table, seat: Any, n: Any) -> Any:
    """Add pairs, triples, two pairs and fours of a kind: those with the size of the trick, all of them in control."""
    counts = rank_counts(t.held[seat])
    pairs = (counts >> 1 | counts >> 2) & ONE_PER_RANK
    if pairs == 0:
        return n
    starts = _first_positions(counts)
    size = t.trick_size
    if size == 2 or size == 0:
        n = _add_pairs(t, seat, counts, starts, pairs, n)
    if (size == 3 or size == 0) and t.triple_rules & TRIPLES_NOT_BARE == 0:
        n = _add_triples(t, counts, starts, n)
    if size == 4 or size == 0:
        n = _add_two_pairs(t, seat, counts, starts, pairs, n)
        n = _add_fours(t, seat, counts, starts, n)
    return n


@kernel
def _add_pairs(t: Table, seat: Any, counts: Any, starts: Any, pairs: Any, n: Any) -> Any:
    while pairs:
        rank = lowest_bit(pairs) >> 2
        pairs &= pairs - 1
        first, count = _digit(starts, rank), _digit(counts, rank)
        for high in range(first + 1, first + count):
            if (PAIR << KIND_SHIFT) + np.int64(t.hand[seat, high]) > t.trick_value:
                for low in range(first, high):
                    n = _add(t, n, PAIR_ACTIONS[low, high])
    return n


@kernel
def _triples(counts: Any) -> Any:
    return (counts >> 1 & counts | counts >> 2) & ONE_PER_RANK


@kernel
def _may_omit(t: Table, count: Any, k: Any) -> Any:
    """Return True if a triple may omit the k-th card of a rank; with three cards, only the missing fourth."""
    if count == 3:
        return k == 3
    return k != _HEART or t.triple_rules & TRIPLES_ALL != 0


@kernel
def _add_triples(t: Table, counts: Any, starts: Any, n: Any) -> Any:
    triples = _triples(counts)
    while triples:
        rank = lowest_bit(triples) >> 2
        triples &= triples - 1
        # comparing ranks suffices: a triple of the same rank is impossible
        if (TRIPLE << KIND_SHIFT) + 4 * rank > t.trick_value:
            first, count = _digit(starts, rank), _digit(counts, rank)
            for k in range(4):
                if _may_omit(t, count, k):
                    n = _add(t, n, TRIPLE_ACTIONS[first, k])
    return n


@kernel
def _add_two_pairs(t: Table, seat: Any, counts: Any, starts: Any, pairs: Any, n: Any) -> Any:
    rest = pairs & (pairs - 1)  # the lowest pair has no pair below it
    while rest:
        rank = lowest_bit(rest) >> 2
        first, count = _digit(starts, rank), _digit(counts, rank)
        below = pairs & ((np.int64(1) << 4 * rank) - 1)
        rest &= rest - 1
        for high in range(first + 1, first + count):
            if (TWO_PAIR << KIND_SHIFT) + np.int64(t.hand[seat, high]) > t.trick_value:
                for low in range(first, high):
                    n = _add_lower_pairs(t, counts, starts, below, PAIR_ACTIONS[low, high] - FIRST_PAIR, n)
    return n


@kernel
def _add_lower_pairs(t: Table, counts: Any, starts: Any, below: Any, pair: Any, n: Any) -> Any:
    while below:
        rank = lowest_bit(below) >> 2
        below &= below - 1
        first, count = _digit(starts, rank), _digit(counts, rank)
        for high in range(first + 1, first + count):
            for low in range(first, high):
                n = _add(t, n, FOUR_CARD_ACTIONS[PAIR_ACTIONS[low, high] - FIRST_PAIR, pair])
    return n


@kernel
def _add_fours(t: Table, seat: Any, counts: Any, starts: Any, n: Any) -> Any:
    fours = counts >> 2 & ONE_PER_RANK
    while fours:
        rank = lowest_bit(fours) >> 2
        fours &= fours - 1
        if (FOUR_OF_A_KIND << KIND_SHIFT) + 4 * rank > t.trick_value:
            p = _digit(starts, rank)
            low, high = PAIR_ACTIONS[p, p + 1] - FIRST_PAIR, PAIR_ACTIONS[p + 2, p + 3] - FIRST_PAIR
            n = _add(t, n, FOUR_CARD_ACTIONS[low, high])
    return n


@kernel
def _add_fives(t: Table, seat: Any, n: Any) -> Any:
    """Add straights, flushes, full houses and straight flushes."""
    held = t.held[seat]
    counts = rank_counts(held)
    starts = _first_positions(counts)
    kind = t.trick_value >> KIND_SHIFT
    has_flush = False
    for suit in range(NUM_SUITS):
        if bit_count(held & ONE_PER_RANK << suit) >= 5:
            has_flush = True
            if kind <= FLUSH and t.flushes != NO_FLUSHES:
                n = _add_flushes(t, seat, suit, n)
    if kind <= FULL_HOUSE:
        n = _add_full_houses(t, counts, starts, n)
    if kind <= STRAIGHT or has_flush:
        n = _add_runs(t, seat, counts, starts, n)
    return n


@kernel
def _add_runs(t: Table, seat: Any, counts: Any, starts: Any, n: Any) -> Any:
    """Add straights and straight flushes."""
    ranks = ranks_present(t.held[seat])
    runs = run_starts(ranks)  # the index of a digit is the number of its run
    if ranks & _THREE_FOUR_FIVE_TWO == _THREE_FOUR_FIVE_TWO:
        runs |= (ranks >> 4 * _SIX & 1) << 4 * RUN_OF_23456 | (ranks >> 4 * _ACE & 1) << 4 * RUN_OF_A2345
    while runs:
        run = lowest_bit(runs) >> 2
        runs &= runs - 1
        if t.run_level[run] >= 0:
            n = _add_run(t, seat, counts, starts, run, n)
    return n


@kernel
def _add_run(t: Table, seat: Any, counts: Any, starts: Any, run: Any, n: Any) -> Any:
    """Add every choice of cards for one run."""
    r0 = run if run < RUN_OF_23456 else np.int64(0)
    r3 = r0 + 3 if run <= RUN_OF_23456 else np.int64(_ACE)
    r4 = r0 + 4 if run < RUN_OF_23456 else np.int64(_TWO)
    decider = t.run_decider[run]
    f0, f1, f2 = _digit(starts, r0), _digit(starts, r0 + 1), _digit(starts, r0 + 2)
    f3, f4 = _digit(starts, r3), _digit(starts, r4)
    for p4 in range(f4, f4 + _digit(counts, r4)):
        s4 = np.int64(t.hand[seat, p4]) & 3
        for p3 in range(f3, f3 + _digit(counts, r3)):
            s3 = np.int64(t.hand[seat, p3]) & 3
            for p2 in range(f2, f2 + _digit(counts, r0 + 2)):
                s2 = np.int64(t.hand[seat, p2]) & 3
                suit = s4 if decider == 4 else s3 if decider == 3 else s2
                high_suited = s4 == s3 and s3 == s2
                for p1 in range(f1, f1 + _digit(counts, r0 + 1)):
                    s1 = np.int64(t.hand[seat, p1]) & 3
                    for p0 in range(f0, f0 + _digit(counts, r0)):
                        suited = high_suited and s1 == s2 and np.int64(t.hand[seat, p0]) & 3 == s1
                        if run_value(t, STRAIGHT_FLUSH if suited else STRAIGHT, run, suit) > t.trick_value:
                            n = _add(t, n, five_card_action(p0, p1, p2, p3, p4))
    return n


@kernel
def _add_flushes(t: Table, seat: Any, suit: Any, n: Any) -> Any:
    """Add the flushes of a suit, without straight flushes; the seat must have five or more cards of it."""
    places, count = np.int64(0), np.int64(0)  # positions of the suit's cards, one digit each
    for position in range(t.num_cards[seat]):
        if t.hand[seat, position] & 3 == suit:
            places |= np.int64(position) << 4 * count
            count += 1
    for k4 in range(4, count):
        p4 = _digit(places, k4)
        c4 = np.int64(t.hand[seat, p4])
        for k3 in range(3, k4):
            p3 = _digit(places, k3)
            c3 = np.int64(t.hand[seat, p3])
            for k2 in range(2, k3):
                p2 = _digit(places, k2)
                c2 = np.int64(t.hand[seat, p2])
                for k1 in range(1, k2):
                    p1 = _digit(places, k1)
                    c1 = np.int64(t.hand[seat, p1])
                    for k0 in range(k1):
                        p0 = _digit(places, k0)
                        c0 = np.int64(t.hand[seat, p0])
                        if flush_value(t, c0, c1, c2, c3, c4) > t.trick_value and not _is_straight(
                            t, c0, c1, c2, c3, c4
                        ):
                            n = _add(t, n, five_card_action(p0, p1, p2, p3, p4))
    return n


@kernel
def _is_straight(t: Table, c0: Any, c1: Any, c2: Any, c3: Any, c4: Any) -> Any:
    run = run_of(c0 >> 2, c1 >> 2, c2 >> 2, c3 >> 2, c4 >> 2)
    return run != NO_RUN and t.run_level[run] >= 0


@kernel
def _add_full_houses(t: Table, counts: Any, starts: Any, n: Any) -> Any:
    triples = _triples(counts)
    pairs = (counts >> 1 | counts >> 2) & ONE_PER_RANK
    while triples:
        low = triples & -triples
        rank = lowest_bit(low) >> 2
        triples ^= low
        if (FULL_HOUSE << KIND_SHIFT) + rank > t.trick_value:
            first, count = _digit(starts, rank), _digit(counts, rank)
            for k in range(4):
                if _may_omit(t, count, k):
                    n = _add_pairs_to_triple(t, first, k, counts, starts, pairs ^ low, n)
    return n


@kernel
def _add_pairs_to_triple(t: Table, first: Any, omitted: Any, counts: Any, starts: Any, pairs: Any, n: Any) -> Any:
    """Add full houses of one triple, at positions first .. first + 3 without `omitted`, and pairs of other ranks."""
    a = first + (omitted == 0)
    b = first + 1 + (omitted <= 1)
    c = first + 2 + (omitted <= 2)
    while pairs:
        rank = lowest_bit(pairs) >> 2
        pairs &= pairs - 1
        start, count = _digit(starts, rank), _digit(counts, rank)
        for high in range(start + 1, start + count):
            for low in range(start, high):
                if high < a:
                    n = _add(t, n, five_card_action(low, high, a, b, c))
                else:
                    n = _add(t, n, five_card_action(a, b, c, low, high))
    return n
