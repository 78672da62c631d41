"""Flop hold'em, rule by rule: Brown et al. 2019 (Deep CFR), appendix A. Seat 1 has the button and the small blind."""

from __future__ import annotations

import pytest

from card_envs import make_game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.text.interface import TEXT
from tests.helpers.holdem_hands import OneTable

ACES_AND_KINGS = "KhKd AsAd 2c7s9h"


def table(deck: str = ACES_AND_KINGS) -> OneTable:
    return OneTable(HoldemConfig.flop(), button=1, deck=deck)


def test_the_first_player_puts_in_50_the_second_100_and_the_first_begins() -> None:
    hand = table()
    assert (hand.by_seat("hand_commit"), hand.actor) == ([100, 50], 1)


def test_raises_are_of_100_and_there_are_three_on_each_street() -> None:
    hand = table()
    for raise_to in (200, 300, 400):
        assert hand.options().raise_to == (raise_to, raise_to)
        hand.step(2)
    assert hand.options().raise_to is None, "no fourth raise; the blind is none of the three"
    hand.step(1)
    assert (hand.actor, int(hand.t.street)) == (0, 1), "the second player opens the flop"
    for raise_to in (100, 200, 300):
        assert hand.options().raise_to == (raise_to, raise_to)
        hand.step(2)
    assert hand.legal_actions() == [0, 1]
    hand.step(1)
    assert hand.is_over and hand.by_seat("payoff") == [-700, 700]


def test_nothing_comes_after_the_betting_on_the_flop() -> None:
    hand = table().step(1, 1, 1, 1)
    assert hand.is_over and hand.by_seat("payoff") == [-100, 100]
    assert len(hand.board()) == 3


@pytest.mark.parametrize(
    ("deck", "won"),
    [
        ("AhKh 2c2d 3h8h9h", 100),  # a flush beats a pair
        ("AhKh 2c3d 2h8h9c", -100),  # four cards of one suit are none
        ("Ac4d Ad4c 2s3s5s", 0),  # the same straight twice
    ],
)
def test_the_best_five_cards_are_the_two_of_ones_own_and_the_flop(deck: str, won: int) -> None:
    hand = table(deck).step(1, 1, 1, 1)
    assert hand.by_seat("payoff")[0] == won


def test_rewards_are_big_blinds_and_a_text_names_the_game() -> None:
    game = make_game("flop_holdem-v0")
    assert (game.unit, game.chips_per_reward, game.max_reward) == ("bb", 100, 14.0)
    assert "limit flop hold'em with 2 players; blinds 50/100" in TEXT.require(game).rules


def test_the_game_of_dream_bets_twice_as_much_on_the_flop() -> None:
    game = make_game("flop_holdem-v0", bet_sizes=(1, 2), max_raises=(3, 4))
    assert game.config.raise_sizes == (100, 200) and game.config.stack_list == [1200, 1200]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bet_sizes": (1,)}, r"raise_sizes \(100,\) must name a positive number for each of the 2 streets"),
        ({"max_raises": (3, 3, 3)}, "must name a whole number in 0 .. 126 for each of the 2 streets"),
        ({"max_raises": "by_rules"}, "max_raises"),
        ({"small_blind": 200}, "0 <= small <= big"),
        ({"num_players": 11}, "whole number in 2 .. 10"),
        ({"encoder": "rlcard"}, "this game has 2, \\(0, 3\\), 52: use encoder 'default'"),
    ],
)
def test_settings_that_make_no_game_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_game("flop_holdem-v0", **settings)
