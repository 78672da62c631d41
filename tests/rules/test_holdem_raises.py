"""Hold'em: how much a raise may be, and who may still raise. Blinds are 1 and 2, seat n - 1 has the button."""

from __future__ import annotations

from dataclasses import replace

import pytest

from card_envs.game import ILLEGAL
from card_envs.games.holdem import kernels
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import RAISE
from tests.helpers.holdem_hands import OneTable


def no_limit(stacks: tuple[int, ...], rules: str = "standard") -> OneTable:
    return OneTable(HoldemConfig.no_limit(len(stacks), stacks, rules=rules))


TWO, SIX = (200, 200), (200,) * 6
WHAT_A_SEAT_MAY_DO: dict[str, tuple[tuple[int, ...], str, tuple[object, ...]]] = {
    "the first raise is at least the big blind": (SIX, "", (2, True, 2, (4, 200))),
    "the last raise is forgotten on the next street": (TWO, "50 c", (0, False, 0, (2, 150))),
    "all-in is legal below the minimum": ((200, 200, 3), "", (2, True, 2, (3, 3))),
    "with the call alone nobody raises": ((200, 200, 2), "", (2, True, 2, None)),
    "with less than the call nobody raises": ((200, 200, 1), "", (2, True, 1, None)),
    "nobody raises when all others are all-in": ((50, 50, 200), "c 50 c", (2, True, 48, None)),
    "nobody raises what nobody could call: seat 2 has chips, but none above 50": (
        (50, 200, 50), "c 50", (1, True, 48, None),
    ),
    "a short big blind lowers the bet to call, as in PokerKit": ((200, 1, 200), "", (2, True, 1, (3, 200))),
    # Seat 2 opens with a raise to 10, 8 more than the big blind; all-ins for less than 8 more are no full raises.
    "a short all-in leaves callers before it a call or a fold": ((200,) * 4 + (14,), "10 c 14 f f", (2, True, 4, None)),
    "so the next of them": ((200,) * 4 + (14,), "10 c 14 f f c", (3, True, 4, None)),
    "a full raise over a short all-in, here from 14 to 30, reopens the betting": (
        (200, 200, 200, 14), "10 14 30 f", (2, True, 20, (46, 200)),
    ),
    "two short all-ins that add up to a full raise reopen it": (
        (200, 200, 200, 14, 18), "10 14 18 c f", (2, True, 8, (26, 200)),
    ),
    "two that do not add up leave it closed": ((200, 200, 200, 13, 17), "10 13 17 c f", (2, True, 7, None)),
    "a short all-in after two that did begins a new count, as in PokerKit": (
        (200, 200, 200, 14, 18, 20), "10 14 18 20 c f", (2, True, 10, None),
    ),
    "the first all-in above the blind counts as a full raise, as in PokerKit": (
        (200, 200, 3, 200), "3 c f", (1, True, 1, (5, 200)),
    ),
    "so after a caller, who by TDA 2024 rule 47 could not raise": (
        (200, 200, 200, 3, 200), "c 3 c f f", (2, True, 1, (5, 200)),
    ),
}  # fmt: skip
"""Rule -> stacks, decisions, and what the next seat may do then: position, may fold, to call, raise to."""


@pytest.mark.parametrize("rule", WHAT_A_SEAT_MAY_DO)
def test_what_a_seat_may_do(rule: str) -> None:
    stacks, decisions, options = WHAT_A_SEAT_MAY_DO[rule]
    assert no_limit(stacks).play(decisions).options() == options


@pytest.mark.parametrize(("rules", "before", "after"), [("standard", (22, 200), None), ("acpc", (18, 200), (18, 200))])
def test_a_short_all_in_reopens_the_betting_in_acpc_alone(
    rules: str, before: tuple[int, int], after: tuple[int, int] | None
) -> None:
    """Who has not acted may raise; who has, the opener, only where the betting is open again."""
    table = no_limit((200, 200, 200, 14), rules).play("10 14")
    assert table.options() == (0, True, 13, before)
    assert table.play("f c").options() == (2, True, 4, after)


@pytest.mark.parametrize(
    ("decisions", "smallest"), [("10", 18), ("10 18", 26), ("10 30", 50), ("4", 6), ("10 c f", 18), ("5", 8)]
)
def test_a_raise_is_at_least_as_large_as_the_last_one(decisions: str, smallest: int) -> None:
    assert no_limit(SIX).play(decisions).options().raise_to == (smallest, 200)


def test_a_raise_between_the_limits_is_legal_and_one_outside_is_not() -> None:
    table = no_limit(TWO).play("10")
    before = table.tables.tobytes()
    for amount in (-1, 0, 2, 10, 17, 201, 10**6):
        assert kernels.apply_decision(table.tables, 0, RAISE, amount) == ILLEGAL
        assert table.tables.tobytes() == before
    for amount in (18, 19, 200):
        assert kernels.apply_decision(table.tables.copy(), 0, RAISE, amount) != ILLEGAL


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


@pytest.mark.parametrize(
    ("decisions", "settings", "raise_to"),
    [
        ("", {}, (4, 7)),
        ("7", {}, (12, 7 + 10 + 6)),
        ("c c c", {}, (2, 6)),
        ("c c c 6 c", {}, (12, 6 + 18 + 6)),
        ("", {"antes": 4}, (4, 2 + 15 + 2)),
        ("", {"stacks": 5}, (4, 5)),
    ],
    ids=["opener", "reraise", "bet on the flop", "raise on the flop", "antes count", "stack below the pot"],
)
def test_the_largest_raise_with_a_pot_limit_is_a_call_and_a_raise_of_the_pot_as_it_is_then(
    decisions: str, settings: dict[str, int], raise_to: tuple[int, int]
) -> None:
    config = replace(HoldemConfig.no_limit(3, structure="pot_limit"), **settings)
    assert OneTable(config).play(decisions).options().raise_to == raise_to
