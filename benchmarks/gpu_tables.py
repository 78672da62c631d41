"""Speed of the tables on a GPU: decisions per second in uniformly random legal play, and the bytes beside the limit.

    python benchmarks/gpu_tables.py [--tables 12 14 16 18 20] [--json benchmarks/results/gpu_tables.json]

Needs a GPU and `pip install 'card-envs[cuda]'`; it is the one command that measures `make_vector(..., device="cuda")`.
First it plays the same tables on the processor and compares every byte. Then, for 2^12 to 2^20 tables, a decision is
sample_actions and step, with observation and mask, in wall-clock time. `moved` are the bytes that it moves at least
(the record read and written, observation and mask written) as a share of what the GPU copies in the same time.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import cuda
from results import circumstances, write_json

from card_envs.cuda import CudaTables
from card_envs.cuda.device import CudaUnavailableError
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.vector import VectorTables

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("limit_holdem-v0", {"num_players": 2}),
    ("no_limit_holdem-v0", {"num_players": 6}),
    ("big2-v0", {}),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, nargs="+", default=[12, 14, 16, 18, 20], help="powers of two")
    parser.add_argument("--steps", type=int, default=200, help="steps of a measurement; of three the best counts")
    parser.add_argument("--json", type=Path, help="file to write the results to")
    parser.add_argument("--quick", action="store_true", help="a few tables and steps: shows that it runs, not how fast")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.tables, arguments.steps = [3], 1
    num_compared, copied = (4, 2**20) if arguments.quick else (256, 2**29)
    rows = []
    try:
        for env_id, settings in GAMES:
            game = make_game(env_id, **settings)
            compare_with_processor(game, num_compared, steps=num_compared // 2)
            bandwidth = bytes_per_second(copied)
            rows += [measure(game, 2**power, arguments.steps, bandwidth) for power in arguments.tables]
    except CudaUnavailableError as error:
        parser.exit(1, f"{error}\n")
    if arguments.json:
        write_json(arguments.json, {**circumstances(("numpy", "numba", "numba-cuda")), "results": rows})


def compare_with_processor(game: Game, num_tables: int, steps: int) -> None:
    """Exit with a message unless the GPU shows the bytes that the processor shows."""
    gpu, cpu = (kind(game, num_tables, seed=0) for kind in (CudaTables, VectorTables))
    shown, wanted = gpu.reset(), cpu.reset()
    for step in range(steps):
        for name, array, expected in zip(wanted._fields, shown, wanted, strict=True):
            if array.copy_to_host().tobytes() != np.ascontiguousarray(expected).tobytes():
                raise SystemExit(f"{game.name}: after {step} steps the GPU shows another {name} than the processor")
        shown, wanted = gpu.step(gpu.sample_actions()), cpu.step(cpu.sample_actions())
    print(f"{game.name}: {steps} steps of {num_tables} tables have the bytes of the processor")


def bytes_per_second(size: int) -> float:
    """Return how many bytes the GPU reads and writes in a second, when it copies a large array."""
    source, target = (cuda.device_array(size, np.uint8) for _ in range(2))
    best = np.inf
    for _ in range(5):
        cuda.synchronize()
        start = time.perf_counter()
        target.copy_to_device(source)
        cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return 2 * size / best


def measure(game: Game, num_tables: int, steps: int, bandwidth: float) -> dict[str, Any]:
    """Return and print the speed of one game with so many tables."""
    tables = CudaTables(game, num_tables, seed=0)
    tables.reset()
    best = np.inf
    for _ in range(3):
        cuda.synchronize()
        start = time.perf_counter()
        for _ in range(steps):
            tables.step(tables.sample_actions())
        cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    rate = steps * num_tables / best
    shown = game.layout.size * np.dtype(game.layout.dtype).itemsize + game.num_actions
    moved = rate * (2 * game.new_tables(1).dtype.itemsize + shown)
    print(f"{game.name:20} {num_tables:>9,} tables {rate / 1e6:9.1f} M decisions/s, moved {moved / bandwidth:5.1%}")
    row = {"game": game.name, "settings": str(game.config), "tables": num_tables, "decisions_per_second": round(rate)}
    return {**row, "bytes_per_second": round(moved), "copy_bytes_per_second": round(bandwidth)}


if __name__ == "__main__":
    main()
