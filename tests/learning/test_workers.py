"""Several workers compute the update of one, hold the same weights, and end together."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.training import self_play_ppo
from card_baselines.training.checkpoint import STATE, load_state
from card_baselines.training.self_play_learner import Learner, Rates, TrainingDivergedError
from card_baselines.training.self_play_ppo import Config, game_of
from card_baselines.training.workers import Team, WorkerError, hired
from tests.learning.bet_game import BET
from tests.learning.watched_learner import watched, watched_at_the_bet_game

REPO = Path(__file__).parents[2]
TWO = Config(
    env="kuhn_poker-v0",
    workers=2,
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


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def test_a_continued_run_of_two_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    config = replace(TWO, exploitability=True)
    with hired(2, partial(watched, config)) as whole:
        at_first = whole.numbers()
        for k in range(5):
            whole.update(k / 10)
        whole.save(tmp_path / STATE, 12.5)
        measures = [whole.update(k / 10) for k in range(5, 10)]
        weights = whole.numbers()
        tables, others = (arrays["tables"] for arrays, _ in (whole.own_state(), *whole.team.ask("own_state")))
        assert np.array_equal(weights, *whole.team.ask("numbers"))
    assert not np.array_equal(weights, at_first)
    assert 16 * len(tables) == 17 * len(others)
    assert not np.array_equal(tables[: len(others)], others)

    with hired(2, partial(watched, config)) as continued:
        assert np.array_equal(at_first, continued.numbers()) and np.array_equal(
            at_first, *continued.team.ask("numbers")
        )
        assert continued.load(tmp_path / STATE) == 12.5
        assert [continued.update(k / 10) for k in range(5, 10)] == measures
        assert np.array_equal(weights, continued.numbers()) and np.array_equal(weights, *continued.team.ask("numbers"))
        assert np.array_equal(others, continued.team.ask("own_state")[0][0]["tables"])
        assert (whole.decisions, len(whole.rollouts.past)) == (continued.decisions, len(continued.rollouts.past))
        assert np.array_equal(whole.meter.average.strategy(), continued.meter.average.strategy())

    with pytest.raises(ValueError, match="holds the tables of 2 workers, this run has 1: continue it with --workers 2"):
        Learner(TWO, game_of(TWO)).load(tmp_path / STATE)


def test_two_workers_learn_and_take_the_step_that_one_would_take_with_the_decisions_of_both() -> None:
    config = replace(TWO, learning_rate=0.02, reward_scale=1.0, opponents=(), max_gradient=100.0, entropy=0.01)
    with hired(2, partial(watched_at_the_bet_game, config)) as learner:
        for _ in range(15):
            learner.update(0.5)
        shares = learner.update(0.5)
        assert shares[f"action {BET}"] > 0.9
        decisions = [learner.first_decisions(), *learner.team.ask("first_decisions")]

    alone = watched_at_the_bet_game(config, Team())
    both = {name: np.concatenate([taken[name] for taken in decisions]) for name in decisions[0]}
    sizes = [len(taken["choice"]) for taken in decisions]
    assert sizes[0] != sizes[1]  # as 257 decisions are split: each counts as much as any other
    alone.rollouts.experience.arrays = both
    measures = alone._descend(np.arange(sum(sizes)), Rates.at(0.5, config), 0, 0)
    assert np.abs(alone.gradients()).max() > 0.01
    assert np.allclose(alone.gradients(), learner.first_gradients, rtol=1e-4, atol=1e-6)
    assert learner.first_measures == pytest.approx(measures, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(
    ("happens", "error", "message"),
    [
        ("fail", WorkerError, "worker 1 failed:(.|\n)*ValueError: this worker has had enough"),
        ("be_killed", WorkerError, "worker 1 ended with exit code -9"),
        ("forget_a_number", TrainingDivergedError, "update 1, epoch 1, minibatch 1: the loss is nan"),
    ],
)
def test_what_goes_wrong_in_another_worker_ends_the_run_and_is_told(
    happens: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message), hired(2, partial(watched, TWO)) as learner:
        learner.team.tell(happens)
        for _ in range(10):
            learner.update(0.0)
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_nobody_stays_behind(tmp_path: Path, sent: signal.Signals) -> None:
    """All workers hold the error stream, so it ends when the last of them does."""
    options = "--env kuhn_poker-v0 --minutes 0 --workers 2 --num-tables 32 --batch 256 --minibatch 64 --hidden 16"
    command = [sys.executable, "-m", "card_baselines.cli.main", "train", "self_play_ppo", *options.split()]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(str(REPO / root) for root in ("", "wrappers", "baselines"))
    }
    process = subprocess.Popen(
        [*command, "--checkpoint-seconds", "0", "--evaluation-seconds", "1000", "--folder", "run"],
        env=environment,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # what runs in the background ignores it
    )
    until = time.monotonic() + 300
    while not _updates_in(tmp_path / "run" / STATE) and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.05)
    if sent == signal.SIGINT:
        os.killpg(process.pid, sent)  # a terminal sends it to all
    else:
        process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == (130 if sent == signal.SIGINT else -sent)
    assert "Traceback" not in errors


def _updates_in(state: Path) -> int:
    return int(load_state(state)[1]["updates"]) if state.exists() else 0


@pytest.mark.parametrize("workers", [0, 33])
def test_as_many_workers_as_there_is_work_for(tmp_path: Path, workers: int) -> None:
    with pytest.raises(ValueError, match=rf"workers {workers} must be in 1\.\.32: each needs a table and a decision"):
        self_play_ppo.main(replace(TWO, workers=workers, num_tables=32, folder=str(tmp_path / "run")))
    assert not (tmp_path / "run").exists()
