"""Random play against everything that ought to agree, for as long as there is time: `make fuzz` or

python -m tests.fuzz [--minutes 10] [--count N] [--only CHECK ...] [--seed S]

Every piece of work is fixed by a number. What is printed for a difference ends with the command that shows it again.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from tests.fuzz.check import Check, Difference
from tests.fuzz.checks import CHECKS

SECONDS_BETWEEN_LINES = 60.0
"""Where the output is no terminal, progress is a line a minute."""
PIPED_WIDTH = 200
"""Columns there."""


@dataclass
class Tally:
    """How far one check has come."""

    check: Check
    count: int = 0
    pieces: int = 0
    seconds: float = 0.0
    difference: str = ""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the checks in turns, each getting the same time; return 1 if one found a difference."""
    options = parse(argv)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)
    chosen = {name: CHECKS[name] for name in options.only or CHECKS}
    tallies = {name: Tally(check) for name, check in chosen.items() if check.can_run}
    for name in chosen.keys() - tallies.keys():
        console.print(f"{name} is left out: {chosen[name].needs} is not installed")
    run_in_turns(tallies, options, console)
    print_summary(tallies, console)
    for name, tally in tallies.items():
        if tally.difference:
            again = f"python -m tests.fuzz --only {name} --seed {options.seed + tally.pieces} --count 1"
            console.print(f"\n{name}: {tally.check.claim}? No.\n{tally.difference}\nagain: {again}", markup=False)
    return int(any(tally.difference for tally in tallies.values()))


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="stop after so many minutes (default 10)")
    parser.add_argument("--count", type=int, help="stop each check when it has checked so many")
    parser.add_argument("--only", nargs="+", metavar="CHECK", choices=list(CHECKS), help=f"of {', '.join(CHECKS)}")
    parser.add_argument("--seed", type=int, default=1, help="number of the first piece of work (default 1)")
    return parser.parse_args(argv)


def run_in_turns(tallies: dict[str, Tally], options: argparse.Namespace, console: Console) -> None:
    """Give the next piece of work to the check that had the least time, until time or count is up."""
    start = last_line = time.perf_counter()
    with console.status("fuzzing") as status:
        while open_tallies := [tally for tally in tallies.values() if is_open(tally, options.count)]:
            now = time.perf_counter()
            if now - start > 60 * options.minutes:
                return
            status.update(progress_line(tallies, now - start))
            if not console.is_terminal and now - last_line > SECONDS_BETWEEN_LINES:
                console.print(progress_line(tallies, now - start))
                last_line = now
            run_piece(min(open_tallies, key=lambda tally: tally.seconds), options.seed)


def is_open(tally: Tally, count: int | None) -> bool:
    """Return True if there is more to check."""
    return not tally.difference and (count is None or tally.count < count)


def run_piece(tally: Tally, first_seed: int) -> None:
    """Do the next piece of work of a check."""
    began = time.perf_counter()
    try:
        tally.count += tally.check.run(first_seed + tally.pieces)
        tally.pieces += 1
    except Difference as difference:
        tally.difference = str(difference)
    except Exception:  # whatever goes wrong in a piece of work is a finding, and the others go on
        tally.difference = traceback.format_exc()
    tally.seconds += time.perf_counter() - began


def progress_line(tallies: dict[str, Tally], seconds: float) -> str:
    """Return how far all checks have come, in one line."""
    counts = "  ".join(f"{name} {tally.count:,}" for name, tally in tallies.items())
    return f"{seconds / 60:.1f} min  {counts}"


def print_summary(tallies: dict[str, Tally], console: Console) -> None:
    """Print a table: what was checked, how often, how fast, and whether it held."""
    table = Table(box=None)
    for column in ("check", "claim"):
        table.add_column(column, no_wrap=True)
    for column in ("checked", "per second", "differences"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, tally in tallies.items():
        rate = f"{tally.count / tally.seconds:,.0f}" if tally.seconds else "-"
        found = "1, stopped" if tally.difference else "0"
        table.add_row(name, tally.check.claim, f"{tally.count:,} {tally.check.unit}", rate, found)
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
