"""`card-envs bench big2` and `bench six-max`: an agent on fixed deals, against reference players in fixed seats."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import getitem
from pathlib import Path
from typing import Annotated, Any, Literal

from card_baselines.big2_benchmark import BIG2
from card_baselines.cli.console import print_report
from card_baselines.cli.options import AgentName, AsJson, Device, Flattened, Names
from card_baselines.fixed_deals import (
    ADJUSTED,
    AGENT,
    MIXED,
    NUM_DEALS,
    Benchmark,
    Seating,
    estimate_seconds,
    list_groups,
    play_group,
)
from card_baselines.grid import Cell, FileLayout, Grid
from card_baselines.loading import load_agent
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import git_commit
from card_baselines.six_max_benchmark import LIMIT, NO_LIMIT
from card_baselines.text_table import TextTable
from card_envs.files import require_parent
from card_envs.formatting import format_interval


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a benchmark on fixed deals."""

    agent: AgentName
    deals: int = NUM_DEALS
    """Number of deals, from the first. The cost is estimated before they are played."""
    references: Names = ()
    """Reference players to meet; by default all of them."""
    mixed: bool = True
    """Table with different references in balanced circular orders, played by default."""
    output: Path | None = None
    """JSON file of results by agent; results of other agents and references in it are kept. What this commit has played
    with as many deals is not played again."""
    device: Device = "cpu"
    as_json: AsJson = False


def big2(options: Annotated[Options, Flattened]) -> None:
    """Play an agent on the fixed deals of the Big 2 benchmark and print points a game with 95 % intervals.

    References: random, big2_greedy, big2_planner, ppo_big2 and ppo_big2:rollout, which plays 200 deals at most.
    Cost: 10,000 deals are 722,400 hands, minutes of one core for scripts and small networks, hours for players that
    search.
    """
    _Run(BIG2, options).play()


def six_max(options: Annotated[Options, Flattened], betting: Literal["no-limit", "limit"] = "no-limit") -> None:
    """Play an agent on the fixed deals of the six-max benchmark and print bb/100 with 95 % intervals.

    Beside each result stands one that control variates adjust for chance, with a smaller interval. References, five of
    each at a table: always_call, equity, tight_aggressive, position_ranges, and of the game ppo_no_limit_six_max,
    cfr_no_limit_six_max or ppo_limit_six_max, cfr_limit_six_max. Cost: 10,000 deals are 960,000 hands, some
    fifteen minutes of one core for scripts, tables and networks.

    Args:
        betting: The game: no-limit with 100 big blinds in each hand, or limit; the deals are the same.
    """
    _Run(NO_LIMIT if betting == "no-limit" else LIMIT, options).play()


