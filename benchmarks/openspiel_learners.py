"""OpenSpiel's own Deep CFR on our Leduc hold'em, through the adapter: a comparison for `card-envs benchmark-learners`.

    pip install dm-tree
    python benchmarks/openspiel_learners.py --minutes 2.5 --seeds 5

Prints the exploitability that OpenSpiel computes, in chips a hand: the unit of docs/results/learners.md. Where settings
correspond they are those of our preset `leduc`; traversals are fewer, since a Python game is slow in OpenSpiel, and
networks go on learning after every iteration instead of beginning anew.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np
import pyspiel
import torch
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability
from open_spiel.python.pytorch.deep_cfr import DeepCFRSolver

import card_wrappers.openspiel  # noqa: F401  registers the games
from card_envs.match.summary import summarise

GAME = "card_envs_leduc_holdem"
SETTINGS: dict[str, Any] = {
    "policy_network_layers": (64, 64, 64),
    "advantage_network_layers": (64, 64, 64),
    "num_iterations": 1,
    "num_traversals": 50,
    "learning_rate": 1e-3,
    "batch_size_advantage": 256,
    "batch_size_strategy": 256,
    "policy_network_train_steps": 80,
    "advantage_network_train_steps": 40,
    "reinitialize_advantage_networks": False,
}


def run(seed: int, minutes: float) -> dict[str, float]:
    """Train for some processor minutes; return time, iterations and exploitability."""
    np.random.seed(seed)  # noqa: NPY002  OpenSpiel draws from the global generator
    torch.manual_seed(seed)
    game = pyspiel.load_game(GAME)
    solver = DeepCFRSolver(game, seed=seed, **SETTINGS)
    start, iterations = time.process_time(), 0
    while time.process_time() - start < 60 * minutes:
        solver.solve()  # one iteration, after which the average network learns
        iterations += 1
    seconds = time.process_time() - start
    average = policy.tabular_policy_from_callable(game, solver.action_probabilities)
    return {
        "seed": seed,
        "seconds": round(seconds, 1),
        "iterations": iterations,
        "exploitability": exploitability.exploitability(game, average),
    }


def main() -> None:
    """Print one line of JSON for each run, and their mean with its 95 % interval."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2.5, help="processor time of a run")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    values = []
    for seed in range(arguments.seeds):
        found = run(seed, arguments.minutes)
        print(json.dumps(found), flush=True)
        values.append(found["exploitability"])
    summary = summarise("deep_cfr", np.array(values))
    width = f" ± {summary.half_width:.4f}" if len(values) > 1 else ""
    print(f"OpenSpiel's Deep CFR: {summary.mean:.4f}{width} chips a hand, {len(values)} seeds")


if __name__ == "__main__":
    main()
