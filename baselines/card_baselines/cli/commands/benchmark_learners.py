"""`card-envs bench learners`: exact exploitability of learners of equilibria, over several seeds."""

from __future__ import annotations

import math
from pathlib import Path

from card_baselines.cli.arguments import require_known
from card_baselines.cli.console import print_report
from card_baselines.cli.options import AsJson, Names
from card_baselines.progress import ProgressBar
from card_baselines.text_table import TextTable


def benchmark_learners(
    games: Names = (),
    learners: Names = (),
    seeds: int = 5,
    minutes: float = 0.0,
    folder: Path = Path("runs/benchmark_learners"),
    as_json: AsJson = False,
) -> None:
    """Train learners of equilibria with several seeds, and print how exploitable they are.

    The folder gets a run folder for each game, learner and seed, learners.json with all curves, and a picture for each
    small game. In flop hold'em the finished runs are measured: networks over all flops, mixtures of networks on 30
    random flops, a lower bound. The same command continues an interrupted benchmark; another one with the same folder
    adds to it.

    Args:
        games: kuhn, leduc, flop. By default kuhn and leduc.
        learners: sd_cfr, deep_cfr, dream, nfsp, mmd, ppo, ppo_average, tabular_mccfr. By default all that have settings
            for the game.
        seeds: Number of runs of each learner in each game; their seeds are 0, 1, ...
        minutes: Processor time of each run. By default half a minute in Kuhn poker, ten minutes in Leduc hold'em, and
            an hour in flop hold'em.
        folder: Folder of the runs and the report.
    """
    from card_baselines.neural import benchmark

    chosen_games = games or tuple(name for name, game in benchmark.GAMES.items() if game.is_small)
    chosen = learners or tuple(benchmark.ENTRANTS)
    for name in chosen_games:
        require_known("game", name, benchmark.GAMES)
    for name in chosen:
        require_known("learner", name, benchmark.ENTRANTS)
        for game in chosen_games if learners else ():
            if not benchmark.can_learn(name, game):
                able = [other for other in benchmark.ENTRANTS if benchmark.can_learn(other, game)]
                raise ValueError(f"learner {name} has no settings for {game}: choose one of {', '.join(able)}")
    if seeds < 1 or not 0 <= minutes < math.inf:
        raise ValueError(f"seeds {seeds} must be at least 1, minutes {minutes:g} at least 0, and finite")
    with ProgressBar("runs", seeds * len(chosen_games) * len(chosen), not as_json) as bar:
        report = benchmark.run_benchmark(folder, chosen_games, chosen, seeds, minutes, bar.advance)
    for game in filter(lambda name: benchmark.GAMES[name].is_small, report["references"]):
        benchmark.draw_curves(report, game, folder / f"learners_{game}.png")
    tables = [
        TextTable(
            f"{benchmark.GAMES[game].env}: exploitability, mean and 95 % interval over seeds",
            benchmark.table_header(game),
            benchmark.table_rows(report, game),
        )
        for game in report["references"]
    ]
    print_report(report, [*tables, f"Curves: {folder / benchmark.REPORT}, pictures beside it"], as_json)
