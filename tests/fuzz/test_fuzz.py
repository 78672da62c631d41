"""The fuzz in short: its checks find nothing in their first pieces of work, and what is wrong where something is."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from card_envs.games.big2.presets import big2
from card_envs.games.holdem.presets import limit_holdem
from card_envs.observation import Encoder
from tests.fuzz import __main__ as fuzz
from tests.fuzz import copies, leaks
from tests.fuzz.check import Check, Difference
from tests.fuzz.checks import CHECKS
from tests.fuzz.games import Named

SLOW = ("plain", "bounds", "caches")
TESTED_ELSEWHERE = ("pokerkit", "openspiel", "rlcard")
"""In tests/differential, with the same hands."""
SEEDS = 2


@pytest.mark.parametrize("name", [name for name in CHECKS if name not in (*SLOW, *TESTED_ELSEWHERE)])
def test_nothing_is_found(name: str) -> None:
    assert sum(CHECKS[name].run(seed) for seed in range(1, SEEDS + 1)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", (*SLOW, *TESTED_ELSEWHERE))
def test_nothing_is_found_by_other_builds_and_engines(name: str) -> None:
    if not CHECKS[name].can_run:
        pytest.skip(f"{CHECKS[name].needs} is not installed")
    assert CHECKS[name].run(1) > 0


# --- what is wrong is found -------------------------------------------------------------------------------------------


def shows_too_much(encoder: Encoder, look: Any) -> Encoder:
    """An encoder that writes what `look` finds at a table into its first number."""

    def observe(tables: Any, i: int, seat: int, observations: Any, masks: Any) -> None:
        encoder.observe(tables, i, seat, observations, masks)
        observations[0].values[0] = look(tables[i], seat)

    return replace(encoder, observe=observe)


LEAKS = {
    "the next player's first card": (limit_holdem(), lambda t, seat: t.deck[2 * ((seat + 1) % 2)] % 2),
    "the river": (limit_holdem(), lambda t, seat: t.deck[8] % 2),
    "the random stream": (limit_holdem(), lambda t, seat: int(t.rng[0]) & 1),
    "who holds 2S": (big2(), lambda t, seat: t.held[(seat + 1) % 4] >> 51 & 1),
    "how much others can do": (big2(), lambda t, seat: t.num_legal % 2),
}


@pytest.mark.parametrize("what", LEAKS)
def test_a_leak_is_found_and_named(what: str) -> None:
    game, look = LEAKS[what]
    leaky = replace(game, encoder=shows_too_much(game.encoder, look))
    first_block = next(iter(game.layout.slices))
    with pytest.raises(Difference, match=rf"blocks \['{first_block}'\] changes with cards that the seat cannot see"):
        leaks.look_for_leaks(Named(what, leaky), seed=1)


def test_what_a_seat_does_see_is_left_alone() -> None:
    game = limit_holdem()
    own = replace(game, encoder=shows_too_much(game.encoder, lambda t, seat: t.deck[2 * seat] % 2))
    assert leaks.look_for_leaks(Named("own card", own), seed=1) > 5000


def test_seats_that_are_not_exchangeable_are_found() -> None:
    game = limit_holdem()
    partial = replace(game, encoder=shows_too_much(game.encoder, lambda t, seat: seat))
    with pytest.raises(Difference, match="the seat sees something else after moving"):
        copies.moved_around(Named("seat number", partial), random.Random(1), 1)


# --- the program ------------------------------------------------------------------------------------------------------


def broken(seed: int) -> int:
    if seed == 12:
        raise Difference("some game", "hand 7", "a chip too many")
    return 10


def test_the_summary_counts_and_a_difference_ends_with_the_command_that_repeats_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(CHECKS, "broken", Check("nothing breaks", "hands", broken))
    assert fuzz.main(["--only", "broken", "batches", "--seed", "10", "--count", "40"]) == 1
    printed = capsys.readouterr().out
    assert "nothing breaks" in printed and "20 hands" in printed and "48 tables" in printed
    assert "game: some game\nstep: hand 7\nseen: a chip too many\n" in printed
    assert printed.endswith("again: python -m tests.fuzz --only broken --seed 12 --count 1\n")
    assert fuzz.main(["--only", "broken", "--seed", "12", "--count", "1"]) == 1
    assert fuzz.main(["--only", "broken", "--seed", "13", "--count", "25"]) == 0


def test_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHECKS, "broken", Check("nothing breaks", "hands", lambda seed: 1))
    assert fuzz.main(["--only", "broken", "--minutes", "0.001"]) == 0


def test_a_check_whose_package_is_missing_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(CHECKS, "broken", Check("nothing breaks", "hands", broken, needs="no_such_package"))
    assert fuzz.main(["--only", "broken"]) == 0
    assert "broken is left out: no_such_package is not installed" in capsys.readouterr().out


def test_every_check_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "fuzz.md").read_text(encoding="utf-8")
    for name, check in CHECKS.items():
        assert f"`{name.partition('-')[0]}" in page, check.claim
