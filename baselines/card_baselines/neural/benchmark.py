"""The benchmark of the learners: every learner in every game with several seeds, compared by exploitability.

In Kuhn poker and Leduc hold'em exact exploitability is measured during each run. In flop hold'em it is measured at the
end: over all flops if one network plays, minutes of one core; for mixtures of many networks, of which each would take
that long, on random flops that are the same for all of them, which gives a lower bound.

A cell of the benchmark is one run: game, learner and seed. Each has its own run folder, so that an interrupted
benchmark continues where it stopped. Tables and pictures of the results follow below.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.average_strategy.snapshots import SNAPSHOTS_FOLDER
from card_baselines.exploitability.ranges import exploit_flop_holdem
from card_baselines.exploitability.target import ExploitSettings, Target
from card_baselines.figures import hide_frame, make_figure, save_figure
from card_baselines.grid import Cell, FileLayout, Grid
from card_baselines.run_folder import EVALUATION, RunFolder
from card_baselines.runs.algorithm import find_algorithm
from card_baselines.runs.exploitability_meter import AVERAGE, LATEST
from card_baselines.runs.run import train
from card_envs.agent import RandomAgent, find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.damaged_files import read_json_object
from card_envs.envs import make_game
from card_envs.match.summary import Summary, summarise
from card_envs.plugins import ALGORITHMS, list_plugins

REPORT = "learners.json"
"""File of all finished cells."""
_CELL = ("game", "learner", "seed")
"""Names of the settings of a cell."""
_POINTS = 12
"""Number of evaluations during a run."""
_HANDS = 200
"""Hands of the matches in evaluations; they are few, since the benchmark does not use their results."""
FLOPS = 30
"""Number of random flops on which mixtures of networks are evaluated in flop hold'em."""
NETWORK_FLOPS: int | None = None
"""Number of flops on which one network is evaluated; None for all."""


class BenchmarkGame(NamedTuple):
    """A game of the benchmark."""

    env: str
    preset: str
    """Name of the presets of all learners."""
    minutes: float
    """Default processor time of a run."""
    unit: str
    """Unit of exploitability."""
    milli_unit: str
    """Unit of which the tables give thousandths."""
    is_small: bool = True
    """Exploitability is measured during the runs."""


@dataclass(frozen=True)
class Entrant:
    """A learner of the benchmark."""

    algorithm: str
    about: str
    """Description in the tables."""
    result: str
    """Column of the metrics with its result: `LATEST` or `AVERAGE`."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Settings that differ from the preset."""
    folder: str = ""
    """In flop hold'em: folder inside the run folder that plays the evaluated strategy; by default the run folder."""
    is_network: bool = True
    """One network plays the evaluated strategy, not a mixture of networks."""


GAMES = {
    "kuhn": BenchmarkGame("kuhn_poker-v0", "kuhn", 0.5, "chips", "the ante"),
    "leduc": BenchmarkGame("leduc_holdem-v0", "leduc", 10.0, "chips", "the ante"),
    "flop": BenchmarkGame("flop_holdem-v0", "flop", 60.0, "big blinds", "the big blind", is_small=False),
}
ENTRANTS = {
    "sd_cfr": Entrant(
        "sd_cfr", "Single Deep CFR: a network of every iteration, one drawn per deal", AVERAGE, is_network=False
    ),
    "deep_cfr": Entrant("sd_cfr", "Deep CFR: one average network", AVERAGE, {"average": "network"}),
    "dream": Entrant(
        "dream", "DREAM: as sd_cfr, from single lines of play with a learned baseline", AVERAGE, is_network=False
    ),
    "nfsp": Entrant("nfsp", "neural fictitious self-play: average network", AVERAGE),
    "mmd": Entrant("mmd", "PPO with a magnet: latest policy", LATEST),
    "ppo": Entrant("self_play_ppo", "self-play PPO: latest policy", LATEST),
    "ppo_average": Entrant(
        "self_play_ppo", "self-play PPO: average of all policies", AVERAGE, folder=SNAPSHOTS_FOLDER, is_network=False
    ),
    "tabular_mccfr": Entrant("tabular_mccfr", "table in place of networks, same traversals", AVERAGE),
}
"""Name -> learner. Learners with the same algorithm and changes share their runs."""


