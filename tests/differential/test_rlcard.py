"""Rules profile `rlcard` with the encoder `rlcard` against RLCard itself, decision by decision.

In limit hold'em all that RLCard's environment shows is compared with ours; in no-limit the observations of our tables.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rlcard", reason="RLCard is not installed: pip install 'card-envs[rlcard]'")

import rlcard

from card_envs.cards import card_id
from card_envs.games.holdem import kernels
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.rlcard import RLCARD
from card_envs.games.holdem.rules import RULES
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_wrappers.rlcard import make_env
from tests.helpers.holdem_hands import OneTable
from tests.properties.encoder_play import Observer


def deck_of(game: Any) -> list[int]:
    """Return the cards of a hand that RLCard has just dealt, in the order of our decks."""
    cards = [card for player in game.players for card in player.hand] + game.dealer.deck[:-6:-1]  # dealt from the end
    return [card_id(card.rank + card.suit.lower()) for card in cards]


def button_of(game: Any) -> int:
    """Return the seat that has our button: RLCard's small blind is at the next one."""
    return ([player.in_chips for player in game.players].index(1) - 1) % len(game.players)


# --- limit ------------------------------------------------------------------------------------------------------------


def make_both(seed: int, stale: bool = False) -> tuple[Any, Any]:
    """Return RLCard's environment of heads-up limit hold'em and ours, `stale` as its `reset` shows the first state."""
    theirs = rlcard.make("limit-holdem", config={"seed": seed})
    return theirs, make_env("limit_holdem-v0", seed=seed, stale_first_state=stale, encoder="rlcard", rules="rlcard")


def play_the_same(theirs: Any, ours: Any, rng: random.Random, stale: bool = False) -> int:
    """Play one hand at random in both, compare all that can be seen, and return the number of decisions."""
    their, actor = theirs.reset()
    their = their if stale else theirs.get_state(actor)
    our, seat = ours.reset({"button": button_of(theirs.game), "deck": deck_of(theirs.game)})
    decisions = 0
    while not theirs.is_over():
        assert seat == actor and not ours.is_over()
        assert {key: our["raw_obs"][key] for key in their["raw_obs"]} == their["raw_obs"]
        for key in ("legal_actions", "raw_legal_actions", "action_record"):
            assert our[key] == their[key]
        assert np.array_equal(our["obs"], their["obs"])
        for each in range(2):
            assert np.array_equal(ours.get_state(each)["obs"], theirs.get_state(each)["obs"])
        # folds end hands early, and are always legal
        action = rng.choice([a for a in their["legal_actions"] if a != 2 or rng.random() < 0.3])
        their, actor = theirs.step(action)
        our, seat = ours.step(action)
        decisions += 1
    assert ours.is_over() and ours.get_payoffs().tolist() == theirs.get_payoffs().tolist()
    return decisions


@pytest.mark.parametrize("hands", [200, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("stale", [False, True])
def test_limit_hands_are_those_of_rlcard(stale: bool, hands: int) -> None:
    theirs, ours = make_both(1, stale)
    rng = random.Random(1)
    assert sum(play_the_same(theirs, ours, rng, stale) for _ in range(hands)) > 5 * hands


# --- no-limit ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_no_limit_hands(num_players: int) -> None:
    """RLCard's raises below the legal minimum are not played: pot and half-pot add chips to what is already in."""
    rules = replace(RULES["rlcard"], last_actor_opens=False)
    config = HoldemConfig.no_limit(num_players, 100, rules=rules)
    rng, env = random.Random(3), rlcard.make("no-limit-holdem", {"seed": 3, "game_num_players": num_players})
    kinds = {"FOLD": 0, "CHECK_CALL": 0, "RAISE_HALF_POT": 0, "RAISE_POT": 0, "ALL_IN": 0}
    observer = Observer(RLCARD, config)
    for _ in range(60):
        _, seat = env.reset()
        table = OneTable(config, button=button_of(env.game), deck=deck_of(env.game))
        while not table.is_over:
            assert table.actor == seat
            for each in range(num_players):
                assert np.array_equal(observer.look(table.tables, each)[0], env.get_state(each)["obs"])
            action, decision = rng.choice(playable(env, table, seat))
            kinds[action.name] += 1
            table.decide(*decision)
            _, seat = env.step(action.value)
        assert env.is_over()
    assert min(kinds.values()) > 5, kinds


def playable(env: Any, table: OneTable, seat: int) -> list[tuple[Any, tuple[int, int]]]:
    """Return RLCard's legal actions that our rules allow too, each with our decision; calls count three times."""
    found = []
    in_front, pot = int(table.t.street_commit[seat]), int(table.t.pot)
    for action in env.game.get_legal_actions():
        amount = {"RAISE_HALF_POT": pot // 2, "RAISE_POT": pot, "ALL_IN": int(table.t.stack[seat])}.get(action.name)
        kind = {"FOLD": FOLD, "CHECK_CALL": CALL}.get(action.name, RAISE)
        decision = kind, in_front + (amount or 0)
        if kernels.decision_is_legal(table.t, *decision):
            found += [(action, decision)] * {"CHECK_CALL": 6, "FOLD": 1}.get(action.name, 2)
    return found
