"""Rules profile `rlcard` with the encoder `rlcard` against RLCard itself: heads-up limit hands, decision by decision.

The observation is that of `get_state`, which PettingZoo shows too; what RLCard's `reset` returns is out of date.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from card_envs import limit_holdem_v0
from card_envs.cards import card_id

rlcard = pytest.importorskip("rlcard")

WORDS = {0: {"fold"}, 1: {"call", "check"}, 2: {"raise"}}


def card_ids_of(cards: list[Any]) -> list[int]:
    return [card_id(card.rank + card.suit.lower()) for card in cards]


def play_the_same(theirs: Any, ours: Any, rng: random.Random) -> int:
    """Play one hand at random in both, compare all that can be seen, and return the number of decisions."""
    theirs.reset()
    players, undealt = theirs.game.players, theirs.game.dealer.deck
    deck = card_ids_of([card for player in players for card in player.hand] + undealt[:-6:-1])
    small_blind = [player.in_chips for player in players].index(1)
    ours.reset(options={"button": 1 - small_blind, "deck": deck})
    decisions = 0
    while not theirs.is_over():
        seat = theirs.get_player_id()
        state, (observation, *_) = theirs.get_state(seat), ours.last()
        assert ours.agent_selection == f"player_{seat}"
        np.testing.assert_array_equal(observation["observation"], state["obs"])
        legal = [int(action) for action in np.flatnonzero(observation["action_mask"])]
        words = {action: WORDS[action].intersection(state["raw_legal_actions"]) for action in legal}
        assert sorted(state["raw_legal_actions"]) == sorted(word for found in words.values() for word in found)
        action = rng.choice(legal)
        theirs.step(words[action].pop(), raw_action=True)
        ours.step(action)
        decisions += 1
    assert list(ours.rewards.values()) == theirs.get_payoffs().tolist()
    return decisions


def test_limit_hands_are_those_of_rlcard() -> None:
    theirs = rlcard.make("limit-holdem", config={"seed": 1})
    ours = limit_holdem_v0.raw_env(encoder="rlcard", rules="rlcard")
    rng = random.Random(1)
    assert sum(play_the_same(theirs, ours, rng) for _ in range(300)) > 500