def can_learn(entrant: str, game: str) -> bool:
    """Return True if a learner has settings for a game."""
    return GAMES[game].preset in find_algorithm(list_plugins(ALGORITHMS)[ENTRANTS[entrant].algorithm]).presets


def run_cell(folder: Path, game: str, entrant: str, seed: int, minutes: float) -> dict[str, Any]:
    """Train or continue one run, and return its cell of the report; a finished run is not changed.

    Args:
        folder: Folder of the benchmark.
        game: Name in `GAMES`.
        entrant: Name in `ENTRANTS`.
        seed: Seed of the run.
        minutes: Processor time; 0 for that of the game.

    Raises:
        ValueError: The folder holds the run with another processor time.
    """
    who, where, path = ENTRANTS[entrant], GAMES[game], run_path(folder, game, entrant, seed)
    budget, run = minutes or where.minutes, RunFolder(path)
    if run.is_started and (before := run.config()["minutes"]) != budget:
        raise ValueError(f"{path} holds a run of {before:g} minutes, not {budget:g}: choose another folder")
    if (path / EVALUATION).exists():
        return read_cell(run, game, entrant, seed)
    algorithm = find_algorithm(list_plugins(ALGORITHMS)[who.algorithm])
    config = replace(
        algorithm.presets[where.preset],
        seed=seed,
        minutes=budget,
        steps=10**12,
        evaluation_seconds=60.0 * budget / _POINTS,
        panel=("random",),
        evaluation_hands=_HANDS,
        final_hands=_HANDS,
        device="cpu",
        **who.changes,
    )
    return read_cell(train(algorithm, config, path, progress=False), game, entrant, seed)


def run_path(folder: Path, game: str, entrant: str, seed: int) -> Path:
    """Return the run folder of a cell."""
    who = ENTRANTS[entrant]
    same = next(
        name for name, other in ENTRANTS.items() if (other.algorithm, other.changes) == (who.algorithm, who.changes)
    )
    return folder / game / same / f"seed_{seed}"


def read_cell(run: RunFolder, game: str, entrant: str, seed: int) -> dict[str, Any]:
    """Return the cell of a finished run: its commit, its curve and its exploitability at the end."""
    column = ENTRANTS[entrant].result
    metrics = run.metrics()
    config = run.config()
    curve = [
        {"seconds": row["seconds"], "decisions": int(row["decisions"]), "exploitability": row[column]}
        for row in metrics
        if column in row
    ]
    cell = {
        "game": game,
        "learner": entrant,
        "seed": seed,
        "commit": config["made_of"]["commit"],
        "minutes": config["minutes"],
        "curve": curve,
        "decisions": int(metrics[-1]["decisions"]),
        "seconds": metrics[-1]["seconds"],
    }
    if GAMES[game].is_small:
        return cell | {"exploitability": curve[-1]["exploitability"]}
    flops = NETWORK_FLOPS if ENTRANTS[entrant].is_network else FLOPS
    found = measure_on_flops(GAMES[game].env, RunFolder(run.path / ENTRANTS[entrant].folder), flops)
    return cell | {name: found[name] for name in ("exploitability", "flops", "ci95") if name in found}


def measure_on_flops(env: str, run: RunFolder, flops: int | None) -> dict[str, Any]:
    """Return the exploitability of a run folder in flop hold'em, which is stored in a file; `flops` None for all."""
    path = run.path / f"exploitability_{flops or 'all'}_flops.json"
    if not path.exists():
        game = make_game(env)
        target = Target(env=env, settings={}, agent=run.path.name, game=game, player=find_agent(str(run.path), game))
        run.write_json(path.name, exploit_flop_holdem(target, ExploitSettings(flops=flops)))
    return read_json_object(path)


