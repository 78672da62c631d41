"""Self-play PPO on a GPU: the losses of the processor, runs that continue, and processes that share a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config, Schedules
from card_baselines.ppo.on_device.graphs import Replay
from card_baselines.ppo.on_device.learner import DevicePpo
from card_baselines.ppo.ppo import Ppo
from card_baselines.ppo.rollout_buffer import LOSS_COLUMNS, Batch
from card_baselines.runs.run import train
from card_envs.agent import find_agent
from card_envs.cuda.device import CudaUnavailableError
from card_envs.match import play_match
from tests.helpers.device_play import play

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

ROOT = Path(__file__).parents[2]
SMALL = Config(
    env="leduc_holdem-v0", num_tables=64, batch=512, minibatch=128, hidden=(32,), shared_layers=1, device="cuda",
    opponents=("self", "exploiter", "random"), mixed=0.3, exploiter_batches=2, average=0.9, average_strategy="exact",
    panel=("random",), minutes=0.0, steps=4_000, evaluation_hands=200, final_hands=200,
)  # fmt: skip


def test_the_loss_is_that_of_the_processor() -> None:
    config = replace(SMALL, opponents=(), mixed=0.0)
    learners = [Ppo(replace(config, device=device), config.game()) for device in ("cuda", "cpu")]
    learners[1].network.load_state_dict(learners[0].network.state_dict())
    learners[0].rollout.collect(learners[0].network, config.batch)
    columns = {name: learners[0].rollout.buffer.columns[name][: config.batch] for name in LOSS_COLUMNS}
    losses = []
    for learner in learners:
        minibatch = Batch(columns, learner.device).minibatch(np.arange(5, config.batch))
        loss, _ = learner.compute_loss(minibatch, Schedules.from_config(config, 0.5))
        loss.backward()
        gradients = [parameter.grad.cpu().flatten() for parameter in learner.parameters if parameter.grad is not None]
        losses.append((loss.item(), torch.cat(gradients)))
    (on_gpu, gradient), (on_cpu, expected) = losses
    assert on_gpu == pytest.approx(on_cpu, rel=1e-4)
    assert torch.allclose(gradient, expected, rtol=1e-3, atol=1e-5)
    assert float(expected.abs().max()) > 1e-3


@pytest.mark.parametrize("env_id", ["leduc_holdem-v0", "limit_holdem-v0", "big2-v0"])
def test_rollouts_are_those_of_the_processor(env_id: str) -> None:
    assert play(env_id, 64, 40, "cuda") == play(env_id, 64, 40, "cpu")


def test_graphs_learn_what_calls_learn() -> None:
    config = replace(SMALL, average_strategy="off", opponents=("self", "random"))
    learners = [DevicePpo(config, config.game()) for _ in range(2)]
    plain = learners[1]
    plain.rollout.replay = Replay(plain.rollout.play_steps, plain.device, uses_graph=False)
    plain.replay = Replay(plain.take_step, plain.device, uses_graph=False)
    for update in range(8):
        for learner in learners:
            learner.update(0.1 * update)
            if update == 4:
                learner.rollout.tables.add_past_self(learner.network)
    assert learners[0].decisions == plain.decisions
    for one, other in zip(learners[0].parameters, plain.parameters, strict=True):
        assert torch.equal(one, other)


def test_too_many_tables_are_refused_before_anything_is_allocated() -> None:
    config = replace(SMALL, env="big2-v0", opponents=(), average_strategy="off", num_tables=100_000_000)
    before = torch.cuda.memory_allocated()
    with pytest.raises(CudaUnavailableError, match=r"make at most [\d,]+ tables"):
        DevicePpo(config, config.game())
    assert torch.cuda.memory_allocated() - before < 2**26


@pytest.mark.parametrize("devices", [("cuda", "cpu"), ("cpu", "cuda")])
def test_a_run_goes_on_on_another_device(devices: tuple[str, str], tmp_path: Path) -> None:
    for device, steps in zip(devices, (4_000, 8_000), strict=True):
        config = replace(SMALL, device=device, steps=steps)
        folder = train(ALGORITHM, config, tmp_path / "run", progress=False).path
    assert json.loads((folder / "evaluation.json").read_text())


def test_a_run_goes_on_and_leaves_an_agent_for_both_devices(tmp_path: Path) -> None:
    folder = train(ALGORITHM, SMALL, tmp_path / "run", progress=False).path
    train(ALGORITHM, replace(SMALL, steps=8_000), folder, progress=False)
    game = SMALL.game()
    won = [
        play_match(game, [find_agent(str(folder), game, device=device), find_agent("random", game)], 2_000, 0)
        for device in ("cpu", "cuda")
    ]
    assert won[0].agents[0].mean == pytest.approx(won[1].agents[0].mean, abs=0.1), "a few draws differ by rounding"


def test_processes_share_a_gpu(tmp_path: Path) -> None:
    roots = os.pathsep.join([*(str(ROOT / root) for root in ("", "wrappers", "baselines")), *sys.path])
    environment = os.environ | {"PYTHONPATH": roots, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--rdzv-backend", "c10d"]
    meeting = ["--rdzv-endpoint", "localhost:0", "--local-addr", "localhost"]
    script = ["-m", "card_baselines.ppo.data_parallel", "kuhn", "--device", "cuda", "--minutes", "0", "--steps", "3000"]
    sizes = "--num-tables 32 --batch 256 --minibatch 64 --panel random --evaluation-hands 100 --final-hands 100"
    command = [sys.executable, *launcher, *meeting, *script, *sizes.split(), "--folder", str(tmp_path / "run")]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "run" / "evaluation.json").exists()
