"""Several processes hold the same weights, take the mean of their gradients, and go on together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
import torch.distributed as dist
from safetensors.torch import load_file, save_file

from card_baselines.ppo.config import Config
from card_baselines.ppo.data_parallel import (
    DataParallelDevicePpo,
    DataParallelPpo,
    _broadcast,
    _choose_backend,
    _DataParallel,
)
from card_baselines.runs.checkpoint import STATE

REPO = Path(__file__).parents[2]
TINY = Config(
    env="kuhn_poker-v0", num_tables=33, batch=257, minibatch=64, hidden=(16,),
    opponents=("self", "random"), mixed=0.3, average=0.9,
)  # fmt: skip


class Watched(_DataParallel):
    """Keeps the gradients of the first step, this process's own and the means."""

    def __init__(self, config: Config, folder: Path) -> None:
        super().__init__(config, config.game())
        self.first_tables = torch.zeros(0)
        self.folder, self.gradients = folder, dict[str, torch.Tensor]()

    def _gradient(self) -> torch.Tensor:
        return torch.cat([parameter.grad.flatten() for parameter in self.parameters if parameter.grad is not None])

    def average_gradients(self) -> None:
        own = self._gradient().clone()
        super().average_gradients()
        if not self.gradients:
            self.gradients = {"own": own, "mean": self._gradient().clone()}

    def _update(self, fraction: float) -> dict[str, float]:
        if not len(self.first_tables):
            self.first_tables = torch.from_numpy(self.rollout.state()["tables"].copy())
        return super()._update(fraction)

    def write(self, name: str) -> None:
        weights = {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        weights |= {f"playing.{name}": tensor.clone() for name, tensor in self.playing.state_dict().items()}
        counts = torch.tensor([self.decisions, self.updates])
        weights |= {"counts": counts, "tables": self.first_tables}
        save_file(weights | self.gradients, self.folder / f"{name}{dist.get_rank()}")


class WatchedPpo(Watched, DataParallelPpo):
    pass


class WatchedDevicePpo(Watched, DataParallelDevicePpo):
    pass


def learn(rank: int, folder: Path, kind: type[Watched]) -> None:
    """Do three updates, save, and do two more with learners that continue from there."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    for name, updates in (("begun", 3), ("continued", 2)):
        learner = kind(replace(TINY, seed=5, device="cpu"), folder)
        if rank == 0:
            if name == "continued":
                learner.load(folder / STATE)
            for k in range(updates):
                learner.update(k / 10)
            _broadcast(None)
            learner.save(folder / STATE, {})
        else:
            learner.follow()
        learner.write(name)
    dist.destroy_process_group()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [WatchedPpo, WatchedDevicePpo])
def test_processes_average_gradients_and_hold_the_same_weights(
    kind: type[Watched], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    torch.multiprocessing.spawn(learn, (tmp_path, kind), nprocs=2)
    for name, updates in (("begun", 3), ("continued", 5)):
        first, second = (load_file(tmp_path / f"{name}{rank}") for rank in (0, 1))
        own = [first.pop("own"), second.pop("own")]
        del first["tables"]
        assert not torch.equal(*own)
        assert torch.allclose(first["mean"], (own[0] + own[1]) / 2, atol=1e-7)
        assert all(torch.equal(first[name], second[name]) for name in first), "means, weights, counts"
        assert first["counts"][1] == updates and first["counts"][0] >= updates * 2 * (
            257 if kind is WatchedPpo else 150
        )
    begun, tables = (load_file(tmp_path / "begun1"), load_file(tmp_path / "continued1")["tables"])
    assert not torch.equal(begun["tables"], tables), "a continued run does not deal its first hands again"
    assert not torch.equal(begun["network.value.0.weight"], first["network.value.0.weight"])


@pytest.mark.slow
def test_torchrun_trains_and_leaves_a_run_folder(tmp_path: Path) -> None:
    roots = os.pathsep.join(str(REPO / root) for root in ("", "wrappers", "baselines"))
    environment = os.environ | {"PYTHONPATH": roots, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0", "--local-addr", "localhost"]
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node", "2", *meeting]
    options = "--minutes 0 --num-tables 32 --batch 256 --minibatch 64 --epochs 1 --panel random --steps 3000"
    script = ["-m", "card_baselines.ppo.data_parallel", "kuhn", *options.split(), "--evaluation-hands", "100"]
    command = [sys.executable, *launcher, *script, "--final-hands", "100", "--folder", str(tmp_path / "run")]
    subprocess.run(command, env=environment, cwd=tmp_path, check=True, capture_output=True, timeout=500)
    assert json.loads((tmp_path / "run" / "config.json").read_text())["processes"] == 2
    assert (tmp_path / "run" / "evaluation.json").exists() and (tmp_path / "run" / "average").is_dir()


@pytest.mark.parametrize(("device", "gpus", "is_shared"), [("auto", 2, False), ("auto", 1, True), ("cpu", 2, True)])
def test_nccl_needs_a_gpu_for_each_process(
    device: str, gpus: int, is_shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    assert _choose_backend(replace(TINY, device=device)) == ("gloo" if is_shared else "cpu:gloo,cuda:nccl")
