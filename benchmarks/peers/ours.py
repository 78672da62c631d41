"""This package: the loops of `card_baselines.speed`, on the games that peers play too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from card_baselines.speed import paths
from card_baselines.speed.stopwatch import Work
from card_envs.envs import make_env, make_game, make_raw_env

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "limit2": ("limit_holdem-v0", {"num_players": 2}),
    "nl2": ("no_limit_holdem-v0", {"num_players": 2, "bet_menu": "fchpa"}),
    "nl6": ("no_limit_holdem-v0", {"num_players": 6, "bet_menu": "fchpa"}),
    "leduc": ("leduc_holdem-v0", {}),
    "kuhn": ("kuhn_poker-v0", {}),
    "big2": ("big2-v0", {}),
}
"""Hold'em with stacks of 100 big blinds."""


def observation(name: str) -> str:
    """Return what an observation is made of, such as "201 float32"."""
    env_id, settings = GAMES[name]
    layout = make_game(env_id, **settings).layout
    return f"{layout.size} {np.dtype(layout.dtype).name}"


def _on_games(loop: Callable[[Any], Work], make: Callable[..., Any]) -> Callable[[str], Work]:
    """Return a function that returns a loop on what `make` makes of the game of a name."""

    def work(name: str) -> Work:
        env_id, settings = GAMES[name]
        return loop(make(env_id, **settings))

    return work


env = _on_games(paths.aec_loop, make_env)
raw_env = _on_games(paths.aec_loop, make_raw_env)
step_loop = _on_games(paths.step_loop, make_raw_env)
kernel_loop = _on_games(paths.kernel_loop, make_game)
rules = _on_games(paths.rules, make_game)
batch = _on_games(paths.batch, make_game)
evaluate_one_by_one = paths.evaluate_one_by_one
evaluate_sets_one_by_one = paths.evaluate_sets_one_by_one
evaluate_batch = paths.evaluate_batch
