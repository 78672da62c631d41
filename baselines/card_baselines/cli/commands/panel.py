"""`card-envs match --panel`: all players of the package against each other, as tables of means with intervals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from card_baselines.cli.arguments import require_known
from card_baselines.cli.console import print_report
from card_baselines.cli.options import AsJson, Names, Seed
from card_baselines.grid import Cell, FileLayout, Grid
from card_baselines.progress import ProgressBar
from card_baselines.text_table import TextTable
from card_envs.agent import Agent, find_agent
from card_envs.analysis.variance.control_variates import play_and_summarise
from card_envs.envs import make_game
from card_envs.files import require_parent
from card_envs.formatting import format_interval, json_number
from card_envs.game import Game
from card_envs.match import Summary

HOLDEM = (
    "random", "random_low_fold", "always_call", "always_raise", "rlcard_rule", "sklansky_strict", "sklansky_loose",
    "chen_strict", "chen_loose", "shi_rules_strict", "shi_rules_loose", "loose_passive", "tight_aggressive",
    "position_ranges", "equity", "mcts",
)  # fmt: skip
BIG2 = ("random", "big2_lowest", "big2_greedy", "big2_planner", "mcts", "rollout")

SLOW_AGENTS = {
    ("limit_holdem-v0", "mcts"): (10, 50),
    ("big2-v0", "mcts"): (8, 20),
    ("big2-v0", "rollout"): (3, 7),
}
"""(environment, agent) -> divisors of the number of hands with one such agent, and with it in all other seats."""


@dataclass(frozen=True)
class Section:
    """One table of results: each row's agent against opponents that are all the column's agent."""

    name: str
    env: str
    num_players: int
    agents: tuple[str, ...]
    hands: int
    adjusted_hands: int
    """Hands with control variates: fewer have smaller intervals."""

    @property
    def game(self) -> Game:
        """The game that is played."""
        return make_game(self.env, **({} if self.env == "big2-v0" else {"num_players": self.num_players}))

    def matches(self) -> Iterator[tuple[str, str]]:
        """Yield (row, column) of every match; with two seats each pair is played once."""
        if self.num_players == 2:
            return iter(itertools.combinations(self.agents, 2))
        return iter(itertools.permutations(self.agents, 2))

    def hands_of(self, row: str, column: str, control_variates: bool = False) -> int:
        """Return the number of hands of a match: fewer with slow agents."""
        hands = self.adjusted_hands if control_variates else self.hands
        alone, _ = SLOW_AGENTS.get((self.env, row), (1, 1))
        together = SLOW_AGENTS.get((self.env, column), (1, 1))[0 if self.num_players == 2 else 1]
        deals = hands // (alone * together if self.num_players == 2 else max(alone, together))
        return max(self.num_players, deals // self.num_players * self.num_players)


SECTIONS = (
    Section("heads_up", "limit_holdem-v0", 2, (*HOLDEM, "cfr_small", "cfr_large", "ppo_limit_hu"), 20_000, 5_000),
    Section("six_max", "limit_holdem-v0", 6, (*HOLDEM, "ppo_limit_six_max"), 4_800, 2_400),
    Section("big2", "big2-v0", 4, (*BIG2, "ppo_big2"), 2_000, 2_000),
)
_QUICK = 100
"""Divisor of the number of hands of a quick panel."""


@dataclass(frozen=True)
class _MatchSettings:
    """Settings of every match of a panel."""

    quick: bool
    seed: int
    control_variates: bool

    @property
    def command(self) -> str:
        """Command that plays the panel again."""
        options = (" --quick" if self.quick else "") + (" --control-variates" if self.control_variates else "")
        return f"card-envs match --panel{options} --seed {self.seed}"

    def cell(self, section: Section, row: str, column: str) -> dict[str, Any]:
        """Return the settings of a match by which its result is stored."""
        hands = section.hands_of(row, column, self.control_variates) // (_QUICK if self.quick else 1)
        return {
            "section": section.name, "row": row, "column": column, "hands": max(hands, 2 * section.num_players),
            "seed": self.seed, "command": self.command,
        }  # fmt: skip


def panel(
    quick: bool = False,
    seed: Seed = 0,
    sections: Names = (),
    control_variates: bool = False,
    output: Path | None = None,
    as_json: AsJson = False,
) -> None:
    """Let all players that come with the package play each other: heads-up, one against five, Big 2 one against three.

    Args:
        quick: A hundredth of the hands: shows that it runs, not who is better.
        sections: heads_up, six_max, big2; by default all of them.
        control_variates: Reduce the variance: unbiased, smaller intervals of fewer hands.
        output: File for the results as JSON, written after every match. The same command continues it.
    """
    known = {section.name: section for section in SECTIONS}
    for name in sections:
        require_known("section", name, known)
    chosen = [known[name] for name in sections or known]
    if output is not None:
        require_parent(output)
    grid = Grid(output, layout=FileLayout(_read_sections, _arrange_sections))
    for section in chosen:
        _play_missing_matches(section, _MatchSettings(quick, seed, control_variates), grid)
    report = _arrange_sections(grid.cells)
    content = {section.name: report[section.name] for section in chosen}
    print_report(content, (_make_table(section, report[section.name]) for section in chosen), as_json)


def _play_missing_matches(section: Section, settings: _MatchSettings, grid: Grid) -> None:
    """Play the matches of a section that are not stored."""
    game = section.game
    agents: dict[str, Agent] = {name: find_agent(name, game) for name in section.agents}
    missing = [pair for pair in section.matches() if settings.cell(section, *pair) not in grid]
    with ProgressBar(section.name, len(missing)) as bar:
        for row, column in missing:
            cell, seated = settings.cell(section, row, column), [agents[row], *[agents[column]] * (game.num_seats - 1)]
            _, won = play_and_summarise(
                game, seated, cell["hands"], settings.seed, True, control_variates=settings.control_variates
            )
            grid.store(cell, _describe(won[0]))
            if section.num_players == 2:
                grid.store(settings.cell(section, column, row), _describe(won[1]))
            bar.advance(1)


def _describe(summary: Summary) -> dict[str, Any]:
    return {"mean": round(summary.mean, 4), "ci95": [json_number(round(bound, 4)) for bound in summary.ci95]}


def _arrange_sections(cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the report of all sections: {row: {column: result}}, means of the row's agent, by the latest command."""
    commands = {cell.settings["section"]: cell.settings["command"] for cell in cells}
    report = {}
    for section in (section for section in SECTIONS if section.name in commands):
        command = commands[section.name]
        found = {
            (cell.settings["row"], cell.settings["column"]): cell
            for cell in cells
            if (cell.settings["section"], cell.settings["command"]) == (section.name, command)
        }
        results = {
            row: {
                column: {**cell.result, "hands": cell.settings["hands"], "commit": cell.commit}
                for column in section.agents
                if (cell := found.get((row, column))) is not None
            }
            for row in section.agents
        }
        report[section.name] = {
            "command": command, "seed": next(iter(found.values())).settings["seed"], "env": section.env,
            "num_players": section.num_players, "unit": section.game.unit, "results": results,
        }  # fmt: skip
    return report


