"""What training leaves: measures and weights after three updates on the CPU, in one process, from seed 0."""

from __future__ import annotations

import contextlib
import csv
import io
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from card_baselines.cli import main
from tests.pinned.pin import Pin, digest

COMMON = "--seed 0 --device cpu --no-progress --panel random --evaluation-hands 100 --final-hands 100"
PPO = "--minutes 0 --num-tables 128 --batch 2048 --fast-cpu float32 --evaluation-seconds 1000000"
PLAIN, EXPLOITED = f"{PPO} --steps 5000", f"{PPO} --steps 7000 --exploiter-batches 1"
"""Three batches of 2,048 decisions and a few more each; where there are exploiters, one learns from another batch."""
SB3 = "--minutes 0 --steps 5000 --num-tables 64 --evaluation-seconds 1000000"
RUNS = {
    "self_play_ppo": PLAIN,
    "self_play_ppo --preset ppo_limit_hu": PLAIN,
    "self_play_ppo --preset ppo_no_limit_hu": EXPLOITED,
    "self_play_ppo --preset ppo_limit_six_max": PLAIN,
    "self_play_ppo --preset ppo_no_limit_six_max": EXPLOITED,
    "self_play_ppo --preset tight_no_limit_six_max": EXPLOITED,
    "self_play_ppo --preset ppo_big2": PLAIN,
    "self_play_ppo --preset ppo_big2_clean": PLAIN,
    "self_play_ppo --preset flop": PLAIN,
    "self_play_ppo --preset leduc": PLAIN,
    "self_play_ppo --preset kuhn": PLAIN,
    "self_play_ppo --preset charlesworth2018": PLAIN,
    "maskable_ppo": SB3,
    "maskable_dqn": f"{SB3} --learning-starts 1000",
    "recurrent_ppo": SB3,
    "shi2022": "--episodes 30 --num-tables 60 --updates 1 --warm-up 1",
    "mccfr": "--minutes 0 --iterations 300 --evaluation-seconds 1000000",
    "public_chance_cfr": "--iterations 3 --width 4 --evaluation-seconds 1000000",
}
"""Command -> the flags that make it three updates, or as few as the algorithm can make; every preset has a line."""
LEFT_OUT = ("seconds", "half_width")
"""Columns of `metrics.csv` by their ends: times, and intervals, which the tests of statistics hold."""


def names() -> Iterator[str]:
    """Yield the commands."""
    yield from RUNS


def compute(name: str) -> Pin:
    """Train, and pin the last measures and the weights that play."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            status = main(["train", *name.split(), *RUNS[name].split(), *COMMON.split(), "--folder", folder])
        assert status == 0, name
        return pin_folder(Path(folder))


def pin_folder(folder: Path) -> Pin:
    """Pin what a run left in its folder."""
    with (folder / "metrics.csv").open() as file:
        last = {key: value for key, value in list(csv.DictReader(file))[-1].items() if not key.endswith(LEFT_OUT)}
    weights = weights_in(folder)
    total = float(sum(np.abs(array.astype(np.float64)).sum() for array in weights))
    count = sum(array.size for array in weights)
    return {
        "exact": {"measures": list(last), "weights": count},
        "same_machine": {"metrics": last, "weights": digest(*weights)},
        "close": {"sum of absolute weights": total},
    }


def weights_in(folder: Path) -> list[NDArray[np.generic]]:
    """Return the arrays of numbers of the policy, sorted by what is in them: the names of layers may change."""
    arrays: list[NDArray[np.generic]] = []
    for path in sorted([*folder.glob("policy.safetensors"), *folder.glob("strategy.*")]):
        arrays += load_file(path).values() if path.suffix == ".safetensors" else np.load(path).values()
    assert arrays, f"no weights among {sorted(path.name for path in folder.iterdir())}"
    return sorted((array for array in arrays if array.dtype.kind != "U"), key=lambda array: digest(array))
