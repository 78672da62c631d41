"""Sets of Big 2 rules, and random deals in them that are checked at every step, compiled or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import bit_count
from card_envs.compiler import kernel
from card_envs.game import ILLEGAL, Game
from card_envs.games.big2 import kernels
from card_envs.games.big2.actions import NUM_ACTIONS, PASS, TRIPLE_ACTIONS
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.game import big2_game
from card_envs.games.big2.legal import is_listed, random_action, write_mask

OPTION_SETS = {
    "charlesworth2018": Big2Config(),
    "charlesworth2018_text": Big2Config.profile("charlesworth2018_text"),
    "opening decision": Big2Config(opening_decision=True),
    "skipped": Big2Config(forced_passes="skipped"),
    "skipped after 2S": Big2Config(forced_passes="skipped_after_2s"),
    "higher straight flush": Big2Config(higher_straight_flush_wins=True),
    "all triples": Big2Config(all_triples=True),
    "without twos": Big2Config(straights="without_twos", flushes="suit"),
    "two low": Big2Config(straights="two_low", flushes="ranks"),
    "hong kong": Big2Config(straights="hong_kong", flushes="suit", higher_straight_flush_wins=True),
    "taiwan": Big2Config(straights="taiwan", all_triples=True),
    "no flushes": Big2Config(flushes="none"),
    "no bare triples": Big2Config(bare_triples=False),
    "dragon": Big2Config(dragon_wins=True),
    "dragon, asked": Big2Config(dragon_wins=True, opening_decision=True, bare_triples=False, all_triples=True),
    "profile hong_kong": Big2Config.profile("hong_kong"),
    "profile taiwan": Big2Config.profile("taiwan"),
    "double and triple": Big2Config(double_from=10, triple_from=13, double_per_two=True),
    "points per two": Big2Config(double_from=8, points_per_two=5),
    "everything": Big2Config(
        opening_decision=True,
        forced_passes="skipped",
        higher_straight_flush_wins=True,
        all_triples=True,
        straights="hong_kong",
        flushes="ranks",
        double_from=10,
        triple_from=13,
        double_per_two=True,
    ),
}

NO_FAULT, CARD_LOST, NO_CHOICE, DEAD_ACTION, REFUSED, ENDLESS = range(6)
NO_WINNER, TWO_WINNERS, NOT_ZERO_SUM, TOO_MUCH = range(6, 10)
MOST_DECISIONS = 4 * 52  # of four turns one at least plays a card
FULL_DECK = np.int64(2**52 - 1)
HEART = 2


def game_of(rules: str, encoder: str = "charlesworth412") -> Game:
    return big2_game(OPTION_SETS[rules], encoder)


@kernel
def play_deals(tables: Any, deals: Any, most_points: Any) -> Any:
    """Play `deals` random deals at every table; return (fault, table) of the first fault, or (NO_FAULT, -1)."""
    for i in range(tables.shape[0]):
        for _ in range(deals):
            fault = _play_deal(tables, i, most_points)
            if fault != NO_FAULT:
                return fault, i
    return NO_FAULT, -1


@kernel
def _play_deal(tables: Any, i: Any, most_points: Any) -> Any:
    t = tables[i]
    kernels.deal(tables, i)
    for _ in range(MOST_DECISIONS):
        if _lost_cards(t):
            return CARD_LOST
        if t.is_over == 1:
            return _result_fault(t, most_points)
        if t.num_legal < 1 or is_listed(t, PASS) == (t.trick_size == 0):
            return NO_CHOICE
        if t.triple_rules == 0 and _has_dead_action(t):
            return DEAD_ACTION
        if kernels.step(tables, i, random_action(t, t)) == ILLEGAL:
            return REFUSED
    return ENDLESS


@kernel
def _lost_cards(t: Any) -> Any:
    """Return True unless every card is in exactly one place, and the three ways to say what a seat holds agree."""
    seen, count = np.int64(0), np.int64(0)
    for seat in range(4):
        seen |= t.held[seat] | t.played[seat]
        count += bit_count(t.held[seat]) + bit_count(t.played[seat])
        in_hand = np.int64(0)
        for position in range(t.num_cards[seat]):
            in_hand |= np.int64(1) << np.int64(t.hand[seat, position])
            if position > 0 and t.hand[seat, position - 1] >= t.hand[seat, position]:
                return True
        if in_hand != t.held[seat] or bit_count(in_hand) != t.num_cards[seat]:
            return True
    return seen != FULL_DECK or count != 52


@kernel
def _has_dead_action(t: Any) -> Any:
    for k in range(t.num_legal):
        for first in range(10):
            if t.legal[k] == TRIPLE_ACTIONS[first, HEART]:
                return True
    return False


@kernel
def _result_fault(t: Any, most_points: Any) -> Any:
    winners, total = 0, np.int64(0)
    for seat in range(4):
        total += t.payoff[seat]
        winners += t.payoff[seat] > 0
        if (t.num_cards[seat] == 0) != (t.payoff[seat] > 0):
            return NO_WINNER
        if t.payoff[seat] > most_points:
            return TOO_MUCH
    if winners != 1:
        return TWO_WINNERS
    return NOT_ZERO_SUM if total != 0 else NO_FAULT


@kernel
def masks_differ(tables: Any, masks: Any, deals: Any) -> Any:
    """Play deals at table 0; return how many masks are not the list of legal actions, or have a 1 for another seat."""
    t, m = tables[0], masks[0]
    wrong = 0
    for _ in range(deals):
        kernels.deal(tables, 0)
        while t.is_over == 0:
            write_mask(t, (t.actor + 1) & 3, m)
            for action in range(NUM_ACTIONS):
                wrong += m.mask[action]
            write_mask(t, t.actor, m)
            ones = 0
            for action in range(NUM_ACTIONS):
                ones += m.mask[action]
                wrong += (m.mask[action] == 1) != is_listed(t, action)
            wrong += ones != t.num_legal  # nothing is listed twice
            kernels.step(tables, 0, random_action(t, t))
    return wrong
