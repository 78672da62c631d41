"""Speed of Big 2: decisions per second of CPU time on one core, in random play.

    taskset -c 1 python benchmarks/big2.py [--tables 64 256 1024] [--repeats 9] [--json results/big2.json]

A decision is: choose one of the legal actions at random, take it, and (by line of the table) write nothing, the mask
of 1,695 actions, or the mask and the observation. Finished deals are dealt anew. Numbers are medians over the repeats.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

from card_envs.game import Game
from card_envs.games.big2.encoders import ENCODERS
from card_envs.games.big2.presets import big2
from card_envs.observation import mask_records, observation_records

DECISIONS = 500_000
"""Decisions of one repeat."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, nargs="+", default=[64, 256, 1024], help="numbers of tables in a batch")
    parser.add_argument("--repeats", type=int, default=9, help="runs of which the median counts")
    parser.add_argument("--json", type=Path, help="file to write the results to")
    arguments = parser.parse_args()

    rows = []
    for num_tables in arguments.tables:
        for written in ("nothing", "mask", *(f"mask and {encoder}" for encoder in ENCODERS)):
            rate = decisions_per_second(written, num_tables, arguments.repeats)
            rows.append({"tables": num_tables, "written": written, "decisions_per_second": round(rate)})
            print(f"{num_tables:6} tables   {written:26} {rate / 1e6:6.2f} M decisions/s")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        report = {**circumstances(), "repeats": arguments.repeats, "results": rows}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n")


def decisions_per_second(written: str, num_tables: int, repeats: int) -> float:
    """Return the median speed of a batch of tables."""
    name = written.removeprefix("mask and ")
    game = big2(encoder=name if name in ENCODERS else "charlesworth412")
    play = player(game, written, num_tables)
    steps = max(1, DECISIONS // num_tables)
    play(max(3, 20_000 // num_tables))  # compiles, and takes the tables to different places of their deals
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        play(steps)
        seconds.append(time.process_time() - start)
    return steps * num_tables / statistics.median(seconds)


def player(game: Game, written: str, num_tables: int) -> Callable[[int], None]:
    """Return the function that takes a number of decisions at every table."""
    tables, rows = game.seeded_tables(num_tables, seed=0), np.arange(num_tables)
    actions, is_over = np.zeros(num_tables, np.int64), np.zeros(num_tables, np.uint8)
    rewards = np.zeros((num_tables, game.num_seats), np.float32)
    observations = observation_records(np.zeros((num_tables, game.layout.size), game.layout.dtype))
    masks = mask_records(np.zeros((num_tables, game.num_actions), np.int8))
    for i in rows:
        game.deal(tables, i)

    def play(steps: int) -> None:
        for _ in range(steps):
            game.random_rows(tables, rows, tables, actions)
            game.step_rows(tables, rows, actions, rewards, is_over, True)
            if written == "mask":
                game.mask_rows(tables, rows, masks)
            elif written != "nothing":
                game.encoder.observe_rows(tables, rows, observations, masks)

    return play


def circumstances() -> dict[str, str]:
    git = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return {
        "command": " ".join(sys.argv),
        "commit": git.stdout.strip(),
        "processor": processor_name(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def processor_name() -> str:
    info = Path("/proc/cpuinfo")  # Linux; platform.processor() is empty there
    for line in info.read_text().splitlines() if info.exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


if __name__ == "__main__":
    main()
