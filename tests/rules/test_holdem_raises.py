"""Hold'em: how much a raise may be, and who may still raise. Blinds are 1 and 2, seat n - 1 has the button."""

from __future__ import annotations

from dataclasses import replace

import pytest

from card_envs.game import ILLEGAL
from card_envs.games.holdem import kernels
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import RAISE
from tests.helpers.holdem_hands import OneTable


def no_limit(num_players: int, stacks: int | tuple[int, ...] = 200, rules: str = "standard") -> OneTable:
    return OneTable(HoldemConfig.no_limit(num_players, stacks, rules=rules))


def test_the_first_raise_is_at_least_the_big_blind() -> None:
    assert no_limit(6).options() == (2, True, 2, (4, 200))


@pytest.mark.parametrize(
    ("decisions", "smallest"), [("10", 18), ("10 18", 26), ("10 30", 50), ("4", 6), ("10 c f", 18), ("5", 8)]
)
def test_a_raise_is_at_least_as_large_as_the_last_one(decisions: str, smallest: int) -> None:
    assert no_limit(6).play(decisions).options().raise_to == (smallest, 200)


def test_the_last_raise_is_forgotten_on_the_next_street() -> None:
    assert no_limit(2).play("50 c").options().raise_to == (2, 150)


def test_a_raise_between_the_limits_is_legal_and_one_outside_is_not() -> None:
    table = no_limit(2).play("10")
    before = table.tables.tobytes()
    for amount in (-1, 0, 2, 10, 17, 201, 10**6):
        assert kernels.apply_decision(table.tables, 0, RAISE, amount) == ILLEGAL
        assert table.tables.tobytes() == before
    for amount in (18, 19, 200):
        assert kernels.apply_decision(table.tables.copy(), 0, RAISE, amount) != ILLEGAL


def test_all_in_is_legal_below_the_minimum() -> None:
    assert no_limit(3, (200, 200, 3)).options() == (2, True, 2, (3, 3))


def test_without_chips_above_the_call_nobody_raises() -> None:
    assert no_limit(3, (200, 200, 2)).options() == (2, True, 2, None)
    assert no_limit(3, (200, 200, 1)).options() == (2, True, 1, None)


def test_nobody_raises_when_all_others_are_all_in() -> None:
    assert no_limit(3, (50, 50, 200)).play("c 50 c").options() == (2, True, 48, None)


def test_nobody_raises_what_nobody_could_call() -> None:
    table = no_limit(3, (50, 200, 50)).play("c 50")
    assert table.options() == (1, True, 48, None), "seat 2 has chips left, but none above the bet of 50"


class TestShortAllIn:
    """Seat 2 opens with a raise to 10, 8 more than the big blind; all-ins for less than 8 more are not full raises."""

    @pytest.mark.parametrize(("rules", "raise_to"), [("standard", None), ("acpc", (18, 200))])
    def test_does_not_reopen_the_betting_except_in_acpc(self, rules: str, raise_to: tuple[int, int] | None) -> None:
        table = no_limit(4, (200, 200, 200, 14), rules).play("10 14 f c")
        assert table.options() == (2, True, 4, raise_to)

    @pytest.mark.parametrize(("rules", "smallest"), [("standard", 22), ("acpc", 18)])
    def test_may_be_raised_by_who_has_not_acted(self, rules: str, smallest: int) -> None:
        assert no_limit(4, (200, 200, 200, 14), rules).play("10 14").options() == (0, True, 13, (smallest, 200))

    def test_leaves_callers_before_it_a_call_or_a_fold(self) -> None:
        table = no_limit(5, (200, 200, 200, 200, 14)).play("10 c 14 f f")
        assert table.options() == (2, True, 4, None)
        assert table.play("c").options() == (3, True, 4, None)

    def test_a_full_raise_over_it_reopens_the_betting(self) -> None:
        table = no_limit(4, (200, 200, 200, 14)).play("10 14 30 f")
        assert table.options() == (2, True, 20, (46, 200)), "the last raise was from 14 to 30"

    def test_two_that_add_up_to_a_full_raise_reopen_the_betting(self) -> None:
        assert no_limit(5, (200, 200, 200, 14, 18)).play("10 14 18 c f").options() == (2, True, 8, (26, 200))

    def test_two_that_do_not_add_up_leave_the_betting_closed(self) -> None:
        assert no_limit(5, (200, 200, 200, 13, 17)).play("10 13 17 c f").options() == (2, True, 7, None)

    def test_the_first_above_the_blind_counts_as_a_full_raise_as_in_pokerkit(self) -> None:
        assert no_limit(4, (200, 200, 3, 200)).play("3 c f").options() == (1, True, 1, (5, 200))
        table = no_limit(5, (200, 200, 200, 3, 200)).play("c 3 c f f")
        assert table.options() == (2, True, 1, (5, 200)), "by TDA 2024 rule 47 the caller could not raise"


