"""Rules profile `standard` against PokerKit: the same decisions are offered at the same amounts, the same chips won."""

from __future__ import annotations

import pytest

pytest.importorskip("pokerkit")

from tests.differential.against_pokerkit import ANTES, STRUCTURES, differences


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("antes", ANTES)
def test_hands_are_those_of_pokerkit(structure: str, antes: str) -> None:
    assert differences(structure, antes, count=40, seed=1)[:1] == []


@pytest.mark.slow
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("antes", ANTES)
def test_hands_are_those_of_pokerkit_on_many_hands(structure: str, antes: str) -> None:
    assert differences(structure, antes, count=1700, seed=2)[:1] == []
