"""What several workers of `self_play_ppo` gain and cost: decisions per second, processor time per decision.

    python benchmarks/workers.py                        # one worker and two, in turns; needs a core for each
    python benchmarks/workers.py --workers 1 4 --preset ppo_big2

Several workers have two rows: they share the tables and batches of one, or each has as many as one. Decisions per
second of the clock mean something on a machine that does nothing else; processor time, summed over the workers, nearly
always. Intervals are 95 %, over updates after those that warm up.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from card_baselines.cli.console import print_table
from card_baselines.training.presets import PRESETS
from card_baselines.training.self_play_learner import Learner
from card_baselines.training.self_play_ppo import Config, game_of, preset
from card_baselines.training.workers import Team, hired
from card_envs.match.statistics import summarise

_WARM_UP = 3
"""Updates that compile and fill the tables with deals of all lengths."""


class TimedLearner(Learner):
    """A learner that tells how much processor time its worker has used."""

    def processor_seconds(self) -> float:
        """Return the seconds of all threads of this process."""
        return time.process_time()


def timed(config: Config, team: Team) -> TimedLearner:
    """Return the learner of one worker."""
    torch.set_num_threads(config.threads)
    return TimedLearner(config, game_of(config), team)


def measured(config: Config, updates: int) -> list[tuple[float, float]]:
    """Return decisions per second, and microseconds of processor time per decision, of each update."""
    rows = []
    with hired(config.workers, partial(timed, config)) as learner:
        before = 0.0
        for k in range(_WARM_UP + updates):
            decisions, start = learner.decisions, time.perf_counter()
            learner.update(0.5)
            seconds, made = time.perf_counter() - start, learner.decisions - decisions
            used = learner.processor_seconds() + sum(learner.team.ask("processor_seconds"))
            if k >= _WARM_UP:
                rows.append((made / seconds, 1e6 * (used - before) / made))
            before = used
    return rows


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


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="numbers of workers to compare")
    parser.add_argument("--preset", choices=PRESETS, help="by default, the settings of self_play_ppo")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each")
    parser.add_argument("--updates", type=int, default=10, help="updates of a turn")
    arguments = parser.parse_args()
    config = preset(arguments.preset) if arguments.preset else Config()
    rows: dict[Config, list[tuple[float, float]]] = {team: [] for team in teams(config, arguments.workers)}
    for _ in range(arguments.rounds):
        for team, measures in rows.items():
            measures += measured(team, arguments.updates)
    header = ["workers", "tables", "batch", "minibatch", "decisions per second", "µs per decision", "updates"]
    print_table(header, [_row(team, measures) for team, measures in rows.items()], config.env)


def _row(team: Config, measures: list[tuple[float, float]]) -> list[str]:
    rate, cost = (summarise("", values) for values in np.array(measures).T)
    return [
        *(f"{number:,}" for number in (team.workers, team.num_tables, team.batch, team.minibatch)),
        *(f"{summary.mean:,.1f} ± {summary.mean - summary.ci95[0]:,.1f}" for summary in (rate, cost)),
        str(len(measures)),
    ]


if __name__ == "__main__":
    main()
