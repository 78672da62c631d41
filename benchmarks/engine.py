"""Speed of the environments: decisions per second of CPU time on one core, in uniformly random legal play.

    taskset -c 1 python benchmarks/engine.py [--repeats 7] [--json benchmarks/results/engine.json]

`batch` is `make_vector(...)`: sample_actions and step of 1,024 tables, with new observation and mask arrays every time.
`rules` are the same decisions without observations. `raw_env` and `env` are the full PettingZoo loop: agent_iter, last,
a random choice among the legal ids, step, dead steps. Numbers are medians over the repeats; a fixed loop of plain
Python is measured beside them, so that runs on different (or busy) machines can be compared.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from card_envs.aec import GameAEC
from card_envs.envs import make_env, make_game, make_raw_env, make_vector
from card_envs.rng import seeded_streams

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("limit_holdem-v0", {"num_players": 2}),
    ("limit_holdem-v0", {"num_players": 6}),
    ("no_limit_holdem-v0", {"num_players": 2}),
    ("no_limit_holdem-v0", {"num_players": 6}),
    ("big2-v0", {}),
    ("leduc_holdem-v0", {}),
    ("kuhn_poker-v0", {}),
]
TABLES = 1024
BATCH_STEPS = 300
LOOP_DECISIONS = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()

    rows = []
    for env_id, settings in GAMES:
        game = make_game(env_id, **settings)
        paths: dict[str, Callable[[], int]] = {
            "rules": rules(env_id, settings),
            "batch": batch(env_id, settings),
            "raw_env": aec_loop(make_raw_env(env_id, **settings)),
            "env": aec_loop(make_env(env_id, **settings)),
        }
        row: dict[str, Any] = {"env": env_id, "settings": settings, "observation": game.layout.size}
        row["dtype"] = np.dtype(game.layout.dtype).name
        row["decisions_per_second"] = {
            name: round(median_rate(path, arguments.repeats)) for name, path in paths.items()
        }
        rows.append(row)
        rates = "  ".join(f"{name} {rate:>12,}" for name, rate in row["decisions_per_second"].items())
        print(f"{env_id:20} {game.num_seats:2} seats  {game.layout.size:4} {row['dtype']:8} {rates}", flush=True)
    calibration = round(median_rate(plain_python, arguments.repeats))
    print(f"plain Python loop: {calibration:,} iterations/s")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        report = {"tables": TABLES, "plain_python_iterations_per_second": calibration, "results": rows}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")


def median_rate(work: Callable[[], int], repeats: int) -> float:
    """Return units of work per second of CPU time; the first run compiles and does not count."""
    work()
    rates = []
    for _ in range(repeats):
        start = time.process_time()
        done = work()
        rates.append(done / (time.process_time() - start))
    return statistics.median(rates)


def batch(env_id: str, settings: dict[str, Any]) -> Callable[[], int]:
    """Return a run of the batched engine as users have it."""
    tables = make_vector(env_id, TABLES, seed=0, **settings)
    tables.reset()

    def run() -> int:
        for _ in range(BATCH_STEPS):
            tables.step(tables.sample_actions())
        return BATCH_STEPS * TABLES

    return run


def rules(env_id: str, settings: dict[str, Any]) -> Callable[[], int]:
    """Return a run of the rules alone: choose, step, deal."""
    game = make_game(env_id, **settings)
    tables, streams = game.seeded_tables(TABLES, 0), seeded_streams(TABLES, 1)
    rows, actions = np.arange(TABLES), np.empty(TABLES, np.int64)
    rewards, is_over = np.empty((TABLES, game.num_seats), np.float32), np.empty(TABLES, np.uint8)
    for i in range(TABLES):
        game.deal(tables, i)

    def run() -> int:
        for _ in range(BATCH_STEPS):
            game.random_rows(tables, rows, streams, actions)
            game.step_rows(tables, rows, actions, rewards, is_over, True)
        return BATCH_STEPS * TABLES

    return run


def aec_loop(env: GameAEC) -> Callable[[], int]:
    """Return a run of the usual PettingZoo loop."""
    chooser = random.Random(0)
    env.reset(seed=0)

    def run() -> int:
        decisions = 0
        while decisions < LOOP_DECISIONS:
            env.reset()
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                else:
                    env.step(int(chooser.choice(np.flatnonzero(observation["action_mask"]))))
                    decisions += 1
        return decisions

    return run


def plain_python() -> int:
    """A fixed loop that tells how fast the machine runs Python at the moment."""
    total, iterations = 0, 1_000_000
    for number in range(iterations):
        total += number & 3
    return iterations


if __name__ == "__main__":
    main()
