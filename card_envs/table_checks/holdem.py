"""`check_tables`: whether records from a file are tables at which the kernels can go on playing.

Kernels check nothing: with chips that do not add up, an empty set of seats or a card outside the deck they could run
forever or write outside an array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from card_envs.cards import NO_CARD
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.betting import clear_turn, give_turn
from card_envs.games.holdem.betting_history_bits import BITS_PER_WORD, num_history_groups
from card_envs.games.holdem.showdown import first_board_card
from card_envs.games.holdem.state import (
    MAX_SEATS,
    MAX_STREETS,
    NUM_HISTORY_WORDS,
    RAISE,
    Table,
)
from card_envs.records import Tables
from card_envs.table_checks import check_ranges, require_records

SETTINGS = (
    "num_seats", "structure", "menu", "num_hole_cards", "min_bet", "chips_per_reward", "max_raises", "board_cards",
    "num_streets", "lowest_rank", "num_suits", "deck_size", "num_sizes", "has_all_in", "button_moves", "fold_when_free",
    "no_empty_decisions", "short_raise_reopens", "last_actor_opens", "dead_antes", "full_blinds", "cards_shown",
    "first_call", "first_raise", "whole_history", "is_ranked", "start_stack", "blind", "ante", "bet_size",
)  # fmt: skip
"""Fields with the settings of the game, which play does not change."""


def make_table_checks(game: Game) -> Callable[[Tables], None]:
    """Return the checks of a game of hold'em; a dealt table holds its settings and the stacks of a new hand."""
    example = game.seeded_tables(1, 0)
    game.deal(example, 0)
    return partial(check_tables, game.config.deck_cards, example)


def check_tables(deck: list[int], example: Tables, tables: Tables) -> None:
    """Raise a DamagedRecordError, naming the field, unless kernels can go on playing at every table.

    `deck` are the cards of the game, `example` a table (1,) with its settings and starting stacks, dealt or not; the
    fields that all games have were checked before.
    """
    check_ranges(Table, tables)
    for name in SETTINGS:
        require_records(tables[name] == example[name], tables, name, f"is not {example[name][0].tolist()}, the setting")
    _check_cards(deck, tables[(tables["deck"] != NO_CARD).any(axis=1) | (tables["is_over"] == 0)])
    _check_seats(tables)
    _check_chips(example, tables)
    _check_turn(tables)
    _check_history(tables)


def _check_cards(deck: list[int], tables: Tables) -> None:
    """Check that the dealt cards are different cards of the deck, and that the rest of the field is empty."""
    if not len(tables):
        return
    num_dealt = int(first_board_card(tables[0])) + int(tables["board_cards"][0].sum())
    dealt, rest = tables["deck"][:, :num_dealt], tables["deck"][:, num_dealt:]
    require_records(np.isin(dealt, deck), tables, "deck", f"has cards that are not of this deck ({len(deck)} cards)")
    ordered = np.sort(dealt, axis=1)
    require_records(ordered[:, 1:] != ordered[:, :-1], tables, "deck", "has a card twice")
    require_records(rest == NO_CARD, tables, "deck", f"has other than {num_dealt} cards")


def _check_seats(tables: Tables) -> None:
    """Check seats and sets of seats."""
    seats, running = tables["num_seats"].astype(np.int64), tables["is_over"] == 0
    for name in ("actor", "button"):
        require_records(tables[name] < seats, tables, name, "is no seat of this game")
    for name in ("in_hand", "pending", "acted"):
        require_records(tables[name].astype(np.int64) >> seats == 0, tables, name, "has seats that this game has not")
    require_records(tables["callers"].astype(np.int64) >> seats[:, None, None] == 0, tables, "callers", "has no seats")
    require_records(tables["raiser"] < seats[:, None, None], tables, "raiser", "is no seat of this game")
    moves = tables["recent_move"]
    is_move = (moves >> 2 < seats[:, None]) & (moves & 3 <= RAISE)
    require_records(is_move, tables, "recent_move", "is no seat with a decision")
    require_records(tables["street"] < tables["num_streets"], tables, "street", "is beyond the last one")
    in_hand, pending = (tables[name].astype(np.int64) for name in ("in_hand", "pending"))
    several = ~running | (in_hand & (in_hand - 1) != 0)
    require_records(several, tables, "in_hand", "is fewer than two seats")
    is_among = (pending & ~in_hand == 0) & (running | (pending == 0))
    require_records(is_among, tables, "pending", "has seats that are not in the hand")
    is_pending = (pending >> np.maximum(tables["actor"].astype(np.int64), 0)) & 1 == 1
    require_records(~running | is_pending, tables, "pending", "lacks the actor")


