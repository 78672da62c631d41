"""Damaged checkpoints of every algorithm end in one of our errors, which names the file, or are continued.

Every mutant is fixed by its number. `-m slow` tries more than 2,000 in all.
"""

from __future__ import annotations

import contextlib
import math
import random
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import load_state, save_state
from card_baselines.runs.learner import TrainingDivergedError
from card_baselines.runs.run import Run, train
from card_baselines.solvers import train as solvers
from card_baselines.solvers import training
from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_envs.agent import find_agent
from card_envs.match import play_match
from card_envs.poker.hands import NUM_HANDS
from tests.helpers.damage import damage_bytes, damage_json
from tests.helpers.hand_buckets import some_buckets, some_turn
from tests.helpers.mutants import expect_own_errors
from tests.helpers.tiny_runs import TINY, algorithm_of, tiny_config

FEW, MANY = 12, 120
SLOW = ("public_chance_cfr", "menu_cfr", "multiplayer_mccfr", "maskable_dqn", "recurrent_ppo", "deep_cfr",
        "dream_network", "mmd", "expert_iteration")  # fmt: skip
"""Algorithms with checkpoints of 50 megabytes, and those whose checkpoints are kept and read as those of others:
maskable_ppo, sd_cfr, dream, self_play_ppo, distill."""
START = "start"
"""Folder of the run that another one starts from."""
NOT_TRIED = ("config.json", "evaluation.json", "metrics.csv")
"""Files of run folders that `test_damaged_files` damages, and one that nothing reads back."""


