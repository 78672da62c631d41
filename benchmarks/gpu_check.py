"""What a GPU learns in a second, and that it learns the same: one script for the minutes in which there is a GPU.

    python benchmarks/gpu_check.py [compile same speed presets learning] [--minutes 2] [--json FILE] [--folder FOLDER]

Every part prints its table when it is done, and writes it to the JSON file, so that an interrupted script loses little.
`compile` builds all kernels in processes beside each other and starts one again, whose kernels come from disk; `same`
compares replayed graphs with plain calls; `speed` and `presets` measure learned decisions a second on the clock, and
`learning` trains the presets of Leduc and heads-up limit hold'em and saves the runs for matches on a processor.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from results import circumstances, write_json

from card_baselines.agents.learned.devices import find_device
from card_baselines.cli.console import print_table
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config
from card_baselines.ppo.on_device.graphs import Replay
from card_baselines.ppo.on_device.learner import DevicePpo
from card_baselines.ppo.presets import PRESETS
from card_baselines.runs.run import train

PARTS = ("compile", "same", "speed", "presets", "learning")
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
    parser.add_argument("--minutes", type=float, default=2.0, help="of each training")
    parser.add_argument("--json", type=Path, default=Path("gpu_check.json"))
    parser.add_argument("--folder", type=Path, default=Path("gpu_check_runs"))
    parser.add_argument("--quick", action="store_true", help="tiny sizes: shows that it runs, not how fast")
    parser.add_argument("--first-update", help="used by `compile`: print the seconds until a preset's first update")
    asked = parser.parse_args()
    if asked.first_update:
        print(json.dumps(first_update(asked.first_update, asked)))
        return
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
    """Return the settings that are compiled, under names."""
    self_play = {"opponents": (), "mixed": 0.0}
    return {
        "plain": PLAIN,
        "ppo_limit_hu": PRESETS["ppo_limit_hu"],
        "ppo_big2": replace(PRESETS["ppo_big2"], **self_play),
        "leduc": PRESETS["leduc"],
    }


def first_update(name: str, asked: argparse.Namespace) -> float:
    """Return the seconds from the beginning of the learner to the end of its first update."""
    config = on(asked, configs()[name])
    start = time.perf_counter()
    torch.zeros(1, device=find_device(asked.device))
    print("PyTorch on the device", time.perf_counter() - start)
    learner = DevicePpo(config, config.game())
    print("tables", time.perf_counter() - start)
    learner.rollout.reseat()
    print("kernel", time.perf_counter() - start)
    learner.update(0.0)
    return time.perf_counter() - start


def part_compile(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the seconds to a first update, compiled and from disk."""
    seconds: dict[str, list[float]] = {}
    for _ in range(2):
        processes = {name: _start(name, asked) for name in configs()}
        for name, process in processes.items():
            text, error = process.communicate()
            if process.returncode:
                print(f"{name}: {error[-3000:]}")
            else:
                print(f"{name}: {' '.join(text.split())}")
                seconds.setdefault(name, []).append(json.loads(text.splitlines()[-1]))
    rows = [{"settings": name, "compiled": taken[0], "from_disk": taken[-1]} for name, taken in seconds.items()]
    cells = [[row["settings"], f"{row['compiled']:.1f}", f"{row['from_disk']:.1f}"] for row in rows]
    print_table(["settings", "compiled", "kernels on disk"], cells, "Seconds to the end of a first update")
    return rows


def _start(name: str, asked: argparse.Namespace) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--device", asked.device, "--first-update", name]
    command += ["--quick"] if asked.quick else []
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")


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
    learner = DevicePpo(config, config.game())
    for _ in range(_WARM_UP):
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
        "steps": learner.rollout.num_steps, "learned_per_second": made / taken,
        "played_per_second": played / collecting, "share_of_rollouts": collecting / taken,
    }  # fmt: skip


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _print_speeds(rows: list[dict[str, Any]], title: str) -> None:
    header = ["settings", "tables", "steps", "minibatch", "hidden", "learned, M/s", "played, M/s", "rollouts"]
    cells = [
        [
            row.get("settings", ""), f"{row['tables']:,}", str(row["steps"]), f"{row['minibatch']:,}",
            "x".join(map(str, row["hidden"])), f"{row['learned_per_second'] / 1e6:.2f}",
            f"{row['played_per_second'] / 1e6:.2f}", f"{row['share_of_rollouts']:.0%}",
        ]
        for row in rows
    ]  # fmt: skip
    print_table(header, cells, title)


def part_speed(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the speeds of a grid of sizes in heads-up limit hold'em, two epochs."""
    sizes = [
        (tables, minibatch, hidden)
        for tables in (1024, 4096, 16_384, 65_536)
        for minibatch in (4096, 16_384, 65_536)
        for hidden in ((64,), (128, 128), (256, 256, 256))
        if hidden == (128, 128) or (tables, minibatch) == (16_384, 16_384)
    ]
    rows = []
    for tables, minibatch, hidden in sizes:
        batch = max(16 * tables, 2 * minibatch)
        rows.append(
            measure(on(asked, PLAIN, num_tables=tables, minibatch=minibatch, hidden=hidden, batch=batch), asked.seconds)
        )
    _print_speeds(rows, "Heads-up limit hold'em against itself, two epochs")
    return rows


def part_presets(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the speeds with the sizes of presets, pools included where they have frozen networks and scripts."""
    rows = []
    for name, config in configs().items():
        rows.append({"settings": name} | measure(on(asked, config), asked.seconds))
    for name, tables in (("ppo_limit_hu", 4096), ("ppo_limit_hu", 8192), ("ppo_big2", 1024)):
        rows.append({"settings": name} | measure(on(asked, configs()[name], num_tables=tables), asked.seconds))
    _print_speeds(rows, "Sizes of presets")
    return rows


def part_learning(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return what runs of presets reach in minutes, and save them."""
    rows = []
    for name in ("leduc", "ppo_limit_hu"):
        strategy = PRESETS[name].average_strategy
        config = on(asked, PRESETS[name], minutes=asked.minutes, average_strategy=strategy, final_hands=2000)
        config = replace(config, panel=("random",), evaluation_hands=2000)
        run = train(ALGORITHM, config, asked.folder / name, progress=False)
        rows.append({"settings": name, **json.loads((run.path / "evaluation.json").read_text(encoding="utf-8"))})
        print(rows[-1])
    return rows


if __name__ == "__main__":
    main()
