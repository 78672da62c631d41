"""Several processes compute the update of one, hold the same weights, and end together."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.ppo.experience import Batch
from card_baselines.ppo.ppo import Config, Ppo, Rates
from card_baselines.runs.checkpoint import STATE, load_state
from card_baselines.runs.distributed import WorkerError, launch
from tests.learning.bet_game import BET
from tests.learning.watched_learner import (
    Task,
    alone_at_the_bet_game,
    diverging,
    failing,
    failing_and_aborting,
    learned_at_the_bet_game,
    whole_and_continued,
)

REPO = Path(__file__).parents[2]
TWO = Config(
    env="kuhn_poker-v0",
    num_tables=33,
    batch=257,
    minibatch=64,
    hidden=(16,),
    value_hidden=(16,),
    opponents=("self", "random"),
    mixed=0.3,
    past_self_updates=2,
    average=0.9,
    progress=False,
)


def test_a_continued_run_of_two_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    exploited = {"opponents": (*TWO.opponents, "exploiter"), "exploiter_updates": 4, "exploiter_batches": 1}
    found = launch(2, whole_and_continued, Task(replace(TWO, exploitability=True, **exploited), tmp_path))
    whole, continued = found["whole"], found["continued"]
    assert found["progress"]["seconds"] == 12.5
    assert np.array_equal(*found["at_first"]) and np.array_equal(*whole["weights"])
    assert not np.array_equal(whole["weights"][0], found["at_first"][0])
    assert np.array_equal(whole["weights"][0], continued["weights"][0])
    tables, others = whole["tables"]
    assert 16 * len(tables) == 17 * len(others)
    assert not np.array_equal(tables[: len(others)], others)
    assert all(map(np.array_equal, whole["tables"], continued["tables"]))
    assert (whole["measures"], whole["counts"]) == (continued["measures"], continued["counts"])
    assert np.array_equal(whole["average"], continued["average"])

    with pytest.raises(ValueError, match="holds the tables of 2 workers, this run has 1: continue it with --workers 2"):
        Ppo(TWO, TWO.game()).load(tmp_path / STATE)


def test_two_processes_learn_and_take_the_step_that_one_would_take_with_the_decisions_of_both(tmp_path: Path) -> None:
    config = replace(TWO, learning_rate=0.02, reward_scale=1.0, opponents=(), max_gradient=100.0, entropy=0.01)
    found = launch(2, learned_at_the_bet_game, Task(config, tmp_path))
    assert found["shares"][f"action {BET}"] > 0.9

    alone = alone_at_the_bet_game(config)
    both = {name: np.concatenate([taken[name] for taken in found["decisions"]]) for name in found["decisions"][0]}
    sizes = [len(taken["choice"]) for taken in found["decisions"]]
    assert sizes[0] != sizes[1]  # as 257 decisions are split: each counts as much as any other
    rows = np.arange(sum(sizes))
    measures = alone.descend(Batch(both, torch.device("cpu")), rows, Rates.at(0.5, config))
    assert np.abs(alone.gradients()).max() > 0.01
    assert np.allclose(alone.gradients(), found["gradients"], rtol=1e-4, atol=1e-6)
    assert found["measures"] == pytest.approx(
        {name: float(measure) for name, measure in measures.items()}, rel=1e-4, abs=1e-6
    )


@pytest.mark.parametrize(
    ("happens", "message"),
    [
        (failing, "process 1 ended with exit code 1: RuntimeError: this process has had enough"),
        (failing_and_aborting, "process 1 was ended by signal 6: RuntimeError: this process has had enough"),
        (diverging, "TrainingDivergedError: update 1, epoch 1, minibatch 1: the loss is nan"),
    ],
)
def test_what_goes_wrong_in_another_process_ends_the_run_and_is_told(
    happens: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(WorkerError, match=message):
        launch(2, happens, Task(TWO, tmp_path))


OPTIONS = (
    "--env kuhn_poker-v0 --minutes 0 --num-tables 32 --batch 256 --minibatch 64 --epochs 1 --hidden 16 "
    "--value-hidden 16 --no-exploitability --panel random --evaluation-hands 100 --final-hands 100 "
    "--checkpoint-seconds 0 --evaluation-seconds 1000 --folder run"
)
ENVIRONMENT = os.environ | {
    "PYTHONPATH": os.pathsep.join(str(REPO / root) for root in ("", "wrappers", "baselines")),
    "OMP_NUM_THREADS": "1",
    "GLOO_SOCKET_IFNAME": "lo",  # torchrun leaves it to gloo, which listens where the name of the host leads
}
TRAIN = ("-m", "card_baselines.cli.main", "train", "self_play_ppo", *OPTIONS.split())


@contextmanager
def begun(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Start a run of two processes, yield it when it has done an update, and leave nothing of it behind."""
    with subprocess.Popen(
        [sys.executable, *TRAIN, "--workers", "2", *options],
        env=ENVIRONMENT,
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # what runs in the background ignores it
    ) as process:
        try:
            until = time.monotonic() + 300
            while not _updates_in(folder / "run" / STATE):
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_nobody_stays_behind(tmp_path: Path, sent: signal.Signals) -> None:
    """All processes hold the error stream, so it ends when the last of them does."""
    with begun(tmp_path) as process:
        if sent == signal.SIGINT:
            os.killpg(process.pid, sent)  # a terminal sends it to all
        else:
            process.send_signal(sent)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == (130 if sent == signal.SIGINT else -sent)
    assert "Traceback" not in errors


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are found in /proc")
def test_a_run_of_which_one_process_is_killed_says_so_and_goes_on(tmp_path: Path) -> None:
    with begun(tmp_path) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        names = {child: Path(f"/proc/{child}/cmdline").read_text() for child in children}
        workers = [int(child) for child, name in names.items() if "spawn_main" in name]
        assert len(workers) == 2
        os.kill(workers[1], signal.SIGKILL)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "was ended by signal 9; the same command continues from the last checkpoint" in errors
    before = _updates_in(tmp_path / "run" / STATE)
    command = [sys.executable, *TRAIN, "--workers", "2", "--steps", str(400 * (before + 3))]
    subprocess.run(command, env=ENVIRONMENT, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    assert _updates_in(tmp_path / "run" / STATE) > before
    assert (tmp_path / "run" / "evaluation.json").exists()


@pytest.mark.slow
def test_torchrun_starts_the_same_run_as_the_shorthand(tmp_path: Path) -> None:
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0", "--local-addr", "localhost"]
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "2", *meeting]
    commands = {"torchrun": [*launcher, *TRAIN], "shorthand": [*TRAIN, "--workers", "2"]}
    for name, command in commands.items():
        (tmp_path / name).mkdir()
        complete = [sys.executable, *command, "--steps", "1500"]
        subprocess.run(complete, env=ENVIRONMENT, cwd=tmp_path / name, check=True, capture_output=True, timeout=300)
    first, second = ((tmp_path / name / "run" / "policy.safetensors").read_bytes() for name in commands)
    assert first == second


