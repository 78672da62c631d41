"""Self-play PPO on one device: rollouts and steps of learning without copies to the host; on a GPU as CUDA graphs.

The algorithm, its loss and its checkpoints are those of `ppo.Ppo`. What differs: an update plays a fixed number of
steps, so batches differ in size; all minibatches have the same size, so each epoch leaves out a few decisions, others
each time; and players of the pool have tables of their own (`pool`). A run goes on on the other device with new deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.legal_logits import IMPOSSIBLE
from card_baselines.learning.adam import Adam
from card_baselines.ppo.config import SCHEDULES, Config, Schedules
from card_baselines.ppo.network import EXPLOITER
from card_baselines.ppo.on_device import losses
from card_baselines.ppo.on_device.graphs import Replay
from card_baselines.ppo.on_device.memory import as_array, row_records
from card_baselines.ppo.on_device.rollout import FEW_ACTIONS, DeviceRollout
from card_baselines.ppo.ppo import EPSILON, VALUE_WEIGHT, Ppo, ppo_loss
from card_baselines.runs.learner import LearnerCallback, divergence_error
from card_envs.game import Game
from card_envs.match.summary import summarise
from card_envs.rng import derive_seed

_PERMUTATIONS = 81
"""Purpose of the seed of the orders in which decisions are learned from, for `derive_seed`."""
_MIN_ROLLOUTS = 10
"""Rollouts whose means give an interval."""
_MEASURES = ("entropy", "value_loss", "kl")


class _GivenGradients(torch.autograd.Function):
    """A scalar whose gradients are given; `torch.autograd.backward` with gradients imports SymPy, a second or two."""

    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, _value: torch.Tensor, *gradients: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(*gradients)
        return logits.new_zeros(())

    @staticmethod
    def backward(ctx: Any, *_ones: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return (*ctx.saved_tensors, None, None)


class DevicePpo(Ppo):
    """The learner whose tables and networks are on one device."""

    rollout: DeviceRollout
    uses_graph = True
    """Whether a step of learning is replayed as a graph."""

    def __init__(self, config: Config, game: Game, callbacks: Sequence[LearnerCallback] = ()) -> None:
        """Make a network and deal at all tables; raises what `DeviceRollout` raises."""
        super().__init__(config, game, callbacks)
        size, device = config.minibatch, self.device
        self._schedules: Any = Schedules(*(torch.zeros((), device=device) for _ in SCHEDULES))  # type: ignore[arg-type]
        """The scheduled settings as tensors, which a graph reads."""
        self._step = torch.zeros((), dtype=torch.int64, device=device)
        self._offsets = torch.arange(size, device=device)
        self._sums = torch.zeros(2 + len(_MEASURES), device=device)
        self._generator = torch.Generator(device)
        self._allocate_order(size)

    def _allocate_order(self, size: int) -> None:
        """Make room for the order of the decisions; a graph holds addresses, those of the rollout's rows too."""
        self._order = torch.zeros(size, dtype=torch.int64, device=self.device)
        self._allocation = self.rollout.num_allocations
        self.replay = Replay(self.take_step, self.device, self.uses_graph)

    def make_optimiser(self) -> torch.optim.Adam:
        """Return Adam whose learning rate and number of steps are on the device, where a graph can change them."""
        rate = torch.tensor(0.0, device=self.device)
        return Adam(self.parameters, lr=rate, eps=1e-5, fused=True, capturable=self.device.type == "cuda")

    def make_rollout(self, config: Config) -> DeviceRollout:
        """Return new tables on the device."""
        return DeviceRollout(config, self.game, self.network, self.device)

    def update(self, fraction: float) -> dict[str, float]:
        """Do what `Ppo.update` does; on a GPU, matrix products round their factors to TensorFloat-32."""
        precision = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("high")
        try:
            return super().update(fraction)
        finally:
            torch.set_float32_matmul_precision(precision)

    def measure_winnings(self, hands: int) -> tuple[float, float]:
        """Play at least so many deals of these tables without learning from them.

        Returns the mean sum of the rewards of the learner's seats in a deal, and half the width of its 95 % interval.
        """
        means, deals = list[float](), list[float]()
        while sum(deals) < hands or len(deals) < _MIN_ROLLOUTS:
            self.rollout.collect()
            means.append(self.rollout.mean_reward)
            deals.append(self.rollout.deals)
        mean = float(np.average(means, weights=deals))
        return mean, float(summarise(EXPLOITER, np.array(means)).half_width)

    def collect(self) -> int:
        """Play a rollout, or more until a deal is over; return the number of the network's decisions in such deals."""
        while not (count := self.rollout.collect()):
            pass
        return count

    def learn(self, num_decisions: int, schedules: Schedules) -> dict[str, float]:
        """Take `epochs` passes over the decisions of finished deals, forget these, and return measures."""
        self._set_schedules(schedules)
        finished, size = self.rollout.find_finished(), self.config.minibatch
        num_steps = self.num_minibatches(num_decisions)
        self._sums.zero_()
        for epoch in range(self.config.epochs):
            self._shuffle(finished, num_steps * size, epoch)
            for _ in range(num_steps):
                if self.updates < self.value_updates:
                    self.take_step()  # a graph holds steps of all parameters only
                else:
                    self.replay()
        return self._read_measures(num_steps * self.config.epochs, schedules)

    def num_minibatches(self, num_decisions: int) -> int:
        """Return the number of whole minibatches, at least 1."""
        return max(1, num_decisions // self.config.minibatch)

    def _set_schedules(self, schedules: Schedules) -> None:
        for name in SCHEDULES:
            getattr(self._schedules, name).fill_(getattr(schedules, name))
        for group in self.optimiser.param_groups:
            group["lr"].fill_(schedules.learning_rate)

    def _shuffle(self, finished: torch.Tensor, count: int, epoch: int) -> None:
        """Write `count` of the finished decisions in random order, some of them again if there are too few."""
        self._generator.manual_seed(derive_seed(self.config.seed, _PERMUTATIONS, self.updates, epoch))
        order = torch.randperm(len(finished), generator=self._generator, device=self.device)
        if count > len(self._order) or self._allocation != self.rollout.num_allocations:
            self._allocate_order(2 * count)
        self._order[:count] = finished[order.repeat(-(-count // len(order)))[:count]]
        self._step.zero_()

    def take_step(self) -> None:
        """Take one step of the optimiser on the minibatch that comes next."""
        rows = self._order.index_select(0, self._step * len(self._offsets) + self._offsets)
        compute = self.add_gradients if self.game.num_actions <= FEW_ACTIONS else self.differentiate
        found = self.step_optimiser(lambda: compute(rows))
        self._sums += torch.stack([found[name] for name in ("loss", "norm", *_MEASURES)])
        self._step += 1

    def differentiate(self, rows: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Set the gradients for the decisions at some rows of the rollout; return the loss and its measures."""
        rollout = self.rollout
        observation = rollout.observation.index_select(0, rows).float()
        mask = rollout.mask.index_select(0, rows)
        logits, value = self.network.all_logits(observation)
        log_probabilities = torch.log_softmax(logits.masked_fill(mask == 0, IMPOSSIBLE), dim=1)
        decisions: dict[str, Any] = {
            name: rollout.decisions.field(name).index_select(0, rows)
            for name in ("log_probability", "value", "advantage", "target")
        }
        decisions["choice"] = rollout.decisions.field("action").index_select(0, rows).long()
        loss, measures = ppo_loss(log_probabilities, value, decisions, self._schedules, self.config)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach(), measures

    def add_gradients(self, rows: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Do what `differentiate` does, with a kernel for everything after the network."""
        rollout, config, schedules = self.rollout, self.config, self._schedules
        logits, value = self.network.all_logits(rollout.observation.index_select(0, rows).float())
        moments = torch.stack([torch.zeros_like(schedules.entropy), torch.ones_like(schedules.entropy)])
        if config.normalise:
            advantage = rollout.decisions.field("advantage").index_select(0, rows)
            deviation, mean = torch.std_mean(advantage, correction=0)
            moments = torch.stack([mean, deviation + EPSILON])
        shown = logits.detach().contiguous(), value.detach().contiguous()
        gradients = [torch.empty_like(each) for each in shown]
        found = torch.empty((len(rows), len(losses.MEASURES)), device=self.device)
        weights = torch.stack([schedules.entropy, schedules.clip, schedules.kl_penalty])
        losses.LOSS(
            self.device, len(rows), as_array(rows), *map(as_array, shown), rollout.decisions.array,
            row_records(rollout.mask, "mask"), as_array(weights), as_array(moments), int(config.clip_value),
            VALUE_WEIGHT, *map(as_array, gradients), as_array(found),
        )  # fmt: skip
        _GivenGradients.apply(logits, value, *gradients).backward()  # type: ignore[no-untyped-call]
        objective, error, entropy, kl = found.mean(dim=0)
        loss = schedules.kl_penalty * kl - objective - schedules.entropy * entropy + VALUE_WEIGHT * 0.5 * error
        return loss, {"entropy": entropy, "value_loss": 0.5 * error, "kl": kl}

    def _read_measures(self, num_steps: int, schedules: Schedules) -> dict[str, float]:
        """Return the means of the measures; the only copy to the host in an update's learning."""
        loss, norm, *means = (self._sums / num_steps).tolist()
        if not (abs(loss) < float("inf") and norm < float("inf")):
            problem = f"update {self.updates + 1}: the mean loss is {loss}, the mean norm of its gradient {norm}"
            raise divergence_error(problem, schedules.learning_rate)
        return dict(zip(_MEASURES, means, strict=True))