def run_benchmark(
    folder: Path,
    games: Sequence[str],
    entrants: Sequence[str],
    seeds: int,
    minutes: float,
    progress: Callable[[int], object],
) -> dict[str, Any]:
    """Train all cells that are not finished, one seed after the other, and store them in `REPORT` in the folder.

    Calls `progress(1)` after each cell. Returns the report on all finished cells in the folder.
    """
    grid = Grid(folder / REPORT, layout=FileLayout(_read_report, make_report))
    for seed, game in itertools.product(range(seeds), games):
        for entrant in (entrant for entrant in entrants if can_learn(entrant, game)):
            found = run_cell(folder, game, entrant, seed, minutes)
            settings = {name: found.pop(name) for name in _CELL}
            grid.store(settings, found, commit=found.pop("commit"))
            progress(1)
    return make_report(grid.cells)


@cache
def measure_references(game: str) -> dict[str, float]:
    """Return the exploitability of the references: uniformly random play and, in small games, CFR+."""
    table = make_game(GAMES[game].env)
    if not GAMES[game].is_small:
        target = Target(env=GAMES[game].env, settings={}, agent="random", game=table, player=RandomAgent())
        found = exploit_flop_holdem(target, ExploitSettings(flops=NETWORK_FLOPS))
        return {"untrained": found["exploitability"]}
    agents = {"untrained": RandomAgent(), "cfr_plus": find_agent("cfr", table)}
    return {name: exact_exploitability(table, agent).exploitability for name, agent in agents.items()}


