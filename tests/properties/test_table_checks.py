"""`check_tables`: every table of play passes, and a damaged one that passes can be played to its end."""

from __future__ import annotations

import faulthandler
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from card_envs import make_game
from card_envs.game import Game
from card_envs.games.big2.state import Table as Big2Table
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.endgame import Endgame
from card_envs.games.holdem.state import Table as HoldemTable
from card_envs.records import declared_fields
from card_envs.table_checks import check_tables
from card_envs.table_checks.ranges import DamagedRecordError
from tests.helpers.wide_games import widen
from tests.third_game.game import dozen

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "kuhn": ("kuhn_poker-v0", {}),
    "leduc of three": ("leduc_holdem-v0", {"num_players": 3}),
    "limit": ("limit_holdem-v0", {}),
    "limit without a cap": ("limit_holdem-v0", {"max_raises": None, "num_players": 4}),
    "no limit, uneven": (
        "no_limit_holdem-v0",
        {"num_players": 10, "stacks": [5, 7, 90, 3, 9, 30, 40, 50, 20, 1], "ante": 1},
    ),
    "all amounts": ("no_limit_holdem-v0", {"bet_menu": "integers", "stacks": 40}),
    "acpc": ("no_limit_holdem-v0", {"rules": "acpc", "num_players": 3}),
    "rlcard": ("no_limit_holdem-v0", {"rules": "rlcard"}),
    "flop": ("flop_holdem-v0", {}),
    "big2": ("big2-v0", {}),
    "big2 of taiwan": ("big2-v0", {"rules": "taiwan"}),
    "big2 as published": ("big2-v0", {"rules": "charlesworth2018_text"}),
}
NUM_TABLES = 60


def game_of(name: str) -> Game:
    env, settings = GAMES[name]
    return widen(make_game(env, **settings))


def states_of(game: Game, count: int) -> Iterator[Any]:
    """Yield the tables at every step of random play, deals that are over included."""
    tables, rows = game.seeded_tables(NUM_TABLES, 1), np.arange(NUM_TABLES)
    yield tables
    game.deal_batch(tables, rows)
    for _ in range(count):
        yield tables
        over = np.flatnonzero(tables["is_over"])
        game.deal_batch(tables, over)
        running = np.flatnonzero(tables["is_over"] == 0)
        step(game, tables, running)


def step(game: Game, tables: Any, rows: Any) -> None:
    """Take random actions, all of which must be legal."""
    actions, is_over = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.uint8)
    game.random_batch(tables, rows, tables, actions)
    assert (
        game.step_batch(tables, rows, actions, np.zeros((len(rows), game.num_seats), np.float32), is_over, False) == -1
    )


@pytest.mark.parametrize("name", GAMES)
def test_all_tables_that_play_leaves_pass(name: str) -> None:
    game = game_of(name)
    for tables in states_of(game, 80):
        check_tables(game, tables)


def test_endgames_and_games_of_others_are_checked_too() -> None:
    endgame = Endgame(HoldemConfig.no_limit(), "As Kd 7c 2h", pot=12, stacks=(40, 25)).game()
    for game in (endgame, dozen()):
        tables = game.seeded_tables(4, 1)
        game.deal_batch(tables, np.arange(4))
        check_tables(game, tables)
        tables["actor"] = game.num_seats
        with pytest.raises(DamagedRecordError, match="actor"):
            check_tables(game, tables)


@pytest.mark.parametrize(("name", "declaration"), [("limit", HoldemTable), ("big2", Big2Table)])
def test_every_number_outside_its_range_is_refused_by_the_name_of_its_field(name: str, declaration: type) -> None:
    game = game_of(name)
    *_, tables = states_of(game, 5)
    ranged = {k: each for k, each in declared_fields(declaration).items() if (each.low, each.high) != (None, None)}
    assert len(ranged) > 20
    for field, each in ranged.items():
        info = np.iinfo(tables.dtype[field].base)
        for value in ([each.low - 1] if each.low is not None and each.low > info.min else []) + (
            [each.high + 1] if each.high is not None and each.high < info.max else []
        ):
            damaged = tables.copy()
            damaged[field][3] = value
            with pytest.raises(DamagedRecordError, match=rf"table 3: {field}\b|table 3: (actor|is_over)\b"):
                check_tables(game, damaged)


@pytest.mark.parametrize(("field", "value"), [
    ("rng", 0), ("pot", 4), ("in_hand", 1), ("deck", 5), ("stack", 100), ("legal", 0), ("button", 5), ("max_raises", 9),
    ("history_bits", 2**40), ("pending", 0), ("num_seats", 3), ("hand_commit", 7), ("current_bet", 9),
])  # fmt: skip
def test_what_contradicts_the_rest_of_a_table_is_refused(field: str, value: int) -> None:
    game = game_of("limit")
    tables = game.seeded_tables(2, 1)
    game.deal_batch(tables, np.arange(2))
    tables[field][1] = value
    with pytest.raises(DamagedRecordError, match=r"^table 1: "):
        check_tables(game, tables)


def test_tables_of_another_game_are_refused() -> None:
    for tables in (game_of("big2").seeded_tables(1, 1), game_of("limit").seeded_tables(1, 1)[0]):
        with pytest.raises(DamagedRecordError, match="no tables of limit_holdem"):
            check_tables(game_of("limit"), np.asarray(tables))
    with pytest.raises(DamagedRecordError, match="num_seats"):
        check_tables(game_of("limit"), game_of("limit without a cap").seeded_tables(1, 1))


def try_mutants(name: str, count: int) -> tuple[int, int]:
    """Damage tables of random play, and play on at those that pass; return how many were refused, and passed."""
    game, refused, passed = game_of(name), 0, 0
    rng = random.Random(name)
    states = [tables.copy() for tables in states_of(game, 25)]
    faulthandler.dump_traceback_later(600, exit=True)  # a kernel that does not end cannot be interrupted
    for _ in range(count):
        tables = rng.choice(states)[rng.randrange(NUM_TABLES) :][:1].copy()
        content = tables.view(np.uint8).reshape(-1)
        for _ in range(rng.choice((1, 1, 2, 39, len(content)))):
            content[rng.randrange(len(content))] = rng.choice((0, 1, 2, 255, rng.randrange(256)))
        try:
            check_tables(game, tables)
        except DamagedRecordError:
            refused += 1
            continue
        passed += 1
        for _ in range(2):
            while not tables["is_over"][0]:
                game.observe(tables, 0, int(tables["actor"][0]))
                game.state(tables, 0)
                game.text(tables, 0, None)
                step(game, tables, np.array([0]))
            game.deal(tables, 0)
        check_tables(game, tables)
    faulthandler.cancel_dump_traceback_later()
    return refused, passed


@pytest.mark.parametrize("name", GAMES)
def test_damaged_tables_that_pass_are_played_to_their_end(name: str) -> None:
    count = 60 if name.startswith("big2") else 200  # its deals are long
    refused, passed = try_mutants(name, count)
    assert refused > count // 6 and passed > count // 60


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_many_damaged_tables(name: str) -> None:
    refused, passed = try_mutants(name, 20_000)
    assert refused > 5000 and passed > 100
