"""Rewards of a learner's decisions: the payoff at the end, or the paper's two ideas that say more.

A `Shaping` gives a number to each decision of a seat in a hand that is over, in big blinds; the learners of this paper
all take one. They compose: `with_opportunity_cost(allocation)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from card_baselines.papers.zheng2022.duel import Hand
from card_baselines.papers.zheng2022.situation import BIG_BLIND, CALL, RAISE
from card_envs.poker.ranks import WORST_RANK_OF_CATEGORY, hand_rank
from card_envs.typing import Floats

Shaping = Callable[[Hand, int], Floats]
"""(hand, seat) -> (n,) big blinds, one number for each decision of the seat, in order."""

_FIVE_CARD_HANDS = (40, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540)
"""Numbers of the 2,598,960 hands of five cards in each category, best first."""
_ALL_HANDS = sum(_FIVE_CARD_HANDS)
_FACTOR = 1.25
_PAIR, _HIGH_CARD = 7, 8
_RANKS = 13


def final_payoff(hand: Hand, seat: int) -> Floats:
    """Return 0 for every decision but the last, which gets the payoff."""
    rewards = np.zeros(len(hand.decisions_of(seat)))
    rewards[-1:] = hand.payoffs[seat]
    return rewards


def allocation(hand: Hand, seat: int, unit: Literal["big_blinds", "chips"] = "big_blinds") -> Floats:
    """Return the payoff spread over the decisions (algorithm 1 of the paper); the sum stays the payoff.

    Each decision of the loser but the last costs what it put in, as the paper counts: a call one big blind, a raise
    the distance to the larger commitment and one big blind, on later streets too. The last one costs the rest. Each
    decision of the winner but the last gets what the loser's next one costs; the last gets the rest. Without a winner
    there is nothing to spread.
    """
    if hand.payoffs[seat] == 0:
        return final_payoff(hand, seat)
    loser = int(np.argmin(hand.payoffs))
    theirs = hand.decisions_of(loser)
    of_loser = np.array([-_cost(hand, place) for place in theirs])
    of_loser[-1:] = hand.payoffs[loser] - of_loser[:-1].sum()
    if seat == loser:
        rewards = of_loser
    else:
        own = hand.decisions_of(seat)
        following = np.append(of_loser, 0.0)[np.searchsorted(theirs, own)]
        rewards = -following
        rewards[-1:] = hand.payoffs[seat] - rewards[:-1].sum()
    return rewards * (BIG_BLIND if unit == "chips" else 1)


def allocation_in_chips(hand: Hand, seat: int) -> Floats:
    """Return `allocation` in chips, the unit of the paper; learners then see numbers twice as large."""
    return allocation(hand, seat, "chips")


def with_opportunity_cost(shaping: Shaping = final_payoff, as_printed: bool = False) -> Shaping:
    """Return a shaping that changes the last reward by how the hand compares with the rival's, the board completed.

    Args:
        shaping: The rewards to change.
        as_printed: Subtract the own value less the rival's, as the sentence of the paper reads; that punishes the
            better hand. The default follows its intention, to punish playing on with the worse hand: it adds
            min(0, own value - rival's value).
    """

    def shape(hand: Hand, seat: int) -> Floats:
        rewards = shaping(hand, seat).copy()
        difference = hand_value(hand, seat) - hand_value(hand, 1 - seat)
        rewards[-1:] += -difference if as_printed else min(0.0, difference)
        return rewards

    return shape


def hand_value(hand: Hand, seat: int) -> float:
    """Return the value that the paper's code gives to a seat's hand with the whole board."""
    cards = hand.final["deck"][0]
    return compute_hand_value([int(card) for card in (*cards[2 * seat : 2 * seat + 2], *cards[4:9])])


def compute_hand_value(cards: list[int]) -> float:
    """Return the value of seven cards: 1.25 times the share of five-card hands that are not better.

    The share counts whole categories; among pairs it rises with the rank of the pair, and among high cards in five
    steps from nine to king, so that an ace, one step further, counts for more than the lowest pairs do.
    """
    rank = hand_rank(cards)
    category = next(k for k, last in enumerate(WORST_RANK_OF_CATEGORY) if rank <= last)
    below = sum(_FIVE_CARD_HANDS[category + 1 :])
    if category < _PAIR:
        return _FACTOR * (below + _FIVE_CARD_HANDS[category]) / _ALL_HANDS
    if category == _PAIR:
        first = WORST_RANK_OF_CATEGORY[_PAIR - 1] + 1
        of_each = (WORST_RANK_OF_CATEGORY[_PAIR] - first + 1) // _RANKS
        pair = 14 - (rank - first) // of_each  # 2 .. 14
        return _FACTOR * (below + _FIVE_CARD_HANDS[_PAIR] * (pair - 1) / _RANKS) / _ALL_HANDS
    high = max(card // 4 for card in cards) + 2
    return _FACTOR * _FIVE_CARD_HANDS[_HIGH_CARD] * (high - 8) / 5 / _ALL_HANDS


def _cost(hand: Hand, place: int) -> float:
    """Return the big blinds that the paper says a decision costs."""
    if hand.columns[place] == CALL:
        return 1.0
    if hand.columns[place] != RAISE:
        return 0.0
    table = hand.tables[place]
    committed = table["hand_commit"][:2]
    return float(committed.max() - committed[int(table["actor"])] + BIG_BLIND) / BIG_BLIND
