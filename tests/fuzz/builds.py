"""The same source compiled, as plain Python, and compiled with bounds checks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.fuzz.check import Difference
from tests.properties import big2_random_play, encoder_play, holdem_random_play

ROOT = Path(__file__).parents[2]
CHECKED_BUILD = ("batches", "clones", "seats", "leaks-default", "leaks-charlesworth412")
"""Checks that are run once more with bounds checks."""
COUNT = 500


def digests(seed: int) -> list[str]:
    """Return hashes of tables, observations, masks and views after random play in every kind of game."""
    return [
        holdem_random_play.digest(num_tables=2, hands=3, seed=seed),
        encoder_play.digest(states=2, seed=seed),
        big2_random_play.digest(decisions=30, seed=seed),
    ]


def plain_python(seed: int) -> int:
    """Compare the digests with those of a process without the compiler; return how many."""
    ours = digests(seed)
    process = python("-W", "error", "-m", "tests.fuzz.builds", str(seed), NUMBA_DISABLE_JIT="1")
    theirs = process.stdout.split()
    if ours != theirs:
        what = ("hold'em tables", "hold'em observations", "Big 2")
        seen = [name for name, one, other in zip(what, ours, theirs or [""] * 3, strict=True) if one != other]
        raise Difference("all kinds", f"seed {seed}", f"plain Python differs in {seen}\n{process.stderr[-2000:]}")
    return len(ours)


def bounds_checked(seed: int) -> int:
    """Run other checks of the fuzz with bounds checks, in a process of its own; return how many."""
    options = ("--only", *CHECKED_BUILD, "--seed", str(seed), "--count", str(COUNT))
    process = python("-m", "tests.fuzz", *options, NUMBA_BOUNDSCHECK="1")
    if process.returncode:
        raise Difference("all kinds", f"seed {seed}, NUMBA_BOUNDSCHECK=1", (process.stdout + process.stderr)[-3000:])
    return len(CHECKED_BUILD)


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = [str(ROOT), str(ROOT / "wrappers"), str(ROOT / "baselines")]
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment | {"PYTHONPATH": os.pathsep.join(paths)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    print("\n".join(digests(int(sys.argv[1]))))
