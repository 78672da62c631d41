"""The state of one Big 2 table: a single record that all kernels share.

The record stores cards as *order numbers* 0 .. 51 = 3D 3C 3H 3S 4D ... 2S, the order of single cards in Big 2: 4 * rank
+ suit, with ranks 3 .. A, 2 and suits diamonds, clubs, hearts, spades (Charlesworth's card number minus 1). Everything
outside uses card ids (`card_envs.cards`); `combos.order_of` and `card_of` convert.

The *position* of a card is its index among the cards in its seat's hand, lowest first. Actions are sets of positions.

The record holds the rules too, so that a kernel needs one argument and a copied record is a complete clone. It has no
padding.
"""

from __future__ import annotations

import numpy as np

from card_envs.records import TableRecord, field, record_dtype

NUM_SEATS = 4
HAND_SIZE = 13
NUM_SUITS = 4
NUM_RUNS = 11
"""Number of runs of five ranks that are straights under some house rules, see `config.RUNS`."""

MAX_LEGAL = 1300
"""Maximum number of legal actions: with 13 cards of one suit in control, 13 singles and 1,287 sets of five."""

NOBODY = -1
_ALL_CARDS = (1 << NUM_SEATS * HAND_SIZE) - 1

SINGLE, PAIR, TRIPLE, TWO_PAIR, FOUR_OF_A_KIND, STRAIGHT, FLUSH, FULL_HOUSE, STRAIGHT_FLUSH = range(9)
"""Kinds of combinations; with the same number of cards, a later kind beats an earlier one."""
NO_KIND = -1
KIND_NAMES = (
    "single",
    "pair",
    "three of a kind",
    "two pair",
    "four of a kind",
    "straight",
    "flush",
    "full house",
    "straight flush",
)

FLUSH_BY_HIGHEST_CARD, FLUSH_BY_SUIT, FLUSH_BY_RANKS, NO_FLUSHES = 0, 1, 2, 3
"""Values of `flushes`."""
PASSES_PLAYED, PASSES_SKIPPED_AFTER_2S, PASSES_SKIPPED = 0, 1, 2
"""Values of `forced_passes`."""
OPENING_DECISION, OPENING_DRAGON_WINS = 1, 2
"""Bits of `opening_rules`: the options `opening_decision` and `dragon_wins`."""
TRIPLES_ALL, TRIPLES_NOT_BARE = 1, 2
"""Bits of `triple_rules`: the option `all_triples`, and the opposite of `bare_triples`."""


class Table(TableRecord):
    """One table; each field has its range, and a comment with its unit."""

    rng = field(np.uint64, 4)  # random stream of this table
    # --- sets of cards, bit = order number, by seat ---
    held = field(np.int64, NUM_SEATS, low=0, high=_ALL_CARDS)  # in hand
    played = field(np.int64, NUM_SEATS, low=0, high=_ALL_CARDS)  # played since the deal
    # --- result ---
    payoff = field(np.int32, NUM_SEATS)  # points won (+) or lost (-); zero until the deal is over
    # --- the hand to beat ---
    trick_value = field(np.int32, low=-1)  # its strength, see `combos.value_of`; -1 in control
    points_per_two = field(np.int32, low=0)  # setting: paid by losers for each 2 in hand
    # --- counts and legal actions ---
    num_decisions = field(np.int16, low=0)  # actions taken since the deal, passes included
    kinds_played = field(np.int16, NUM_SEATS, low=0, high=(1 << len(KIND_NAMES)) - 1)  # bit = a kind played
    num_legal = field(np.int16, low=0, high=MAX_LEGAL)  # legal actions of the actor, 0 when the deal is over
    # --- cards ---
    hand = field(np.uint8, NUM_SEATS, HAND_SIZE)  # order numbers, lowest first, then NO_CARD
    trick_cards = field(np.uint8, 5)  # hand to beat: order numbers, lowest first, then NO_CARD
    num_cards = field(np.int8, NUM_SEATS, low=0, high=HAND_SIZE)  # cards in hand
    # --- turn ---
    actor = field(np.int8, low=NOBODY, high=NUM_SEATS - 1)  # seat to act, NOBODY when the deal is over
    is_over = field(np.uint8, high=1)  # 1 after the last decision
    opener = field(np.int8, low=NOBODY, high=NUM_SEATS - 1)  # seat that was dealt 3D
    passes = field(np.int8, low=0, high=2)  # consecutive passes since the last combination, 0 .. 2
    trick_size = field(np.int8, low=0, high=5)  # cards of the hand to beat; 0: the actor has control
    trick_kind = field(np.int8, low=NO_KIND, high=STRAIGHT_FLUSH)  # SINGLE .. STRAIGHT_FLUSH, NO_KIND in control
    trick_seat = field(np.int8, low=NOBODY, high=NUM_SEATS - 1)  # seat that played the hand to beat, NOBODY in control
    trick_leader = field(np.int8, low=NOBODY, high=NUM_SEATS - 1)  # seat that led this trick, NOBODY in control
    # --- settings, see `Big2Config` ---
    run_level = field(np.int8, NUM_RUNS, low=-1)  # strength of a run as a straight, -1 if it is none
    run_decider = field(np.int8, NUM_RUNS, low=0, high=4)  # index of the card that decides between equal runs
    flushes = field(np.int8, low=FLUSH_BY_HIGHEST_CARD, high=NO_FLUSHES)
    forced_passes = field(np.int8, low=PASSES_PLAYED, high=PASSES_SKIPPED)
    opening_rules = field(np.int8, low=0, high=OPENING_DECISION + OPENING_DRAGON_WINS)
    higher_straight_flush_wins = field(np.int8, low=0, high=1)
    triple_rules = field(np.int8, low=0, high=TRIPLES_ALL + TRIPLES_NOT_BARE)
    double_from = field(np.int8, low=0)
    triple_from = field(np.int8, low=0)
    double_per_two = field(np.int8, low=0, high=1)
    # --- last, so that the other fields are close together in memory ---
    legal = field(np.int16, MAX_LEGAL)  # legal ids in no particular order; entries from num_legal on are meaningless


TABLE = record_dtype(Table)
