"""Random games out of one folder of compiled kernels, which every piece of work fills further."""

from __future__ import annotations

import inspect
import random
import tempfile
from functools import cache
from pathlib import Path

from card_envs.envs import ENVS, make_game
from tests.compiler.shared_cache import Played, hashes, hashes_apart
from tests.fuzz.check import Difference

NUM_GAMES = 3
AT_ONCE = 2


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="card_envs-fuzz-")  # deleted when the program ends


def shared_cache(seed: int) -> int:
    """Play games apart, two processes at a time, then together in another order; return how many were compared."""
    rng = random.Random(seed)
    games, folder = [random_settings(rng) for _ in range(NUM_GAMES)], Path(_folder().name)
    right = hashes("play", games, NUMBA_DISABLE_JIT="1")
    apart = hashes_apart("play", games, [folder] * NUM_GAMES, AT_ONCE)
    order = rng.sample(range(NUM_GAMES), NUM_GAMES)
    together = hashes("play", [games[number] for number in order], folder)
    for step, number in enumerate(order):
        words = " ".join([games[number].env_id, *(f"{k}={v}" for k, v in games[number].settings.items())])
        if not right[number] == apart[number] == together[step]:
            where = "alone" if right[number] != apart[number] else f"after {order[:step]} of these: {games}"
            raise Difference(words, f"seed {seed}, {where}", "other bytes than in plain Python")
    return NUM_GAMES


def random_settings(rng: random.Random) -> Played:
    """Return any environment with a number of players and an encoder that go together."""
    entry = rng.choice(list(ENVS.values()))
    parameters = inspect.signature(entry.factory).parameters
    while True:
        settings = {"encoder": rng.choice(list(make_game(entry.id).encoders))}
        if "num_players" in parameters:
            settings["num_players"] = rng.randint(2, 10)
        try:
            make_game(entry.id, **settings).layout  # noqa: B018  # asks whether the encoder serves the game
        except ValueError:
            continue
        return Played(entry.id, settings)
