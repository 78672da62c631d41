"""Rules profile `acpc` against OpenSpiel's universal_poker, which plays by the code of the ACPC server.

Actor, folding, chips to call and every raise-to are the same. Where the two differ, and what is compared instead:

* universal_poker splits odd chips into fractions, the ACPC server's way of counting. Both results are compared with
  `settle`, a few lines that pay every pot once in fractions and once in whole chips.
* It offers raises that nobody left could call, and lets a seat that can only check do so. Both are left out.
* It takes no stack below a blind, knows no antes, and ignores stacks in limit games, where players pay what they lack:
  limit hands are played with stacks that suffice. Limit games for six players end its process (2.0.2).
"""

from __future__ import annotations

import random

import pytest

from card_envs.games.holdem.config import HoldemConfig
from tests.differential.against_openspiel import DEEP, differences, no_limit

pytest.importorskip("pyspiel")


@pytest.mark.parametrize("stacks", ["equal", "uneven"])
@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_no_limit_hands_are_those_of_openspiel(num_players: int, stacks: str) -> None:
    rng = random.Random(num_players)
    assert differences([no_limit(rng, num_players, stacks) for _ in range(150)], seed=num_players)[:1] == []


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_limit_hands_are_those_of_openspiel(num_players: int) -> None:
    config = HoldemConfig.limit(num_players, DEEP, 5, 10, rules="acpc")
    assert differences([config] * 150, seed=num_players)[:1] == []


@pytest.mark.slow
@pytest.mark.parametrize("stacks", ["equal", "uneven"])
def test_no_limit_hands_are_those_of_openspiel_on_many_hands(stacks: str) -> None:
    rng = random.Random(7)
    assert differences([no_limit(rng, rng.randint(2, 10), stacks) for _ in range(5000)], seed=7)[:1] == []
