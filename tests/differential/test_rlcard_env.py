"""Our RLCard environment against RLCard's own: limit hold'em action by action, what `reset` returns included."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rlcard", reason="RLCard is not installed: pip install 'card-envs[rlcard]'")

import rlcard

from card_envs.cards import card_id
from card_wrappers.rlcard import make_env


def ids(cards: list[Any]) -> list[int]:
    return [card_id(card.rank + card.suit.lower()) for card in cards]


def differences(hands: int, num_players: int, stale: bool) -> tuple[int, int]:
    """Play the same random hands in both; return the number of decisions and of differences."""
    theirs = rlcard.make("limit-holdem", config={"seed": 1, "game_num_players": num_players})
    ours = make_env(
        "limit_holdem-v0",
        seed=1,
        stale_first_state=stale,
        num_players=num_players,
        encoder="rlcard",
        rules="rlcard",
        max_raises=(4, 4, 4, 4),
    )
    rng = random.Random(1)
    decisions = differing = 0
    for _ in range(hands):
        their, actor = theirs.reset()
        their = their if stale else theirs.get_state(actor)
        players = theirs.game.players
        deck = ids([card for player in players for card in player.hand] + theirs.game.dealer.deck[:-6:-1])
        small_blind = [player.in_chips for player in players].index(1)
        our, seat = ours.reset({"button": (small_blind - 1) % num_players, "deck": deck})
        while True:
            same = (
                seat == actor
                and {key: our["raw_obs"][key] for key in their["raw_obs"]} == their["raw_obs"]
                and np.array_equal(our["obs"], their["obs"])
                and our["legal_actions"] == their["legal_actions"]
                and our["raw_legal_actions"] == their["raw_legal_actions"]
                and our["action_record"] == their["action_record"]
            )
            decisions += 1
            differing += not same
            # folds end hands early, and are always legal
            action = rng.choice([a for a in their["legal_actions"] if a != 2 or rng.random() < 0.3])
            their, actor = theirs.step(action)
            our, seat = ours.step(action)
            if theirs.is_over() or ours.is_over():
                break
        differing += theirs.is_over() != ours.is_over()
        differing += ours.get_payoffs().tolist() != theirs.get_payoffs().tolist()
    return decisions, differing


@pytest.mark.parametrize("stale", [False, True])
def test_hands_are_those_of_rlcard(stale: bool) -> None:
    decisions, differing = differences(200, 2, stale)
    assert decisions > 1000 and differing == 0


@pytest.mark.slow
def test_20000_hands_are_those_of_rlcard() -> None:
    decisions, differing = differences(20_000, 2, stale=True)
    assert decisions > 100_000 and differing == 0
