"""Reports of the `card-envs` command as tables on a terminal."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what lists names needs neither match nor compiler
    from rich.table import Table

    from card_envs.analysis.variance.control_variates import AdjustedResult
    from card_envs.match import MatchResult, Summary
    from card_envs.play_statistics import Statistic

_PIPED_WIDTH = 200
"""Columns where the output is no terminal, so that files hold whole lines."""
_WORD = 24
"""Columns of cells no longer than this are never broken: ids, names and numbers are there to be copied."""


def print_envs(reports: Iterable[Mapping[str, Any]]) -> None:
    """Print the environments; see `listing.describe_env` for the keys."""
    rows = []
    for report in reports:
        encoders = ", ".join(f"{name} ({encoder['size']})" for name, encoder in report["encoders"].items())
        numbers = [str(report["num_seats"]), str(report["num_actions"])]
        rows.append([report["id"], report["summary"], *numbers, encoders, ", ".join(report["rules"]) or "-"])
    print_table(["id", "game", "seats", "actions", "encoders (numbers)", "rules"], rows)
    print("Seats, actions and numbers are those of the default settings.")


def print_agents(reports: Iterable[Mapping[str, Any]]) -> None:
    """Print the agents; see `listing.describe_agent` for the keys."""
    rows = [
        [
            report["name"],
            report["summary"],
            report["chooses"],
            report["needs"] or ", ".join(report["plays"]),
            report["from"],
        ]
        for report in reports
    ]
    print_table(["agent", "what it does", "chooses", "plays", "from"], rows)
    print(
        'Who chooses by sampling takes its likeliest actions with ":greedy" behind the name, and the other way round.'
    )
    print('Agents can also be "module:Class", "path/to/file.py:Class" or the folder of a training run.')


def print_match(title: str, result: MatchResult, hands_per_second: float) -> None:
    """Print the means with their 95 % intervals in all units, by position and between agents, and the speed."""
    print_results(title, [(agent.name, agent) for agent in result.agents], result.units)
    unit, factor = next(iter(result.units.items()))
    rows = [
        [name, *(_summary_cell(position, factor) for position in positions)]
        for name, positions in zip(result.names, result.by_position, strict=True)
        if len(positions) == len(result.position_names)
    ]
    print_table(["agent", *result.position_names], rows, f"by position, {unit}")
    if len(result.names) > 2:
        flows = [[name, *(_number(flow * factor, factor) for flow in row)]
                 for name, row in zip(result.names, result.cashflow.tolist(), strict=True)]  # fmt: skip
        print_table(["pays ... to", *result.names], flows, f"who pays whom, {unit}")
    for fault in result.faults:
        print(f"{fault.agent} failed in {fault.decisions:,} decisions, which were forfeited; the first: {fault.first}")
    if result.until is not None:
        print("decided" if result.is_decided else "not decided", "(intervals hold whenever the match is stopped)")
    print(f"{result.hands:,} hands, {result.deals:,} deals, seed {result.seed}, {hands_per_second:,.0f} hands/s")


def print_results(title: str, rows: Sequence[tuple[str, Summary]], units: Mapping[str, float]) -> None:
    """Print means with their 95 % intervals in all units, a named one in each row."""
    header = ["agent", *(f"{unit} (± 95 %)" for unit in units)]
    print_table(header, [[name, *_format_units(summary, units)] for name, summary in rows], title)


def print_adjusted(agents: Sequence[AdjustedResult], result: MatchResult) -> None:
    """Print the results after control variates, and how many hands of plain play they are worth."""
    header = ["agent", *(f"{unit} (± 95 %)" for unit in result.units), "worth plain hands"]
    rows = [
        [agent.summary.name, *_format_adjusted(agent, result.units), _hands(agent.hands_factor * result.hands)]
        for agent in agents
    ]
    print_table(header, rows, "control variates: what chance brought is taken off")


def _format_adjusted(agent: AdjustedResult, units: Mapping[str, float]) -> list[str]:
    if agent.is_exact:
        return [f"{_number(agent.summary.mean * factor, factor)} exact" for factor in units.values()]
    return _format_units(agent.summary, units)


def print_statistics(names: Sequence[str], of_agents: Sequence[Sequence[Statistic]]) -> None:
    """Print how the agents play, one row each."""
    header = ["agent", *(statistic.name for statistic in of_agents[0])]
    rows = [[name, *map(_statistic_cell, statistics)] for name, statistics in zip(names, of_agents, strict=True)]
    print_table(header, rows, "how they play")


def _statistic_cell(statistic: Statistic) -> str:
    if statistic.value is None:
        return "-"
    return f"{statistic.value:.1%}" if statistic.ci95 else f"{statistic.value:.2f}"


def _hands(hands: float) -> str:
    return f"{hands:,.0f}" if math.isfinite(hands) else "any number"


def _format_units(summary: Summary, units: Mapping[str, float]) -> list[str]:
    return [_summary_cell(summary, factor) for factor in units.values()]


def _summary_cell(summary: Summary, factor: float) -> str:
    return interval_cell(summary.mean, summary.ci95, factor)


def interval_cell(mean: float, ci95: Sequence[float], factor: float) -> str:
    """Return a mean and half of its interval in a unit of which `factor` make one of the game's own."""
    low, high = ci95
    return f"{_number(mean * factor, factor)} ± {_number((high - low) / 2 * factor, factor).lstrip('+')}"


def _number(number: float, factor: float) -> str:
    digits = max(0, 4 - round(math.log10(factor)))  # ten-thousandths of the game's own unit
    return f"{number:+,.{digits}f}"


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    """Print a table whose cells are taken as they are."""
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH).print(make_table(header, rows, title))


def make_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> Table:
    """Return a table whose cells are taken as they are."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left")
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    for name, cells in zip(header, columns, strict=True):
        is_short = max(map(len, cells), default=0) <= _WORD
        table.add_column(name, justify="right" if _is_number(cells) else "left", overflow="fold", no_wrap=is_short)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _is_number(column: Sequence[str]) -> bool:
    return all(cell[:1] in "+-0123456789" for cell in column)


def print_json(report: Any) -> None:
    """Print a report as JSON."""
    print(json.dumps(report, indent=2))