@pytest.mark.slow
def test_two_machines_meet_and_train_one_network(tmp_path: Path) -> None:
    """Two launchers on the loopback interface, with one process each, take the place of two machines."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{port}", "--rdzv-id", "two_machines"]
    launcher = ["-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1", *meeting]
    command = [sys.executable, *launcher, "--local-addr", "127.0.0.1", *TRAIN, "--steps", "1500"]
    both = [
        subprocess.Popen(
            command, env=ENVIRONMENT, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        for _ in range(2)
    ]
    try:
        for process in both:
            _, errors = process.communicate(timeout=300)
            assert process.returncode == 0, errors
    finally:
        for process in both:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    (tmp_path / "alone").mkdir()
    shorthand = [sys.executable, *TRAIN, "--workers", "2", "--steps", "1500"]
    subprocess.run(shorthand, env=ENVIRONMENT, cwd=tmp_path / "alone", check=True, capture_output=True, timeout=300)
    first, second = ((folder / "run" / "policy.safetensors").read_bytes() for folder in (tmp_path, tmp_path / "alone"))
    assert first == second


def _updates_in(state: Path) -> int:
    return int(load_state(state)[1]["updates"]) if state.exists() else 0


@pytest.mark.parametrize("workers", [0, 33])
def test_as_many_workers_as_there_is_work_for(workers: int) -> None:
    with pytest.raises(ValueError, match=rf"workers {workers} must be in 1\.\.32: each needs a table and a decision"):
        replace(TWO, workers=workers, num_tables=32)
