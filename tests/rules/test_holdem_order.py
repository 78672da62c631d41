"""Hold'em: who posts what, who acts when, and where the button goes. Unless moved, it is at the last seat."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from card_envs.cards import card_ids
from card_envs.games.holdem import kernels
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RulesProfile
from tests.helpers.holdem_hands import OneTable


def game(num_players: int, rules: str = "standard", **settings: object) -> HoldemConfig:
    return replace(HoldemConfig.no_limit(num_players, rules=rules), **settings)


@pytest.mark.parametrize("name", [each.name for each in fields(RulesProfile) if each.type == "bool"])
def test_a_rule_is_true_or_false(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} 'no' must be True or False"):
        RulesProfile(**{name: "no"})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="button_moves 0 must be True or False"):
        HoldemConfig(button_moves=0)  # type: ignore[arg-type]


def test_heads_up_the_button_posts_the_small_blind_and_acts_first_only_before_the_flop() -> None:
    table = OneTable(game(2), button=1)
    assert table.by_seat("street_commit") == [2, 1]
    assert table.actor == 1
    assert table.play("c c").actor == 0
    assert table.play("c c").actor == 0


@pytest.mark.parametrize(("button", "blinds", "opener"), [(2, [1, 2, 0], 2), (0, [0, 1, 2], 0), (1, [2, 0, 1], 1)])
def test_three_handed_the_button_opens_before_the_flop(button: int, blinds: list[int], opener: int) -> None:
    table = OneTable(game(3), button=button)
    assert table.by_seat("street_commit") == blinds
    assert table.actor == opener


def test_six_handed_the_seat_left_of_the_big_blind_opens_and_then_the_first_left_of_the_button() -> None:
    table = OneTable(game(6))
    order = []
    for _ in range(6):
        order.append(table.actor)
        table.play("c")
    assert order == [2, 3, 4, 5, 0, 1]
    assert table.actor == 0
    assert table.play("c 2 c f f f f").actor == 1, "seats 1 and 2 see the turn"


def test_the_big_blind_has_an_option_to_raise_and_ends_the_street_by_a_check() -> None:
    assert OneTable(game(3)).play("c c").options() == (1, False, 0, (4, 200))
    assert OneTable(game(3)).play("c c 6").actor == 2, "the raise gives everybody another decision"
    checked = OneTable(game(3)).play("c c c")
    assert (checked.t.street, checked.actor) == (1, 0)


def test_a_walk_gives_the_big_blind_the_small_one() -> None:
    table = OneTable(game(3)).play("f f")
    assert table.is_over
    assert table.by_seat("payoff") == [-1, 1, 0]


def test_a_street_ends_when_the_turn_comes_back_to_the_last_raiser() -> None:
    table = OneTable(game(3)).play("6 12 c c")
    assert (table.t.street, table.actor) == (1, 0)


def test_folding_costs_what_was_put_in_and_is_not_offered_for_free() -> None:
    table = OneTable(game(3)).play("c c c c 10")
    assert table.options().may_fold
    table.play("f")
    assert table.play("f").by_seat("payoff") == [-2, 4, -2]
    assert not OneTable(game(3)).play("c c").options().may_fold


def test_a_straddle_is_a_third_blind_with_an_option() -> None:
    table = OneTable(game(5, blinds=(1, 2, 4), min_bet=4))
    assert table.by_seat("street_commit") == [1, 2, 4, 0, 0]
    assert table.options() == (3, True, 4, (8, 200))
    assert table.play("c c c c").options() == (2, False, 0, (8, 200))


@pytest.mark.parametrize(
    ("antes", "stacks", "street_commit", "hand_commit"),
    [
        (5, (200, 200, 200), [1, 2, 0], [6, 7, 5]),
        (5, (200, 6, 200), [1, 1, 0], [6, 6, 5]),
        ((0, 2), (200, 200, 200), [1, 2, 0], [1, 4, 0]),
    ],
    ids=["no part of the bet", "before the blind of a short stack", "of the big blind for the table"],
)
def test_antes(antes: object, stacks: tuple[int, ...], street_commit: list[int], hand_commit: list[int]) -> None:
    table = OneTable(game(3, antes=antes), stacks=stacks)
    assert table.by_seat("street_commit") == street_commit
    assert table.by_seat("hand_commit") == hand_commit and table.t.pot == sum(hand_commit)


def test_antes_do_not_count_towards_the_bet_to_call_and_are_won() -> None:
    assert OneTable(game(3, antes=5)).options() == (2, True, 2, (4, 195))
    assert OneTable(game(3, antes=(0, 2))).play("f f").by_seat("payoff") == [-1, 1, 0]


def test_the_button_moves_one_seat_to_the_left_with_every_deal() -> None:
    table = OneTable(game(3), button=1)
    buttons = []
    for _ in range(4):
        kernels.deal(table.tables, 0)
        buttons.append((int(table.t.button), table.by_seat("street_commit")))
    assert buttons == [(2, [1, 2, 0]), (0, [0, 1, 2]), (1, [2, 0, 1]), (2, [1, 2, 0])]


def test_the_button_stays_where_the_game_says_so() -> None:
    table = OneTable(game(3, button_moves=False))
    kernels.deal(table.tables, 0)
    assert table.t.button == 2


@pytest.mark.parametrize("decisions", ["70 c c", "20 c"], ids=["after the end", "in the middle of a hand"])
def test_a_new_deal_restores_the_stacks(decisions: str) -> None:
    table = OneTable(game(3, stacks=(50, 60, 70))).play(decisions)
    kernels.deal(table.tables, 0)
    assert [a + b for a, b in zip(table.by_seat("stack"), table.by_seat("hand_commit"), strict=True)] == [50, 60, 70]
    assert table.by_seat("payoff") == [0, 0, 0]


@pytest.mark.parametrize("button", [0, 1, 2])
def test_the_deck_names_hole_cards_by_seat_then_the_board(button: int) -> None:
    deck = card_ids("As Ad Ks Kd Qs Qd 2c 3c 4d 5d 7h")
    table = OneTable(game(3), button=button, deck=deck).play("c c c" + " c" * 9)
    assert table.by_seat("payoff") == [4, -2, -2], "seat 0 has the aces wherever the button is"
    assert table.t.deck[:11].tolist() == deck


def test_a_deck_that_stops_early_is_completed_without_repeating_a_card() -> None:
    for seed in range(200):
        cards = OneTable(game(9), deck="As Ad Ks", seed=seed).t.deck[:23].tolist()
        assert cards[:3] == card_ids("As Ad Ks")
        assert len(set(cards)) == 23


# --- RLCard 1.2, for heads-up limit games ----------------------------------------------------------------------------


def test_rlcard_allows_four_raises_on_every_street_unless_caps_are_named() -> None:
    table = OneTable(HoldemConfig.limit(rules="rlcard")).play("4 6 8 10")
    assert table.by_seat("street_commit") == [8, 10] and table.options().raise_to is None
    assert table.play("c 2 4 6").options().raise_to == (8, 8)
    capped = OneTable(HoldemConfig.limit(rules="rlcard", max_raises=(3, 4, 4, 4))).play("4 6 8")
    assert capped.options().raise_to is None


def test_rlcard_refuses_larger_tables_unless_the_caps_are_named() -> None:
    with pytest.raises(ValueError, match=r"for at most 2 seats.*'standard', or pass max_raises"):
        HoldemConfig.limit(3, rules="rlcard")
    assert HoldemConfig.limit(3, rules="rlcard", max_raises=(4, 4, 4, 4)).profile.last_actor_opens


def test_in_rlcard_the_small_blind_and_then_the_neighbour_of_the_last_actor_opens_and_may_fold_for_free() -> None:
    table = OneTable(game(2, "rlcard"))
    assert (table.by_seat("street_commit"), table.actor) == ([1, 2], 0)
    assert table.play("c").options().may_fold
    assert table.play("c").actor == 0
    assert OneTable(game(2, "rlcard")).play("c 6 c").actor == 1
