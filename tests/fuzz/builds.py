"""The same source compiled, as plain Python, and compiled with bounds checks."""

from __future__ import annotations

import random

from card_envs.testing import CheckFailure
from card_envs.testing.checks import compare_with_plain_python
from tests.fuzz.check import Difference
from tests.fuzz.games import random_game
from tests.helpers.processes import run_python

CHECKED_BUILD = ("batches", "clones", "seats", "leaks-default", "leaks-charlesworth412")
"""Checks that are run once more with bounds checks."""
COUNT, GAMES = 500, 4


def plain_python(seed: int) -> int:
    """Compare random games with a process without the compiler; return how many."""
    rng = random.Random(seed)
    named = [random_game(rng) for _ in range(GAMES)]
    try:
        compare_with_plain_python([each.game for each in named], seed, deals=1)
    except CheckFailure as failure:
        raise Difference("; ".join(each.words for each in named), f"seed {seed}", str(failure)) from failure
    return GAMES


def bounds_checked(seed: int) -> int:
    """Run other checks of the fuzz with bounds checks, in a process of its own; return how many."""
    options = ("--only", *CHECKED_BUILD, "--seed", str(seed), "--count", str(COUNT))
    process = run_python("-m", "tests.fuzz", *options, NUMBA_BOUNDSCHECK="1")
    if process.returncode:
        raise Difference("all kinds", f"seed {seed}, NUMBA_BOUNDSCHECK=1", (process.stdout + process.stderr)[-3000:])
    return len(CHECKED_BUILD)
