"""Encoder `shi2022`: what the actor of Shi et al. (2022) sees, worked out by hand and against recorded hands."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from card_baselines.papers.shi2022.encoder import SHI2022, most_decisions, num_tokens
from card_envs.cards import card_ids
from card_envs.games.holdem import kernels
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import RECENT_ACTIONS
from tests.helpers.equities import hand_percentile
from tests.helpers.holdem_hands import OneTable
from tests.properties.encoder_play import Observer, choose, new_tables

SIX = HoldemConfig.limit(6)
KINDS = ("fold", "call", "raise")

KINDS_OF_LIMIT = {
    "heads-up": HoldemConfig.limit(2),
    "six-max": SIX,
    "ten seats": HoldemConfig.limit(10),
    "short stacks": HoldemConfig.limit(6, (3, 200, 50, 1, 20, 9), ante=1),
    "rlcard": HoldemConfig.limit(3, max_raises=(3, 4, 4, 4), rules="rlcard"),
}


def look(table: OneTable, seat: int) -> dict[str, np.ndarray]:
    return SHI2022.layout(table.config).split(Observer(SHI2022, table.config).look(table.tables, seat)[0])


def test_six_seats_make_249_numbers() -> None:
    layout = SHI2022.layout(SIX)
    assert layout.size == 52 + 52 + 4 + 5 * 6 + 2 + 9 + 1 + 99
    assert layout.slices["history"] == slice(150, 249)
    assert most_decisions(SIX) == 21 + 3 * 26
    assert num_tokens(SIX) == 1 + 3 * 6 * 5 * 4


def test_a_raised_pot_by_hand() -> None:
    deck = card_ids("2c 2d 3c 3d 4c 4d As Ah 5c 5d 6c 6d 7h 8h 9h Tc Jd")
    table = OneTable(SIX, button=5, deck=deck).play("f 4 c f f c")  # positions 2 3 4 5 0 1
    blocks = look(table, 3)
    assert table.t.street == 1
    assert np.flatnonzero(blocks["hole_cards"]).tolist() == sorted(card_ids("As Ah"))
    assert np.flatnonzero(blocks["board"]).tolist() == sorted(card_ids("7h 8h 9h"))
    assert blocks["position"].tolist() == [0, 0, 0, 1, 0, 0]
    assert blocks["in_hand"].tolist() == [0, 1, 0, 1, 1, 0]
    most = table.t.largest_amount
    assert blocks["hand_commit"] == pytest.approx(np.array([1, 4, 0, 4, 4, 0]) / most)
    assert blocks["stack"] == pytest.approx(np.minimum(1, np.array([199, 196, 200, 196, 196, 200]) / most))
    assert blocks["pot"] == pytest.approx(13 / (6 * most))
    assert blocks["to_call"] == 0
    assert blocks["percentile"] == pytest.approx(hand_percentile(card_ids("As Ah 7h 8h 9h")))
    one_raise = 6
    assert blocks["history"][:7].tolist() == [
        1 + 0 + 3 * 2,
        1 + 2 + 3 * 3,
        1 + 1 + 3 * (4 + one_raise),
        1 + 0 + 3 * (5 + one_raise),
        1 + 0 + 3 * (0 + one_raise),
        1 + 1 + 3 * (1 + one_raise),
        0,
    ]


@pytest.mark.parametrize("kind", KINDS_OF_LIMIT)
def test_the_history_lists_every_decision_in_its_order(kind: str) -> None:
    config, rng = KINDS_OF_LIMIT[kind], random.Random(3)
    tables, observer = new_tables(config, 1, seed=3), Observer(SHI2022, config)
    for _ in range(60):
        kernels.deal(tables, 0)
        t = tables[0]
        played: list[tuple[int, int, str]] = []
        while not t.is_over:
            assert history(observer, tables, rng) == played
            position = (int(t.actor) - int(t.button) - 1) % config.num_players
            street = int(t.street)
            kernels.step(tables, 0, choose(rng, config, t))
            moved = int(t.recent_move[(t.num_decisions - 1) % RECENT_ACTIONS])
            played.append((street, position, KINDS[moved & 3]))
        assert history(observer, tables, rng) == played


def history(observer: Observer, tables: Any, rng: random.Random) -> list[tuple[int, int, str]]:
    seat = rng.randrange(observer.config.num_players)  # whoever looks
    decoded = SHI2022.decode(observer.config, observer.look(tables, seat)[0])
    found: list[tuple[int, int, str]] = decoded["history"]
    return found


@pytest.mark.parametrize("config", [HoldemConfig.no_limit(6), HoldemConfig.limit(6, max_raises=None)])
def test_games_whose_tables_forget_decisions_are_refused(config: HoldemConfig) -> None:
    with pytest.raises(ValueError, match="encoder 'shi2022' is for limit games with at most 4 raises a street"):
        SHI2022.layout(config)
