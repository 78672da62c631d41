"""The state of one hold'em table: a single record that all kernels share.

Positions are counted clockwise from the first seat left of the button (position 0), so heads-up the big blind has
position 0, and the button, with the small blind, has position 1. In a *set of seats*, bit k stands for seat k.

The record holds the settings of the game too, so that a kernel needs one argument and a copied record is a complete
clone. Fields that every decision reads come first, in as few cache lines as possible, because with many tables memory
access limits the speed. The record has no padding, so that equal states have equal bytes.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.records import TableRecord, field, record_dtype

MAX_SEATS = 10
MAX_CHIPS = 2**31 // (2 * MAX_SEATS)
"""Largest stack: the chips of a full table, twice over, fit a signed 32-bit integer."""
MAX_STREETS = 4
MAX_BOARD = 5
MAX_DEALT = 25
"""Maximum number of dealt cards: two for each of ten seats and five on the board."""
MAX_LEVELS = 5
"""Number of bet levels that a street distinguishes: no raise, one raise, ... four or more raises."""
RECENT_ACTIONS = 8
"""K of the no-limit history: the last K decisions are recorded with seat and amount."""
MAX_SIZES = 10
NUM_HISTORY_WORDS = 6
"""Number of 64-bit words for the seats that called and raised, see `betting_history_bits`."""
TEXAS_BOARD = (0, 3, 1, 1)
"""Number of board cards that come on each street of Texas hold'em."""


# Kernels use the members below as plain integers: Numba would compile kernels again for arguments of enumeration types,
# and kernels would return members instead of integers.


class Street(IntEnum):
    """Values of `street` in Texas hold'em."""

    PREFLOP = 0
    FLOP = 1
    TURN = 2
    RIVER = 3


STREET_NAMES = tuple(street.name.lower() for street in Street)


class Structure(IntEnum):
    """Values of `structure`."""

    LIMIT = 0
    POT_LIMIT = 1
    NO_LIMIT = 2


LIMIT, POT_LIMIT, NO_LIMIT = map(int, Structure)

MENU_LIMIT, MENU_POT, MENU_CHIPS, MENU_INTEGERS = 0, 1, 2, 3
"""Values of `menu`, the meaning of the action ids from 2 on."""

FOLD, CALL, RAISE = 0, 1, 2
"""Kinds of decisions; a check counts as a call, a bet as a raise."""

UNCAPPED = 127
"""Value of `max_raises` without a cap; `street_raises` never reaches it."""

NOBODY = -1
_ALL_SEATS = (1 << MAX_SEATS) - 1


