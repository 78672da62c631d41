"""Hold'em: side pots, odd chips, uncalled bets, run-outs. Blinds are 1 and 2, seat n - 1 has the button."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from card_envs.game import NOBODY
from card_envs.games.holdem import kernels
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RULES
from tests.helpers.holdem_hands import OneTable

BOARD = "2c 3d 7h 8s Tc"
ACES, KINGS, QUEENS, JACKS = "As Ah", "Ks Kh", "Qs Qh", "Js Jh"
EQUAL = ["As Kh", "Ah Kd", "Ad Kc", "Ac Ks"]
LOSERS = ["4s 5h", "4d 5c", "4h 5s"]
CHECKED_DOWN = " c c c c c c"


def showdown(
    stacks: tuple[int, ...], hands: list[str], decisions: str, button: int | None = None, **settings: Any
) -> OneTable:
    config = replace(HoldemConfig.no_limit(len(stacks), stacks), **settings)
    table = OneTable(config, button=button, deck=" ".join([*hands, BOARD])).play(decisions)
    assert table.is_over
    return table


SHOWDOWNS: dict[str, tuple[tuple[int, ...], list[str], str, list[int]]] = {
    "two pots, the short stack has the best hand": ((10, 20, 30), [ACES, KINGS, QUEENS], "30 c c", [20, 0, -20]),
    "two pots, the middle one": ((10, 20, 30), [KINGS, ACES, QUEENS], "30 c c", [-10, 30, -20]),
    "two pots, the deep one": ((10, 20, 30), [KINGS, QUEENS, ACES], "30 c c", [-10, -20, 30]),
    "two pots, the deep one has the second best": ((10, 20, 30), [ACES, QUEENS, KINGS], "30 c c", [20, -20, 0]),
    "two pots, the main pot is split": ((10, 20, 30), [EQUAL[0], EQUAL[1], LOSERS[0]], "30 c c", [5, 15, -20]),
    "two pots, the main pot is split with the deep one": (
        (10, 20, 30), [EQUAL[0], LOSERS[0], EQUAL[1]], "30 c c", [5, -20, 15],
    ),
    "three pots, best hands in front": ((10, 20, 30, 40), [ACES, KINGS, QUEENS, JACKS], "30 c c c", [30, 10, -10, -30]),
    "three pots, worst hands in front": (
        (10, 20, 30, 40), [JACKS, QUEENS, KINGS, ACES], "30 c c c", [-10, -20, -30, 60],
    ),
    "three pots, the third stack wins": (
        (10, 20, 30, 40), [QUEENS, JACKS, ACES, KINGS], "30 c c c", [-10, -20, 60, -30],
    ),
    "three pots, the second stack wins": (
        (10, 20, 30, 40), [KINGS, ACES, JACKS, QUEENS], "30 c c c", [-10, 50, -30, -10],
    ),
    "folded chips stay in their pots: 40 to seat 1, who is all-in for 10; the rest to seat 2": (
        (100, 10, 100, 100), [JACKS, ACES, KINGS, QUEENS], "c 20 c c c c 40 f f", [-20, 30, 10, -20],
    ),
    "equal hands split the pot": ((50, 50, 50), [*EQUAL[:2], LOSERS[0]], "50 c c", [25, 25, -50]),
    "all odd chips of a pot, of 20 for three, go to the same winner": (
        (50,) * 4, EQUAL, "6 c c f" + " c" * 9, [2, -2, 0, 0],
    ),
    "pots with the same winners are split as one, as in PokerKit: 15, 8 and 9 one by one would give 9 and 7": (
        (50, 50, 3, 5, 8), [*EQUAL[:2], *LOSERS], "3 5 8 c c" + CHECKED_DOWN, [8, 8, -3, -5, -8],
    ),
    "an uncalled bet is returned": ((50, 200), [ACES, KINGS], "100 f", [-2, 2]),
    "an uncalled raise is returned": ((50, 200), [ACES, KINGS], "10 30 f", [10, -10]),
    "what a short stack cannot call is returned": ((50, 200), [ACES, KINGS], "200 c", [50, -50]),
    "what of the big blind is not called is returned": ((50, 200), [ACES, KINGS], "f", [1, -1]),
    "one player with chips against all-ins has no decision": ((20, 20, 200), [ACES, KINGS, QUEENS], "20 c c",
                                                              [40, -20, -20]),
}  # fmt: skip
"""Rule -> stacks, hole cards, decisions, payoffs."""


@pytest.mark.parametrize("rule", SHOWDOWNS)
def test_who_wins_what(rule: str) -> None:
    stacks, hands, decisions, payoffs = SHOWDOWNS[rule]
    assert showdown(stacks, hands, decisions).by_seat("payoff") == payoffs


def test_the_board_plays() -> None:
    config = HoldemConfig.no_limit(2)
    table = OneTable(config, deck="2c 3d 4h 5s Ts Js Qs Ks As").play("c c" + CHECKED_DOWN)
    assert table.by_seat("payoff") == [0, 0]


@pytest.mark.parametrize("button", [0, 1, 2])
def test_the_odd_chip_goes_to_the_first_winner_left_of_the_button(button: int) -> None:
    table = showdown((50, 50, 50), EQUAL[:3], "c f c" + CHECKED_DOWN, button)
    assert table.by_position("payoff") == [-1, 1, 0], "a pot of 5: the small blind folded, 3 for the big blind"


def test_two_all_ins_run_out_the_board_without_a_decision() -> None:
    table = showdown((200, 200), [ACES, KINGS], "200 c")
    assert (table.t.street, table.t.num_decisions) == (3, 2)
    assert table.by_seat("stack") == [400, 0]


def test_two_players_with_chips_bet_on_beside_an_all_in() -> None:
    table = OneTable(HoldemConfig.no_limit(3, (10, 200, 200)), deck=f"{ACES} {KINGS} {QUEENS} {BOARD}").play("10 c c")
    assert table.options() == (1, False, 0, (2, 190))
    table.play("50 c" + " c c" * 2)
    assert table.by_seat("payoff") == [20, 40, -60]


@pytest.mark.parametrize("stacks", [(2, 1), (1, 2), (100, 1), (1, 100), (1, 1)])
def test_blinds_that_put_everybody_all_in_end_the_hand_without_a_decision(stacks: tuple[int, ...]) -> None:
    table = showdown(stacks, [ACES, KINGS], "")
    assert table.by_seat("payoff") == [1, -1]
    assert table.t.num_decisions == 0
    assert kernels.deal(table.tables, 0) == NOBODY


def test_blinds_that_are_all_in_still_have_to_be_called() -> None:
    config = HoldemConfig.no_limit(3, (1, 2, 100))
    table = OneTable(config, deck=f"{ACES} {KINGS} {QUEENS} {BOARD}")
    assert table.options() == (2, True, 2, None)
    assert table.play("c").by_seat("payoff") == [2, 0, -2]


@pytest.mark.parametrize(("dead_antes", "payoffs"), [(True, [-2, -6, 8]), (False, [2, -6, 4])])
def test_antes_are_dead_or_live(dead_antes: bool, payoffs: list[int]) -> None:
    rules = replace(RULES["standard"], dead_antes=dead_antes)
    table = showdown((200, 200, 2), [KINGS, QUEENS, ACES], "c c" + CHECKED_DOWN, antes=4, rules=rules)
    assert table.by_seat("payoff") == payoffs, "antes of 4, 4 and 2: all 10 to the best hand, or 2 from each"


@pytest.mark.parametrize(
    ("antes", "dead_pot", "live_pot"), [((0, 6, 0), 9, 3), ((4, 6, 0), 13, 11), ((6, 6, 0), 15, 15), ((0, 0, 6), 9, 3)]
)
def test_what_nobody_matches_of_live_antes_is_returned_before_the_blinds(
    antes: tuple[int, ...], dead_pot: int, live_pot: int
) -> None:
    config = replace(HoldemConfig.no_limit(3), antes=antes)
    assert OneTable(config).t.pot == dead_pot
    live = OneTable(replace(config, rules=replace(RULES["standard"], dead_antes=False)))
    assert live.t.pot == live_pot
    assert sum(live.by_seat("stack")) + live_pot == 600
    assert sum(live.by_seat("hand_commit")) == live_pot


def test_chips_of_a_returned_ante_pay_the_blind() -> None:
    """The big blind has six chips for an ante of six: unmatched, so it can pay the blind and has four left."""
    live = replace(RULES["standard"], dead_antes=False)
    table = OneTable(replace(HoldemConfig.no_limit(3, (200, 6, 200)), antes=(0, 6, 0), rules=live))
    assert table.by_seat("stack") == [199, 4, 200] and table.by_seat("hand_commit") == [1, 2, 0]
    assert table.options() == (2, True, 2, (4, 200))


# --- who has a decision when nobody can bet any more, and short blinds: docs/rules.md ---------------------------------


@pytest.mark.parametrize("rules", ["standard", "acpc", "rlcard"])
def test_a_seat_that_was_still_to_act_has_a_decision_although_it_can_only_check(rules: str) -> None:
    table = OneTable(HoldemConfig.no_limit(3, (1, 200, 200), rules=rules), button=2).play("f")
    assert (table.actor, table.options().to_call, table.options().raise_to) == (1, 0, None)


def test_on_pokerstars_a_seat_that_can_only_check_has_no_decision() -> None:
    config = HoldemConfig.no_limit(3, (1, 200, 200), rules="pokerstars")
    table = OneTable(config, button=2, deck=" ".join([KINGS, ACES, QUEENS, BOARD])).play("f")
    assert table.is_over and table.t.payoff[:3].tolist() == [-1, 1, 0]
    limped = OneTable(config, button=2).play("c")  # the seat under the gun could call a raise
    assert (limped.actor, limped.options().raise_to) == (1, (4, 200))


@pytest.mark.parametrize(
    ("rules", "to_call", "raise_to"),
    [("standard", 3, (13, 200)), ("acpc", 3, (13, 200)), ("pokerstars", 10, (20, 200))],
)
def test_a_short_big_blind(rules: str, to_call: int, raise_to: tuple[int, int]) -> None:
    config = HoldemConfig.no_limit(4, (200, 3, 200, 200), small_blind=2, big_blind=10, rules=rules)
    options = OneTable(config, button=3).options()
    assert (options.position, options.to_call, options.raise_to) == (2, to_call, raise_to)


@pytest.mark.parametrize(("big", "to_call"), [(6, 4), (2, None), (1, None)])
def test_on_pokerstars_the_last_seat_calls_what_the_others_put_in(big: int, to_call: int | None) -> None:
    config = HoldemConfig.no_limit(3, (200, big, 200), small_blind=2, big_blind=10, rules="pokerstars")
    table = OneTable(config, button=2).play("f")
    assert table.is_over if to_call is None else (table.actor, table.options().to_call) == (0, to_call)
