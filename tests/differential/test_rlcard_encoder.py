"""Encoder `rlcard` against RLCard itself: the same hands, number by number, at every decision and for both seats."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from card_envs.cards import card_id
from card_envs.games.holdem import kernels
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.rlcard import RLCARD
from card_envs.games.holdem.rules import RULES
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from tests.helpers.holdem_hands import OneTable
from tests.properties.encoder_play import Observer

rlcard = pytest.importorskip("rlcard", reason="RLCard is not installed: pip install card-envs[rlcard]")

LIMIT = HoldemConfig.limit(rules="rlcard")
NO_RAISES = np.tile([1.0, 0, 0, 0, 0], 4)


def our_card(card: Any) -> int:
    return card_id(card.rank + card.suit)


def same_table(env: Any, config: HoldemConfig) -> OneTable:
    """Return our table with the cards and blinds of a hand that RLCard has just dealt."""
    game, n = env.game, config.num_players
    deck = [our_card(card) for player in game.players for card in player.hand]
    deck += [our_card(card) for card in game.dealer.deck[:-6:-1]]  # RLCard deals from the end
    small_blind = [player.in_chips for player in game.players].index(1)
    return OneTable(config, button=(small_blind - 1) % n, deck=deck)


def assert_same_observations(env: Any, table: OneTable, where: str) -> None:
    observer = Observer(RLCARD, table.config)
    for seat in range(table.config.num_players):
        ours, _ = observer.look(table.tables, seat)
        assert np.array_equal(ours, env.get_state(seat)["obs"]), (where, seat)


def test_limit_hands() -> None:
    rng, env = random.Random(1), rlcard.make("limit-holdem", {"seed": 1})
    decisions = 0
    for hand in range(150):
        _, seat = env.reset()
        table = same_table(env, LIMIT)
        while not env.is_over():
            assert table.actor == seat
            assert_same_observations(env, table, f"hand {hand}")
            legal = env.game.get_legal_actions()
            name = rng.choice([action for action in legal if action != "fold" or rng.random() < 0.3])
            _, seat = env.step(env.actions.index(name))
            table.step({"fold": FOLD, "check": CALL, "call": CALL, "raise": RAISE}[name])
            decisions += 1
        assert table.is_over
    assert decisions > 800


def test_the_first_observation_of_rlcards_later_hands_shows_the_raises_of_the_hand_before() -> None:
    env = rlcard.make("limit-holdem", {"seed": 2})
    first, seat = env.reset()
    assert np.array_equal(first["obs"][52:], NO_RAISES)
    for name in ("raise", "raise", "fold"):
        env.step(env.actions.index(name))
    stale, seat = env.reset()
    ours, _ = Observer(RLCARD, LIMIT).look(same_table(env, LIMIT).tables, seat)
    assert np.array_equal(stale["obs"][:52], ours[:52])
    assert stale["obs"][52:57].tolist() == [0, 0, 1, 0, 0]
    assert np.array_equal(ours[52:], NO_RAISES)
    assert np.array_equal(env.get_state(seat)["obs"], ours)  # asked again, RLCard agrees


@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_no_limit_hands(num_players: int) -> None:
    """RLCard's raises below the legal minimum are not played: pot and half-pot add chips to what is already in."""
    rules = replace(RULES["rlcard"], last_actor_opens=False)
    config = HoldemConfig.no_limit(num_players, 100, rules=rules)
    rng, env = random.Random(3), rlcard.make("no-limit-holdem", {"seed": 3, "game_num_players": num_players})
    kinds = {"FOLD": 0, "CHECK_CALL": 0, "RAISE_HALF_POT": 0, "RAISE_POT": 0, "ALL_IN": 0}
    for hand in range(60):
        _, seat = env.reset()
        table = same_table(env, config)
        while not table.is_over:
            assert table.actor == seat
            assert_same_observations(env, table, f"hand {hand}")
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
