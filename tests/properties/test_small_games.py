"""Kuhn and Leduc poker, presets of the hold'em kernels, have their known sizes and exploitabilities.

Their values are those that solvers find: `tests/solvers/test_vector_cfr.py`.
"""

from __future__ import annotations

import pytest

from card_envs.games.holdem.config import HoldemConfig
from tests.helpers.tabular_solver import SmallGame

GAMES = {"kuhn_poker": HoldemConfig.kuhn(), "leduc_poker": HoldemConfig.leduc()}


@pytest.mark.parametrize(("name", "sizes"), [("kuhn_poker", (24, 30, 12)), ("leduc_poker", (3780, 5520, 936))])
def test_decision_nodes_ends_and_information_sets(name: str, sizes: tuple[int, int, int]) -> None:
    assert SmallGame(GAMES[name]).sizes() == sizes


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
