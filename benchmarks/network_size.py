"""What a decision of `self_play_ppo` costs with networks of several sizes, in microseconds of processor time.

    python benchmarks/network_size.py --widths 64 128 256 512   # of two hidden layers, in policy and value

Gathering and learning are included; sizes take turns, and updates that warm up are left out. It also prints a and b of

    µs of processor time per decision = a + b * thousands of parameters

fitted to each round of turns, with 95 % intervals over rounds.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
import torch

from card_baselines.cli.console import print_table
from card_baselines.ppo.config import Config
from card_baselines.ppo.fast_cpu import FastPpo
from card_baselines.ppo.presets import PRESETS
from card_envs.match.summary import summarise

_WARM_UP = 3
"""Updates that compile and fill the tables with deals of all lengths."""


def measure(config: Config, updates: int) -> list[float]:
    """Return the microseconds of processor time per decision of each update."""
    learner, costs = FastPpo(config, config.game()), []
    for k in range(_WARM_UP + updates):
        decisions, start = learner.decisions, time.process_time()
        learner.update(0.5)
        if k >= _WARM_UP:
            costs.append(1e6 * (time.process_time() - start) / (learner.decisions - decisions))
    return costs


def num_parameters(config: Config) -> int:
    """Return how many numbers the networks of a run learn."""
    learner = FastPpo(replace(config, num_tables=1, batch=1, minibatch=1), config.game())
    return sum(parameter.numel() for parameter in learner.parameters)


def fit_costs(rounds: list[list[float]], parameters: list[int]) -> list[str]:
    """Return the constants of the least-squares line through the costs of each round, as text with intervals."""
    lines = [np.polyfit(np.array(parameters) / 1000, costs, 1) for costs in rounds]
    b, a = (summarise("", values) for values in np.array(lines).T)
    return [f"{name} = {found.mean:.3g} ± {found.mean - found.ci95[0]:.2g}" for name, found in (("a", a), ("b", b))]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--preset", choices=PRESETS, help="by default, the settings of self_play_ppo")
    parser.add_argument("--widths", type=int, nargs="+", default=[64, 128, 256, 512], help="of two hidden layers")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each")
    parser.add_argument("--updates", type=int, default=1, help="updates of a turn")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    base = PRESETS[asked.preset] if asked.preset else Config()
    sizes = [replace(base, hidden=(w, w), shared_layers=0) for w in asked.widths]
    turns = [[measure(size, asked.updates) for size in sizes] for _ in range(asked.rounds)]
    parameters = [num_parameters(size) for size in sizes]
    rows = []
    for k, size in enumerate(sizes):
        cost = summarise("", np.concatenate([turn[k] for turn in turns]))
        interval = f"{cost.mean:.1f} ± {cost.mean - cost.ci95[0]:.1f}"
        rows.append([" x ".join(map(str, size.hidden)), f"{parameters[k]:,}", interval])
    print_table(["hidden", "parameters", "µs per decision (± 95 %)"], rows, base.env)
    if len(sizes) > 1:
        costs = [[float(np.mean(measures)) for measures in turn] for turn in turns]
        print("µs per decision = a + b * parameters / 1000:", *fit_costs(costs, parameters))


if __name__ == "__main__":
    main()
