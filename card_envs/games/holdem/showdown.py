"""Showdowns: hand ranks, side pots, odd chips, payoffs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from card_envs.bits import bit_count, lowest_bit
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import first_seat_from, seat_position
from card_envs.games.holdem.state import MAX_BOARD, MAX_STREETS, Table
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, has_flush, rank_of

_NO_RANK = 1 << 30
_RANKS = 13


@kernel
def num_board_cards(t: Table) -> Any:
    """Return the number of board cards that are face up on the current street."""
    return np.int64(t.cards_shown[t.street])


@kernel
def first_board_card(t: Table) -> Any:
    """Return the index of the first board card in the field `deck`: all hole cards come before it."""
    return np.int64(t.num_seats) * t.num_hole_cards


@kernel
def hand_rank_at(t: Table, seat: Any, num_board: Any) -> Any:
    """Return the rank of a seat's hand with the first `num_board` board cards; a lower rank is a better hand.

    Five or more cards have the rank of `poker.ranks` (1 .. 7462). Of one or two cards (Kuhn, Leduc), pairs beat high
    cards, and higher cards beat lower ones.
    """
    hole, board = np.int64(seat) * t.num_hole_cards, first_board_card(t)
    if t.num_hole_cards + num_board < 5:
        return _small_hand_rank(t, hole, board, num_board)
    two = t.num_hole_cards == 2
    key = CARD_KEYS[t.deck[np.uint64(hole)]] + (CARD_KEYS[t.deck[np.uint64(hole + 1)]] if two else 0)
    for i in range(MAX_BOARD):  # a loop of fixed length is unrolled
        key += CARD_KEYS[t.deck[np.uint64(board + i)]] if i < num_board else 0
    bits = np.int64(0)
    if has_flush(key):
        bits = CARD_BITS[t.deck[np.uint64(hole)]] | (CARD_BITS[t.deck[np.uint64(hole + 1)]] if two else 0)
        for i in range(MAX_BOARD):
            bits |= CARD_BITS[t.deck[np.uint64(board + i)]] if i < num_board else 0
    return np.int64(rank_of(key, bits))


@kernel
def _small_hand_rank(t: Table, hole: Any, board: Any, num_board: Any) -> Any:
    first = np.int64(t.deck[hole]) // 4
    if t.num_hole_cards + num_board == 1:
        return _RANKS - 1 - first
    second = np.int64(t.deck[board if num_board == 1 else hole + 1]) // 4
    if first == second:
        return _RANKS - 1 - first
    high, low = max(first, second), min(first, second)
    return _RANKS + (_RANKS - 1 - high) * _RANKS + (_RANKS - 1 - low)


@kernel
def award_pots(t: Table) -> None:
    """Pay every pot to its winners and set the payoffs; an uncalled part of a bet is returned."""
    for seat in range(t.num_seats):
        t.payoff[seat] = -t.hand_commit[seat]
    in_hand = np.int64(t.in_hand)
    if in_hand & (in_hand - 1) == 0:
        _win(t, lowest_bit(in_hand), np.int64(t.pot))
    else:
        _award_side_pots(t)


@kernel
def _win(t: Table, seat: Any, chips: Any) -> None:
    t.payoff[seat] += chips
    t.stack[seat] += chips


@kernel
def _award_side_pots(t: Table) -> None:
    """Pay the best hands the pots that they contributed to, then the best hands among larger contributors, and so on.

    Pots with the same winners are split together, so that a set of winners gets odd chips once, as in PokerKit.
    """
    num_board = np.int64(0)
    for street in range(MAX_STREETS):
        num_board += t.board_cards[street]
    left, highest = np.int64(t.pot), _largest_contribution(t)
    covered = np.int64(-1)
    while left > 0:
        winners = _best_hands(t, covered, num_board)
        level = smallest_contribution(t, winners)
        amount = left if level == highest else chips_up_to(t, level) - chips_up_to(t, covered)
        _split(t, amount, winners)
        left -= amount
        covered = level


@kernel
def contribution(t: Table, seat: Any) -> Any:
    """Return the chips of a seat in the pots, without a dead ante."""
    if t.dead_antes == 0:
        return np.int64(t.hand_commit[seat])
    return np.int64(t.hand_commit[seat]) - ante_paid(t, seat)


@kernel
def ante_paid(t: Table, seat: Any) -> Any:
    """Return the ante that a seat paid."""
    return np.int64(min(t.ante[seat_position(t, seat)], t.hand_commit[seat]))


@kernel
def _best_hands(t: Table, covered: Any, num_board: Any) -> Any:
    """Return the seats with the best hand among those in the hand that contributed more than `covered`."""
    best = np.int64(_NO_RANK)
    winners = np.int64(0)
    seats = np.int64(t.in_hand)
    while seats:
        seat = lowest_bit(seats)
        bit = seats & -seats
        seats ^= bit
        if contribution(t, seat) > covered:
            rank = hand_rank_at(t, seat, num_board)
            # no branches, which the processor could not predict
            winners = bit if rank < best else winners | bit if rank == best else winners
            best = min(best, rank)
    return winners


@kernel
def smallest_contribution(t: Table, seats: Any) -> Any:
    """Return the smallest contribution among a set of seats."""
    level = np.int64(_NO_RANK)
    while seats:
        level = min(level, contribution(t, lowest_bit(seats)))
        seats &= seats - 1
    return level


@kernel
def _largest_contribution(t: Table) -> Any:
    level = np.int64(0)
    seats = np.int64(t.in_hand)
    while seats:
        level = max(level, contribution(t, lowest_bit(seats)))
        seats &= seats - 1
    return level


@kernel
def chips_up_to(t: Table, level: Any) -> Any:
    """Return the chips in all pots up to a contribution of `level` per seat, dead antes included."""
    if level < 0:
        return np.int64(0)
    chips = np.int64(0)
    for seat in range(t.num_seats):
        chips += min(contribution(t, seat), level)
        if t.dead_antes == 1:
            chips += ante_paid(t, seat)
    return chips


def split_pot(t: Table, levels: Sequence[int]) -> list[int]:
    """Return the chips of main pot and side pots that end at `levels`: contributions per seat, the smallest first."""
    totals = [int(chips_up_to(t, level)) for level in (-1, *levels)]
    return [total - below for below, total in pairwise(totals)]


@kernel
def _split(t: Table, amount: Any, winners: Any) -> None:
    """Split `amount` among the seats of `winners`; odd chips go to the first winner left of the button."""
    count = bit_count(winners)
    share = amount if count == 1 else amount // count
    _win(t, first_seat_from(winners, np.int64(t.button) + 1, np.int64(t.num_seats)), amount - share * count)
    while winners:
        _win(t, lowest_bit(winners), share)
        winners &= winners - 1


@kernel
def starting_stack(t: Table, seat: Any) -> Any:
    """Return the stack of a seat at the start of this hand, during and after the hand."""
    return np.int64(t.stack[seat]) - t.payoff[seat] + (0 if t.is_over == 1 else np.int64(t.hand_commit[seat]))
