"""`card-envs match --panel`: all players of the package against each other, as tables of means with intervals."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from card_baselines.cli.arguments import require_known
from card_baselines.cli.console import print_json, print_table
from card_baselines.cli.options import AsJson, Names, Seed, join_words
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import git_commit
from card_envs.agent import Agent, find_agent
from card_envs.analysis.variance.control_variates import play_and_summarise
from card_envs.damaged_files import explain_damage, read_json_object
from card_envs.envs import make_game
from card_envs.files import replace_text, require_parent
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
    """Settings of every match of a panel, and the commit that plays it."""

    quick: bool
    seed: int
    control_variates: bool
    commit: str

    @property
    def command(self) -> str:
        """Command that plays the panel again."""
        options = (" --quick" if self.quick else "") + (" --control-variates" if self.control_variates else "")
        return f"card-envs match --panel{options} --seed {self.seed}"

    def hands(self, section: Section, row: str, column: str) -> int:
        """Return the number of hands of a match."""
        hands = section.hands_of(row, column, self.control_variates) // (_QUICK if self.quick else 1)
        return max(hands, 2 * section.num_players)


def panel(
    quick: bool = False,
    seed: Seed = 0,
    sections: Names = (),
    control_variates: bool = False,
    output: Path | None = None,
    as_json: AsJson = False,
) -> int:
    """Let all players that come with the package play each other: heads-up, one against five, Big 2 one against three.

    Args:
        quick: A hundredth of the hands: shows that it runs, not who is better.
        sections: heads_up, six_max, big2; by default all of them.
        control_variates: Reduce the variance: unbiased, smaller intervals of fewer hands.
        output: File for the results as JSON, written after every match. The same command continues it.
    """
    known = {section.name: section for section in SECTIONS}
    for name in join_words(sections):
        require_known("section", name, known)
    chosen = [known[name] for name in join_words(sections) or known]
    report = _read_report(output)
    settings = _MatchSettings(quick, seed, control_variates, git_commit())
    for section in chosen:
        report[section.name] = _begin_section(section, settings, report.get(section.name, {}))
        for _ in _play_missing_matches(section, settings, report[section.name]["results"]):
            if output is not None:
                _write_report(output, report)
    played = {section.name: report[section.name] for section in chosen}
    if as_json:
        print_json(played)
    else:
        for section in chosen:
            _print_section(section, played[section.name])
    return 0


def _begin_section(section: Section, settings: _MatchSettings, before: dict[str, Any]) -> dict[str, Any]:
    """Return the report of a section with those cells of an earlier report that the same command would play.

    Its results are {row: {column: {"mean", "ci95", "hands", "commit"}}}, means of the row's agent.
    """
    kept = before.get("results", {}) if before.get("command") == settings.command else {}
    results = {
        row: {
            column: kept[row][column]
            for column in section.agents
            if kept.get(row, {}).get(column, {}).get("hands") == settings.hands(section, row, column)
        }
        for row in section.agents
    }
    about = {"env": section.env, "num_players": section.num_players, "unit": section.game.unit}
    return {"command": settings.command, "seed": settings.seed, **about, "results": results}


def _play_missing_matches(
    section: Section, settings: _MatchSettings, results: dict[str, dict[str, Any]]
) -> Iterator[None]:
    """Play the matches that `results` lacks, add their cells, and yield after each."""
    game = section.game
    agents: dict[str, Agent] = {name: find_agent(name, game) for name in section.agents}
    missing = [(row, column) for row, column in section.matches() if column not in results[row]]
    with ProgressBar(section.name, len(missing)) as bar:
        for row, column in missing:
            seated = [agents[row], *[agents[column]] * (section.num_players - 1)]
            result, won = play_and_summarise(
                game, seated, settings.hands(section, row, column), settings.seed, True,
                control_variates=settings.control_variates,
            )  # fmt: skip
            results[row][column] = _make_cell(won[0], result.hands, settings.commit)
            if section.num_players == 2:
                results[column][row] = _make_cell(won[1], result.hands, settings.commit)
            bar.advance(1)
            yield


def _make_cell(summary: Summary, hands: int, commit: str) -> dict[str, Any]:
    ci95 = [json_number(round(bound, 4)) for bound in summary.ci95]
    return {"mean": round(summary.mean, 4), "ci95": ci95, "hands": hands, "commit": commit}


def _print_section(section: Section, report: dict[str, Any]) -> None:
    others = "one opponent" if section.num_players == 2 else f"{section.num_players - 1} of a kind"
    title = f"{section.env}, {section.num_players} seats: {report['unit']} per hand of each row against {others}"
    rows = [
        [row, *(_format_cell(report["results"][row].get(column)) for column in section.agents)]
        for row in section.agents
    ]
    print_table(["", *section.agents], rows, title)


def _format_cell(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return "-"
    return format_interval(cell["mean"], cell["ci95"])


def _read_report(path: Path | None) -> dict[str, Any]:
    """Return the sections in a file; raise ValueError, before anything is played, if it cannot be written."""
    if path is None:
        return {}
    require_parent(path)
    if not path.exists():
        return {}
    report = read_json_object(path)
    with explain_damage(path):
        cells = [c for section in report.values() for row in section["results"].values() for c in row.values()]
        if not all(_is_cell(cell) for cell in cells):
            raise ValueError("its results are not those of matches")
    return report


def _is_cell(cell: Any) -> bool:
    """Return True for a cell as `_make_cell` makes it."""
    numbers = [cell["mean"], *cell["ci95"]]
    are_numbers = len(numbers) == 3 and all(type(number) in (int, float) for number in numbers)
    return are_numbers and type(cell["hands"]) is int and isinstance(cell["commit"], str)


def _write_report(path: Path, report: dict[str, Any]) -> None:
    """Write sections, rows and columns in their order."""
    ordered = {}
    for section in SECTIONS:
        if section.name in report:
            results = report[section.name]["results"]
            rows = {row: {name: results[row][name] for name in results if name in results[row]} for row in results}
            ordered[section.name] = report[section.name] | {"results": rows}
    replace_text(path, json.dumps(ordered, indent=1) + "\n")
