"""Kuhn and Leduc poker, presets of the hold'em kernels, have their known sizes, values and exploitabilities."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from card_envs.game import ILLEGAL
from card_envs.games.holdem import kernels
from card_envs.games.holdem.config import HoldemConfig
from tests.helpers.holdem_hands import OneTable
from tests.helpers.tabular_solver import SmallGame

GAMES = {"kuhn_poker": HoldemConfig.kuhn(), "leduc_poker": HoldemConfig.leduc()}


@pytest.mark.parametrize(("name", "sizes"), [("kuhn_poker", (24, 30, 12)), ("leduc_poker", (3780, 5520, 936))])
def test_decision_nodes_ends_and_information_sets(name: str, sizes: tuple[int, int, int]) -> None:
    assert SmallGame(GAMES[name]).sizes() == sizes


def test_decision_nodes_and_ends_of_three_handed_kuhn_poker() -> None:
    config = HoldemConfig.kuhn(3)

    def count(tables: Any) -> tuple[int, int]:
        if tables[0].is_over:
            return 0, 1
        copies = [tables.copy() for _ in range(config.num_actions)]
        legal = [copy for action, copy in enumerate(copies) if kernels.step(copy, 0, action) != ILLEGAL]
        decisions, ends = zip(*map(count, legal), strict=True)
        return 1 + sum(decisions), sum(ends)

    sizes = [count(OneTable(config, deck=deal).tables) for deal in permutations(config.deck_cards, 3)]
    assert tuple(map(sum, zip(*sizes, strict=True))) == (288, 312)


@pytest.mark.parametrize(
    ("name", "value", "iterations"), [("kuhn_poker", -1 / 18, 1000), ("leduc_poker", -0.0856, 300)]
)
def test_value_of_the_game(name: str, value: float, iterations: int) -> None:
    game = SmallGame(GAMES[name])
    game.train(iterations)
    assert game.exploitability() < 0.005
    assert game.value() == pytest.approx(value, abs=0.0005)


@pytest.mark.parametrize(("name", "exploitability"), [("kuhn_poker", 11 / 24), ("leduc_poker", 2.3736111)])
def test_exploitability_of_uniform_random_play(name: str, exploitability: float) -> None:
    assert SmallGame(GAMES[name]).exploitability() == pytest.approx(exploitability, abs=1e-6)


@pytest.mark.parametrize("name", GAMES)
def test_exploitability_of_uniform_random_play_is_that_of_openspiel(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    policy = pytest.importorskip("open_spiel.python.policy")
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    game = pyspiel.load_game(name)
    expected = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    assert SmallGame(GAMES[name]).exploitability() == pytest.approx(expected, abs=1e-9)
