"""Encoder `rlcard`: 72 or 54 numbers in RLCard's order, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.cards import card_ids
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.rlcard import RLCARD
from tests.helpers.holdem_hands import OneTable
from tests.properties.encoder_play import Observer

DECK = "As 2s Kh Ah  5d Qc Ks Tc 2c"  # player_0, player_1, board


def look(table: OneTable, seat: int) -> np.ndarray:
    return Observer(RLCARD, table.config).look(table.tables, seat)[0]


def test_sizes_and_slices() -> None:
    limit = RLCARD.layout(HoldemConfig.limit())
    assert limit.size == 72
    assert limit.slices == {"cards": slice(0, 52), "raises": slice(52, 72)}
    no_limit = RLCARD.layout(HoldemConfig.no_limit(6, structure="pot_limit"))
    assert no_limit.size == 54
    assert no_limit.slices == {"cards": slice(0, 52), "my_commit": slice(52, 53), "largest_commit": slice(53, 54)}


def test_cards_are_spades_hearts_diamonds_clubs_from_the_ace_up_and_mine_join_the_board() -> None:
    table = OneTable(HoldemConfig.limit(), button=0, deck=DECK)
    assert np.flatnonzero(look(table, 0)[:52]).tolist() == [0, 1]  # As 2s
    assert np.flatnonzero(look(table, 1)[:52]).tolist() == [13, 25]  # Ah Kh
    table.play("c c")
    assert np.flatnonzero(look(table, 0)[:52]).tolist() == [0, 1, 12, 30, 50]  # and Ks 5d Qc
    table.play("c c c c")
    assert np.flatnonzero(look(table, 0)[:52]).tolist() == [0, 1, 12, 30, 40, 48, 50]  # and 2c Tc


def test_limit_raises_by_street_are_one_hot_and_streets_to_come_read_zero() -> None:
    table = OneTable(HoldemConfig.limit(max_raises=(4, 4, 4, 4)), button=0, deck=DECK)
    raises = [look(table, table.actor)[52:].reshape(4, 5).argmax(axis=1).tolist()]
    for decisions in ("4", "6", "8", "10", "c", "c 2", "c", "c c 4 8"):
        table.play(decisions)
        raises.append(look(table, table.actor)[52:].reshape(4, 5).argmax(axis=1).tolist())
    assert raises == [
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [2, 0, 0, 0],
        [3, 0, 0, 0],
        [4, 0, 0, 0],
        [4, 0, 0, 0],
        [4, 1, 0, 0],
        [4, 1, 0, 0],
        [4, 1, 0, 2],
    ]
    assert look(table, table.actor)[52:].sum() == 4
    assert look(table, table.actor)[52 + 3 * 5 + 2] == 1


def test_without_a_cap_four_raises_stand_for_more() -> None:
    table = OneTable(HoldemConfig.limit(max_raises=None), button=0, deck=DECK).play("4 6 8 10 12 14")
    assert table.t.street_raises[0] == 6
    assert look(table, 0)[52:57].tolist() == [0, 0, 0, 0, 1]


def test_no_limit_chips_are_raw_and_of_the_whole_hand() -> None:
    table = OneTable(HoldemConfig.no_limit(2, 500), button=0, deck=DECK)
    assert (look(table, 0)[52:].tolist(), look(table, 1)[52:].tolist()) == ([1, 2], [2, 2])
    table.play("7 c 10 300")
    assert (look(table, 0)[52:].tolist(), look(table, 1)[52:].tolist()) == ([307, 307], [17, 307])


def test_decode() -> None:
    limit = OneTable(HoldemConfig.limit(), button=0, deck=DECK).play("4 c c 2 c")
    assert RLCARD.decode(limit.config, look(limit, 1)) == {
        "cards": "Ah Ks Kh Qc Tc 5d",
        "street": 2,
        "raises": [1, 1, 0, 0],
    }
    no_limit = OneTable(HoldemConfig.no_limit(), button=0, deck=DECK).play("8")
    assert RLCARD.decode(no_limit.config, look(no_limit, 1)) == {
        "cards": "Ah Kh",
        "street": 0,
        "my_commit": 2,
        "largest_commit": 8,
    }


@pytest.mark.parametrize(
    "config", [HoldemConfig.kuhn(), HoldemConfig.leduc(), HoldemConfig(num_ranks=9, lowest_rank=4)]
)
def test_other_cards_than_those_of_texas_holdem_are_refused(config: HoldemConfig) -> None:
    with pytest.raises(
        ValueError, match=r"encoder 'rlcard' is for Texas hold'em: 2 hole cards, board \(0, 3, 1, 1\), 52"
    ):
        RLCARD.layout(config)


def test_every_card_has_one_place() -> None:
    places = set()
    for card in range(0, 52, 2):
        pair = [card, card + 1]
        table = OneTable(HoldemConfig.limit(), button=0, deck=pair)
        decoded = RLCARD.decode(table.config, look(table, 0))
        assert sorted(card_ids(decoded["cards"])) == pair
        places |= set(np.flatnonzero(look(table, 0)[:52]).tolist())
    assert places == set(range(52))
