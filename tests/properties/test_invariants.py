"""The checks of `card_envs.testing`, and those of the fuzz that need to know a game, in every kind of game."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from card_envs.game import Tables
from card_envs.games.big2.encoders import ENCODERS as BIG2_ENCODERS
from card_envs.testing import CHECKS, check
from card_envs.testing.checks import compare_with_plain_python
from tests.fuzz import copies, leaks
from tests.fuzz.games import Named
from tests.helpers.kinds_of_games import MORE_STACKS, OPTION_SETS, PRESETS, make_kind
from tests.properties.encoder_play import encoders_of

HOLDEM, MORE_HOLDEM = (
    [(name, encoder.name) for name, config in kinds.items() for encoder in encoders_of(config)]
    for kinds in (PRESETS, MORE_STACKS)
)
BIG2 = [(rules, list(BIG2_ENCODERS)[number % 2]) for number, rules in enumerate(OPTION_SETS)]
MOVING = [name for name, config in PRESETS.items() if config.button_moves]
"""Kinds of hold'em whose seats are exchangeable."""
SLOW_MASKS = [rules for rules in OPTION_SETS if rules != "everything"]
"""1,695 actions are tried before every decision; `test_big2_play` compares the masks of all rules with their lists."""


every_game = pytest.mark.parametrize(("name", "encoder"), [*HOLDEM, *BIG2])
every_kind = pytest.mark.parametrize("name", [*PRESETS, *OPTION_SETS])


@every_game
def test_actors_of_a_batch_see_what_a_seat_alone_sees(name: str, encoder: str) -> None:
    check(make_kind(name, encoder), "batch", seed=4, deals=4)


@pytest.mark.parametrize(
    ("name", "encoder"),
    [
        *HOLDEM,
        *((name, encoder.name) for name, config in MORE_STACKS.items() for encoder in encoders_of(config)),
        *BIG2,
    ],
)
def test_observations_lie_in_their_space_and_nothing_is_written_behind_it(name: str, encoder: str) -> None:
    check(make_kind(name, encoder), "spaces", seed=4, deals=4)


@every_kind
@pytest.mark.parametrize("promise", ["masks", "payoffs", "clones"])
def test_the_rules_keep_their_promises(name: str, promise: str) -> None:
    if promise != "masks" or name not in SLOW_MASKS:
        check(make_kind(name, "default"), promise, seed=4, deals=2)


@pytest.mark.parametrize("games", [[(name, "default") for name in PRESETS], BIG2[::5]], ids=["holdem", "big2"])
def test_plain_python_plays_and_shows_the_same_as_compiled_code(games: list[tuple[str, str]]) -> None:
    compare_with_plain_python([make_kind(*game) for game in games], seed=5, deals=1)


@pytest.mark.slow
@pytest.mark.parametrize("games", [HOLDEM, BIG2], ids=["holdem", "big2"])
def test_plain_python_does_the_same_with_all_rules_and_encoders(games: list[tuple[str, str]]) -> None:
    compare_with_plain_python([make_kind(*game) for game in games], seed=6, deals=2)


@every_game
@pytest.mark.parametrize("seed", [5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 12))])
def test_what_a_seat_cannot_see_changes_nothing_that_it_gets(name: str, encoder: str, seed: int) -> None:
    assert leaks.look_for_leaks(Named(name, make_kind(name, encoder)), seed) > 20_000


@pytest.mark.parametrize("name", [*MOVING, *OPTION_SETS])
def test_seats_are_exchangeable(name: str) -> None:
    rng, game = random.Random(name), make_kind(name, "default")
    assert sum(copies.moved_around(Named(name, game), rng, seed) for seed in range(20)) > 20


@pytest.mark.parametrize("name", ["no-limit, 6 seats", "charlesworth2018"])
def test_seed_and_table_number_fix_the_deal(name: str) -> None:
    game = make_kind(name, "default")

    def deals(num_tables: int, seed: int, first_table: int) -> list[Any]:
        tables = game.seeded_tables(num_tables, seed, first_table)
        game.deal_batch(tables, np.arange(num_tables))
        return [cards_of(tables, i) for i in range(num_tables)]

    def cards_of(tables: Tables, i: int) -> bytes:
        field = "deck" if name in PRESETS else "hand"
        return bytes(tables[field][i].tobytes())

    many = deals(50, seed=7, first_table=0)
    assert deals(10, seed=7, first_table=20) == many[20:30]
    assert len(set(many)) == 50
    assert not set(many) & set(deals(50, seed=8, first_table=0))


def test_all_checks_are_called() -> None:
    called = {"spaces", "masks", "payoffs", "batch", "clones", "compiled"}
    assert set(CHECKS) - called == {"api", "leaks"}, (
        "called in tests/conformance; leaks are looked for by the fuzz here"
    )
