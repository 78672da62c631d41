"""What a decision costs self-play PPO, in microseconds of processor time, with other networks, minibatches and types.

    python benchmarks/learning.py                              # heads-up limit hold'em
    python benchmarks/learning.py --preset ppo_big2 --rounds 3

All settings take turns, so that whatever else the machine does hits them alike. Gathering is included; a last row is
gathering alone. `gpu_check.py` measures the learner of a GPU. What all this says about quality is nothing: more
decisions in the same time are worth something only if the agent is as good afterwards.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from card_baselines.cli.console import print_table
from card_baselines.ppo.config import Config
from card_baselines.ppo.fast_cpu import FastPpo
from card_baselines.ppo.presets import PRESETS
from card_envs.match.summary import summarise

Measure = tuple[float, float]
"""Microseconds of processor time per decision, and decisions per second of the clock."""

_WARM_UP = 2
"""Updates that compile and fill the tables with deals of all lengths."""


def variants(base: Config) -> dict[str, dict[str, Any]]:
    """Return the settings to compare, under names."""
    shared = {"shared_layers": 1}
    large = {"minibatch": 4 * base.minibatch}
    return {
        "as they are, plain PyTorch": {"fast_cpu": "off"},
        "as they are": {},
        "minibatch x 4": large,
        "shared first layer": shared,
        "shared, minibatch x 4": shared | large,
        "shared, minibatch x 4, bfloat16": shared | large | {"fast_cpu": "bfloat16"},
    }


def measured(work: Callable[[], int]) -> Measure:
    """Return what work costs that returns the number of its decisions."""
    used, start = time.process_time(), time.perf_counter()
    made = work()
    return 1e6 * (time.process_time() - used) / made, made / (time.perf_counter() - start)


def learned(learner: FastPpo) -> int:
    """Do one update; return how many decisions it learned from."""
    before = learner.decisions
    learner.update(0.5)
    return learner.decisions - before


def gathered(learner: FastPpo) -> int:
    """Gather a batch and forget it; return how many decisions it has."""
    made = learner.rollout.collect(learner.network, learner.config.batch)
    learner.rollout.buffer.discard_finished()
    return made


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--preset", choices=PRESETS, help="by default, the settings of self_play_ppo")
    parser.add_argument("--rounds", type=int, default=6, help="updates of each setting")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    chosen = PRESETS[asked.preset] if asked.preset else Config()
    base = replace(chosen, device="cpu", average_strategy="off", fast_cpu="float32")
    works = _works(base)
    found: dict[str, list[Measure]] = {name: [] for name in works}
    for _ in range(asked.rounds):
        for name, work in works.items():
            found[name].append(measured(work))
    rows = []
    for name, taken in found.items():
        cost, speed = (summarise(name, values) for values in np.array(taken).T)
        rows.append([name, f"{cost.mean:.1f} ± {(cost.ci95[1] - cost.ci95[0]) / 2:.1f}", f"{speed.mean:,.0f}"])
    header = ["settings", "µs of processor time per decision (± 95 %)", "decisions per second"]
    print_table(header, rows, f"{base.env}, {asked.rounds} updates each")


def _works(base: Config) -> dict[str, Callable[[], int]]:
    """Return what is measured, under names, warmed up."""
    learners = {name: _learner(replace(base, **changes)) for name, changes in variants(base).items()}
    works: dict[str, Callable[[], int]] = {name: partial(learned, learner) for name, learner in learners.items()}
    works["as they are, gathering alone"] = partial(gathered, learners["as they are"])
    return works


def _learner(config: Config) -> FastPpo:
    learner = FastPpo(config, config.game())
    for _ in range(_WARM_UP):
        learner.update(0.0)
    return learner


if __name__ == "__main__":
    main()