def test_a_short_big_blind_lowers_the_bet_to_call_as_in_pokerkit() -> None:
    assert no_limit(3, (200, 1, 200)).options() == (2, True, 1, (3, 200))


@pytest.mark.parametrize(
    ("all_in", "smallest"),
    [(130, 200), (150, 200), (170, 240), (199, 298), (200, 300)],
    ids=["less than half", "half", "more than half", "almost full", "full"],
)
def test_acpc_keeps_the_smallest_raise_to_unless_a_repeated_raise_exceeds_it(all_in: int, smallest: int) -> None:
    config = HoldemConfig.no_limit(4, (5000, 5000, all_in, 5000), 50, 100, rules="acpc")
    assert OneTable(config).play(str(all_in)).options().raise_to == (smallest, 5000)


def test_limit_raises_have_one_size_small_before_the_turn_and_big_after() -> None:
    table = OneTable(HoldemConfig.limit(2))
    sizes = []
    for _ in range(4):
        sizes.append(table.options().raise_to)
        table.play("c c")
    assert sizes == [(4, 4), (2, 2), (4, 4), (4, 4)]


@pytest.mark.parametrize(("street", "raises"), [(0, "4 6 8"), (1, "2 4 6 8"), (2, "4 8 12 16"), (3, "4 8 12 16")])
def test_limit_raises_are_capped(street: int, raises: str) -> None:
    table = OneTable(HoldemConfig.limit(2))
    for _ in range(street):
        table.play("c c")
    for amount in raises.split():
        assert table.options().raise_to == (int(amount), int(amount))
        table.play(amount)
    assert table.options().raise_to is None
    assert table.options().to_call > 0


def test_without_a_cap_raises_end_with_the_stack() -> None:
    table = OneTable(HoldemConfig.limit(2, stacks=300, max_raises=None))
    for amount in range(4, 301, 2):
        table.play(str(amount))
    assert table.options().raise_to is None
    assert table.t.street_raises[0] > 100


def test_a_limit_raise_of_a_short_stack_is_all_in() -> None:
    table = OneTable(HoldemConfig.limit(2, stacks=(200, 3)))
    assert table.options() == (1, True, 1, (3, 3))
    assert table.play("3").options() == (0, True, 1, None)


class TestPotLimit:
    """The largest raise is a call followed by a raise of the pot as it is then."""

    def table(self, **settings: object) -> OneTable:
        return OneTable(replace(HoldemConfig.no_limit(3, structure="pot_limit"), **settings))

    def test_the_opener_may_raise_to_seven_halves_of_the_big_blind(self) -> None:
        assert self.table().options().raise_to == (4, 7)

    def test_a_pot_sized_reraise(self) -> None:
        assert self.table().play("7").options().raise_to == (12, 7 + 10 + 6)

    def test_a_bet_of_the_pot_after_the_flop(self) -> None:
        assert self.table().play("c c c").options().raise_to == (2, 6)
        assert self.table().play("c c c 6 c").options().raise_to == (12, 6 + 18 + 6)

    def test_antes_count(self) -> None:
        assert self.table(antes=4).options().raise_to == (4, 2 + 15 + 2)

    def test_a_stack_below_the_pot(self) -> None:
        assert self.table(stacks=5).options().raise_to == (4, 5)
