"""Compute a near-equilibrium strategy of heads-up limit hold'em by Monte Carlo CFR, for the player `cfr`.

The run folder is an agent. The strategy that is shipped is such a run: `search/data` says with which settings.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from card_baselines.agents.solvers.cfr import STRATEGY, Cfr, save_strategy
from card_baselines.agents.solvers.equity_buckets import equal_bounds
from card_baselines.agents.solvers.mccfr import Mccfr
from card_baselines.progress import progress_bar
from card_baselines.run_folder import EVALUATION, RunFolder
from card_envs.agent import find_agent
from card_envs.envs import make_game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.match import play_match

ENV = "limit_holdem-v0"
_AT_ONCE = 20_000  # iterations between two looks at the clock


@dataclass(frozen=True)
class Config:
    """Settings of a run; it ends with the first of iterations and minutes."""

    iterations: int = 4_000_000
    """Deals that are played through, for both players."""
    minutes: float = 60.0
    """Time budget, evaluation aside."""
    buckets: int = 40
    """Kinds of hands that each street after the first tells apart."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "shi_rules", "equity")
    """Agents that the strategy is measured against at the end."""
    hands: int = 50_000
    """Of each measurement, duplicate deals."""
    seed: int = 0
    folder: str = ""
    """Run folder; by default a new one below `runs/`. A finished run there is only measured again."""
    progress: bool = True


def main(config: Config) -> RunFolder:
    """Compute, save, measure, and return the run folder."""
    run = RunFolder(Path(config.folder)) if config.folder else RunFolder.named(Path("runs"), ENV, "mccfr", config.seed)
    run.start(describe(config))
    if not (run.path / STRATEGY).exists():
        solver = compute(config, run)
        with run.replacing(STRATEGY) as temporary:
            save_strategy(temporary, solver.strategy(), solver.bounds)
    run.write_json(EVALUATION, evaluate(run, config))
    return run


def describe(config: Config) -> dict[str, Any]:
    """Return what config.json holds."""
    settings = {key: value for key, value in asdict(config).items() if key not in ("folder", "progress")}
    return {"agent": "cfr", "algorithm": "mccfr", "env": ENV, **settings}


def compute(config: Config, run: RunFolder) -> Mccfr:
    """Return the solver after its iterations; the speed goes to the metrics."""
    solver = Mccfr(HoldemConfig.limit(), equal_bounds(config.buckets, config.seed), config.seed)
    solver.run(1)  # compiles
    start = time.perf_counter()
    with progress_bar("iterations", config.iterations, config.progress) as bar:
        while solver.iterations < config.iterations and time.perf_counter() - start < 60 * config.minutes:
            solver.run(min(_AT_ONCE, config.iterations - solver.iterations))
            bar.update(solver.iterations)
            run.log({"iterations": solver.iterations, "seconds": time.perf_counter() - start})
    return solver


def evaluate(run: RunFolder, config: Config) -> dict[str, Any]:
    """Return what the strategy wins against each agent of the panel, in big blinds per hand."""
    game = make_game(ENV)
    agent = Cfr(game, run.path)
    results = {}
    for name in config.panel:
        summary = play_match(game, [agent, find_agent(name, game)], config.hands, config.seed, duplicate=True).agents[0]
        results[name] = {"mean": summary.mean, "ci95": list(summary.ci95)}
    return {"env": ENV, "hands": config.hands, "unit": game.unit, "against": results}
