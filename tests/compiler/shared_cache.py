"""Games played by processes that keep compiled kernels in one folder: what each shows must not depend on the others.

As a program, `python -m tests.compiler.shared_cache look|play`: reads pickled games from standard input and prints a
hash of each.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.envs import make_game, make_raw_env, make_vector
from card_envs.observation import mask_records, observation_records

ROOT = Path(__file__).parents[2]
NUM_TABLES = 8
STEPS = 20


class Played(NamedTuple):
    """A game, and tables in the middle of it for those that only look."""

    env_id: str
    settings: dict[str, Any]
    tables: NDArray[Any] | None = None


def with_tables(env_id: str, **settings: Any) -> Played:
    """Return a game with tables that this process has played on a little."""
    tables = make_vector(env_id, NUM_TABLES, seed=7, **settings)
    tables.reset()
    for _ in range(STEPS):
        tables.step(tables.sample_actions())
    return Played(env_id, settings, tables.tables)


def look(played: Played) -> str:
    """Hash what the actors see. Two to four seconds of compiling, where a whole game takes ten to thirty."""
    game = make_game(played.env_id, **played.settings)
    numbers = np.zeros((NUM_TABLES, game.layout.size), game.layout.dtype)
    masks = np.zeros((NUM_TABLES, game.num_actions), np.int8)
    rows = np.arange(NUM_TABLES)
    game.encoder.observe_batch(played.tables, rows, observation_records(numbers), mask_records(masks))
    return hashlib.sha256(numbers.tobytes() + masks.tobytes()).hexdigest()


def play(played: Played) -> str:
    """Hash all that many tables and one table show in random play."""
    digest = hashlib.sha256()
    tables = make_vector(played.env_id, NUM_TABLES, seed=7, **played.settings)
    batch = tables.reset()
    for _ in range(STEPS):
        for array in (*batch, tables.state()):
            digest.update(np.ascontiguousarray(array).tobytes())
        batch = tables.step(tables.sample_actions())
    env = make_raw_env(played.env_id, **played.settings)
    for step in range(STEPS):
        if step == 0 or env.terminations[env.agent_selection]:
            env.reset(seed=step)
        seen = env.observe(env.agent_selection)
        for array in (seen["observation"], seen["action_mask"], np.asarray(env.state())):
            digest.update(array.tobytes())
        env.step(int(seen["action_mask"].argmax()))
    return digest.hexdigest()


def hashes(how: str, games: Sequence[Played], cache: Path | None = None, **environment: str) -> list[str]:
    """Return what a new process with this cache folder (without one: the default folder) prints for the games."""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "wrappers", ROOT / "baselines")))
    variables = {**os.environ, **environment, "PYTHONPATH": paths}
    if cache is not None:
        variables["NUMBA_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-m", "tests.compiler.shared_cache", how]
    process = subprocess.run(
        command, input=pickle.dumps([tuple(game) for game in games]), cwd=ROOT, env=variables, capture_output=True
    )
    if process.returncode != 0:
        names = [game[:2] for game in games]
        raise AssertionError(f"{names} ended with {process.returncode}:\n{process.stderr.decode()[-3000:]}")
    return process.stdout.decode().split()


def hashes_apart(how: str, games: Sequence[Played], caches: Sequence[Path | None], at_once: int) -> list[str]:
    """Return what one process a game prints, each with its cache folder, `at_once` of them at a time."""
    with ThreadPoolExecutor(at_once) as together:
        return [hash_ for (hash_,) in together.map(lambda game, cache: hashes(how, [game], cache), games, caches)]


if __name__ == "__main__":
    function = {"look": look, "play": play}[sys.argv[1]]
    for game in pickle.load(sys.stdin.buffer):
        print(function(Played(*game)))
