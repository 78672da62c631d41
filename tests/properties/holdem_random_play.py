"""Kinds of hold'em games, and random hands in them that are checked at every step, compiled or not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.game import ILLEGAL
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import random_action
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RULES
from card_envs.rng import seed_streams

UNEVEN = (1, 2, 3, 17, 40, 200, 1000, 5, 64, 33)

PRESETS = {
    "kuhn": HoldemConfig.kuhn(),
    "kuhn, 4 seats": HoldemConfig.kuhn(4),
    "leduc": HoldemConfig.leduc(),
    "leduc, 3 seats": HoldemConfig.leduc(3),
    "flop": HoldemConfig.flop(),
    "limit, 2 seats": HoldemConfig.limit(2),
    "limit, 6 seats": HoldemConfig.limit(6),
    "limit, 10 seats": HoldemConfig.limit(10),
    "limit, uneven": HoldemConfig.limit(6, UNEVEN[:6], max_raises=None),
    "limit, rlcard": HoldemConfig.limit(2, rules="rlcard"),
    "no-limit, 2 seats": HoldemConfig.no_limit(2),
    "no-limit, 6 seats": HoldemConfig.no_limit(6),
    "no-limit, 10 seats": HoldemConfig.no_limit(10),
    "no-limit, uneven, 6 seats": HoldemConfig.no_limit(6, UNEVEN[:6]),
    "no-limit, uneven, 10 seats": HoldemConfig.no_limit(10, UNEVEN, ante=1),
    "no-limit, live antes": HoldemConfig.no_limit(
        5, UNEVEN[2:7], ante=2, rules=replace(RULES["standard"], dead_antes=False)
    ),
    "no-limit, acpc": HoldemConfig.no_limit(6, UNEVEN[:6], rules="acpc", bet_menu=(0.25, 0.5, 1, 2)),
    "no-limit, chips": HoldemConfig.no_limit(2, 100, bet_menu="chips:4,8,16,32,64,100"),
    "no-limit, integers": HoldemConfig.no_limit(3, (20, 33, 64), bet_menu="integers"),
    "no-limit, straddle": replace(HoldemConfig.no_limit(4, UNEVEN[3:7]), blinds=(1, 2, 4), min_bet=4),
    "no-limit, pokerstars": HoldemConfig.no_limit(6, UNEVEN[:6], ante=2, rules="pokerstars"),
    "pot-limit, uneven": HoldemConfig.no_limit(6, UNEVEN[2:8], structure="pot_limit"),
}

NO_FAULT, CHIPS_CHANGED, CHIPS_BELOW_ZERO, CARD_TWICE, NOT_ZERO_SUM, REFUSED, ENDLESS = range(7)
MOST_DECISIONS = 5000  # uncapped limit games end when a stack does


def new_tables(config: HoldemConfig, num_tables: int, seed: int, first_table: int = 0) -> Any:
    tables = config.new_tables(num_tables)
    seed_streams(tables, np.uint64(seed), np.uint64(first_table))
    kernels.start(tables)
    return tables


@kernel
def play_hands(tables: Any, hands: Any) -> Any:
    """Play `hands` random hands at every table; return (fault, table) of the first fault, or (NO_FAULT, -1)."""
    for i in range(tables.shape[0]):
        t = tables[i]
        chips = np.int64(0)
        for seat in range(t.num_seats):
            chips += t.stack[seat]
        for _ in range(hands):
            fault = _play_hand(tables, i, chips)
            if fault != NO_FAULT:
                return fault, i
    return NO_FAULT, -1


@kernel
def _play_hand(tables: Any, i: Any, chips: Any) -> Any:
    t = tables[i]
    kernels.deal(tables, i)
    if _has_card_twice(t):
        return CARD_TWICE
    for _ in range(MOST_DECISIONS):
        fault = _chip_fault(t, chips)
        if fault != NO_FAULT or t.is_over == 1:
            return fault
        if kernels.step(tables, i, random_action(t, t)) == ILLEGAL:
            return REFUSED
    return ENDLESS


@kernel
def _has_card_twice(t: Any) -> Any:
    dealt, seen = np.int64(t.num_seats) * t.num_hole_cards, np.int64(0)
    for street in range(t.num_streets):
        dealt += t.board_cards[street]
    for k in range(dealt):
        bit = np.int64(1) << np.int64(t.deck[k])
        if seen & bit:
            return True
        seen |= bit
    return False


@kernel
def _chip_fault(t: Any, chips: Any) -> Any:
    stacks, commits, payoffs = np.int64(0), np.int64(0), np.int64(0)
    for seat in range(t.num_seats):
        if t.stack[seat] < 0 or t.street_commit[seat] < 0 or t.street_commit[seat] > t.hand_commit[seat]:
            return CHIPS_BELOW_ZERO
        stacks += t.stack[seat]
        commits += t.hand_commit[seat]
        payoffs += t.payoff[seat]
    if payoffs != 0:
        return NOT_ZERO_SUM
    if commits != t.pot or stacks + (0 if t.is_over == 1 else commits) != chips:
        return CHIPS_CHANGED
    return NO_FAULT
