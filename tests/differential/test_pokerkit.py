"""Rules profile `standard` against PokerKit: the same decisions are offered at the same amounts, the same chips won."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

pytest.importorskip("pokerkit")

from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RULES
from card_envs.games.holdem.state import CALL, RAISE
from tests.differential.against_pokerkit import ANTES, STRUCTURES, UNEVEN, differences
from tests.differential.oracles import pokerkit_hands
from tests.helpers.holdem_hands import OneTable, Options, random_hand


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("antes", [*ANTES, UNEVEN])
@pytest.mark.parametrize("count", [40, pytest.param(1700, marks=pytest.mark.slow)])
def test_hands_are_those_of_pokerkit(structure: str, antes: str, count: int) -> None:
    assert differences(structure, antes, count, seed=count)[:1] == []


LIVE_UNEVEN = replace(HoldemConfig.no_limit(3, 80), antes=(1, 1, 0), rules=replace(RULES["standard"], dead_antes=False))


def move_in(rng: random.Random, table: OneTable, options: Options) -> tuple[int, int]:
    return (CALL, 0) if options.raise_to is None else (RAISE, options.raise_to[1])


def test_all_ins_behind_uneven_live_antes_are_settled_over_the_hand_here_and_by_street_in_pokerkit() -> None:
    """Position 2 owed no ante and put 80 on the street, where others had 79: PokerKit returns one chip to it."""
    for seed in range(10):
        hand = random_hand(random.Random(seed), LIVE_UNEVEN, move_in)
        theirs = pokerkit_hands.replay(hand).payoffs
        assert hand.commits == [80, 80, 80]
        if hand.payoffs[2] == -80:
            assert theirs[2] == -79
            return
    raise AssertionError("position 2 won every hand")
