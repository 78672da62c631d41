"""`card-envs bench big2`: an agent on fixed deals of Big 2, against reference players in all seat orders."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from card_baselines.big2_benchmark import (
    BENCHMARK,
    DEALS_SHA256,
    NUM_DEALS,
    REFERENCES,
    Seating,
    estimate_seconds,
    list_groups,
    list_seatings,
    play_group,
)
from card_baselines.big2_benchmark.deals import require_same_deals
from card_baselines.big2_benchmark.seatings import AGENT, MIXED
from card_baselines.cli.console import print_report
from card_baselines.cli.options import AgentName, AsJson, Device, Names
from card_baselines.grid import Cell, Grid, Layout
from card_baselines.loading import load_agent
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import git_commit
from card_baselines.text_table import TextTable
from card_envs.envs import make_game
from card_envs.files import require_parent

_COLUMNS = {
    "one_against_three": "one against three",
    "neighbours": "two neighbours",
    "opposite": "two opposite",
    "two_against_two": "two against two",
}


def big2_benchmark(
    agent: AgentName,
    deals: int = NUM_DEALS,
    references: Names = (),
    mixed: bool = True,
    output: Path | None = None,
    device: Device = "cpu",
    as_json: AsJson = False,
) -> None:
    """Play an agent on the fixed deals of the Big 2 benchmark and print points a game with 95 % intervals.

    Args:
        deals: Number of deals, from the first. Cost: 10,000 deals are 722,400 hands, minutes of one core
            for scripts and small networks, hours for players that search; it is estimated before they are played.
        references: Reference players to meet: random, big2_greedy, big2_planner, ppo_big2, ppo_big2:rollout.
            By default all of them; the last one plays 200 deals at most.
        mixed: Table with big2_greedy, big2_planner and ppo_big2, in all six circular orders, played by default.
        output: JSON file of results by agent; results of other agents and references in it are kept. What this commit
            has played with as many deals is not played again.
    """
    others = [name for name in references or REFERENCES if name != agent]
    groups = list_groups(list_seatings(others, deals, mixed))
    if output is not None:
        require_parent(output)
    grid = Grid(output, layout=Layout(partial(_read_report, output), _arrange_report))
    require_same_deals(deals)
    cells = {name: _describe_cell(agent, name, seatings) for name, seatings in groups.items()}
    missing = {name: groups[name] for name, cell in cells.items() if cell not in grid}
    if len(missing) < len(cells):
        stored = ", ".join(name for name in cells if name not in missing)
        _say(f"{output} holds what this commit played against {stored}: name another file to play it again")
    if missing:
        _play_missing(agent, missing, cells, grid, device)
    played = [cell for cell in grid.cells if cell.settings in cells.values()]
    report = _arrange_report(played)
    print_report(report, _describe(agent, report["agents"].get(agent, {"against": {}})), as_json)


def _describe_cell(agent: str, group: str, seatings: Sequence[Seating]) -> dict[str, Any]:
    """Return the settings by which the results of a group are stored: those of another commit are played again."""
    return {"agent": agent, "group": group, "deals": seatings[0].deals, "commit": git_commit()}


def _play_missing(
    agent: str, groups: Mapping[str, Sequence[Seating]], cells: Mapping[str, Any], grid: Grid, device: str
) -> None:
    """Play and store the groups, after a line that says what they cost."""
    game, seatings = make_game("big2-v0"), [seating for group in groups.values() for seating in group]
    names = {player for seating in seatings for player in seating.players if player != AGENT}
    agents = {name: load_agent(name, game, device) for name in sorted(names)}
    agents[AGENT] = load_agent(agent, game, device)
    hands = sum(seating.hands for seating in seatings)
    _print_cost(hands, estimate_seconds(game, agents, seatings))
    with ProgressBar("playing", hands) as bar:
        for name, group in groups.items():
            grid.get(cells[name], partial(play_group, game, agents, group, bar.advance))


def _describe_benchmark() -> dict[str, Any]:
    """Return the entries that all results of this version share."""
    return {"benchmark": BENCHMARK, "env": "big2-v0", "unit": "points a game", "deals_sha256": DEALS_SHA256}


def _read_report(path: Path | None, content: Any) -> Iterator[Cell]:
    """Yield the results in a file; ValueError, before anything is played, if they are of another benchmark."""
    if {key: content.get(key) for key in _describe_benchmark()} != _describe_benchmark():
        raise ValueError(f"{path} holds no results of {BENCHMARK}: choose another file")
    for agent, report in content["agents"].items():
        for group, found in [*report["against"].items(), *([(MIXED, report[MIXED])] if MIXED in report else [])]:
            result = {key: value for key, value in found.items() if key != "commit"}
            deals = (result if group == MIXED else result["one_against_three"])["deals"]
            settings = {"agent": agent, "group": group, "deals": deals, "commit": found["commit"]}
            yield Cell(settings, result, None, found["commit"])


def _arrange_report(cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the latest results of each agent and reference."""
    latest = {(cell.settings["agent"], cell.settings["group"]): cell for cell in cells}
    agents: dict[str, Any] = {}
    for name in dict.fromkeys(name for name, _ in latest):
        found = {group: {**latest[name, group].result, "commit": latest[name, group].commit}
                 for group in (*REFERENCES, MIXED) if (name, group) in latest}  # fmt: skip
        mixed = {MIXED: found.pop(MIXED)} if MIXED in found else {}
        agents[name] = {"against": found, **mixed}
    return {**_describe_benchmark(), "agents": agents}


def _print_cost(hands: int, seconds: float) -> None:
    duration = f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
    _say(f"{hands:,} hands: about {duration} of one core")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _describe(agent: str, report: dict[str, Any]) -> Iterator[TextTable]:
    rows = [
        [other, *(_format_cell(cells[kind]) for kind in _COLUMNS), f"{cells['two_against_two']['deals']:,}"]
        for other, cells in report["against"].items()
    ]
    if rows:
        title = f"{BENCHMARK}: points a game and seat of {agent}, 95 % intervals over deals, 4 rotations each"
        yield TextTable(title, ["against", *_COLUMNS.values(), "deals"], rows)
    if "mixed" in report:
        mixed = report["mixed"]
        rows = [[", ".join([agent, *cell["order"]]), _format_cell(cell)] for cell in mixed["orders"]]
        rows.append(["mean of all orders", _format_cell(mixed)])
        title = f"Three references at one table, {mixed['deals']:,} deals"
        yield TextTable(title, ["order of play", "points a game"], rows)


def _format_cell(cell: dict[str, Any]) -> str:
    low, high = cell["ci95"]
    return f"{cell['mean']:+.2f} ± {(high - low) / 2:.2f}"
