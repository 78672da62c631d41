"""`check_tables`: every table of play passes, and a damaged one that passes can be played to its end."""

from __future__ import annotations

import faulthandler
import random
from typing import Any

import numpy as np
import pytest

from card_envs.game import Game
from card_envs.games.big2.state import Table as Big2Table
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.endgame import Endgame
from card_envs.games.holdem.state import Table as HoldemTable
from card_envs.records import declared_fields
from card_envs.table_checks import DamagedRecordError, check_tables
from tests.fuzz.games import states
from tests.helpers.kinds_of_games import OPTION_SETS, PRESETS, make_kind
from tests.third_game.game import dozen

DAMAGED = (
    "kuhn", "leduc, 3 seats", "flop", "limit, 2 seats", "limit, uneven", "limit, rlcard", "no-limit, acpc",
    "no-limit, integers", "no-limit, pokerstars", "no-limit, uneven, 10 seats", "charlesworth2018",
    "charlesworth2018_text", "taiwan",
)  # fmt: skip
"""Kinds of games whose tables are damaged."""
NUM_TABLES = 60


def step(game: Game, tables: Any, rows: Any) -> None:
    """Take random actions, all of which must be legal."""
    actions, is_over = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.uint8)
    game.random_batch(tables, rows, tables, actions)
    assert (
        game.step_batch(tables, rows, actions, np.zeros((len(rows), game.num_seats), np.float32), is_over, False) == -1
    )


@pytest.mark.parametrize("name", [*PRESETS, *OPTION_SETS])
@pytest.mark.parametrize("num_tables", [100, pytest.param(5000, marks=pytest.mark.slow)])
def test_all_tables_that_play_leaves_pass(name: str, num_tables: int) -> None:
    """No card and no chip is made or lost at any decision, in any kind of game."""
    game = make_kind(name)
    check_tables(game, game.seeded_tables(1, 1))
    for tables in states(game, num_tables, seed=1, decisions=100):
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


@pytest.mark.parametrize(("name", "declaration"), [("limit, 2 seats", HoldemTable), ("charlesworth2018", Big2Table)])
def test_every_number_outside_its_range_is_refused_by_the_name_of_its_field(name: str, declaration: type) -> None:
    game = make_kind(name)
    *_, tables = states(game, NUM_TABLES, seed=1, decisions=5)
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
    game = make_kind("limit, 2 seats")
    tables = game.seeded_tables(2, 1)
    game.deal_batch(tables, np.arange(2))
    tables[field][1] = value
    with pytest.raises(DamagedRecordError, match=r"^table 1: "):
        check_tables(game, tables)


def test_tables_of_another_game_are_refused() -> None:
    limit = make_kind("limit, 2 seats")
    for tables in (make_kind("taiwan").seeded_tables(1, 1), limit.seeded_tables(1, 1)[0]):
        with pytest.raises(DamagedRecordError, match="no tables of limit, 2 seats"):
            check_tables(limit, np.asarray(tables))
    with pytest.raises(DamagedRecordError, match="num_seats"):
        check_tables(limit, make_kind("limit, 6 seats").seeded_tables(1, 1))


def try_mutants(name: str, count: int) -> tuple[int, int]:
    """Damage tables of random play, and play on at those that pass; return how many were refused, and passed."""
    game, refused, passed = make_kind(name), 0, 0
    rng = random.Random(name)
    moments = [tables.copy() for tables in states(game, NUM_TABLES, seed=1, decisions=25)]
    faulthandler.dump_traceback_later(600, exit=True)  # a kernel that does not end cannot be interrupted
    for _ in range(count):
        tables = rng.choice(moments)[rng.randrange(NUM_TABLES) :][:1].copy()
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


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("count", [200, pytest.param(20_000, marks=pytest.mark.slow)])
def test_damaged_tables_that_pass_are_played_to_their_end(name: str, count: int) -> None:
    count //= 3 if name in OPTION_SETS else 1  # deals of Big 2 are long
    refused, passed = try_mutants(name, count)
    assert refused > count // 6 and passed > count // 60