@pytest.fixture(autouse=True)
def quick_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Buckets that mean nothing, since true ones take minutes; a checkpoint has its own. Few deals in an update."""
    monkeypatch.setattr(solvers.MccfrLearner, "iterations_at_once", 50)
    monkeypatch.setattr(solvers, "equal_bounds", lambda num, seed: np.tile(np.arange(1, num) / num, (3, 1)))
    monkeypatch.setattr(training, "make_buckets", plain_buckets)
    monkeypatch.setattr(training, "turn_table", lambda buckets: some_turn(math.isqrt(buckets.hands_by_street[2])))


def plain_buckets(width: int, seed: int) -> HandBuckets:
    """Return buckets that are the same on every flop, which are compressed in a moment."""
    flop = np.tile((np.arange(NUM_HANDS) % width**2).astype(np.uint16), (1755, 1))
    return replace(some_buckets(width, seed), flop=flop)


def make_run(name: str, folder: Path) -> RunFolder:
    """Train for some updates, and leave a run in the middle of its budget."""
    changes: dict[str, Any] = {}
    if name == "expert_iteration":
        train(algorithm_of("distill"), tiny_config("distill", steps=500), folder / START, progress=False)
        changes = {"start_from": str(folder / START)}
    config, algorithm = tiny_config(name, **changes), algorithm_of(name)
    run = RunFolder(folder / name)
    run.start(algorithm.describe(config), algorithm.may_change)
    training = Run(algorithm, config, algorithm.make_learner(config, config.game()), run, progress=False)
    training.learner.save_policy(run)
    training.learner.on_evaluation(run)
    for fraction in (0.0, 0.3):
        training.learner.update(fraction)
    training._save()
    return run


class Mutants:
    """Damaged run folders of an algorithm, and how they are read."""

    def __init__(self, name: str, run: RunFolder) -> None:
        self.algorithm, self.run = algorithm_of(name), run
        start = run.path.parent / START
        self.config = tiny_config(name, **({"start_from": str(start)} if start.exists() else {}))
        self.game = self.config.game()
        self.checkpoint = self._make_learner().checkpoint
        self.others = sorted(
            path.name for path in run.path.iterdir()
            if path.is_file() and path.suffix != ".png" and path.name not in (*NOT_TRIED, self.checkpoint)
        )  # fmt: skip
        """Files with the policy."""

    def _make_learner(self) -> Any:
        return self.algorithm.make_learner(self.config, self.game)

    def damage(self, folder: Path, rng: random.Random) -> None:
        """Damage the checkpoint, or sometimes the policy."""
        path = folder / self.checkpoint
        if rng.random() < 0.2:
            path = folder / rng.choice(self.others)
        if path.name == self.checkpoint:
            damage_checkpoint(path, rng)
        else:
            path.write_bytes(damage_bytes(path.read_bytes(), rng))

    def read(self, folder: Path) -> None:
        """Play the agent of the folder, and continue its run: two updates, a checkpoint and a policy."""
        agents = [find_agent(str(folder), self.game), *[find_agent("random", self.game)] * (self.game.num_seats - 1)]
        play_match(self.game, agents, 4, 0)
        run = Run(self.algorithm, self.config, self._make_learner(), RunFolder(folder), progress=False)
        with contextlib.suppress(TrainingDivergedError):
            for _ in range(2):
                if (fraction := run._budget.fraction()) < 1.0:
                    run.learner.update(fraction)
            run._save()


def damage_checkpoint(path: Path, rng: random.Random) -> None:
    """Damage the bytes of the file, or tensors or facts within it, as somebody would who then writes a right digest."""
    kind = rng.random()
    if kind < 0.1:
        path.write_bytes(damage_bytes(path.read_bytes(), rng))
        return
    tensors, facts = load_state(path)
    if kind < 0.3 or not tensors:
        facts = damage_json(facts, rng)
    else:
        damage_tensor(tensors, choose_tensor(tensors, rng), rng)
    save_state(path, tensors, facts)


def choose_tensor(tensors: dict[str, torch.Tensor], rng: random.Random) -> str:
    """Return the name of a tensor: each part of a checkpoint has the same probability, however many it has."""
    parts: dict[str, list[str]] = {}
    for name in sorted(tensors):
        if tensors[name].numel():
            parts.setdefault(name.split(".")[0], []).append(name)
    return rng.choice(parts[rng.choice(sorted(parts))])


def damage_tensor(tensors: dict[str, torch.Tensor], name: str, rng: random.Random) -> None:
    """Remove or rename a tensor, or change its type, length or bytes."""
    tensor = tensors.pop(name)
    content = tensor.clone().contiguous().reshape(-1).view(torch.uint8)
    for _ in range(min(len(content), rng.choice([1, 2, 39, min(len(content), 10_000)]))):
        content[rng.randrange(len(content))] = rng.randrange(2 if tensor.dtype == torch.bool else 256)
    changed = content.view(tensor.dtype).reshape(tensor.shape)
    choices = {
        name + "x": tensor,
        name: rng.choice([
            tensor.to(rng.choice([torch.float64, torch.int16, torch.uint8])),
            tensor.reshape(-1)[: max(1, tensor.numel() - 1)].clone(),
            torch.full_like(tensor, rng.choice([0, 1, 100])),
            torch.cat([tensor, tensor]) if tensor.ndim else tensor[None],
            changed, changed, changed,
        ]),
    }  # fmt: skip
    if kept := rng.choice([name, name, name, name, name + "x", ""]):
        tensors[kept] = choices[kept]


def try_mutants(name: str, folder: Path, numbers: range) -> None:
    run = make_run(name, folder)
    mutants = Mutants(name, run)
    copies = folder / "copies"
    for copy in ("first", "second"):  # the first compiles
        shutil.copytree(run.path, copies / copy / run.path.name)
        start = time.process_time()
        mutants.read(copies / copy / run.path.name)
        usual = time.process_time() - start
    refused = expect_own_errors(copies, run.path, mutants.damage, mutants.read, numbers, usual)
    assert 0 < refused < len(numbers), "nothing was refused, or nothing was read: the mutants try too little"


FIRST = [pytest.param(name, range(FEW), marks=[pytest.mark.slow] if name in SLOW else [], id=name) for name in TINY]
MORE = [pytest.param(name, range(FEW, MANY), marks=pytest.mark.slow, id=f"{name}, many") for name in TINY]


@pytest.mark.parametrize(("name", "numbers"), [*FIRST, *MORE])
def test_damaged_checkpoints(name: str, numbers: range, tmp_path: Path) -> None:
    try_mutants(name, tmp_path, numbers)
