"""What observations say, read back in words; `charlesworth412` itself is tested against recorded games."""

from __future__ import annotations

import numpy as np

from card_envs.games.big2.encoders import ENCODERS
from card_envs.games.big2.state import KIND_NAMES
from tests.helpers.big2_deals import DECK, Deal

HANDS = ("3D 4C", "3C 5D 6D 7D 8D 9D 2C", "3S AS", "4S 2H")


def decoded(deal: Deal, seat: int | None = None) -> dict[str, object]:
    deal.observe(seat)
    return deal.game.encoder.decode(deal.game.config, deal.observation[0])


def test_layouts() -> None:
    sizes = {name: encoder.layout(None).size for name, encoder in ENCODERS.items()}
    assert sizes == {"charlesworth412": 412, "clean": 286 + 39 + 208 + 36 + 1 + 52 + 9 + 4 + 4 + 3}
    for encoder in ENCODERS.values():
        assert encoder.layout(None).dtype == np.int8


def test_charlesworth412_says_what_happened() -> None:
    deal = Deal(*HANDS)
    deal.play("2C")
    seen = decoded(deal)
    assert seen["hand"] == deal.hand(2)
    assert seen["hand_to_beat"] == {"kind": "single", "rank": "2", "suit": "C"}
    assert seen["opponents"] == [
        {"cards_left": 13, "high_cards_played": [], "has_played": []},
        {"cards_left": 12, "high_cards_played": [], "has_played": []},
        {"cards_left": 12, "high_cards_played": ["2C"], "has_played": []},
    ]
    assert (seen["high_cards_gone"], seen["control"], seen["passes"]) == (["2C"], False, 0)


def test_a_plain_straight_looks_like_a_full_house_in_charlesworth412_only() -> None:
    plays = "3C 4D 5H 6S 7C"
    for encoder, to_beat in (
        ("charlesworth412", {"kind": "straight", "rank": "5", "suit": None}),
        ("clean", {"kind": "straight", "cards": plays.split(), "played_by": 3, "led_by": 3}),
    ):
        deal = Deal(encoder=encoder)
        deal.leave(plays + " 2D", "9D 9H", "TD TH", "JD JH", control=0)
        deal.play(plays)
        assert decoded(deal)["hand_to_beat"] == to_beat
    kinds = deal.game.layout.split(deal.observation[0])["kinds_played"]
    assert np.flatnonzero(kinds[3]).tolist() == [KIND_NAMES.index("straight")]


def test_clean_tells_all_kinds_apart_and_who_did_what() -> None:
    deal = Deal(*HANDS, encoder="clean")
    deal.play("2C")
    deal.pass_()
    deal.play("2H")
    seen = decoded(deal)
    assert seen["hand_to_beat"] == {"kind": "single", "cards": ["2H"], "played_by": 3, "led_by": 0}
    assert seen["played"] == [["3D"], ["2C"], [], ["2H"]]
    assert seen["has_played"] == [["single"], ["single"], [], ["single"]]
    assert (seen["cards_left"], seen["passes"], seen["control"]) == ([12, 13, 12], 0, False)


def test_control_is_shown_to_its_holder_alone() -> None:
    for encoder in ENCODERS:
        deal = Deal(*HANDS, encoder=encoder)
        deal.pass_(3)
        assert [decoded(deal, seat)["control"] for seat in range(4)] == [True, False, False, False]
        assert [decoded(deal, seat)["hand_to_beat"] for seat in range(4)] == [None] * 4


def test_at_the_end_everybody_sees_the_last_play() -> None:
    deal = Deal(encoder="clean")
    deal.leave("9S", "3D", "4D 4C", "5D", control=0)
    deal.play("9S")
    for seat in range(4):
        seen = decoded(deal, seat)
        assert seen["hand_to_beat"] == {"kind": "single", "cards": ["9S"], "played_by": -seat % 4, "led_by": -seat % 4}
        assert not deal.mask.any()
    assert decoded(deal, 0)["cards_left"] == [1, 2, 1]
    assert decoded(deal, 0)["hand"] == []


def test_the_full_state_holds_all_hands() -> None:
    deal = Deal(*HANDS)
    deal.play("2C")
    blocks = deal.game.state_layout.split(deal.game.state(deal.tables, 0))
    for seat in range(4):
        assert [DECK[card] for card in np.flatnonzero(blocks["hands"][seat])] == deal.hand(seat)
    assert [DECK[card] for card in np.flatnonzero(blocks["played"].any(axis=0))] == ["3D", "2C"]
    for block, expected in {"actor": 2, "trick_seat": 1, "trick_leader": 0, "trick_kind": 0, "passes": 0}.items():
        assert np.flatnonzero(blocks[block]).tolist() == [expected]
    assert [DECK[card] for card in np.flatnonzero(blocks["trick_cards"])] == ["2C"]