def _read_sections(content: Any) -> Iterator[Cell]:
    """Yield the cells of a report; raises ValueError for results that are not those of matches."""
    for name, section in content.items():
        for row, results in section["results"].items():
            for column, found in results.items():
                numbers, (low, high) = [found["mean"], found["hands"]], found["ci95"]
                numbers += [end for end in (low, high) if end is not None]  # few hands have no interval
                if not all(type(number) in (int, float) for number in numbers):
                    raise ValueError("its results are not those of matches")
                settings = {"section": name, "row": row, "column": column, "hands": found["hands"]}
                settings |= {key: section[key] for key in ("seed", "command")}
                yield Cell(settings, {key: found[key] for key in ("mean", "ci95")}, None, str(found["commit"]))


def _make_table(section: Section, report: dict[str, Any]) -> TextTable:
    others = "one opponent" if section.num_players == 2 else f"{section.num_players - 1} of a kind"
    title = f"{section.env}, {section.num_players} seats: {report['unit']} per hand of each row against {others}"
    rows = [
        [row, *(_format_cell(report["results"][row].get(column)) for column in section.agents)]
        for row in section.agents
    ]
    return TextTable(title, ["", *section.agents], rows)


def _format_cell(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return "-"
    return format_interval(cell["mean"], cell["ci95"])
