"""Self-play PPO in several processes, whose gradients are averaged before every step of the optimiser.

    torchrun --nproc-per-node 2 -m card_baselines.ppo.data_parallel ppo_big2 --minutes 60 --folder runs/two

The word after the module names a preset. Each process has its own tables and random streams and collects a whole
`batch`, so an update uses as many batches as there are processes. Process 0 owns the run: it keeps the budget,
evaluates and writes files, and the other processes follow its updates. In a continued run, which must have as many
processes, the other processes start with new deals.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from card_baselines.agents.learned.devices import find_device
from card_baselines.ppo.algorithm import ALGORITHM, make_callbacks
from card_baselines.ppo.config import Config
from card_baselines.ppo.fast_cpu import FastPpo
from card_baselines.ppo.network import EXPLOITER
from card_baselines.ppo.on_device.learner import DevicePpo
from card_baselines.ppo.ppo import Ppo
from card_baselines.ppo.presets import PRESETS
from card_baselines.runs.checkpoint import collect_parts, restore_parts
from card_baselines.runs.run import train
from card_envs.game import Game
from card_envs.rng import wrap_seed


class _DataParallel(Ppo):
    """One of several learners with the same network; `torch.distributed` connects them."""

    def __init__(self, config: Config, game: Game) -> None:
        """Make the network, which is the same in all processes, and this process's tables; process 0 has callbacks."""
        if EXPLOITER in config.opponents:
            raise ValueError("exploiters are trained in one process: leave them out of --opponents")
        super().__init__(config, game, [] if dist.get_rank() else make_callbacks(config, game))
        if dist.get_rank():
            self._seed_process()
        self._is_synchronised = False

    def _seed_process(self) -> None:
        """Deal at new tables, seeded by the seed of the run, this process and the updates so far."""
        entropy = [wrap_seed(self.config.seed), dist.get_rank(), self.updates]
        seed = int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])
        self.rollout = self.make_rollout(replace(self.config, seed=seed))
        self.rng = np.random.default_rng([seed, 2])

    def update(self, fraction: float) -> dict[str, float]:
        """Update in all processes; called in process 0. `decisions` counts those of all processes."""
        _broadcast({"fraction": fraction, "state": None if self._is_synchronised else self._collect_state()})
        self._is_synchronised = True
        return self._update(fraction)

    def follow(self) -> None:
        """Repeat the updates of process 0 until it ends the run; called in the other processes."""
        while (message := _broadcast(None)) is not None:
            if message["state"] is not None:
                self._load_state(message["state"])
            self._update(message["fraction"])

    def _update(self, fraction: float) -> dict[str, float]:
        before = self.decisions
        measures = super().update(fraction)
        num_decisions = torch.tensor([self.decisions - before])
        dist.all_reduce(num_decisions)
        self.decisions = before + int(num_decisions)
        return measures

    def num_minibatches(self, num_decisions: int) -> int:
        """Return the smallest number of minibatches of all processes, since each takes part in every step."""
        number = torch.tensor([super().num_minibatches(num_decisions)])
        dist.all_reduce(number, dist.ReduceOp.MIN)
        return int(number)

    def average_gradients(self) -> None:
        """Average the gradients over processes."""
        gradients = [parameter.grad for parameter in self.parameters if parameter.grad is not None]
        total = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(total)
        means = torch.split(total / dist.get_world_size(), [gradient.numel() for gradient in gradients])
        for gradient, mean in zip(gradients, means, strict=True):
            gradient.copy_(mean.view_as(gradient))

    def _shared_parts(self) -> dict[str, Any]:
        return {name: self.parts[name] for name in ("network", "playing", "adam")}

    def _collect_state(self) -> dict[str, Any]:
        """Return the state that all processes share."""
        return {
            "learned": collect_parts(self._shared_parts()),
            "past_selves": self.rollout.tables.network_arrays(),
            "counts": (self.decisions, self.updates, self.value_updates),
        }

    def _load_state(self, state: dict[str, Any]) -> None:
        restore_parts(self._shared_parts(), state["learned"])
        self.decisions, self.updates, self.value_updates = state["counts"]
        if self.updates:
            self._seed_process()
        if self.averaged:
            self.averaged.n_averaged.fill_(self.updates)
        self.rollout.tables.restore_networks(state["past_selves"], self.network)


class DataParallelPpo(_DataParallel, FastPpo):
    """The learner of each process on a processor."""


class DataParallelDevicePpo(_DataParallel, DevicePpo):
    """The learner of each process on a GPU; steps of learning, which wait for each other, are no graph."""

    uses_graph = False


def make_learner(config: Config, game: Game) -> Ppo:
    """Return the learner of this process."""
    kind = DataParallelPpo if find_device(config.device).type == "cpu" else DataParallelDevicePpo
    return kind(config, game)


@dataclass(frozen=True)
class Options:
    """Options of the command line: settings of the run, and its folder."""

    config: Config
    folder: str = ""


def main(config: Config, folder: str = "") -> None:
    """Train in the processes that `torchrun` started; process 0 writes the run folder."""
    dist.init_process_group(_choose_backend(config))
    try:
        if dist.get_rank() == 0:
            try:
                train(replace(ALGORITHM, make_learner=make_learner, describe=_describe), config, folder or None)
            except KeyboardInterrupt:
                _broadcast(None)
                raise
            _broadcast(None)
        else:
            torch.set_num_threads(1)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)  # process 0 finishes the update with this one, and saves
            learner = make_learner(config, config.game())
            assert isinstance(learner, _DataParallel)
            learner.follow()
    finally:
        dist.destroy_process_group()


def _choose_backend(config: Config) -> str:
    """Return the backend of `torch.distributed`; NCCL refuses processes that share a GPU."""
    num_gpus = 0 if config.device == "cpu" else torch.cuda.device_count()
    return "cpu:gloo,cuda:nccl" if num_gpus >= int(os.environ["LOCAL_WORLD_SIZE"]) else "gloo"


def _describe(config: Config) -> dict[str, Any]:
    """Return the content of config.json: that of `self_play_ppo`, and the number of processes."""
    return ALGORITHM.describe(config) | {"processes": dist.get_world_size()}


def _broadcast(message: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the message of process 0; the argument of other processes is ignored."""
    messages = [message]
    dist.broadcast_object_list(messages, 0)
    return messages[0]


if __name__ == "__main__":
    import tyro

    presets = {name: (name, Options(config)) for name, config in PRESETS.items()}
    options = tyro.extras.overridable_config_cli(presets, config=(tyro.conf.OmitArgPrefixes,))
    main(options.config, options.folder)
