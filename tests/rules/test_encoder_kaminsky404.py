"""Encoder `kaminsky404`: the 404 numbers of Kaminsky (2020), section 3.4.2, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from card_baselines.papers.kaminsky2020.encoder import KAMINSKY404
from card_envs.cards import card_ids
from card_envs.games.holdem.config import HoldemConfig
from tests.helpers.equities import hand_percentile
from tests.helpers.holdem_hands import OneTable
from tests.properties.encoder_play import Observer

HIDDEN = 52
SIX = HoldemConfig.no_limit(6)


def look(table: OneTable, seat: int) -> dict[str, np.ndarray]:
    return KAMINSKY404.layout(table.config).split(Observer(KAMINSKY404, table.config).look(table.tables, seat)[0])


def deck_of(config: HoldemConfig, seat: int, mine: str, board: str) -> list[int]:
    """Return a deck with these cards for a seat and the board, and any others for everybody else."""
    chosen = card_ids(mine) + card_ids(board)
    others = [card for card in range(52) if card not in chosen]
    hands = [others[2 * k : 2 * k + 2] for k in range(config.num_players)]
    hands[seat] = card_ids(mine)
    return [card for hand in hands for card in hand] + card_ids(board)


def test_six_seats_make_404_numbers() -> None:
    layout = KAMINSKY404.layout(SIX)
    assert layout.size == 404
    assert [(block.name, block.size) for block in layout.blocks] == [
        ("hole_cards", 104),
        ("board", 265),
        ("folded", 6),
        ("hand_share", 6),
        ("street_share", 6),
        ("last_raiser", 6),
        ("position", 6),
        ("street", 4),
        ("percentile", 1),
    ]
    assert layout.slices["percentile"] == slice(403, 404)
    assert [KAMINSKY404.layout(replace(SIX, num_players=n)).size for n in range(2, 11)] == [
        374 + 5 * n for n in range(2, 11)
    ]


def test_cards_are_sorted_from_the_highest_id_down_and_hidden_ones_come_last() -> None:
    table = OneTable(SIX, button=5, deck=deck_of(SIX, 2, "3c Ad", "9h 2s Kc 9s As"))
    assert look(table, 2)["hole_cards"].argmax(axis=1).tolist() == card_ids("Ad 3c")
    assert look(table, 2)["board"].argmax(axis=1).tolist() == [HIDDEN] * 5
    boards = []
    for decisions in ("c c c c c c", "c c c c c c", "c c c c c c"):
        table.play(decisions)
        shown = look(table, 2)["board"]
        assert shown.sum(axis=1).tolist() == [1] * 5
        boards.append(shown.argmax(axis=1).tolist())
    assert boards == [
        [*card_ids("Kc 9h 2s"), HIDDEN, HIDDEN],
        [*card_ids("Kc 9s 9h 2s"), HIDDEN],
        card_ids("As Kc 9s 9h 2s"),
    ]


def test_seats_are_positions_whatever_the_button() -> None:
    for button in range(6):
        table = OneTable(SIX, button=button)
        for position, seat in enumerate(table.seats):
            blocks = look(table, seat)
            assert blocks["position"].tolist() == [float(k == position) for k in range(6)]
            assert blocks["hand_share"] == pytest.approx([1 / 200, 2 / 200, 0, 0, 0, 0])


def test_folds_shares_and_last_raiser() -> None:
    stacks = (100, 200, 50, 400, 80, 1000)
    table = OneTable(HoldemConfig.no_limit(6, stacks, ante=5), button=5)
    assert not look(table, 3)["last_raiser"].any()
    table.play("f 20 f c c c")  # positions 2 3 4 5 0 1
    blocks = look(table, 0)
    assert blocks["folded"].tolist() == [0, 0, 1, 0, 1, 0]
    assert blocks["hand_share"] == pytest.approx([25 / 100, 25 / 200, 5 / 50, 25 / 400, 5 / 80, 25 / 1000])
    assert blocks["street_share"].tolist() == [0] * 6
    assert blocks["last_raiser"].tolist() == [0, 0, 0, 1, 0, 0]
    assert blocks["street"].tolist() == [0, 1, 0, 0]
    table.play("c 30")
    blocks = look(table, 0)
    assert blocks["street_share"] == pytest.approx([0, 30 / 200, 0, 0, 0, 0])
    assert blocks["last_raiser"].tolist() == [0, 1, 0, 0, 0, 0]


def test_the_last_raiser_is_known_after_more_raises_than_levels_are_kept() -> None:
    table = OneTable(HoldemConfig.no_limit(2, 5000), button=0)
    for raises in range(1, 9):
        table.play(str(2 + 2 * raises))
        assert look(table, 0)["last_raiser"].tolist() == ([0, 1] if raises % 2 else [1, 0])
    table.play("c c c")
    assert table.t.street == 2
    assert look(table, 0)["last_raiser"].tolist() == [1, 0]


def test_shares_at_the_end_are_of_the_starting_stacks() -> None:
    config = HoldemConfig.no_limit(3, (100, 100, 40))
    table = OneTable(config, button=2, deck=deck_of(config, 2, "As Ah", "2c 7d 9h Jc 3s")).play("40 c f")
    assert table.is_over
    assert look(table, 1)["hand_share"] == pytest.approx([40 / 100, 2 / 100, 40 / 40])


@pytest.mark.parametrize("cards", ["As Ad", "7c 2d", "9h 8h"])
def test_percentile_on_every_street(cards: str) -> None:
    table = OneTable(SIX, button=5, deck=deck_of(SIX, 0, cards, "9c 3s Kd 3d Tc"))
    for shown in (0, 3, 4, 5):
        hand = card_ids(cards) + table.board()[:shown]
        assert look(table, 0)["percentile"][0] == pytest.approx(hand_percentile(hand))
        table.play("c c c c c c")


def test_the_best_hand_has_percentile_one() -> None:
    table = OneTable(SIX, button=5, deck=deck_of(SIX, 0, "As Ah", "Ac Ad 2c 5h 8d"))
    assert look(table, 0)["percentile"][0] == 1
    table.play("c c c c c c")
    assert look(table, 0)["percentile"][0] > 0.9999


def test_decode() -> None:
    table = OneTable(SIX, button=5, deck=deck_of(SIX, 4, "3c Ad", "9h 2s Kc 9s As")).play("c c 8 f f c f c")
    observation = Observer(KAMINSKY404, SIX).look(table.tables, 4)[0]
    decoded: dict[str, Any] = KAMINSKY404.decode(SIX, observation)
    assert decoded == {
        "hole_cards": "Ad 3c",
        "board": "Kc 9h 2s",
        "folded": [True, False, True, False, False, True],
        "hand_share": pytest.approx([1 / 200, 8 / 200, 2 / 200, 8 / 200, 8 / 200, 0]),
        "street_share": [0] * 6,
        "last_raiser": 4,
        "position": 4,
        "street": 1,
        "percentile": pytest.approx(hand_percentile(card_ids("Ad 3c Kc 9h 2s"))),
    }


@pytest.mark.parametrize("config", [HoldemConfig.kuhn(), HoldemConfig.leduc(3)])
def test_small_games_are_refused(config: HoldemConfig) -> None:
    with pytest.raises(ValueError, match="encoder 'kaminsky404' is for Texas hold'em"):
        KAMINSKY404.layout(config)
