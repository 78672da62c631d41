"""Damaged files of every kind end in one of our errors, which names the file, or are read: nothing crashes or hangs.

Every mutant is fixed by its number. `-k kind -m slow` tries 2,000 of a kind.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import random
import shutil
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from card_baselines import cli
from card_baselines.cli.commands import panel as panels
from card_baselines.cli.run_output import print_evaluation
from card_baselines.league import League
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config
from card_baselines.run_folder import CONFIG, EVALUATION, RunFolder
from card_baselines.runs.checkpoint import STATE, load_state, save_state
from card_baselines.runs.learner import TrainingDivergedError
from card_baselines.runs.run import Run, train
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.replay import Library
from card_baselines.web.results import compute_results
from card_baselines.web.session import Plan, Player, deal_table
from card_baselines.web.store import Store
from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.match import play_match
from tests.helpers.damage import damage_bytes, damage_json, damage_json_text, damage_sqlite

FEW, MANY = 50, 2000
MAX_SECONDS, MAX_BYTES = 1.5, 200 * 2**20
"""Of processor time and memory for a mutant."""
HANG_SECONDS = 300.0
"""After which the process ends with a traceback: a kernel that does not end cannot be interrupted."""
RUN = Config(
    env="leduc_holdem-v0", num_tables=8, batch=32, minibatch=16, hidden=(8,), opponents=("self", "random"), mixed=0.5,
    minutes=0.0, steps=2000, panel=("random",), evaluation_hands=10, final_hands=10, device="cpu",
)  # fmt: skip

BIG2 = next(section for section in panels.SECTIONS if section.name == "big2")
Damage = Callable[[Path, random.Random], None]
Read = Callable[[Path], None]


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
            payoffs = play_out(game, plan, hand, made, number)
            if hand < 2:
                made.end_hand(number, hand, payoffs)
    made.close()
    for left in path.parent.glob("*-wal"):
        assert not left.stat().st_size, "the copies would lack what is in the log"
    return path


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a panel, none of which is missing."""
    path = tmp_path_factory.mktemp("panel") / "panel.json"
    settings = panels._MatchSettings(quick=True, seed=0, control_variates=False, commit="")
    results: dict[str, dict[str, Any]] = {row: {} for row in BIG2.agents}
    for row, column in BIG2.matches():
        hands = settings.hands(BIG2, row, column)
        results[row][column] = {"mean": 0.5, "ci95": [0.25, 0.75], "hands": hands, "commit": "0" * 40}
    path.write_text(json.dumps({"big2": {"command": settings.command, "seed": 0, "results": results}}))
    return path


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a match, as `card-envs match --json` prints it."""
    path, printed = tmp_path_factory.mktemp("match") / "match.json", io.StringIO()
    words = ["match", "kuhn_poker-v0", "--agents", "random", "always_call", "--hands", "40", "--duplicate", "--json"]
    with contextlib.redirect_stdout(printed):
        assert cli.main(words) == 0
    path.write_text(printed.getvalue())
    return path


def play_out(game: Any, plan: Plan, hand: int, made: Store, session: int) -> list[int]:
    """Write a hand in which everybody checks and calls; return its payoffs by player."""
    tables, step = deal_table(game, plan, hand), 0
    while not tables["is_over"][0]:
        made.add_decision(session, hand, step, 1)
        game.step(tables, 0, 1)
        step += 1
    by_seat = tables["payoff"][0].tolist()
    return [by_seat[plan.seat_of(index, hand)] for index in range(2)]


def expect_own_errors(copies: Path, source: Path, damage: Damage, read: Read, count: int) -> int:
    """Damage and read copies of a file or folder; return how many were refused.

    Errors of Python, of SQLite, of PyTorch and of safetensors fail the test, and so does an error without the file.
    """
    refused = 0
    for number in range(count):
        copied = copies / f"{number}" / source.name
        copied.parent.mkdir(parents=True)
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, copied)
        damage(copied, random.Random(number))
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        start, before = time.process_time(), peak_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of rows that are left out
                read(copied)
        except ValueError as error:
            assert source.name in str(error), f"mutant {number}: no word of the file: {error!r}"
            refused += 1
        except Exception as error:
            raise AssertionError(f"mutant {number} in {copied} ends in {type(error).__name__}: {error}") from error
        finally:
            faulthandler.cancel_dump_traceback_later()
        assert number == 0 or time.process_time() - start < MAX_SECONDS, f"mutant {number}"  # the first one compiles
        assert peak_bytes() - before < MAX_BYTES, f"mutant {number}"
        shutil.rmtree(copied.parent)
    return refused


def peak_bytes() -> int:
    """Return the largest memory of this process so far; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