class Table(TableRecord):
    """One table; each field has its range, and a comment with its unit. 616 bytes, no padding."""

    # --- first cache line: the actor and the legal actions ---
    rng = field(np.uint64, 4)  # random stream of this table
    pot = field(np.int32, low=0, high=MAX_SEATS * MAX_CHIPS)  # all chips in the middle, this street's included
    current_bet = field(np.int32, low=0, high=MAX_CHIPS)  # street commitment to match
    last_raise = field(np.int32, low=0, high=MAX_CHIPS)  # largest of this street, or 0; acpc: what the next must add
    min_raise_to = field(np.int32, low=0, high=MAX_CHIPS)  # smallest street commitment after a raise, 0 without raises
    max_raise_to = field(np.int32, low=0, high=MAX_CHIPS)  # largest
    legal = field(np.uint16)  # bit a: action id a is legal (MENU_INTEGERS: fold and call alone)
    in_hand = field(np.uint16, high=_ALL_SEATS)  # set of seats that have not folded
    pending = field(np.uint16, high=_ALL_SEATS)  # set of seats still to act on this street
    acted = field(np.uint16, high=_ALL_SEATS)  # set of seats that acted since the last full raise of this street
    actor = field(np.int8, low=NOBODY, high=MAX_SEATS - 1)  # seat to act, NOBODY when the hand is over
    street = field(np.int8, low=0, high=MAX_STREETS - 1)  # a `Street`
    button = field(np.int8, low=0, high=MAX_SEATS - 1)  # seat with the dealer button
    num_seats = field(np.int8, low=2, high=MAX_SEATS)
    # --- second cache line ---
    stack = field(np.int32, MAX_SEATS, low=0, high=MAX_SEATS * MAX_CHIPS)  # by seat: chips behind
    short_raises = field(np.int32, low=0, high=MAX_CHIPS)  # sum of the all-ins below a full raise since the last one
    min_bet = field(np.int32, low=1, high=MAX_CHIPS)  # smallest opening bet, chips (no-limit and pot-limit)
    chips_per_reward = field(np.int32, low=1, high=MAX_CHIPS)  # chips that make a reward of 1: the big blind
    largest_amount = field(np.int32, low=0, high=MAX_CHIPS)  # most chips that a seat can put into this hand
    street_raises = field(np.int8, MAX_STREETS, low=0, high=UNCAPPED - 1)  # raises by street, the blind not counted
    is_over = field(np.uint8, high=1)  # 1 after the last decision
    structure = field(np.int8, low=LIMIT, high=NO_LIMIT)  # LIMIT, POT_LIMIT, NO_LIMIT
    menu = field(np.int8, low=MENU_LIMIT, high=MENU_INTEGERS)  # MENU_LIMIT, MENU_POT, MENU_CHIPS, MENU_INTEGERS
    num_hole_cards = field(np.int8, low=1, high=2)
    # --- third cache line ---
    street_commit = field(np.int32, MAX_SEATS, low=0, high=MAX_CHIPS)  # by seat: chips put in on this street, no antes
    num_decisions = field(np.int32, low=0)  # decisions since the deal; the next goes to ring place % K
    max_raises = field(np.int8, MAX_STREETS, low=0, high=UNCAPPED)  # cap by street, UNCAPPED = none
    board_cards = field(np.int8, MAX_STREETS, low=0, high=MAX_BOARD)  # cards that come on each street
    num_streets = field(np.int8, low=1, high=MAX_STREETS)
    lowest_rank = field(np.int8, low=0, high=12)  # 0 (deuce) in a full deck
    num_suits = field(np.int8, low=1, high=4)
    deck_size = field(np.int8, low=1, high=DECK_SIZE)  # ranks * suits
    num_sizes = field(np.int8, low=0, high=MAX_SIZES)  # entries of `bet_size` in use
    has_all_in = field(np.int8, low=0, high=1)  # the last id is all-in
    button_moves = field(np.int8, low=0, high=1)  # the button moves one seat to the left with every deal
    fold_when_free = field(np.int8, low=0, high=1)  # folding is legal where checking costs nothing
    no_empty_decisions = field(np.int8, low=0, high=1)  # who can only call is not asked where that costs nothing
    short_raise_reopens = field(np.int8, low=0, high=1)  # all-ins below a full raise reopen the betting
    last_actor_opens = field(np.int8, low=0, high=1)  # as in RLCard, the seat left of the last actor opens a street
    dead_antes = field(np.int8, low=0, high=1)  # antes belong to the main pot whole
    full_blinds = field(np.int8, low=0, high=1)  # a short big blind does not lower the bet to call
    # --- derived from the settings ---
    cards_shown = field(np.int8, MAX_STREETS, low=0, high=MAX_BOARD)  # board cards face up on each street; then all
    first_call = field(np.int8, MAX_STREETS, low=0)  # group of `history_bits` in which each street's callers begin
    first_raise = field(np.int8, MAX_STREETS, low=0)  # raisers
    whole_history = field(np.uint8, high=1)  # 1: `history_bits` hold the whole betting (limit, at most 4 raises)
    is_ranked = field(np.uint8, high=1)  # hands have five cards on the last street
    # --- cards and history ---
    deck = field(np.uint8, MAX_DEALT)  # hole cards of seat 0, 1, ..., then the board, or NO_CARD
    callers = field(np.uint16, MAX_STREETS, MAX_LEVELS, high=_ALL_SEATS)  # seats that called, by street and level
    raiser = field(np.int8, MAX_STREETS, MAX_LEVELS - 1, low=NOBODY, high=MAX_SEATS - 1)  # who raised from this level
    recent_move = field(np.int8, RECENT_ACTIONS, low=0, high=4 * MAX_SEATS - 1)  # ring: 4 * seat + kind of a decision
    recent_amount = field(np.int32, RECENT_ACTIONS, low=0, high=MAX_CHIPS)  # ring: street commitment after it
    hand_commit = field(np.int32, MAX_SEATS, low=0, high=MAX_CHIPS)  # by seat: chips put in, antes included
    history_bits = field(np.int64, NUM_HISTORY_WORDS, low=0)  # who called and who raised, see `betting_history_bits`
    payoff = field(np.int32, MAX_SEATS, low=-MAX_CHIPS, high=MAX_SEATS * MAX_CHIPS)  # by seat: chips won, 0 until then
    # --- stakes ---
    start_stack = field(np.int32, MAX_SEATS, low=0, high=MAX_CHIPS)  # by seat: chips before a hand, without options
    blind = field(np.int32, MAX_SEATS, low=0, high=MAX_CHIPS)  # by position: blind or straddle owed
    ante = field(np.int32, MAX_SEATS, low=0, high=MAX_CHIPS)  # by position: ante owed
    bet_size = field(np.int32, MAX_SIZES, low=0, high=MAX_CHIPS)  # limit: raise by street; else 1/1000 of pot, or chips


TABLE = record_dtype(Table, align=True)
