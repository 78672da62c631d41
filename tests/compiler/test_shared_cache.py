"""Processes that play different games and sizes out of one folder of compiled kernels, apart and together.

Such a folder is what every user has; tests with a folder each would not see code of one game that is run for another.
"""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path

import pytest

from card_envs.compiler import COMPILED
from tests.compiler.shared_cache import Played, hashes, hashes_apart, with_tables
from tests.helpers.processes import run_python

pytestmark = pytest.mark.skipif(not COMPILED, reason="plain Python keeps nothing")

SMALL = (
    ("no_limit_holdem-v0", {"num_players": 2}),
    ("no_limit_holdem-v0", {"num_players": 6}),
    ("limit_holdem-v0", {"num_players": 2, "encoder": "rlcard"}),
    ("big2-v0", {}),
    ("big2-v0", {"encoder": "clean"}),
)
WIDE = (
    *(("no_limit_holdem-v0", {"num_players": n}) for n in (2, 3, 4, 6)),
    ("limit_holdem-v0", {"num_players": 2}),
    ("limit_holdem-v0", {"num_players": 6}),
    *(("limit_holdem-v0", {"encoder": encoder}) for encoder in ("equity", "rlcard", "kaminsky404", "shi2022")),
    ("limit_holdem-v0", {"encoder": "bits"}),
    ("limit_holdem-v0", {"encoder": "bits", "dtype": "int8"}),
    ("leduc_holdem-v0", {}),
    ("kuhn_poker-v0", {}),
    ("big2-v0", {}),
    ("big2-v0", {"encoder": "clean"}),
)


@pytest.mark.slow
def test_what_seats_see_is_the_same_whichever_games_were_compiled_before_by_other_processes(tmp_path: Path) -> None:
    games = [with_tables(env_id, **settings) for env_id, settings in SMALL]
    right = hashes("look", games, NUMBA_DISABLE_JIT="1")
    assert len(set(right)) == len(games)
    assert hashes_apart("look", games, [tmp_path] * len(games), at_once=1) == right
    assert hashes("look", games, tmp_path) == right
    assert hashes("look", games[::-1], tmp_path) == right[::-1]


@pytest.mark.slow
def test_play_is_the_same_after_eight_processes_have_filled_one_cache_at_once(tmp_path: Path) -> None:
    games = [Played(env_id, settings) for env_id, settings in WIDE]
    caches = [tmp_path / f"alone-{number}" for number in range(len(games))]
    right = hashes_apart("play", games, caches, at_once=2)
    shared = [tmp_path / "shared"] * len(games)
    assert hashes_apart("play", games, shared, at_once=8) == right
    order = list(range(len(games)))
    for seed in range(6):
        assert hashes("play", [games[i] for i in order], shared[0]) == [right[i] for i in order], order
        random.Random(seed).shuffle(order)


@pytest.mark.slow
def test_play_in_the_default_folder_is_play_in_an_empty_one(tmp_path: Path) -> None:
    games = [Played(env_id, settings) for env_id, settings in (WIDE[1], WIDE[3], WIDE[-1])]
    right = hashes_apart("play", games, [tmp_path / str(number) for number in range(3)], at_once=2)
    assert hashes_apart("play", games, [None] * 3, at_once=3) == right
    assert hashes("play", games) == right
    assert hashes("play", games[::-1]) == right[::-1]


# --- kernels of other people, and every way in which a record can reach one -------------------------------------------

PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59)
THIRD_PARTY = """
import sys
import numpy as np
from card_envs.compiler import kernel

def plain_score(numbers):
    total = 0
    for k in range(len(numbers)):
LINES
    return total

@kernel
def score(row):
    numbers, total = row.numbers, 0
    for k in range(len(numbers)):
LINES
    return total

@kernel
def of_an_array(rows):
    return score(rows[0]) + 3 * score(rows[len(rows) - 1])

@kernel
def of_a_pair(pair):
    return score(pair[0][0]) + 3 * score(pair[1][0])

@kernel
def of_nested_records(rows):
    return score(rows[0].inner[0]) + 3 * score(rows[0].inner[1])

@kernel
def again(row, n):
    return score(row) if n < 1 else again(row, n - 1) + score(row)

def adder(constant):
    @kernel
    def add(number):
        return number + constant
    return add

def answers(size):
    kind = np.dtype([("numbers", np.int64, (size,)), ("tail", np.int32)], align=True)
    flat, longer = np.zeros(3, kind), np.zeros(2, np.dtype([("numbers", np.int64, (size + 10,))]))
    flat["numbers"], longer["numbers"] = np.arange(size), np.arange(size + 10)
    deep = np.zeros(1, np.dtype([("head", np.int64), ("inner", kind, (2,))], align=True))
    deep["inner"]["numbers"] = np.arange(size)
    return [of_an_array(flat), of_a_pair((flat, longer)), of_nested_records(deep), again(flat[1], 2), adder(size)(1000)]

def right(size):
    short, long = plain_score(range(size)), plain_score(range(size + 10))
    return [4 * short, short + 3 * long, 4 * short, 3 * short, 1000 + size]

for size in map(int, sys.argv[1:]):
    assert answers(size) == right(size), (size, answers(size), right(size))
""".replace(
    "LINES", "\n".join(f"        total += {p} * k if numbers[k] % {p} == k // {p} else k // {p}" for p in PRIMES)
)
"""`score` is so long that LLVM leaves it a function: its callers find it by its symbol."""


def run(program: Path, cache: Path, *sizes: int) -> None:
    result = run_python(program, *map(str, sizes), NUMBA_CACHE_DIR=str(cache))
    assert result.returncode == 0, result.stderr[-2000:]


@pytest.mark.parametrize("sizes", [(3, 4), pytest.param((3, 4, 5, 6), marks=pytest.mark.slow)])
def test_kernels_of_other_packages_get_their_own_code_for_every_kind_of_argument(
    sizes: tuple[int, ...], tmp_path: Path
) -> None:
    program, cache = tmp_path / "program.py", tmp_path / "cache"
    program.write_text(THIRD_PARTY)
    with ThreadPoolExecutor(8) as together:
        list(together.map(lambda size: run(program, cache, size), sizes * 2))
    for order in list(permutations(sizes))[:: 8 if len(sizes) > 2 else 1]:
        run(program, cache, *order)
