"""What several processes of `self_play_ppo` gain and cost: decisions per second, processor time per decision.

    python benchmarks/processes.py                      # one process and two, in turns; needs a core for each
    python benchmarks/processes.py --workers 1 4 --preset ppo_big2
    python benchmarks/processes.py --workers 1 --widths 64 128 256 512   # networks of two hidden layers, so wide

Several processes have two rows: they share the tables and batches of one, or each has as many as one. Decisions per
second of the clock mean something on a machine that does nothing else; processor time, summed over processes, nearly
always. Intervals are 95 %, over updates after those that warm up. With several widths, it also prints a and b of

    µs of processor time per decision = a + b * thousands of parameters

for one worker, fitted to each round of turns, with an interval over rounds.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace

import numpy as np
import torch

from card_baselines.cli.console import print_table
from card_baselines.ppo.ppo import Config, Ppo, preset
from card_baselines.ppo.presets import PRESETS
from card_baselines.runs.distributed import joined, launch
from card_envs.match.statistics import summarise

_WARM_UP = 3
"""Updates that compile and fill the tables with deals of all lengths."""


@dataclass(frozen=True)
class Task:
    """What a process measures."""

    config: Config
    updates: int


def measured(task: Task) -> list[tuple[float, float]]:
    """Return decisions per second, and microseconds of processor time per decision, of each update."""
    config, rows = task.config, []
    torch.set_num_threads(config.threads)
    with joined(torch.device("cpu")) as world:
        learner = Ppo(config, config.game(), world)
        before = 0.0
        for k in range(_WARM_UP + task.updates):
            decisions, start = learner.decisions, time.perf_counter()
            learner.update(0.5)
            seconds, made = time.perf_counter() - start, learner.decisions - decisions
            used = sum(world.gather(time.process_time()))
            if k >= _WARM_UP and world.is_first:
                rows.append((made / seconds, 1e6 * (used - before) / made))
            before = used
    return rows


def run(task: Task) -> list[tuple[float, float]]:
    """Measure with as many processes as the settings say."""
    return launch(task.config.workers, measured, task) if task.config.workers > 1 else measured(task)


def teams(config: Config, sizes: list[int]) -> list[Config]:
    """Return settings of one worker and of several, which share its work or have as much each."""
    return [
        replace(
            config,
            workers=size,
            num_tables=times * config.num_tables,
            batch=times * config.batch,
            minibatch=times * config.minibatch,
        )
        for size in sizes
        for times in sorted({1, size})
    ]


def num_parameters(config: Config) -> int:
    """Return how many numbers the networks of a run learn."""
    learner = Ppo(replace(config, num_tables=1, batch=1, minibatch=1, workers=1), config.game())
    return sum(parameter.numel() for parameter in learner.parameters)


def fitted(rounds: list[list[float]], parameters: list[int]) -> list[str]:
    """Return the constants of the least-squares line through the costs of each round, as text with intervals."""
    lines = [np.polyfit(np.array(parameters) / 1000, costs, 1) for costs in rounds]
    b, a = (summarise("", values) for values in np.array(lines).T)
    return [f"{name} = {found.mean:.3g} ± {found.mean - found.ci95[0]:.2g}" for name, found in (("a", a), ("b", b))]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="numbers of workers to compare")
    parser.add_argument("--preset", choices=PRESETS, help="by default, the settings of self_play_ppo")
    parser.add_argument("--widths", type=int, nargs="+", default=[], help="of two hidden layers, in policy and value")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each")
    parser.add_argument("--updates", type=int, default=10, help="updates of a turn")
    arguments = parser.parse_args()
    config = preset(arguments.preset) if arguments.preset else Config()
    sizes = [replace(config, hidden=(w, w), value_hidden=(w, w), shared_layers=0) for w in arguments.widths] or [config]
    compared = [team for size in sizes for team in teams(size, arguments.workers)]
    rows: dict[Config, list[tuple[float, float]]] = {team: [] for team in compared}
    costs = []
    for _ in range(arguments.rounds):
        turns = {team: run(Task(team, arguments.updates)) for team in compared}
        for team, measures in turns.items():
            rows[team] += measures
        costs.append([float(np.mean(turns[team], axis=0)[1]) for team in compared if team.workers == 1])
    header = ["hidden", "workers", "tables", "batch", "minibatch", "decisions per second", "µs per decision", "updates"]
    print_table(header, [_row(team, measures) for team, measures in rows.items()], config.env)
    if len(arguments.widths) > 1 and 1 in arguments.workers:
        parameters = [num_parameters(size) for size in sizes]
        print(f"parameters: {parameters}; µs per decision = a + b * parameters / 1000:", *fitted(costs, parameters))


def _row(team: Config, measures: list[tuple[float, float]]) -> list[str]:
    rate, cost = (summarise("", values) for values in np.array(measures).T)
    return [
        " x ".join(map(str, team.hidden)),
        *(f"{number:,}" for number in (team.workers, team.num_tables, team.batch, team.minibatch)),
        *(f"{summary.mean:,.1f} ± {summary.mean - summary.ci95[0]:,.1f}" for summary in (rate, cost)),
        str(len(measures)),
    ]


if __name__ == "__main__":
    main()
