"""Exploitability of sampled CFR in Leduc hold'em by processor time, beside donksolver.

    python benchmarks/sampled_cfr.py --seeds 5 --seconds 0.5 1.3 5

Both solvers start anew with each seed and take turns on one core. Their time includes what they do before the first
iteration (here: the tree of the game), but neither compilation nor measurements. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from card_baselines.solvers.sampled_cfr import SampledCfr
from card_envs import make_game
from card_envs.analysis.exploitability.best_response import strategy_exploitability
from card_envs.analysis.exploitability.public_tree import PublicTree

_CHUNKS = 20
"""Number of parts of the time of a solver, so that it is hardly exceeded."""


class Solver(NamedTuple):
    """A solver that has begun."""

    run: Callable[[int], None]
    """Runs so many deals more."""
    measure: Callable[[], float]
    """Returns the exploitability of the average strategy, in chips a hand."""


def start_ours(seed: int) -> Solver:
    """Start `SampledCfr`; an iteration is 1,000 deals, which both players traverse."""
    public = PublicTree(make_game("leduc_holdem-v0"))
    solver = SampledCfr(public, seed)
    return Solver(
        lambda deals: solver.run(max(1, deals // 1000)),
        lambda: strategy_exploitability(public, solver.strategy()).exploitability,
    )


def start_donksolver(seed: int, share: float) -> Solver:
    """Start donksolver, which adds a share of the visited strategies to the average."""
    import donksolver

    solver = donksolver.Solver(donksolver.toy("leduc", 2, seed=seed + 1, p_avg=share))
    return Solver(lambda deals: solver.run(deals, threads=1), lambda: solver.exploitability()["nashconv"] / 2)


SOLVERS: dict[str, Callable[[int], Solver]] = {
    "`tabular_mccfr`": start_ours,
    "donksolver, its settings": lambda seed: start_donksolver(seed, 0.02),
    "donksolver, all strategies averaged": lambda seed: start_donksolver(seed, 1.0),
}


def measure(start: Callable[[int], Solver], seed: int, budgets: list[float]) -> Iterator[float]:
    """Yield the exploitability after each of the budgets, in seconds of processor time."""
    begin = time.process_time()
    solver = start(seed)
    used, deals, speed = time.process_time() - begin, 0, 50_000.0
    for budget in budgets:
        while used < budget:
            part = max(1000, int(speed * min(budget - used, budget / _CHUNKS)))
            begin = time.process_time()
            solver.run(part)
            taken = time.process_time() - begin
            used, deals, speed = used + taken, deals + part, part / taken
        yield solver.measure()


def main() -> None:
    """Print a row for each solver."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.5, 1.3, 5.0])
    arguments = parser.parse_args()
    start_ours(0).run(1)  # compiles
    found: dict[str, list[list[float]]] = {name: [] for name in SOLVERS}
    for seed in range(arguments.seeds):
        for name, start in SOLVERS.items():
            found[name].append(list(measure(start, seed, arguments.seconds)))
    print(f"| solver | {' | '.join(f'{seconds:g} s' for seconds in arguments.seconds)} |")
    print("|---" * (1 + len(arguments.seconds)) + "|")
    for name, rows in found.items():
        columns = zip(*rows, strict=True)
        cells = [f"{statistics.mean(cell):.4f} ({min(cell):.4f} to {max(cell):.4f})" for cell in columns]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
