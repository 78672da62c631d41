"""Reports of the `card-envs` command as tables on a terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from card_envs.match import MatchResult

_PIPED_WIDTH = 200
"""Columns where the output is no terminal, so that files hold whole lines."""


def print_envs(reports: Iterable[Mapping[str, Any]]) -> None:
    """Print the environments; see `card_baselines.cli.envs` for the keys."""
    rows = []
    for report in reports:
        encoders = ", ".join(f"{name} ({encoder['size']})" for name, encoder in report["encoders"].items())
        numbers = [str(report["num_seats"]), str(report["num_actions"])]
        rows.append([report["id"], report["summary"], *numbers, encoders, ", ".join(report["rules"]) or "-"])
    print_table(["id", "game", "seats", "actions", "encoders (numbers)", "rules"], rows)
    print("Seats, actions and numbers are those of the default settings.")


def print_agents(reports: Iterable[Mapping[str, Any]]) -> None:
    """Print the agents; see `card_baselines.cli.agents` for the keys."""
    rows = [
        [report["name"], report["summary"], report["needs"] or ", ".join(report["plays"]), report["from"]]
        for report in reports
    ]
    print_table(["agent", "what it does", "plays", "from"], rows)
    print('Agents can also be "module:Class", "path/to/file.py:Class" or the folder of a training run.')


def print_match(title: str, result: MatchResult, hands_per_second: float) -> None:
    """Print the means with their 95 % intervals in all units, and the speed."""
    rows = []
    for agent in result.agents:
        half_width = (agent.ci95[1] - agent.ci95[0]) / 2
        cells = [_interval(agent.mean * factor, half_width * factor, factor) for factor in result.units.values()]
        rows.append([agent.name, *cells])
    print_table(["agent", *(f"{unit} (± 95 %)" for unit in result.units)], rows, title)
    print(f"{result.hands:,} hands, {result.deals:,} deals, seed {result.seed}, {hands_per_second:,.0f} hands/s")


def _interval(mean: float, half_width: float, factor: float) -> str:
    digits = max(0, 4 - round(math.log10(factor)))  # ten-thousandths of the game's own unit
    return f"{mean:+,.{digits}f} ± {half_width:,.{digits}f}"


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    """Print a table whose cells are taken as they are."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left")
    for name, is_number in zip(header, map(_is_number, zip(*rows, strict=True)), strict=True):
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH).print(table)


def _is_number(column: Sequence[str]) -> bool:
    return all(cell[:1] in "+-0123456789" for cell in column)