def _check_chips(example: Tables, tables: Tables) -> None:
    """Check that no chips were made or lost since the start of the hand, and what was paid for the current bet."""
    running = (tables["is_over"] == 0)[:, None]
    stack, paid, payoff = (tables[name].astype(np.int64) for name in ("stack", "hand_commit", "payoff"))
    require_records(~running | (payoff == 0), tables, "payoff", "is not 0 before the end of the hand")
    require_records(payoff.sum(axis=1) == 0, tables, "payoff", "does not sum to 0")
    require_records(payoff >= -paid, tables, "payoff", "is more than was paid")
    was_dealt = tables["in_hand"] != 0
    started = np.sort(stack - payoff + np.where(running, paid, 0), axis=1)
    paid_there = np.where(example["is_over"][:, None] == 0, example["hand_commit"], 0)
    expected = np.sort(example["stack"].astype(np.int64) - example["payoff"] + paid_there, axis=1)
    require_records(
        started == expected, tables, "stack", f"began the hand with other chips than {expected[0].tolist()}"
    )
    require_records(paid.sum(axis=1) == np.where(was_dealt, tables["pot"], 0), tables, "pot", "is not what was paid")
    committed = tables["street_commit"].astype(np.int64)
    require_records(committed <= paid, tables, "street_commit", "is more than was paid")
    bet, largest = tables["current_bet"], committed.max(axis=1)
    is_short_blind = (tables["full_blinds"] == 1) & (tables["street"] == 0) & (bet <= tables["blind"].max(axis=1))
    is_bet = (bet == largest) | (is_short_blind & (bet > largest))
    require_records(~running[:, 0] | is_bet, tables, "current_bet", "is not the largest street commitment")
    for name in ("stack", "hand_commit", "payoff"):
        beyond = np.arange(MAX_SEATS) >= tables["num_seats"][:, None]
        require_records(~beyond | (tables[name] == 0), tables, name, "has chips for seats that this game has not")
    waits = tables["pending"].astype(np.int64)[:, None] >> np.arange(MAX_SEATS) & 1 == 1
    require_records(~waits | (stack > 0), tables, "pending", "has a seat without chips")


def _check_turn(tables: Tables) -> None:
    """Check the fields that follow from the actor: its legal actions."""
    again = tables.copy()
    set_turns(again)
    for name in ("legal", "min_raise_to", "max_raise_to"):
        require_records(tables[name] == again[name], tables, name, "does not follow from the rules")


@kernel
def set_turns(tables: Tables) -> None:
    """Compute the legal actions of every table again."""
    for i in range(tables.shape[0]):
        if tables[i].is_over == 1:
            clear_turn(tables[i])
        else:
            give_turn(tables[i], np.int64(tables[i].actor))


def _check_history(tables: Tables) -> None:
    """Check what encoders read of the betting so far."""
    streets = np.arange(MAX_STREETS)
    is_later = streets > tables["street"][:, None]
    raises = tables["street_raises"]
    require_records(~is_later | (raises == 0), tables, "street_raises", "counts raises on later streets")
    require_records(raises <= tables["max_raises"], tables, "street_raises", "is above the cap")
    bits = num_history_groups(tables[0]) * int(tables["num_seats"][0]) if len(tables) else 0
    size = int(BITS_PER_WORD[tables["num_seats"][0]]) if len(tables) else 0
    used = [min(max(bits - size * word, 0), size) for word in range(NUM_HISTORY_WORDS)]
    require_records(tables["history_bits"] >> np.array(used) == 0, tables, "history_bits", "has bits that mean nothing")