class _Run:
    """One call of a command."""

    def __init__(self, benchmark: Benchmark, options: Options) -> None:
        self.benchmark, self.options = benchmark, options
        self.agent, self.output = options.agent, options.output

    def play(self) -> None:
        """Play what is not stored, and print all results that were asked for."""
        options = self.options
        others = [name for name in options.references or self.benchmark.references if name != self.agent]
        if not others and not options.mixed:
            raise ValueError(f"{self.agent} against itself has no result: name other --references, or add --mixed")
        groups = list_groups(self.benchmark.list_seatings(others, options.deals, options.mixed))
        if self.output is not None:
            require_parent(self.output)
        grid = Grid(self.output, layout=FileLayout(self._read_report, self._arrange_report))
        self.benchmark.require_same_deals(options.deals)
        cells = {name: self._describe_cell(name, seatings) for name, seatings in groups.items()}
        missing = {name: groups[name] for name, cell in cells.items() if cell not in grid}
        if len(missing) < len(cells):
            stored = ", ".join(name for name in cells if name not in missing)
            _say(f"{self.output} holds what this commit played against {stored}: name another file to play it again")
        if missing:
            self._play_missing(missing, cells, grid)
        report = self._arrange_report([cell for cell in grid.cells if cell.settings in cells.values()])
        print_report(report, self._describe(report["agents"].get(self.agent, {"against": {}})), options.as_json)

    def _describe_cell(self, group: str, seatings: Sequence[Seating]) -> dict[str, Any]:
        """Return the settings by which the results of a group are stored: those of another commit are played again."""
        return {"agent": self.agent, "group": group, "deals": seatings[0].deals, "commit": git_commit()}

    def _play_missing(self, groups: Mapping[str, Sequence[Seating]], cells: Mapping[str, Any], grid: Grid) -> None:
        """Play and store the groups, after a line that says what they cost."""
        game, seatings = self.benchmark.make_game(), [seating for group in groups.values() for seating in group]
        names = {player for seating in seatings for player in seating.players if player != AGENT}
        agents = {name: load_agent(name, game, self.options.device) for name in sorted(names)}
        agents[AGENT] = load_agent(self.agent, game, self.options.device)
        hands, seconds = sum(seating.hands for seating in seatings), estimate_seconds(self.benchmark, agents, seatings)
        duration = f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
        _say(f"{hands:,} hands: about {duration} of one core")
        with ProgressBar("playing", hands) as bar:
            for name, group in groups.items():
                grid.get(cells[name], partial(play_group, self.benchmark, agents, group, bar.advance))

    def _describe_benchmark(self) -> dict[str, Any]:
        """Return the entries that all results of this version share."""
        b = self.benchmark
        return {"benchmark": b.name, "env": b.env, "unit": b.unit, "deals_sha256": b.sha256}

    def _read_report(self, content: Any) -> Iterator[Cell]:
        """Yield the results in a file; ValueError, before anything is played, if they are of another benchmark."""
        expected, first_kind = self._describe_benchmark(), next(iter(self.benchmark.kinds))
        if {key: content.get(key) for key in expected} != expected:
            raise ValueError(f"{self.output} holds no results of {self.benchmark.name}: choose another file")
        for agent, report in content["agents"].items():
            for group, found in [*report["against"].items(), *([(MIXED, report[MIXED])] if MIXED in report else [])]:
                result = {key: value for key, value in found.items() if key != "commit"}
                deals = (result if group == MIXED else result[first_kind])["deals"]
                settings = {"agent": agent, "group": group, "deals": deals, "commit": found["commit"]}
                yield Cell(settings, result, None, found["commit"])

    def _arrange_report(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """Return the latest results of each agent and reference."""
        latest = {(cell.settings["agent"], cell.settings["group"]): cell for cell in cells}
        agents: dict[str, Any] = {}
        for name in dict.fromkeys(name for name, _ in latest):
            found = {group: {**latest[name, group].result, "commit": latest[name, group].commit}
                     for group in (*self.benchmark.references, MIXED) if (name, group) in latest}  # fmt: skip
            mixed = {MIXED: found.pop(MIXED)} if MIXED in found else {}
            agents[name] = {"against": found, **mixed}
        return {**self._describe_benchmark(), "agents": agents}

    def _describe(self, report: Mapping[str, Any]) -> Iterator[TextTable]:
        """Yield the tables of an agent's results: against each reference, and at the mixed table."""
        b, seats = self.benchmark, len(self.benchmark.mixed_table) + 1
        rows = [
            [
                other,
                *(_format_cell(reduce(getitem, keys, cells)) for keys in b.columns.values()),
                f"{cells[next(iter(b.kinds))]['deals']:,}",
            ]
            for other, cells in report["against"].items()
        ]
        if rows:
            title = f"{b.name}: {b.unit} and seat of {self.agent}, 95 % intervals over deals, {seats} rotations each"
            yield TextTable(title, ["against", *b.columns, "deals"], rows)
        if MIXED in report:
            mixed = report[MIXED]
            rows = [[", ".join(cell["order"]), _format_cell(cell)] for cell in mixed["orders"]]
            rows.append(["mean of all orders", _format_cell(mixed)])
            if ADJUSTED in mixed:
                rows.append(["mean of all orders, adjusted", _format_cell(mixed[ADJUSTED])])
            title = f"{len(b.mixed_table)} references at one table, {mixed['deals']:,} deals"
            yield TextTable(title, ["order of play behind the agent", b.unit], rows)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _format_cell(cell: Mapping[str, Any]) -> str:
    return format_interval(cell["mean"], cell["ci95"])