def make_report(cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the JSON of a benchmark: references and cells, by game, learner and seed."""
    order = {name: number for number, name in enumerate((*GAMES, *ENTRANTS))}
    listed = [{**cell.settings, "commit": cell.commit, **cell.result} for cell in cells]
    listed.sort(key=lambda cell: (order[cell["game"]], order[cell["learner"]], cell["seed"]))
    return {
        "unit": "chips per hand, big blinds in flop hold'em; half of NashConv: OpenSpiel's `exploitability`",
        "references": {game: measure_references(game) for game in dict.fromkeys(cell["game"] for cell in listed)},
        "cells": listed,
    }


def _read_report(content: Any) -> Iterator[Cell]:
    for cell in content["cells"]:
        result = {name: value for name, value in cell.items() if name not in (*_CELL, "commit")}
        yield Cell({name: cell[name] for name in _CELL}, result, None, cell["commit"])


def summarise_cells(report: Mapping[str, Any], game: str, entrant: str) -> Summary | None:
    """Return mean and 95 % t interval over seeds of the final exploitability, None if there is no run."""
    values = [cell["exploitability"] for cell in report["cells"] if (cell["game"], cell["learner"]) == (game, entrant)]
    return summarise(entrant, np.array(values)) if values else None


# --- tables and pictures ----------------------------------------------------------------------------------------------

MIN_BAND = 3
"""Seeds from which on curves have bands: the interval of two is wider than the picture."""
_REFERENCES = {"untrained": "untrained: all legal actions alike", "cfr_plus": "CFR+, tabular (agent `cfr`)"}


def table_header(game: str) -> tuple[str, ...]:
    """Return the header of a game's table."""
    unit, milli_unit = GAMES[game].unit, GAMES[game].milli_unit
    return "learner", f"{unit} a hand", f"thousandths of {milli_unit}", "decisions", "processor minutes", "seeds"


def table_rows(report: Mapping[str, Any], game: str) -> list[list[str]]:
    """Return the rows of a game below `table_header`: references, then learners, the best first, bounds last."""
    references = [
        [_REFERENCES[name], f"{value:.4f}", f"{1000 * value:,.1f}", "", "", ""]
        for name, value in report["references"][game].items()
    ]
    found = []
    for name in ENTRANTS:
        if (summary := summarise_cells(report, game, name)) is not None:
            cells = [cell for cell in report["cells"] if (cell["game"], cell["learner"]) == (game, name)]
            is_bound = any("ci95" in cell for cell in cells)  # measured on some flops
            found.append((is_bound, summary.mean, name, summary, cells))
    learners = []
    for is_bound, _, name, summary, cells in sorted(found, key=itemgetter(0, 1)):
        bound = "at least " if is_bound else ""
        width = f" ± {summary.half_width:.4f}" if len(cells) > 1 else ""
        thousandths = f" ± {1000 * summary.half_width:,.1f}" if len(cells) > 1 else ""
        learners.append(
            [
                f"`{name}`: {ENTRANTS[name].about}",
                f"{bound}{summary.mean:.4f}{width}",
                f"{bound}{1000 * summary.mean:,.1f}{thousandths}",
                f"{np.mean([cell['decisions'] for cell in cells]) / 1e6:.2f} M",
                f"{np.mean([cell['seconds'] for cell in cells]) / 60:.1f}",
                str(len(cells)),
            ]
        )
    return [*references, *learners]


def draw_curves(report: Mapping[str, Any], game: str, path: Path) -> None:
    """Draw exploitability against decisions and processor time: geometric means over seeds with 95 % t intervals.

    Intervals are drawn from `MIN_BAND` seeds on.
    """
    from matplotlib.ticker import EngFormatter, MaxNLocator, StrMethodFormatter

    figure = make_figure(10.5, 4.4)
    left, right = figure.subplots(1, 2, sharey=True)
    least = np.inf
    for number, name in enumerate(ENTRANTS):
        curves = [
            cell["curve"]
            for cell in report["cells"]
            if (cell["game"], cell["learner"]) == (game, name) and len(cell["curve"]) > 1
        ]
        for axes, column in ((left, "decisions"), (right, "seconds")):
            if curves:
                at, low, mean, high = band(curves, column)
                scale, color = 60.0 if column == "seconds" else 1.0, f"C{number}"  # the same one in all games
                axes.plot(at / scale, mean, label=f"{name} ({len(curves)})", color=color, linewidth=1.6)
                if len(curves) >= MIN_BAND:
                    axes.fill_between(at / scale, low, high, color=color, alpha=0.15, linewidth=0)
                least = min(least, mean.min())
    for axes in (left, right):
        axes.axhline(report["references"][game]["untrained"], color="0.6", linestyle=":", linewidth=1.0)
        axes.set_yscale("log")
        axes.set_ylim(least / 1.5, 1.5 * report["references"][game]["untrained"])
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    hide_frame(left, right)
    left.set_xscale("log")
    left.xaxis.set_major_formatter(EngFormatter(sep=" "))
    left.set_xlabel("decisions visited")
    right.set_xlabel("processor minutes")
    right.set_xlim(left=0.0)
    right.xaxis.set_major_locator(MaxNLocator(5))
    left.set_ylabel(f"exploitability, {GAMES[game].unit} a hand")
    left.text(0.99, 0.985, "dotted: untrained", transform=left.transAxes, ha="right", va="top", fontsize=8, color="0.4")
    figure.suptitle(f"{GAMES[game].env}: geometric mean and its 95 % interval over seeds", fontsize=11)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="outside right center", title="learner (seeds)")
    save_figure(figure, path)


def band(
    curves: list[list[dict[str, float]]], column: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return places, lower bounds, geometric means and upper bounds of curves, interpolated where all of them are.

    The axis is logarithmic, so means and intervals are those of logarithms.
    """
    first = max(curve[0][column] for curve in curves)
    last = min(curve[-1][column] for curve in curves)
    at = np.linspace(first, max(first, last), 40)
    logarithms = np.log(
        [np.interp(at, [p[column] for p in curve], [p["exploitability"] for p in curve]) for curve in curves]
    )
    mean = logarithms.mean(axis=0)
    half_width = np.array([summarise("", values).half_width if len(curves) > 1 else 0.0 for values in logarithms.T])
    return at, np.exp(mean - half_width), np.exp(mean), np.exp(mean + half_width)
