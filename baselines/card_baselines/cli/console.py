"""Output of the `card-envs` command: tables on a terminal, and JSON."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_envs.formatting import format_interval, json_number

if TYPE_CHECKING:  # commands that list names need neither match nor compiler
    import numpy as np
    from numpy.typing import NDArray
    from rich.table import Table

    from card_envs.analysis.variance.control_variates import AdjustedResult
    from card_envs.game import Game
    from card_envs.match import MatchResult, Summary
    from card_envs.statistics import Statistic

PROGRAM = "card-envs"
_PIPED_WIDTH = 200
"""Width where the output is no terminal, in characters, so that files hold whole lines."""
_MAX_UNBROKEN = 24
"""Maximum width of cells that are never broken: ids, names and numbers, which people copy."""


def find_program() -> str:
    """Return the word that calls this program again: its name, or its path if the shell does not find it."""
    called, found = Path(sys.argv[0]), shutil.which(PROGRAM)
    if called.name != PROGRAM or not called.exists() or (found is not None and called.samefile(found)):
        return PROGRAM
    return str(called)


def print_envs(reports: Iterable[Mapping[str, Any]]) -> None:
    """Print the environments; see `listing.describe_env` for the keys."""
    rows = []
    for report in reports:
        encoders = ", ".join(f"{name} ({encoder['size']})" for name, encoder in report["encoders"].items())
        numbers = [str(report["num_seats"]), str(report["num_actions"])]
        rows.append([report["id"], report["summary"], *numbers, encoders, ", ".join(report["rules"]) or "-"])
    print_table(["id", "game", "seats", "actions", "encoders (numbers)", "rules"], rows)
    print("Numbers of seats, actions and observations are those of the default settings.")


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
        'An agent that samples its actions takes the likeliest ones with ":greedy" behind its name; one that is greedy '
        'samples with ":sampling".'
    )
    print('Agents can also be "module:Class", "path/to/file.py:Class" or the folder of a training run.')


def print_strengths(
    reports: Sequence[Mapping[str, Any]], strengths: Mapping[str, Mapping[str, Any]], env_id: str
) -> None:
    """Print a table for each game, with a line for each agent that has a style: the strongest first.

    Args:
        reports: Reports of the agents, see `listing.list_agents`.
        strengths: What was measured, see `strengths.read_strengths`.
        env_id: The only environment to print; "" for all.
    """
    listed = [report for report in reports if report["style"]]
    games = dict.fromkeys([*strengths, *(name for report in listed for name in report["plays"])])
    for game in games:
        if env_id not in ("", game.split()[0]):
            continue
        made = strengths.get(game, {"agents": {}})
        playing = [report for report in listed if game in report["plays"] or report["name"] in made["agents"]]
        rows = [[report["name"], _format_strength(report["name"], made), report["style"]]
                for report in sorted(playing, key=lambda report: -_strength_of(report["name"], made))]  # fmt: skip
        print_table(["agent", made.get("unit", "measured"), "how it plays"], rows, game)
    others = len(reports) - len(listed)
    print("What it wins from the agent with 0, which has all other seats (± 95 %); no ranking: see docs/results.")
    print(f"--all: {others} more, what they do and where they come from; NAME:greedy takes the likeliest action.")
    print('Agents can also be "module:Class", "path/to/file.py:Class" or the folder of a training run.')


def _strength_of(name: str, made: Mapping[str, Any]) -> float:
    """Return what an agent wins from the reference, which wins 0 from itself; -infinity where it was not measured."""
    if name == made.get("reference"):
        return 0.0
    return float(made["agents"][name]["mean"]) if name in made["agents"] else -math.inf


def _format_strength(name: str, made: Mapping[str, Any]) -> str:
    if name not in made["agents"]:
        return "0" if name == made.get("reference") else "-"
    low, high = made["agents"][name]["ci95"]
    digits = 0 if any(each["ci95"][1] - each["ci95"][0] > 2 for each in made["agents"].values()) else 2
    return f"{made['agents'][name]['mean']:+.{digits}f} ± {(high - low) / 2:.{digits}f}"


def print_match(title: str, result: MatchResult, hands_per_second: float) -> None:
    """Print the means with 95 % intervals in all units, by position and between agents, and the speed."""
    print_results(title, [(agent.name, agent) for agent in result.agents], result.units)
    if result.hands_needed is not None:
        other = "" if result.duplicate else ", or duplicate deals (--duplicate)"
        print(
            f"no intervals: at {len(result.names)} seats a few large results decide {result.hands:,} hands; take "
            f"{result.hands_needed:,} hands or more{other}"
        )
    unit, factor = next(iter(result.units.items()))
    rows = [
        [name, *(format_scaled_interval(position.mean, position.ci95, factor) for position in positions)]
        for name, positions in zip(result.names, result.by_position, strict=True)
        if len(positions) == len(result.position_names)
    ]
    print_table(["agent", *result.position_names], rows, f"by position, {unit}")
    if len(result.names) > 2:
        flows = [[name, *(_format_number(flow * factor, factor) for flow in row)]
                 for name, row in zip(result.names, result.cashflow.tolist(), strict=True)]  # fmt: skip
        print_table(["pays ... to", *result.names], flows, f"who pays whom, {unit}")
    for fault in result.faults:
        print(f"{fault.agent} failed in {fault.decisions:,} decisions, which were forfeited; the first: {fault.first}")
    if result.until is not None:
        print("decided" if result.is_decided else "not decided", "(intervals hold whenever the match is stopped)")
    print(f"{result.hands:,} hands, {result.deals:,} deals, seed {result.seed}, {hands_per_second:,.0f} hands/s")


def print_results(title: str, rows: Sequence[tuple[str, Summary]], units: Mapping[str, float]) -> None:
    """Print a table of named means with 95 % intervals, in all units."""
    header = ["agent", *(f"{unit} (± 95 %)" for unit in units)]
    print_table(header, [[name, *_format_units(summary, units)] for name, summary in rows], title)


def print_winnings(game: Game, summary: Summary, chips: NDArray[np.int64], where: str, as_json: bool) -> None:
    """Print what an agent won in hands that were dealt elsewhere.

    Args:
        game: The game.
        summary: Mean and interval, in its unit per hand.
        chips: (hands,) chips won in each hand.
        where: Dealer or opponent, such as "at localhost:18791".
        as_json: Whether to print JSON.
    """
    from card_envs.match.result import units_of

    if as_json:
        means = {"mean": summary.mean, "ci95": [json_number(bound) for bound in summary.ci95]}
        print_json({"agent": summary.name, "hands": len(chips), "chips": int(chips.sum()), **means})
    else:
        print_results(f"{len(chips):,} hands {where}", [(summary.name, summary)], units_of(game))


def print_adjusted(agents: Sequence[AdjustedResult], result: MatchResult) -> None:
    """Print results adjusted by control variates, and the number of plain hands with the same interval."""
    header = ["agent", *(f"{unit} (± 95 %)" for unit in result.units), "worth plain hands"]
    rows = [
        [agent.summary.name, *_format_adjusted(agent, result.units), _format_hands(agent.hands_factor * result.hands)]
        for agent in agents
    ]
    print_table(header, rows, "control variates: variance-reduced")


def _format_adjusted(agent: AdjustedResult, units: Mapping[str, float]) -> list[str]:
    if agent.is_exact:
        return [f"{_format_number(agent.summary.mean * factor, factor)} exact" for factor in units.values()]
    return _format_units(agent.summary, units)


def print_statistics(names: Sequence[str], statistics: Sequence[Sequence[Statistic]]) -> None:
    """Print the play statistics of agents, one row each."""
    header = ["agent", *(statistic.name for statistic in statistics[0])]
    rows = [[name, *map(_format_statistic, row)] for name, row in zip(names, statistics, strict=True)]
    print_table(header, rows, "how they play")


def _format_statistic(statistic: Statistic) -> str:
    if statistic.value is None:
        return "-"
    return f"{statistic.value:.1%}" if statistic.ci95 else f"{statistic.value:.2f}"


def _format_hands(hands: float) -> str:
    return f"{hands:,.0f}" if math.isfinite(hands) else "any number"


def _format_units(summary: Summary, units: Mapping[str, float]) -> list[str]:
    return [format_scaled_interval(summary.mean, summary.ci95, factor) for factor in units.values()]


def format_scaled_interval(mean: float, ci95: Sequence[float | None], factor: float) -> str:
    """Return a mean with its interval, multiplied by the factor of a unit (see `units_of`)."""
    scaled = [None if bound is None else bound * factor for bound in ci95]
    return format_interval(mean * factor, scaled, _digits(factor))


def _format_number(number: float, factor: float) -> str:
    return f"{number:+,.{_digits(factor)}f}"


def _digits(factor: float) -> int:
    """Return the number of digits that shows ten-thousandths of the game's own unit."""
    return max(0, 4 - round(math.log10(factor)))


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    """Print a table. Cells are plain text, without markup."""
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH).print(make_table(header, rows, title))


def make_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str | None = None) -> Table:
    """Return a table for `rich`. Cells are plain text, without markup."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left")
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    for name, cells in zip(header, columns, strict=True):
        is_short = max(map(len, cells), default=0) <= _MAX_UNBROKEN
        table.add_column(name, justify="right" if _is_number(cells) else "left", overflow="fold", no_wrap=is_short)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _is_number(column: Sequence[str]) -> bool:
    return all(cell[:1] in "+-0123456789" for cell in column)


def print_json(report: Any) -> None:
    """Print a report as JSON."""
    print(json.dumps(report, indent=2))
