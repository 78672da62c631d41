"""Speed of the environments: decisions per second of CPU time on one core, in uniformly random legal play.

    python benchmarks/engine.py [--rounds 7] [--json benchmarks/results/engine.json]

`batch` is `make_vector(...)`: sample_actions and step of 1,024 tables, with new observation and mask arrays every time.
`rules` are the same decisions without observations. `raw_env` and `env` are the full PettingZoo loop: agent_iter, last,
a random choice among the legal ids, step, dead steps. All take turns; numbers are medians over the rounds. A fixed loop
of plain Python is measured beside them, so that runs on different (or busy) machines can be compared.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from results import circumstances, write_json

from card_baselines.speed import paths
from card_baselines.speed.stopwatch import Work, measure, one_core, run_python_loop
from card_envs.envs import make_env, make_game, make_raw_env

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("limit_holdem-v0", {"num_players": 2}),
    ("limit_holdem-v0", {"num_players": 6}),
    ("no_limit_holdem-v0", {"num_players": 2}),
    ("no_limit_holdem-v0", {"num_players": 6}),
    ("big2-v0", {}),
    ("leduc_holdem-v0", {}),
    ("kuhn_poker-v0", {}),
]
PATHS = ("rules", "batch", "raw_env", "env")
CALIBRATION = "plain Python"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="turns of each path, of which the median counts")
    parser.add_argument("--seconds", type=float, default=0.2, help="CPU time of a turn")
    parser.add_argument("--json", type=Path, help="file to write the results to")
    arguments = parser.parse_args()

    works: dict[str, Work] = {CALIBRATION: run_python_loop}
    for number, (env_id, settings) in enumerate(GAMES):
        works |= {f"{number} {name}": work for name, work in _works(env_id, settings).items()}
    with one_core():
        speeds = measure(works, arguments.seconds, arguments.rounds)
    rates = {key: round(speed.median) for key, speed in speeds.items()}

    rows = []
    for number, (env_id, settings) in enumerate(GAMES):
        layout = make_game(env_id, **settings).layout
        row: dict[str, Any] = {"env": env_id, "settings": settings, "observation": layout.size}
        row["dtype"] = np.dtype(layout.dtype).name
        row["decisions_per_second"] = {name: rates[f"{number} {name}"] for name in PATHS}
        rows.append(row)
        words = "  ".join(f"{name} {rate:>12,}" for name, rate in row["decisions_per_second"].items())
        print(f"{env_id:20} {settings.get('num_players', ''):>2}  {layout.size:4} {row['dtype']:8} {words}")
    print(f"plain Python loop: {rates[CALIBRATION]:,} iterations/s")
    if arguments.json:
        conditions = {"tables": paths.TABLES, "plain_python_iterations_per_second": rates[CALIBRATION]}
        write_json(arguments.json, {**circumstances(), **conditions, "results": rows})


def _works(env_id: str, settings: dict[str, Any]) -> dict[str, Work]:
    game = make_game(env_id, **settings)
    raw_env, env = make_raw_env(env_id, **settings), make_env(env_id, **settings)
    loops = (paths.rules(game), paths.batch(game), paths.aec_loop(raw_env), paths.aec_loop(env))
    return dict(zip(PATHS, loops, strict=True))


if __name__ == "__main__":
    main()
