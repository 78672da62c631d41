"""What a GPU plays and learns in a second, and that it learns the same: one script for the minutes of a GPU.

    python benchmarks/gpu_check.py [tables same speed learning] [--at-most 300] [--minutes 2] [--json FILE]

Every part prints its table when it is done, and writes it to the JSON file, so that an interrupted script loses little.
`tables` plays at random on 2^12 to 2^20 tables, a decision being sample_actions and step with observation and mask
(`tests/conformance/test_cuda_tables.py` compares their bytes with those of the processor); `same` compares replayed
graphs with plain calls; `speed` measures learned decisions a second on the clock, and the seconds to the end of a first
update, from kernels on disk if the script ran before; `learning` trains the presets of Leduc and heads-up limit hold'em
and saves the runs for matches on a processor.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from numba import cuda
from peers.ours import GAMES
from results import circumstances, write_json

from card_baselines.cli.console import print_table
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config
from card_baselines.ppo.on_device.graphs import Replay
from card_baselines.ppo.on_device.learner import DevicePpo
from card_baselines.ppo.presets import PRESETS
from card_baselines.runs.run import train
from card_envs.cuda import CudaTables
from card_envs.envs import make_game

PARTS = ("tables", "same", "speed", "learning")
PLAIN = Config(num_tables=16_384, batch=262_144, minibatch=16_384, shared_layers=1, average_strategy="off")
"""Heads-up limit hold'em against itself."""
_WARM_UP = 4
"""Updates before a measurement: the first ones run without graphs, then graphs are recorded."""


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"some of {', '.join(PARTS)}; by default all")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement of speed")
    parser.add_argument("--at-most", type=float, default=300.0, help="seconds of `speed`, then no more rows")
    parser.add_argument("--minutes", type=float, default=2.0, help="of each training")
    parser.add_argument("--presets", nargs="+", default=["leduc", "ppo_limit_hu"], help="that are trained")
    parser.add_argument("--folder", type=Path, default=Path("gpu_check_runs"), help="of the trained agents")
    parser.add_argument("--json", type=Path, default=Path("gpu_check.json"))
    parser.add_argument("--quick", action="store_true", help="tiny sizes: shows that it runs, not how fast")
    asked = parser.parse_args()
    found: dict[str, Any] = circumstances(("numpy", "numba", "numba-cuda", "torch"))
    for part in asked.parts or PARTS:
        start = time.perf_counter()
        try:
            found[part] = globals()[f"part_{part}"](asked)
        except Exception:  # the other parts are worth their minutes
            found[part] = traceback.format_exc()
            print(found[part])
        print(f"{part}: {time.perf_counter() - start:.0f} s\n", flush=True)
        write_json(asked.json, found)


def on(asked: argparse.Namespace, config: Config, **changes: Any) -> Config:
    """Return settings on the device that was asked for, with tiny sizes for `--quick`."""
    small = {"num_tables": 64, "batch": 256, "minibatch": 64, "hidden": (16, 16)} if asked.quick else {}
    return replace(config, **{"device": asked.device, "average_strategy": "off", **changes, **small})


def configs() -> dict[str, Config]:
    """Return the settings that are measured, under names."""
    self_play = {"opponents": (), "mixed": 0.0}
    return {
        "plain": PLAIN,
        "ppo_limit_hu": PRESETS["ppo_limit_hu"],
        "ppo_big2": replace(PRESETS["ppo_big2"], **self_play),
        "leduc": PRESETS["leduc"],
    }


