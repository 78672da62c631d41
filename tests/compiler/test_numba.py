"""What the package assumes of Numba: its version, what happens with another one, and the bug of Numba's own cache."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from card_envs.compiler import COMPILED
from tests.helpers.processes import run_python

REPO = Path(__file__).parents[2]


def as_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2])


def test_the_ceiling_of_pyproject_is_above_the_installed_version() -> None:
    """Fails where somebody installs a newer Numba: run all tests with it, then raise the ceiling by one version."""
    dependencies = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]["dependencies"]
    (requirement,) = [each for each in dependencies if each.startswith("numba")]
    floor, ceiling = re.fullmatch(r"numba>=([\d.]+),<([\d.]+)", requirement).groups()  # type: ignore[union-attr]
    assert as_numbers(floor) <= as_numbers(version("numba")) < as_numbers(ceiling)


# --- a version whose private classes are others ----------------------------------------------------------------------

WITHOUT_A_CLASS = "import numba; del numba.core.registry.CPUDispatcher"
WITHOUT_A_MODULE = "import sys, numba; sys.modules['numba.core.sigutils'] = None; del numba.core.sigutils"
USE_KERNELS = """
import numpy as np
from card_envs.bits import bit_count, nth_bit
from card_envs.compiler import entry_point
from card_envs.games.holdem.actions import first_seat_from
tables = np.int64(0b1010), np.int64(2), np.int64(4)
find = entry_point(first_seat_from, *tables)
print(bit_count(np.int64(0b1011)), nth_bit(np.int64(0b1010), np.int64(1)), find(*tables))
"""
FALLBACK = "card_envs cannot cache compiled kernels with Numba"


@pytest.mark.skipif(not COMPILED, reason="plain Python compiles nothing")
@pytest.mark.parametrize("hide", [WITHOUT_A_CLASS, WITHOUT_A_MODULE], ids=["class", "module"])
def test_without_numbas_private_classes_kernels_compile_in_memory_with_one_warning(tmp_path: Path, hide: str) -> None:
    result = run_python("-c", f"{hide}\n{USE_KERNELS}", NUMBA_CACHE_DIR=str(tmp_path))
    assert result.stdout.split() == ["3", "3", "3"]
    assert result.stderr.count(FALLBACK) == 1 and len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


# --- Numba's own cache -----------------------------------------------------------------------------------------------

PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59)
SCORES = """
import sys
import numba
import numpy as np

@numba.njit(cache=True)
def score(row):
    numbers, total = row.numbers, 0
    for k in range(len(numbers)):
LINES
    return total

@numba.njit(cache=True)
def score_first(rows):
    return score(rows[0])

for size in map(int, sys.argv[1:]):
    rows = np.rec.array(np.zeros(1, np.dtype([("numbers", np.int64, (size,))])))
    rows["numbers"] = np.arange(size)
    print(score_first(rows) == score.py_func(rows[0]))
""".replace(
    "LINES", "\n".join(f"        total += {p} * k if numbers[k] % {p} == k // {p} else k // {p}" for p in PRIMES)
)
"""`score` is so long that LLVM leaves it a function: its caller finds it by its symbol."""


@pytest.mark.skipif(not COMPILED, reason="plain Python compiles nothing")
@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="numba.types.Record.mangling_args: records are numbered anew by each process",
)
def test_numbas_own_cache_keeps_the_code_of_two_records_apart(tmp_path: Path) -> None:
    """The day this passes, symbols need no tag any more (`card_envs.kernel_cache.dispatcher`)."""
    program = tmp_path / "program.py"
    program.write_text(SCORES)

    def are_right(*sizes: int) -> list[str]:
        cache = str(tmp_path / "cache")
        return run_python(program, *map(str, sizes), NUMBA_CACHE_DIR=cache).stdout.split()

    if not are_right(3) == are_right(5) == ["True"]:  # no AssertionError, which is what is expected below
        pytest.fail("a process that compiles for itself must be right")
    assert are_right(3, 5) == ["True", "True"]
