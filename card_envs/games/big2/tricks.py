"""The course of a deal: opening, plays, passes, control, the end and the payments."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import bit_count
from card_envs.cards import NO_CARD
from card_envs.compiler import kernel
from card_envs.games.big2.actions import ACTION_POSITIONS, ACTION_SIZE, PASS
from card_envs.games.big2.combos import KIND_SHIFT, NO_COMBO, ONE_PER_RANK, ranks_present, trick_value
from card_envs.games.big2.legal import list_legal
from card_envs.games.big2.state import (
    HAND_SIZE,
    NO_KIND,
    NOBODY,
    NUM_SEATS,
    OPENING_DECISION,
    OPENING_DRAGON_WINS,
    PASSES_SKIPPED,
    PASSES_SKIPPED_AFTER_2S,
    Table,
)
from card_envs.rng import random_below

_DECK_SIZE = NUM_SEATS * HAND_SIZE
_TWO_OF_SPADES = _DECK_SIZE - 1
_TWOS = np.int64(0xF) << 4 * 12


@kernel
def deal_cards(t: Table) -> None:
    """Deal 13 random cards to each seat.

    Cards are dealt in increasing order, each to one of the free slots with equal probability. All deals are equally
    likely, and hands are sorted.
    """
    for k in range(NUM_SEATS):
        t.held[k] = 0
        t.num_cards[k] = 0
    for order in range(_DECK_SIZE):
        slot = random_below(t, _DECK_SIZE - order)
        first = HAND_SIZE - np.int64(t.num_cards[0])
        second = first + HAND_SIZE - np.int64(t.num_cards[1])
        third = second + HAND_SIZE - np.int64(t.num_cards[2])
        # no branches, which the processor could not predict
        seat = np.int64(slot >= first) + np.int64(slot >= second) + np.int64(slot >= third)
        give_card(t, seat, order)


@kernel
def give_card(t: Table, seat: Any, order: Any) -> None:
    """Add a card to a hand; it must be higher than the cards in the hand."""
    t.hand[seat, t.num_cards[seat]] = order
    t.num_cards[seat] += 1
    t.held[seat] |= np.int64(1) << order


@kernel
def open_deal(t: Table) -> None:
    """Start the deal with the hands in the record: the holder of 3D opens, or a dragon wins."""
    for seat in range(NUM_SEATS):
        t.played[seat] = 0
        t.payoff[seat] = 0
        t.kinds_played[seat] = 0
        if t.held[seat] & 1:
            t.opener = seat
    t.num_decisions = 0
    t.is_over = 0
    t.actor = t.opener
    _clear_trick(t)
    if t.opening_rules & OPENING_DRAGON_WINS:
        for turn in range(NUM_SEATS):
            candidate = (np.int64(t.opener) + turn) & (NUM_SEATS - 1)
            if ranks_present(t.held[candidate]) == ONE_PER_RANK:
                _lay_down_dragon(t, candidate)
                return
    if t.opening_rules & OPENING_DECISION:
        list_legal(t)
    else:
        _play_cards(t, np.int64(0))  # 3D is the lowest card of its hand
        _next_turn(t)


@kernel
def _lay_down_dragon(t: Table, seat: Any) -> None:
    """End the deal before any play, with a hand of 13 ranks; the trick stays empty."""
    _take_from_hand(t, seat, t.held[seat], np.int64(0))
    t.actor = seat
    t.trick_seat = seat
    _end_deal(t)


@kernel
def act(t: Table, action: Any) -> None:
    """Apply a legal action id of the actor and find the next actor."""
    t.num_decisions += 1
    if action == PASS:
        _pass(t)
    else:
        _play_cards(t, action)
        if t.num_cards[t.actor] == 0:
            _end_deal(t)
            return
    _next_turn(t)


@kernel
def _pass(t: Table) -> None:
    """Count a pass; the third in a row ends the trick, and the next seat has control."""
    t.passes += 1
    if t.passes == NUM_SEATS - 1:
        _clear_trick(t)


@kernel
def _clear_trick(t: Table) -> None:
    for k in range(5):
        t.trick_cards[k] = NO_CARD
    t.trick_value = NO_COMBO
    t.trick_kind = NO_KIND
    t.trick_size = 0
    t.trick_seat = NOBODY
    t.trick_leader = NOBODY
    t.passes = 0


@kernel
def _play_cards(t: Table, action: Any) -> None:
    """Lead or follow: move the actor's cards from its hand to the trick."""
    seat = t.actor
    size = np.int64(ACTION_SIZE[action])
    if t.trick_size == 0:
        t.trick_leader = seat
        for k in range(size, 5):
            t.trick_cards[k] = NO_CARD
    cards = np.int64(0)
    for k in range(size):
        order = t.hand[seat, ACTION_POSITIONS[action, k]]
        t.trick_cards[k] = order
        cards |= np.int64(1) << np.int64(order)
    _take_from_hand(t, seat, cards, np.int64(ACTION_POSITIONS[action, 0]))
    value = trick_value(t, size)
    t.trick_value = value
    t.trick_kind = value >> KIND_SHIFT
    t.kinds_played[seat] |= np.int64(1) << (value >> KIND_SHIFT)
    t.trick_size = size
    t.trick_seat = seat
    t.passes = 0


@kernel
def _take_from_hand(t: Table, seat: Any, cards: Any, first: Any) -> None:
    """Remove a set of cards, the lowest at position `first`, and close the gaps."""
    t.held[seat] ^= cards
    t.played[seat] |= cards
    kept = first
    num_cards = np.int64(t.num_cards[seat])
    for position in range(first, num_cards):
        order = t.hand[seat, position]
        if cards >> np.int64(order) & 1 == 0:
            t.hand[seat, kept] = order
            kept += 1
    for position in range(kept, num_cards):
        t.hand[seat, position] = NO_CARD
    t.num_cards[seat] = kept


@kernel
def _next_turn(t: Table) -> None:
    """Give the turn to the next seat that has a decision, skipping forced passes as the rules require."""
    while True:
        t.actor = (np.int64(t.actor) + 1) & (NUM_SEATS - 1)
        list_legal(t)
        if not _is_skipped(t):
            return
        _pass(t)


@kernel
def _is_skipped(t: Table) -> Any:
    if t.forced_passes == PASSES_SKIPPED:
        return t.trick_size > 0 and t.num_legal == 1
    return t.forced_passes == PASSES_SKIPPED_AFTER_2S and t.trick_value == _TWO_OF_SPADES


@kernel
def _end_deal(t: Table) -> None:
    """End the deal: the other seats pay the actor for the cards that they hold."""
    winner = t.actor
    total = np.int64(0)
    for seat in range(NUM_SEATS):
        points = _penalty(t, seat)
        t.payoff[seat] = -points
        total += points
    t.payoff[winner] = total
    t.actor = NOBODY
    t.is_over = 1
    t.num_legal = 0


@kernel
def _penalty(t: Table, seat: Any) -> Any:
    """Return the points that a seat pays for its cards."""
    cards = np.int64(t.num_cards[seat])
    twos = bit_count(t.held[seat] & _TWOS)
    points = cards * (3 if cards >= t.triple_from else 2 if cards >= t.double_from else 1)
    if t.double_per_two == 1:
        points <<= twos
    return points + twos * t.points_per_two