def part_tables(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return decisions a second of random legal play in each game, the best of three measurements."""
    powers, steps = ((3,), 1) if asked.quick else ((12, 14, 16, 18, 20), 200)
    rows = []
    for name, power in itertools.product(("limit2", "nl6", "big2"), powers):
        env_id, settings = GAMES[name]
        tables = CudaTables(make_game(env_id, **settings), 2**power, seed=0)
        tables.reset()
        best = min(_time_steps(tables, steps) for _ in range(3))
        rows.append({"game": tables.game.name, "tables": 2**power, "decisions_per_second": steps * 2**power / best})
    cells = [[row["game"], f"{row['tables']:,}", f"{row['decisions_per_second'] / 1e6:.1f}"] for row in rows]
    print_table(["game", "tables", "decisions, M/s"], cells, "Random legal play, observed")
    return rows


def _time_steps(tables: CudaTables, steps: int) -> float:
    cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        tables.step(tables.sample_actions())
    cuda.synchronize()
    return time.perf_counter() - start


def part_same(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return how far weights are apart after updates with graphs and without, from the same seed."""
    rows = []
    for name in ("plain", "leduc"):
        config = on(asked, configs()[name], num_tables=1024, batch=8192, minibatch=1024)
        learners = [DevicePpo(config, config.game()) for _ in range(2)]
        plain = learners[1]
        plain.rollout.replay = Replay(plain.rollout.play_steps, plain.device, uses_graph=False)
        plain.replay = Replay(plain.take_step, plain.device, uses_graph=False)
        for _ in range(8):
            for learner in learners:
                learner.update(0.0)
        weights = [torch.cat([each.detach().flatten() for each in learner.parameters]) for learner in learners]
        apart = float((weights[0] - weights[1]).abs().max())
        rows.append({"settings": name, "largest_difference": apart, "decisions": [one.decisions for one in learners]})
        print(f"{name}: weights after 8 updates differ by at most {apart:g}; decisions {rows[-1]['decisions']}")
    return rows


def measure(config: Config, seconds: float) -> dict[str, Any]:
    """Return decisions a second of a learner, and the share of the time that rollouts take."""
    start = time.perf_counter()
    learner = DevicePpo(config, config.game())
    learner.update(0.5)
    _wait(learner.device)
    first_update = time.perf_counter() - start
    for _ in range(_WARM_UP - 1):
        learner.update(0.5)
    _wait(learner.device)
    begin, first = time.perf_counter(), learner.decisions
    collecting = 0.0
    collect = learner.collect

    def timed() -> int:
        nonlocal collecting
        start = time.perf_counter()
        count = collect()
        _wait(learner.device)
        collecting += time.perf_counter() - start
        return count

    learner.collect = timed  # type: ignore[method-assign]
    while time.perf_counter() - begin < seconds:
        learner.update(0.5)
        _wait(learner.device)
    taken = time.perf_counter() - begin
    made = learner.decisions - first
    played = learner.rollout.num_steps * learner.rollout.num_tables * (learner.updates - _WARM_UP)
    return {
        "tables": config.num_tables, "minibatch": config.minibatch, "hidden": list(config.hidden),
        "steps": learner.rollout.num_steps, "first_update_seconds": first_update, "learned_per_second": made / taken,
        "played_per_second": played / collecting, "share_of_rollouts": collecting / taken,
    }  # fmt: skip


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def part_speed(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the speeds with a grid of sizes, two epochs, and with the sizes of presets, their pools included."""
    sizes = [
        dict(num_tables=tables, minibatch=minibatch, hidden=hidden, batch=max(16 * tables, 2 * minibatch))
        for tables in (1024, 4096, 16_384, 65_536)
        for minibatch in (4096, 16_384, 65_536)
        for hidden in ((64,), (128, 128), (256, 256, 256))
        if hidden == (128, 128) or (tables, minibatch) == (16_384, 16_384)
    ]
    chosen: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in configs()]
    chosen += [("ppo_limit_hu", {"num_tables": count}) for count in (4096, 8192)] + [("ppo_big2", {"num_tables": 1024})]
    chosen += [("plain", each) for each in sizes[: 1 if asked.quick else None]]
    rows, begin = list[dict[str, Any]](), time.perf_counter()
    for name, changes in chosen:
        if time.perf_counter() - begin > asked.at_most:
            print(f"the last {len(chosen) - len(rows)} rows are not measured: --at-most {asked.at_most:g}")
            break
        rows.append({"settings": name} | measure(on(asked, configs()[name], **changes), asked.seconds))
        print(rows[-1], flush=True)
    header = [
        "settings",
        "tables",
        "steps",
        "minibatch",
        "hidden",
        "learned, M/s",
        "played, M/s",
        "rollouts",
        "first update, s",
    ]
    cells = [
        [
            row["settings"], f"{row['tables']:,}", str(row["steps"]), f"{row['minibatch']:,}",
            "x".join(map(str, row["hidden"])), f"{row['learned_per_second'] / 1e6:.2f}",
            f"{row['played_per_second'] / 1e6:.2f}", f"{row['share_of_rollouts']:.0%}",
            f"{row['first_update_seconds']:.1f}",
        ]
        for row in rows
    ]  # fmt: skip
    print_table(header, cells, "Sizes of heads-up limit hold'em against itself, and of presets")
    return rows


def part_learning(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return what runs of presets reach in minutes, and save them."""
    rows = []
    for name in asked.presets:
        strategy = PRESETS[name].average_strategy
        config = on(
            asked, PRESETS[name], average_strategy=strategy, minutes=asked.minutes, panel=("random",),
            evaluation_hands=2000, final_hands=2000,
        )  # fmt: skip
        run = train(ALGORITHM, config, asked.folder / name, progress=False)
        rows.append({"settings": name, **json.loads((run.path / "evaluation.json").read_text(encoding="utf-8"))})
        print(rows[-1])
    return rows


if __name__ == "__main__":
    main()
