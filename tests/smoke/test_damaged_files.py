"""Damaged files of every kind end in one of our errors, which names the file, or are read: nothing crashes or hangs.

Every mutant is fixed by its number. `-k kind -m slow` tries 2,000 of a kind.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import random
import shutil
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from card_baselines import cli
from card_baselines.league import League
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config
from card_baselines.run_folder import CONFIG, RunFolder
from card_baselines.runs.checkpoint import STATE, load_state, save_state
from card_baselines.runs.run import Run, train
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.replay import Library
from card_baselines.web.results import compute_results
from card_baselines.web.session import Plan, Player
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
            tables, payoffs = play_out(game, plan, hand, made, number)
            if hand < 2:
                made.end_hand(number, hand, payoffs)
    made.close()
    for left in path.parent.glob("*-wal"):
        assert not left.stat().st_size, "the copies would lack what is in the log"
    return path


def play_out(game: Any, plan: Plan, hand: int, made: Store, session: int) -> tuple[Any, list[int]]:
    from card_baselines.web.session import deal_table

    tables, step = deal_table(game, plan, hand), 0
    while not tables["is_over"][0]:
        made.add_decision(session, hand, step, 1)
        game.step(tables, 0, 1)
        step += 1
    by_seat = tables["payoff"][0].tolist()
    return tables, [by_seat[plan.seat_of(index, hand)] for index in range(2)]


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


# --- kinds of files: how a copy is damaged, and how it is read ---------------------------------------------------------


def damage_checkpoint(folder: Path, rng: random.Random) -> None:
    """Damage the bytes of the file, or tensors or facts within it, as somebody would who then writes a right digest."""
    path = folder / STATE
    if rng.random() < 0.2:
        path.write_bytes(damage_bytes(path.read_bytes(), rng))
        return
    tensors, facts = load_state(path)
    if rng.random() < 0.25:
        save_state(path, tensors, facts_of(damage_json(facts, rng)))
        return
    name = rng.choice([name for name in sorted(tensors) if tensors[name].numel()])
    if rng.random() < 0.5:
        name = rng.choice(
            [name for name in sorted(tensors) if "tables" in name or "buffer" in name or "players" in name]
        )
    kind, tensor = rng.randrange(8), tensors[name]
    if kind == 0:
        del tensors[name]
    elif kind == 1:
        tensors[name] = tensor.to(rng.choice([torch.float64, torch.int16, torch.uint8]))
    elif kind == 2:
        tensors[name] = tensor.reshape(-1)[: max(1, tensor.numel() - 1)].clone()
    elif kind == 3:
        tensors[name + "x"] = tensors.pop(name)
    elif kind == 4:
        tensors[name] = torch.full_like(tensor, rng.choice([0, 1, 100]))
    else:
        content = tensor.clone().contiguous().reshape(-1).view(torch.uint8)
        for _ in range(min(len(content), rng.choice([1, 2, 39, len(content)]))):
            content[rng.randrange(len(content))] = rng.randrange(256)
        if tensor.dtype != torch.bool:  # other bytes than 0 and 1 are no bool
            tensors[name] = content.view(tensor.dtype).reshape(tensor.shape)
    save_state(path, tensors, facts)


def facts_of(value: Any) -> Any:
    return value


def read_checkpoint(folder: Path) -> None:
    """Continue a run: two updates and its evaluation match."""
    learner = ALGORITHM.make_learner(RUN, RUN.game())
    run = Run(ALGORITHM, RUN, learner, RunFolder(folder), progress=False)
    with contextlib.suppress(_diverged()):
        for _ in range(2):
            run.learner.update(0.5)


@cache
def _diverged() -> type[Exception]:
    from card_baselines.runs.learner import TrainingDivergedError

    return TrainingDivergedError


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


def check_kind(kind: str, source: Path, copies: Path, count: int) -> None:
    damage, read = KINDS[kind]
    refused = expect_own_errors(copies, source, damage, read, count)
    assert 0 < refused < count, "nothing was refused, or nothing was read: the mutants try too little"


KINDS: dict[str, tuple[Damage, Read]] = {
    "checkpoint": (damage_checkpoint, read_checkpoint),
    "config": (damage_config, read_config),
    "league": (damage_league, read_league),
    "store": (damage_sqlite, read_store),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_mutants(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    fixture = "run" if kind in ("checkpoint", "config") else kind
    check_kind(kind, request.getfixturevalue(fixture), tmp_path, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_mutants(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    fixture = "run" if kind in ("checkpoint", "config") else kind
    check_kind(kind, request.getfixturevalue(fixture), tmp_path, MANY)
