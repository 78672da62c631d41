"""The Big 2 agent that plays as many cards as it can."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.compiler import kernel
from card_envs.games.big2.actions import ACTION_POSITIONS, ACTION_SIZE, NUM_ACTIONS, PASS, value_of_action
from card_envs.games.big2.combos import NO_COMBO, kind_of
from card_envs.games.big2.config import is_big2
from card_envs.games.big2.legal import list_legal
from card_envs.games.big2.state import FLUSH, HAND_SIZE, NUM_SEATS, TABLE

FEW_CARDS = 7
"""Largest hand of an opponent at which combinations are no longer kept together; best of 3, 5, 7, 13 against random."""

_MOST_CARDS = 5


@kernel
def greedy_play(t: Any, random_number: Any, scratch: Any) -> Any:
    """Return the greedy play of a view's actor; `scratch` is one table."""
    kept = np.int64(0)
    if t.trick_size == 1 and not has_somebody_few_cards(t):
        scratch[0] = t
        kept = positions_in_combos(scratch[0])
    return largest_play(t, kept)


@kernel
def largest_play(t: Any, kept: Any) -> Any:
    """Return the play with most cards, then the lowest top card, then the lowest id, without singles of `kept`."""
    lowest, best = np.int64(_MOST_CARDS * HAND_SIZE * NUM_ACTIONS), np.int64(PASS)
    for k in range(t.num_legal):
        action = np.int64(t.legal[k])
        size = np.int64(ACTION_SIZE[action])
        if size > 1 or (size == 1 and kept >> action & 1 == 0):  # a single's id is its position
            rank = ((_MOST_CARDS - size) * HAND_SIZE + ACTION_POSITIONS[action, size - 1]) * NUM_ACTIONS + action
            if rank < lowest:
                lowest, best = rank, action
    return best


@kernel
def positions_in_combos(t: Any) -> Any:
    """Return the set of the actor's positions in combinations other than flushes; changes `t` to a new trick."""
    t.trick_size, t.trick_value = 0, NO_COMBO
    list_legal(t)
    kept = np.int64(0)
    for k in range(t.num_legal):
        action = np.int64(t.legal[k])
        size = ACTION_SIZE[action]
        if size > 1 and kind_of(value_of_action(t, t.actor, action)) != FLUSH:
            for place in range(size):
                kept |= np.int64(1) << np.int64(ACTION_POSITIONS[action, place])
    return kept


@kernel
def has_somebody_few_cards(t: Any) -> Any:
    """Return True if one of the actor's opponents holds `FEW_CARDS` cards or fewer."""
    for seat in range(NUM_SEATS):  # noqa: SIM110  kernels have no generators
        if seat != t.actor and t.num_cards[seat] <= FEW_CARDS:
            return True
    return False


class Big2Greedy(RulePlayer):
    """Takes the legal play with most cards, of several the one whose highest card is lowest.

    It passes if it has to, and if it could only follow with a single that is part of a pair, triple, straight or full
    house, unless an opponent holds `FEW_CARDS` cards or fewer.
    """

    name = "big2_greedy"
    choose_rows = rule_kernel(greedy_play)
    plays = staticmethod(is_big2)

    def __init__(self) -> None:
        self.setting = np.zeros(1, TABLE)
