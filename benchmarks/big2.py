"""Speed of Big 2: decisions per second of CPU time on one core, in random play.

    python benchmarks/big2.py [--tables 64 256 1024] [--rounds 9] [--json benchmarks/results/big2.json]

A decision is: choose one of the legal actions at random, take it, and (by line of the table) write nothing, the mask
of 1,695 actions, or the mask and the observation. Finished deals are dealt anew. All take turns; numbers are medians
over the rounds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from results import circumstances, write_json

from card_baselines.speed import paths
from card_baselines.speed.stopwatch import Work, measure, one_core
from card_envs.game import Game
from card_envs.games.big2.encoders import ENCODERS
from card_envs.games.big2.presets import big2
from card_envs.observation import mask_records, observation_records
from card_envs.rng import seeded_streams


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, nargs="+", default=[64, 256, 1024], help="numbers of tables in a batch")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each line, of which the median counts")
    parser.add_argument("--seconds", type=float, default=0.1, help="CPU time of a turn")
    parser.add_argument("--json", type=Path, help="file to write the results to")
    arguments = parser.parse_args()

    works: dict[str, Work] = {}
    for num_tables in arguments.tables:
        works[f"{num_tables} tables, nothing"] = paths.rules(big2(), num_tables)
        works[f"{num_tables} tables, mask"] = written(big2(), num_tables, observed=False)
        for name in ENCODERS:
            works[f"{num_tables} tables, mask and {name}"] = written(big2(encoder=name), num_tables, observed=True)
    with one_core():
        speeds = measure(works, arguments.seconds, arguments.rounds)
    rows = []
    for name, speed in speeds.items():
        rows.append({"written": name, "decisions_per_second": round(speed.median), "spread": round(speed.spread, 3)})
        print(f"{name:40} {speed.median / 1e6:6.2f} M decisions/s")
    if arguments.json:
        write_json(arguments.json, {**circumstances(), "rounds": arguments.rounds, "results": rows})


def written(game: Game, num_tables: int, observed: bool) -> Work:
    """Play a batch by its kernels and write, into the same arrays every time, masks and perhaps observations."""
    tables, streams = game.seeded_tables(num_tables, seed=0), seeded_streams(num_tables, 1)
    rows, actions = np.arange(num_tables), np.zeros(num_tables, np.int64)
    rewards, is_over = np.zeros((num_tables, game.num_seats), np.float32), np.zeros(num_tables, np.uint8)
    observations = observation_records(np.zeros((num_tables, game.layout.size), game.layout.dtype))
    masks = mask_records(np.zeros((num_tables, game.num_actions), np.int8))
    game.deal_batch(tables, rows)

    def run() -> int:
        for _ in range(paths.BATCH_STEPS):
            game.random_batch(tables, rows, streams, actions)
            game.step_batch(tables, rows, actions, rewards, is_over, True)
            if observed:
                game.encoder.observe_batch(tables, rows, observations, masks)
            else:
                game.mask_batch(tables, rows, masks)
        return paths.BATCH_STEPS * num_tables

    return run


if __name__ == "__main__":
    main()
