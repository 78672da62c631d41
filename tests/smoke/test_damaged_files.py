"""Damaged files of most kinds end in one of our errors, which names the file, or are read: nothing crashes or hangs.

Every mutant is fixed by its number. `-k kind -m slow` tries 2,000 of a kind. Checkpoints have a file of their own.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from card_baselines import cli
from card_baselines.cli.commands import panel as panels
from card_baselines.cli.commands.train import print_evaluation
from card_baselines.cli.console import print_parts
from card_baselines.grid import FileLayout, Grid
from card_baselines.league import League
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.run_folder import CONFIG, EVALUATION, RunFolder
from card_baselines.runs.run import train
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.replay import Library
from card_baselines.web.results import compute_results
from card_baselines.web.session import Plan, Player, deal_table
from card_baselines.web.store import Store
from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.match import play_match
from tests.helpers.damage import damage_json_text, damage_sqlite
from tests.helpers.mutants import Damage, Read, expect_own_errors
from tests.helpers.tiny_runs import tiny_config

RUN = tiny_config("self_play_ppo", steps=2000)
BIG2 = next(section for section in panels.SECTIONS if section.name == "big2")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run in the middle of a deal, with a past self."""
    folder = tmp_path_factory.mktemp("run") / "run"
    train(ALGORITHM, RUN, folder)
    return folder


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("league") / "league"
    with League.new(folder, "kuhn_poker-v0", seed=1) as made:
        made.add_division("final", "round_robin", teachers=["random", "always_call"], hands=10)
        made.run({"final": 2})
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions of people, one with an unfinished hand."""
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    game, made = make_game("kuhn_poker-v0"), Store(path)
    for block in (0, 2):
        plan = Plan("kuhn_poker-v0", {}, (Player("a", None), Player("b", "random")), 1, block)
        number = made.add_session(plan, ("token", None))
        for hand in range(3):
            made.add_hand(number, hand)
            play_out(game, plan, hand, made, number, is_ended=hand < 2)
    made.close()
    for left in path.parent.glob("*-wal"):
        assert not left.stat().st_size, "the copies would lack what is in the log"
    return path


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a panel, none of which is missing."""
    path = tmp_path_factory.mktemp("panel") / "panel.json"
    settings = panels._MatchSettings(quick=True, seed=0, control_variates=False)
    results: dict[str, dict[str, Any]] = {row: {} for row in BIG2.agents}
    for row, column in BIG2.matches():
        hands = settings.cell(BIG2, row, column)["hands"]
        results[row][column] = {"mean": 0.5, "ci95": [0.25, 0.75], "hands": hands, "commit": "0" * 40}
    path.write_text(json.dumps({"big2": {"command": settings.command, "seed": 0, "results": results}}))
    return path


def play_out(game: Any, plan: Plan, hand: int, made: Store, session: int, is_ended: bool) -> None:
    """Write a hand in which everybody checks and calls, with its payoffs if it `is_ended`."""
    tables, step = deal_table(game, plan, hand), 0
    while not tables["is_over"][0]:
        game.step(tables, 0, 1)
        by_seat = tables["payoff"][0].tolist()
        payoffs = [by_seat[plan.seat_of(index, hand)] for index in range(2)]
        made.add_decision(session, hand, step, 1, payoffs=payoffs if is_ended and tables["is_over"][0] else None)
        step += 1


# --- kinds of files: how a copy is damaged, and how it is read --------------------------------------------------------


def damage_config(folder: Path, rng: random.Random) -> None:
    path = folder / CONFIG
    path.write_text(damage_json_text(path.read_text(), rng))


def read_config(folder: Path) -> None:
    """Play the agent of the folder, and begin to continue its run."""
    game = make_game(RUN.env)
    play_match(game, [find_agent(str(folder), game), find_agent("random", game)], 4, 0)
    RunFolder(folder).start(ALGORITHM.describe(RUN), ALGORITHM.may_change)
    command("agents", "--export", "--agent", str(folder), "--onnx", str(folder / "agent.onnx"))


def command(*words: str) -> None:
    """Run a command; a message of an error of ours is raised again as a ValueError."""
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        code = cli.main(list(words))
    if code:
        raise ValueError(errors.getvalue())


def damage_league(folder: Path, rng: random.Random) -> None:
    damage_sqlite(folder / "league.sqlite", rng)


def read_league(folder: Path) -> None:
    command("league", "rank", str(folder), "--measures", "mean", "--resamples", "2")
    command("league", "watch", str(folder), "--once")
    with League.open(folder) as opened:
        opened.store.rounds(), opened.store.faults(), opened.store.find_lost_rounds()
        for row in opened.divisions.values():
            opened.store.entries(row.id), opened.ratings(row.name)


def read_store(path: Path) -> None:
    """Compute results, list and show recordings, and export hands."""
    opened = Store(path)
    try:
        catalogue = Catalogue()
        compute_results(opened, catalogue, people_only=False)
        library = Library(catalogue, opened)
        for listed in library.list_recordings():
            library.describe(listed["name"])
            library.moment(listed["name"], 0, 0)
        command("results", str(path), "--json")
        command("results", str(path), "--export", str(path.parent / "hands.csv"))
    finally:
        opened.close()


def damage_text(path: Path, rng: random.Random) -> None:
    path.write_text(damage_json_text(path.read_text(), rng), encoding="latin-1")


def damage_evaluation(folder: Path, rng: random.Random) -> None:
    damage_text(folder / EVALUATION, rng)


def read_evaluation(folder: Path) -> None:
    """Print the evaluation of a run, as its command does at the end."""
    with contextlib.redirect_stdout(io.StringIO()):
        print_evaluation(RunFolder(folder))


def read_panel(path: Path) -> None:
    """Read the results of a panel, decide which matches are missing, and print the others."""
    cells = Grid(path, layout=FileLayout(panels._read_sections, panels._arrange_sections)).cells
    with contextlib.redirect_stdout(io.StringIO()):
        if "big2" in (report := panels._arrange_sections(cells)):
            print_parts([panels._make_table(BIG2, report["big2"])])


KINDS: dict[str, tuple[Damage, Read]] = {
    "config": (damage_config, read_config),
    "league": (damage_league, read_league),
    "store": (damage_sqlite, read_store),
    "evaluation": (damage_evaluation, read_evaluation),
    "panel": (damage_text, read_panel),
}
SOURCES = {"config": "run", "evaluation": "run"}
"""Fixtures of kinds that have none of their own."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [50, pytest.param(2000, marks=pytest.mark.slow)])
def test_mutants(kind: str, count: int, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    source: Path = request.getfixturevalue(SOURCES.get(kind, kind))
    refused = expect_own_errors(tmp_path, source, *KINDS[kind], range(count))
    assert 0 < refused < count, "nothing was refused, or nothing was read: the mutants try too little"
