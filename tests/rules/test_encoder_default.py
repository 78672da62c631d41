"""Encoder `default`: blocks worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.cards import card_ids
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.default import DEFAULT
from card_envs.poker_hands import hand_rank
from tests.helpers.holdem_hands import OneTable
from tests.properties.encoder_play import Observer

DECK = "As 2s Kh Ah  5d Qc Ks Tc 2c"  # player_0, player_1, board
MOST = 2 + 3 * 2 + 4 * 2 + 4 * 4 + 4 * 4
"""Chips that a seat can put into a limit hand with blinds 1 and 2: the unit of amounts, whatever the stacks."""


def look(table: OneTable, seat: int) -> dict[str, np.ndarray]:
    return DEFAULT.layout(table.config).split(Observer(DEFAULT, table.config).look(table.tables, seat)[0])


def test_sizes_of_presets() -> None:
    sizes = {
        "limit": [DEFAULT.layout(HoldemConfig.limit(n)).size for n in (2, 6, 10)],
        "no-limit": [DEFAULT.layout(HoldemConfig.no_limit(n)).size for n in (2, 6, 10)],
        "small": [DEFAULT.layout(config).size for config in (HoldemConfig.kuhn(), HoldemConfig.leduc())],
    }
    cards_and_bets = 52 + 52 + 9 + 1 + 4 + 5
    assert sizes == {
        "limit": [cards_and_bets + (5 + 19 + 15) * n for n in (2, 6, 10)],
        "no-limit": [cards_and_bets + 8 * (3 + 1) + 4 + (5 + 8 + 4 + 4) * n for n in (2, 6, 10)],
        "small": [3 + 1 + 5 + (5 + 2 + 1) * 2, 6 + 6 + 2 + 5 + (5 + 6 + 4) * 2],
    }


def test_cards_category_and_strength() -> None:
    table = OneTable(HoldemConfig.limit(), button=0, deck=DECK)
    before = look(table, 1)
    assert np.flatnonzero(before["hole_cards"]).tolist() == sorted(card_ids("Kh Ah"))
    assert not before["board"].any() and not before["category"].any() and before["strength"] == 0
    after = look(table.play("c c"), 1)
    assert np.flatnonzero(after["board"]).tolist() == sorted(card_ids("5d Qc Ks"))
    assert np.flatnonzero(after["category"]).tolist() == [7]  # a pair of kings
    assert after["strength"] == pytest.approx(1 - (hand_rank(card_ids("Kh Ah 5d Qc Ks")) - 1) / 7462)


def test_limit_hand_on_the_turn_as_the_big_blind_sees_it() -> None:
    table = OneTable(HoldemConfig.limit(), button=0, deck=DECK).play("4 6 c 2 c")
    blocks = look(table, 1)
    assert blocks["street"].tolist() == [0, 0, 1, 0]
    assert blocks["position"].tolist() == [1, 0]
    assert blocks["in_hand"].tolist() == [1, 1]
    assert blocks["stack"].tolist() == [1, 1]  # 192 chips are more than the hand can cost
    assert blocks["street_commit"].tolist() == [0, 0]
    assert blocks["hand_commit"] == pytest.approx([8 / MOST, 8 / MOST])
    assert blocks["pot"] == pytest.approx(16 / MOST / 2)
    assert (blocks["to_call"], blocks["pot_odds"]) == (0, 0)
    assert blocks["min_raise_to"] == blocks["max_raise_to"] == pytest.approx(4 / MOST)
    preflop, flop = 0, 4  # first rows of the streets in `callers`: one more level than raises
    assert {tuple(place) for place in np.argwhere(blocks["callers"])} == {(preflop + 2, 1), (flop + 1, 1)}
    preflop, flop = 0, 3
    assert {tuple(place) for place in np.argwhere(blocks["raisers"])} == {
        (preflop + 0, 1),
        (preflop + 1, 0),
        (flop + 0, 0),
    }


def test_the_last_number_is_the_last_raise_of_a_capped_river_by_the_seat_on_my_right() -> None:
    table = OneTable(HoldemConfig.limit(3), button=2).play("c c c  c c c  c c c  4 8 12 16")
    observation, _ = Observer(DEFAULT, table.config).look(table.tables, 1)
    assert observation[-3:].tolist() == [0, 0, 1]
    assert look(table, 1)["max_raise_to"] == 0  # capped


def test_bets_of_a_seat_that_is_not_to_act() -> None:
    table = OneTable(HoldemConfig.limit(3), button=2).play("4")
    assert look(table, 0)["to_call"] == pytest.approx(3 / MOST)
    assert look(table, 0)["max_raise_to"] == pytest.approx(6 / MOST)
    assert look(table, 1)["to_call"] == pytest.approx(2 / MOST)
    assert look(table, 1)["max_raise_to"] == 0
    assert look(table.play("f"), 0)["to_call"] == 0


def test_short_stacks_are_fractions_of_the_same_amount() -> None:
    table = OneTable(HoldemConfig.limit(3, (200, 12, 30)), button=2)
    assert look(table, 1)["stack"] == pytest.approx([10 / MOST, 30 / MOST, 1])


def test_no_large_blind_or_ante_of_another_position_is_cut_off() -> None:
    table = OneTable(HoldemConfig(structure="limit", num_players=2, blinds=(1, 2), antes=(0, 5)), button=0)
    largest = MOST + 5
    table.play("4 6 8 c 2 4 6 8 c 4 8 12 16 c 4 8 12 16")
    assert look(table, 1)["hand_commit"] == pytest.approx([table.t.hand_commit[k] / largest for k in (1, 0)])


def test_no_limit_history() -> None:
    table = OneTable(HoldemConfig.no_limit(), button=0, deck=DECK).play("6 c 10")
    blocks = look(table, 0)
    assert blocks["recent_seat"][:3].tolist() == [[0, 1], [0, 1], [1, 0]]
    assert blocks["recent_kind"][:3].tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1]]
    assert blocks["recent_amount"][:3] == pytest.approx([10 / 200, 6 / 200, 6 / 200])
    assert not blocks["recent_seat"][3:].any() and not blocks["recent_kind"][3:].any()
    assert blocks["street_raises"].tolist() == [0.25, 0.25, 0, 0]
    assert blocks["street_callers"].tolist() == [[0, 1], [0, 0], [0, 0], [0, 0]]
    assert blocks["street_raisers"].tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]
    assert (blocks["to_call"], blocks["pot"]) == (pytest.approx(10 / 200), pytest.approx(22 / 200 / 2))
    assert blocks["pot_odds"] == pytest.approx(10 / 32)
    assert (blocks["min_raise_to"], blocks["max_raise_to"]) == (pytest.approx(20 / 200), pytest.approx(194 / 200))


def test_no_limit_keeps_the_last_eight_decisions() -> None:
    table = OneTable(HoldemConfig.no_limit(2, 2000), button=0).play("4 6 8 10 12 14 16 18 20 22")
    blocks = look(table, 0)
    assert blocks["recent_amount"] == pytest.approx([amount / 2000 for amount in (22, 20, 18, 16, 14, 12, 10, 8)])
    assert blocks["recent_seat"].argmax(axis=1).tolist() == [1, 0] * 4
    assert blocks["street_raises"].tolist() == [1, 0, 0, 0]
