"""`card-envs bench big2`: an agent on fixed deals of Big 2, against reference players in all seat orders."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from card_baselines.big2_benchmark import (
    BENCHMARK,
    DEALS_SHA256,
    NUM_DEALS,
    REFERENCES,
    estimate_seconds,
    list_seatings,
    play_benchmark,
)
from card_baselines.big2_benchmark.deals import require_same_deals
from card_baselines.big2_benchmark.seatings import AGENT
from card_baselines.cli.console import print_json, print_table
from card_baselines.cli.options import AgentName, AsJson, Device, Names, join_words
from card_baselines.loading import load_agent
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import git_commit
from card_envs.damaged_files import explain_damage, read_json_object
from card_envs.envs import make_game
from card_envs.files import replace_text, require_parent

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
) -> int:
    """Play an agent on the fixed deals of the Big 2 benchmark and print points a game with 95 % intervals.

    Args:
        deals: Number of deals, from the first. Cost: 10,000 deals are 722,400 hands, minutes of one core
            for scripts and small networks, hours for players that search; it is estimated before they are played.
        references: Reference players to meet: random, big2_greedy, big2_planner, ppo_big2, ppo_big2:rollout.
            By default all of them; the last one plays 200 deals at most.
        mixed: Table with big2_greedy, big2_planner and ppo_big2, in all six circular orders, played by default.
        output: JSON file of results by agent; results of other agents and references in it are kept.
    """
    others = [name for name in join_words(references) or REFERENCES if name != agent]
    seatings = list_seatings(others, deals, mixed)
    kept = _read_report(output)
    require_same_deals(deals)
    game = make_game("big2-v0")
    names = {player for seating in seatings for player in seating.players if player != AGENT}
    agents = {name: load_agent(name, game, device) for name in sorted(names)}
    agents[AGENT] = load_agent(agent, game, device)
    hands = sum(seating.hands for seating in seatings)
    _print_cost(hands, estimate_seconds(game, agents, seatings))
    with ProgressBar("playing", hands) as bar:
        report = _add_commit(play_benchmark(game, agents, seatings, bar.advance))
    if output is not None:
        _write_report(output, kept, agent, report)
    if as_json:
        print_json({**_describe_benchmark(), "agents": {agent: report}})
    else:
        _print_report(agent, report)
    return 0


def _describe_benchmark() -> dict[str, Any]:
    """Return the entries that all results of this version share."""
    return {"benchmark": BENCHMARK, "env": "big2-v0", "unit": "points a game", "deals_sha256": DEALS_SHA256}


def _read_report(path: Path | None) -> dict[str, Any]:
    """Return the results in a file; ValueError, before anything is played, if they are of another benchmark."""
    if path is not None:
        require_parent(path)
    if path is None or not path.exists():
        return {**_describe_benchmark(), "agents": {}}
    report = read_json_object(path)
    if {key: report.get(key) for key in _describe_benchmark()} != _describe_benchmark():
        raise ValueError(f"{path} holds no results of {BENCHMARK}: choose another file")
    with explain_damage(path):
        for kept in report["agents"].values():
            dict(kept["against"])  # raises for anything but a mapping
    return report


def _add_commit(report: dict[str, Any]) -> dict[str, Any]:
    """Return the report with the commit that played it beside the results against each reference."""
    commit = git_commit()
    marked = {"against": {other: {**cells, "commit": commit} for other, cells in report["against"].items()}}
    return marked | ({"mixed": {**report["mixed"], "commit": commit}} if "mixed" in report else {})


def _write_report(path: Path, kept: dict[str, Any], agent: str, report: dict[str, Any]) -> None:
    """Write a file's results with those of an agent; references that it has not met this time stay."""
    before = kept["agents"].get(agent, {"against": {}})
    against = before["against"] | report["against"]
    ordered = {other: against[other] for other in REFERENCES if other in against}
    agents = kept["agents"] | {agent: before | report | {"against": ordered}}
    replace_text(path, json.dumps(kept | {"agents": agents}, indent=1) + "\n")


def _print_cost(hands: int, seconds: float) -> None:
    duration = f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
    print(f"{hands:,} hands: about {duration} of one core", file=sys.stderr, flush=True)


def _print_report(agent: str, report: dict[str, Any]) -> None:
    rows = [
        [other, *(_format_cell(cells[kind]) for kind in _COLUMNS), f"{cells['two_against_two']['deals']:,}"]
        for other, cells in report["against"].items()
    ]
    if rows:
        title = f"{BENCHMARK}: points a game and seat of {agent}, 95 % intervals over deals, 4 rotations each"
        print_table(["against", *_COLUMNS.values(), "deals"], rows, title)
    if "mixed" in report:
        mixed = report["mixed"]
        rows = [[_format_order(agent, cell["order"]), _format_cell(cell)] for cell in mixed["orders"]]
        rows.append(["mean of all orders", _format_cell(mixed)])
        title = f"Three references at one table, {mixed['deals']:,} deals"
        print_table(["order of play", "points a game"], rows, title)


def _format_order(agent: str, others: Sequence[str]) -> str:
    return ", ".join([agent, *others])


def _format_cell(cell: dict[str, Any]) -> str:
    low, high = cell["ci95"]
    return f"{cell['mean']:+.2f} ± {(high - low) / 2:.2f}"
