"""Endgames: a hand that begins with a board, a pot, stacks and ranges. Seat 1 has the button in most tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from card_envs.cards import card_ids
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.endgame import Endgame
from card_envs.games.holdem.presets import limit_holdem, no_limit_holdem, river_endgame
from card_envs.poker.hands import HANDS, hand_number
from card_envs.testing import check
from card_envs.vector import VectorTables

RIVER = "Ks 9d 4c 2h 7s"


def begun(game: Game, deck: str = "AsAd QhQd", button: int = 1) -> Any:
    tables = game.seeded_tables(1, 0)
    game.deal_with(tables, 0, {"button": button, "deck": card_ids(deck)})
    return tables


def test_the_hand_begins_on_the_street_of_the_board() -> None:
    for board, street in (("Ks 9d 4c", 1), ("Ks 9d 4c 2h", 2), (RIVER, 3)):
        t = begun(Endgame(HoldemConfig.limit(), board, 12, (50, 40)).game())[0]
        assert (t.street, t.pot, t.actor, t.min_raise_to) == (street, 12, 0, 2 if street == 1 else 4)
        assert t.stack[:2].tolist() == [50, 40] and t.hand_commit[:2].tolist() == [6, 6]


def test_half_of_the_pot_is_from_each_seat() -> None:
    game = river_endgame(pot=12, stacks=(60, 60))
    tables = begun(game)
    for action in (2, 1):  # a bet of 4, a call
        assert game.step(tables, 0, action) >= -1
    assert tables[0].payoff[:2].tolist() == [10, -10]
    tables = begun(game)
    for action in (2, 0):
        game.step(tables, 0, action)
    assert tables[0].payoff[:2].tolist() == [6, -6]


def test_without_a_limit_stacks_are_what_can_be_bet() -> None:
    game = Endgame(HoldemConfig.no_limit(bet_menu="fcpa"), RIVER, 20, (30, 90)).game()
    t = begun(game)[0]
    assert (t.max_raise_to, t.min_raise_to) == (30, 2)
    assert game.layout == no_limit_holdem(bet_menu="fcpa").layout


def test_hole_cards_come_from_the_ranges_as_often_as_they_say() -> None:
    ranges = ({"AsAd": 3.0, "QhQd": 1.0}, {"AsAc": 1.0, "JcJd": 2.0})
    game = river_endgame(ranges=ranges)
    tables = VectorTables(game, 500, seed=1)
    tables.reset()
    counts: dict[tuple[int, int], int] = {}
    for t in tables.tables:
        first = int(t.button) + 1 & 1
        held = [hand_number(*map(int, t.deck[2 * seat : 2 * seat + 2])) for seat in (first, 1 - first)]
        counts[held[0], held[1]] = counts.get((held[0], held[1]), 0) + 1
    aces, queens, other, jacks = (hand_number(*card_ids(name)) for name in ("AsAd", "QhQd", "AsAc", "JcJd"))
    expected = {(aces, jacks): 6 / 9, (queens, other): 1 / 9, (queens, jacks): 2 / 9}
    assert counts.keys() == expected.keys(), "no card twice"
    for pair, share in expected.items():
        assert counts[pair] / 500 == pytest.approx(share, abs=0.08)
    batch = tables.step(tables.sample_actions())
    while not batch.is_over.any():
        batch = tables.step(tables.sample_actions())
    assert (tables.tables["street"] == 3).all(), "the next hand is an endgame too"


@pytest.mark.parametrize("name", ["masks", "payoffs", "batch", "clones"])
def test_an_endgame_is_a_game(name: str) -> None:
    check(river_endgame(), name, deals=3)


def test_observations_are_those_of_the_whole_game() -> None:
    game = river_endgame()
    assert game.layout == limit_holdem().layout and game.num_actions == 3
    assert begun(game)[0].largest_amount >= 48


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint64])
def test_chips_may_be_integers_of_numpy(kind: Any) -> None:
    game = river_endgame(pot=kind(100), stacks=np.array([120, 60], kind))  # type: ignore[arg-type]
    assert game.max_reward == river_endgame(pot=100, stacks=(120, 60)).max_reward
    assert begun(game)[0].pot == 100


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"board": "Ks 9d 4c 2h Ks"}, r"board\[4\] = Ks is on the board twice: give each card once"),
        ({"board": "Ks 9d"}, "board has 2 cards: betting begins with 3 or 4 or 5 in this game"),
        ({"board": [1, 2, 3, 4, 99]}, r"board\[4\] = 99 is not a card of this deck"),
        ({"pot": 13}, "pot 13 must be an even number of chips from 2 on"),
        ({"stacks": (0, 5)}, r"stack 0 of position 0 must be a whole number of chips in 1 .. \d+ beside a pot of 12"),
        ({"stacks": (5, 5, 5)}, "are 3 numbers for 2 players: give 2"),
        ({"stacks": 60}, "stacks 60 must be a list"),
        ({"stacks": (10**9, 60)}, r"stack 1000000000 of position 0 must be a whole number of chips in 1 .. \d+ beside"),
        ({"ranges": (None,)}, "ranges are 1 for 2 players: give 2, None for all hands alike"),
        ({"ranges": None}, "ranges None must be a list"),
        ({"ranges": (None, {"KsKd": 1.0})}, "range of position 1 sums to 1, and to 0 without the cards of the board"),
        ({"ranges": (np.zeros(1326), None)}, "range of position 0 sums to 0"),
        ({"ranges": (np.ones(169), None)}, r"has the shape \(169,\): give 1,326 weights, or hands with weights"),
        ({"ranges": ({"AsAd": -1.0}, None)}, "has weights below 0"),
        ({"ranges": ({"As": 1.0}, None)}, "'As' is not a hand: write two cards"),
        ({"ranges": ({"AsAd": 1.0}, {"AsAc": 1.0})}, "none can be dealt: give at least two hands without"),
        ({"config": HoldemConfig.limit(3)}, "for 2 players with 2 hole cards, this game has 3 and 2"),
    ],
)
def test_endgames_that_do_not_fit_are_refused(changes: dict[str, Any], message: str) -> None:
    settings: dict[str, Any] = {"config": HoldemConfig.limit(), "board": RIVER, "pot": 12, "stacks": (60, 60)}
    with pytest.raises(ValueError, match=message):
        Endgame(**settings | changes)


def test_a_deck_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="deck has 4 cards, of which Ks is on the board: give the 4 hole cards"):
        begun(river_endgame(), "KsAd QhQd")
    with pytest.raises(ValueError, match="board has 4 cards: the river has 5"):
        river_endgame("Ks 9d 4c 2h")


def test_hands_of_the_board_have_no_weight() -> None:
    endgame = Endgame(HoldemConfig.limit(), RIVER, 12, (60, 60))
    assert (endgame.weights > 0).sum(axis=1).tolist() == [1081, 1081]
    assert not np.isin(HANDS[endgame.weights[0] > 0], card_ids(RIVER)).any()
