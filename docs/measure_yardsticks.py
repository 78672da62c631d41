"""Measure how exploitable players of heads-up limit hold'em are, for the table in results/exploitability.md.

`python docs/measure_yardsticks.py` runs `card-envs exploit` for each agent and instrument, one after the other, and
keeps what it prints in results/yardsticks.json after each; what is there already is not measured again. Agents and
instruments can be named, others than the usual ones too; `--again` replaces their rows. Then `python docs/generate.py`
writes the table.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from card_baselines.grid import Cell, Grid, Layout
from card_baselines.run_folder import git_commit

REPO = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "yardsticks.json"
OPTIONS = {
    "exact-flops": "--flops 10",
    "local": "--hands 4000",
    "learned": "--minutes 5 --hands 50000",
}
"""Instrument -> how much of it."""
SCRIPTED = ("always_call", "always_raise", "chen", "sklansky", "shi_rules", "tight_aggressive", "loose_passive")
AGENTS = (*SCRIPTED, "equity", "cfr_small", "cfr_large", "ppo_limit_hu")
BY_THE_BILLION = ("equity", "ppo_limit_hu")
"""Agents that come to all betting, and would be asked for billions of decisions on each flop."""


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", default=AGENTS, help="names, as in `card-envs exploit`; by default all")
    parser.add_argument("--methods", nargs="+", choices=OPTIONS, default=tuple(OPTIONS))
    parser.add_argument("--options", help="how much of the instruments, such as '--hands 20000', in place of the usual")
    parser.add_argument("--again", action="store_true", help="measure what is there already, and replace it")
    given = parser.parse_args()
    grid = Grid(RESULTS, layout=Layout(read_rows, sort_rows, indent=2))
    for method, agent in product(given.methods, given.agents):
        cell = {"agent": agent, "method": method}
        too_much = method == "exact-flops" and agent in BY_THE_BILLION and len(given.agents) > 1
        if (given.again or cell not in grid) and not too_much:
            revision, _, changes = git_commit().partition("+")
            result, seconds = measure(agent, method, given.options or OPTIONS[method])
            grid.store(cell, result, seconds, revision[:10] + ("+changes" if changes else ""))


def measure(agent: str, method: str, options: str) -> tuple[dict[str, Any], int]:
    """Run the command; return what it printed, with the command, and its seconds of processor time."""
    words = f"exploit --env limit_holdem-v0 --agent {agent} --method {method} {options} --seed 0".split()
    command = " ".join(["card-envs", *words])
    print(command, file=sys.stderr, flush=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = [sys.executable, "-c", "from card_baselines.cli import main; raise SystemExit(main())", *words, "--json"]
    printed = subprocess.run(run, cwd=REPO, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report = json.loads(printed)
    kept = ("exploitability", "ci95", "flops", "hands", "stopped", "start")
    return {**{name: report[name] for name in kept if name in report}, "command": command}, round(seconds)


def read_rows(rows: Any) -> Iterator[Cell]:
    """Yield the rows of the file as cells."""
    for row in rows:
        result = {name: value for name, value in row.items() if name not in ("agent", "method", "seconds", "commit")}
        yield Cell({"agent": row["agent"], "method": row["method"]}, result, row.get("seconds"), row["commit"])


def sort_rows(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Return the rows of cells, in the order of the table."""
    order = {name: k for k, name in enumerate((*AGENTS, *OPTIONS))}
    rows = [
        {**cell.settings, **cell.result, "commit": cell.commit}
        | ({} if cell.seconds is None else {"seconds": cell.seconds})
        for cell in cells
    ]
    return sorted(rows, key=lambda row: (order.get(row["agent"], len(order)), row["agent"], order[row["method"]]))


if __name__ == "__main__":
    main()