# --- kinds of files: how a copy is damaged, and how it is read --------------------------------------------------------


def damage_checkpoint(folder: Path, rng: random.Random) -> None:
    """Damage the bytes of the file, or tensors or facts within it, as somebody would who then writes a right digest."""
    path, kind = folder / STATE, rng.random()
    if kind < 0.2:
        path.write_bytes(damage_bytes(path.read_bytes(), rng))
        return
    tensors, facts = load_state(path)
    if kind < 0.4:
        facts = damage_json(facts, rng)
    else:
        names = [name for name in sorted(tensors) if tensors[name].numel()]
        of_rollout = [name for name in names if name.startswith("rollout.")]
        damage_tensor(tensors, rng.choice(of_rollout if kind < 0.7 else names), rng)
    save_state(path, tensors, facts)


def damage_tensor(tensors: dict[str, torch.Tensor], name: str, rng: random.Random) -> None:
    """Remove or rename a tensor, or change its type, length or bytes."""
    tensor = tensors.pop(name)
    content = tensor.clone().contiguous().reshape(-1).view(torch.uint8)
    for _ in range(min(len(content), rng.choice([1, 2, 39, len(content)]))):
        content[rng.randrange(len(content))] = rng.randrange(2 if tensor.dtype == torch.bool else 256)
    changed = content.view(tensor.dtype).reshape(tensor.shape)
    choices = {
        name + "x": tensor,
        name: rng.choice([
            tensor.to(rng.choice([torch.float64, torch.int16, torch.uint8])),
            tensor.reshape(-1)[: max(1, tensor.numel() - 1)].clone(),
            torch.full_like(tensor, rng.choice([0, 1, 100])),
            changed, changed, changed,
        ]),
    }  # fmt: skip
    if kept := rng.choice([name, name, name, name, name + "x", ""]):
        tensors[kept] = choices[kept]


def read_checkpoint(folder: Path) -> None:
    """Continue a run: two updates and its evaluation match."""
    learner = ALGORITHM.make_learner(RUN, RUN.game())
    run = Run(ALGORITHM, RUN, learner, RunFolder(folder), progress=False)
    with contextlib.suppress(TrainingDivergedError):
        for _ in range(2):
            run.learner.update(0.5)


def damage_config(folder: Path, rng: random.Random) -> None:
    path = folder / CONFIG
    path.write_text(damage_json_text(path.read_text(), rng))


def read_config(folder: Path) -> None:
    """Play the agent of the folder, and begin to continue its run."""
    game = make_game(RUN.env)
    play_match(game, [find_agent(str(folder), game), find_agent("random", game)], 4, 0)
    RunFolder(folder).start(ALGORITHM.describe(RUN), ALGORITHM.may_change)
    command("export", str(folder), "--onnx", str(folder / "agent.onnx"))


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
        opened.store.rounds(), opened.store.faults(), opened.store.lost_rounds()
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
    settings = panels._MatchSettings(quick=True, seed=0, control_variates=False, commit="")
    before = panels._read_report(path).get("big2", {})
    with contextlib.redirect_stdout(io.StringIO()):
        panels._print_section(BIG2, panels._begin_section(BIG2, settings, before))


def read_match(path: Path) -> None:
    command("hands-needed", "--pilot", str(path), "--difference", "0.1")


def check_kind(kind: str, source: Path, copies: Path, count: int) -> None:
    damage, read = KINDS[kind]
    refused = expect_own_errors(copies, source, damage, read, count)
    assert 0 < refused < count, "nothing was refused, or nothing was read: the mutants try too little"


KINDS: dict[str, tuple[Damage, Read]] = {
    "checkpoint": (damage_checkpoint, read_checkpoint),
    "config": (damage_config, read_config),
    "league": (damage_league, read_league),
    "store": (damage_sqlite, read_store),
    "evaluation": (damage_evaluation, read_evaluation),
    "panel": (damage_text, read_panel),
    "match": (damage_text, read_match),
}
SOURCES = {"checkpoint": "run", "config": "run", "evaluation": "run"}
"""Fixtures of kinds that have none of their own."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_mutants(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    check_kind(kind, request.getfixturevalue(SOURCES.get(kind, kind)), tmp_path, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_mutants(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    check_kind(kind, request.getfixturevalue(SOURCES.get(kind, kind)), tmp_path, MANY)
