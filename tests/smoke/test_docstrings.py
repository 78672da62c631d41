"""Examples in docstrings do what they show."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = (
    "card_envs.aec",
    "card_envs.agent.base",
    "card_envs.agent.decisions",
    "card_envs.agent.loading",
    "card_envs.analysis.exploitability.average_strategy",
    "card_envs.analysis.exploitability.best_response",
    "card_envs.analysis.exploitability.public_tree",
    "card_envs.analysis.variance.control_variates",
    "card_envs.cards",
    "card_envs.compiler.jit",
    "card_envs.envs",
    "card_envs.game",
    "card_envs.games.big2.config",
    "card_envs.games.holdem.bet_menu",
    "card_envs.match.callbacks",
    "card_envs.match.play",
    "card_envs.match.power",
    "card_envs.match.stopping",
    "card_envs.match.summary",
    "card_envs.poker.equity",
    "card_envs.poker.ranges",
    "card_envs.poker.ranks",
    "card_envs.single_seat",
    "card_envs.testing.checks",
    "card_envs.text.table",
    "card_envs.vector",
    "card_wrappers.gymnasium.environment",
    "card_wrappers.gymnasium.vector",
    "card_wrappers.rlcard",
    "card_wrappers.sb3",
)
PACKAGE_OF = {"card_wrappers.rlcard": "rlcard", "card_wrappers.sb3": "stable_baselines3"}


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    if name in PACKAGE_OF:
        pytest.importorskip(PACKAGE_OF[name])
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0 and result.failed == 0
