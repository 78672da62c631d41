"""Examples in docstrings do what they show."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = (
    "card_envs.aec",
    "card_envs.agent.base",
    "card_envs.agent.decisions",
    "card_envs.cards",
    "card_envs.compiler.jit",
    "card_envs.vector",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0 and result.failed == 0
