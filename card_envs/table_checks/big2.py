"""`check_tables`: whether records from a file are tables at which the kernels can go on playing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import NO_CARD
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.big2.combos import KIND_SHIFT, NO_COMBO, trick_value
from card_envs.games.big2.legal import list_legal
from card_envs.games.big2.state import HAND_SIZE, MAX_LEGAL, NO_KIND, NOBODY, NUM_SEATS, Table
from card_envs.records import Tables
from card_envs.table_checks import check_ranges, require_records

SETTINGS = (
    "points_per_two", "run_level", "run_decider", "flushes", "forced_passes", "opening_rules",
    "higher_straight_flush_wins", "triple_rules", "double_from", "triple_from", "double_per_two",
)  # fmt: skip
"""Fields with the rules, which play does not change."""
_DECK = (1 << NUM_SEATS * HAND_SIZE) - 1
_TRICK_CARDS = 5


def make_table_checks(game: Game) -> Callable[[Tables], None]:
    """Return the checks of a game of Big 2."""
    return partial(check_tables, game.seeded_tables(1, 0))


def check_tables(example: Tables, tables: Tables) -> None:
    """Raise a DamagedRecordError, naming the field, unless kernels can go on playing at every table.

    `example` is a table (1,) with the rules of the game; the fields that all games have were checked before.
    """
    check_ranges(Table, tables)
    for name in SETTINGS:
        require_records(tables[name] == example[name], tables, name, f"is not {example[name][0].tolist()}, the rule")
    was_dealt = (tables["held"] | tables["played"]).any(axis=1) | (tables["is_over"] == 0)
    _check_cards(tables[was_dealt])
    running = tables[tables["is_over"] == 0]
    _check_trick(running)
    _check_legal(running)


def _check_cards(tables: Tables) -> None:
    """Check that each seat was dealt 13 of the 52 cards, and that both forms of a hand are the same."""
    held, played = tables["held"], tables["played"]
    require_records(held & played == 0, tables, "played", "has cards that are in the hand")
    dealt = held | played
    require_records(
        np.bitwise_count(dealt) == HAND_SIZE, tables, "held", f"and played are not {HAND_SIZE} cards a seat"
    )
    require_records(np.bitwise_or.reduce(dealt, axis=1) == _DECK, tables, "held", "and played are not all cards")
    require_records(
        np.bitwise_count(held) == tables["num_cards"], tables, "num_cards", "is not the number of cards held"
    )
    running = tables["is_over"] == 0
    require_records(~running[:, None] | (held != 0), tables, "held", "is empty before the end of the deal")
    opener = tables["opener"].astype(np.int64)
    holds_lowest = np.take_along_axis(dealt, np.maximum(opener, 0)[:, None], axis=1)[:, 0] & 1 == 1
    require_records((opener != NOBODY) & holds_lowest, tables, "opener", "was not dealt 3D")
    require_records(tables["hand"] == _list_cards(held), tables, "hand", "is not the list of the cards held")
    require_records(
        ~running[:, None] | (tables["payoff"] == 0), tables, "payoff", "is not 0 before the end of the deal"
    )


def _list_cards(sets: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the cards of sets (n, seats) as lists (n, seats, HAND_SIZE), lowest first, then NO_CARD."""
    cards = np.arange(NUM_SEATS * HAND_SIZE)
    is_held = sets[:, :, None] >> cards & 1 == 1
    return np.sort(np.where(is_held, cards, NO_CARD), axis=2)[:, :, :HAND_SIZE].astype(np.uint8)


def _check_trick(tables: Tables) -> None:
    """Check the hand to beat: cards that its seat has played, and their value."""
    size, seat = tables["trick_size"].astype(np.int64), tables["trick_seat"].astype(np.int64)
    in_control = size == 0
    for name, empty in (("trick_value", NO_COMBO), ("trick_kind", NO_KIND), ("passes", 0)):
        require_records(~in_control | (tables[name] == empty), tables, name, "belongs to no trick")
    for name in ("trick_seat", "trick_leader"):
        require_records((tables[name] == NOBODY) == in_control, tables, name, "belongs to another number of cards")
    used = np.arange(_TRICK_CARDS) < size[:, None]
    cards = tables["trick_cards"].astype(np.int64)
    require_records(used == (cards != NO_CARD), tables, "trick_cards", "are not as many as the trick has")
    shifts = np.where(used & (cards <= NUM_SEATS * HAND_SIZE), cards, 0)
    played = np.take_along_axis(tables["played"], np.maximum(seat, 0)[:, None], axis=1)
    require_records(~used | (played >> shifts & 1 == 1), tables, "trick_cards", "were not played by the trick's seat")
    both = used[:, 1:]
    require_records(~both | (cards[:, 1:] > cards[:, :-1]), tables, "trick_cards", "are not in increasing order")
    values = np.full(len(tables), NO_COMBO, np.int64)
    value_tricks(tables, values)
    is_combination = (tables["trick_value"] == values) & (in_control | (values != NO_COMBO))
    require_records(is_combination, tables, "trick_value", "is not that of the cards")
    kind = np.where(in_control, NO_KIND, values >> KIND_SHIFT)
    require_records(tables["trick_kind"] == kind, tables, "trick_kind", "is not that of the cards")


@kernel
def value_tricks(tables: Tables, values: NDArray[np.int64]) -> None:
    """Write the values of the hands to beat, of increasing cards; those of tables without a trick stay."""
    for i in range(tables.shape[0]):
        t: Table = tables[i]
        if t.trick_size > 0:
            values[i] = trick_value(t, np.int64(t.trick_size))


def _check_legal(tables: Tables) -> None:
    """Check the list of the actor's legal actions."""
    again = tables.copy()
    list_again(again)
    require_records(tables["num_legal"] == again["num_legal"], tables, "num_legal", "does not follow from the rules")
    used = np.arange(MAX_LEGAL) < tables["num_legal"][:, None]
    require_records(
        ~used | (tables["legal"] == again["legal"]), tables, "num_legal", "lists other actions than the rules"
    )


@kernel
def list_again(tables: Tables) -> None:
    """List the legal actions of every table's actor again."""
    for i in range(tables.shape[0]):
        list_legal(tables[i])
