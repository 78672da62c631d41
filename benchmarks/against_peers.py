"""Speed of this package against that of others, on the same path each, in one run.

    make bench                                                  # everything from nothing, about five minutes
    python benchmarks/against_peers.py [--big2-checkout PATH] [--json FILE] [--table FILE] [--short FILE]
    python benchmarks/against_peers.py --only evaluation        # one kind of comparison, printed
    python benchmarks/against_peers.py --from FILE --table FILE # tables of a run that was

Ours and theirs take turns, in every round, on one core; rates are per second of CPU time, medians over the rounds. Play
is uniformly random among the legal actions. Engines that are not installed are skipped with a line that says how to get
them. `--json` keeps the results; `--table` and `--short` replace the tables in files that have a place for them.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from comparisons import Comparison, all_paths, comparisons
from comparisons import Path as PathOfPlay
from report import BEGIN, END, floors, full_table, has_place, put_table, short_table
from results import circumstances, write_json

from card_baselines.progress import ProgressBar
from card_baselines.speed.stopwatch import Speed, Work, measure, one_core, run_python_loop

CALIBRATION = "plain Python"
PACKAGES = (
    *("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "treys", "phevaluator", "eval7"),
    *("pettingzoo", "rlcard", "open_spiel", "pokerkit", "pgx", "jax"),
)


def main() -> None:
    arguments = _arguments()
    report = json.loads(arguments.source.read_text(encoding="utf-8")) if arguments.source else _measured(arguments)
    if arguments.json:
        write_json(arguments.json, report)
    for path, table in ((arguments.table, full_table(report)), (arguments.short, short_table(report))):
        if path:
            put_table(path, table)
            print(f"wrote the table in {path}")
    if not (arguments.table or arguments.short):
        print(full_table(report))
    print(*floors(report), sep="\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="turns of each path, of which the median counts")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of a turn")
    parser.add_argument("--quick", action="store_true", help="one tiny turn each: shows that it runs, not how fast")
    parser.add_argument("--only", default="", help="part of the name of a game: measure those comparisons alone")
    parser.add_argument("--big2-checkout", default="", help="folder of the public Big 2 environment")
    parser.add_argument("--json", type=Path, help="file to write the results to")
    parser.add_argument("--from", dest="source", type=Path, help="file to read results from, instead of measuring")
    parser.add_argument("--table", type=Path, help="Markdown file whose table to replace by all results")
    parser.add_argument("--short", type=Path, help="Markdown file whose table to replace by the short form")
    arguments = parser.parse_args()
    if arguments.big2_checkout and not (Path(arguments.big2_checkout) / "big2Game.py").is_file():
        parser.error(f"--big2-checkout {arguments.big2_checkout}: there is no big2Game.py")
    if (arguments.quick or arguments.only) and (arguments.table or arguments.short):
        parser.error("--quick and --only show something else than the published tables: leave out --table and --short")
    for path in filter(None, (arguments.table, arguments.short)):
        if not has_place(path):  # known before minutes of measuring, not after
            parser.error(f"{path} has no place for a table: write {BEGIN!r} and {END!r} where it belongs")
    if arguments.quick:
        arguments.rounds, arguments.seconds = 1, 0.0
    return arguments


def _measured(arguments: argparse.Namespace) -> dict[str, Any]:
    compared = [row for row in comparisons(arguments.big2_checkout, arguments.quick) if arguments.only in row.game]
    works: dict[str, Work] = {CALIBRATION: run_python_loop}
    skipped: dict[str, dict[str, str]] = {}
    for path in all_paths(compared):
        try:
            works[path.key] = _work(path)
        except ImportError as error:
            if path.install not in skipped:  # a line for each engine, not for each of its paths
                skipped[path.install] = {"path": path.label, "reason": str(error), "install": path.install}
                print(f"skipped {path.label} and the like: {error}; {path.install}", flush=True)
    with one_core() as core, ProgressBar("measuring", len(works) * (1 + arguments.rounds)) as bar:
        speeds = measure(works, arguments.seconds, arguments.rounds, bar.advance)
    return {
        **circumstances(PACKAGES),
        "core": core,
        "rounds": arguments.rounds,
        "seconds": arguments.seconds,
        "calibration": {"unit": "iterations/s", **_numbers(speeds[CALIBRATION])},
        "observations": _observations(),
        "comparisons": list(_rows(compared, speeds)),
        "skipped": list(skipped.values()),
    }


def _work(path: PathOfPlay) -> Work:
    """Return what a path does, ready to be called; raises ImportError where its engine is missing."""
    if path.make.startswith("big2_charlesworth") and not path.argument:
        raise ImportError("no checkout is given")
    module, _, function = path.make.partition(":")
    work: Work = getattr(importlib.import_module(f"peers.{module}"), function)(*filter(None, [path.argument]))
    return work


def _observations() -> dict[str, str]:
    ours: Any = importlib.import_module("peers.ours")
    return {name: ours.observation(name) for name in ours.GAMES}


def _rows(compared: list[Comparison], speeds: dict[str, Speed]) -> Iterator[dict[str, Any]]:
    """Yield every comparison of which our side was measured."""
    for row in compared:
        theirs = [path for path in row.theirs if path.key in speeds]
        if row.ours.key not in speeds:
            continue
        ours = speeds[row.ours.key]
        yield {
            "game": row.game,
            "path": row.path,
            "unit": row.unit,
            "in_short_table": row.in_short_table,
            "floor": row.floor,
            "ours": {"path": row.ours.label, **_numbers(ours)},
            "theirs": [
                {"path": path.label, "times": _rounded(ours.times(speeds[path.key])), **_numbers(speeds[path.key])}
                for path in theirs
            ],
        }


def _numbers(speed: Speed) -> dict[str, Any]:
    return {
        "per_second": round(speed.median),
        "spread": round(speed.spread, 3),
        "rounds": [round(rate) for rate in speed.rates],
    }


def _rounded(ratio: float) -> float:
    return float(f"{ratio:.3g}")


if __name__ == "__main__":
    main()
