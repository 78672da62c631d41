"""Self-play PPO on one device: rollouts and steps of learning without copies to the host; on a GPU as CUDA graphs.

The algorithm, its loss and its checkpoints are those of `ppo.Ppo`. What differs: an update plays a fixed number of
steps, so batches differ in size; all minibatches have the same size, so each epoch leaves out a few decisions, others
each time; and players of the pool have tables of their own (`pool`). A run goes on on the other device with new deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from card_baselines.agents.learned.legal_logits import IMPOSSIBLE
from card_baselines.ppo.config import SCHEDULES, Config, Schedules
from card_baselines.ppo.on_device.graphs import Replay
from card_baselines.ppo.on_device.rollout import DeviceRollout
from card_baselines.ppo.ppo import MAX_GRADIENT_NORM, Ppo, ppo_loss
from card_baselines.runs.learner import LearnerCallback, TrainingDivergedError
from card_envs.game import Game
from card_envs.rng import derive_seed

_PERMUTATIONS = 81
"""Purpose of the seed of the orders in which decisions are learned from, for `derive_seed`."""
_MEASURES = ("entropy", "value_loss", "kl")


class DevicePpo(Ppo):
    """The learner whose tables and networks are on one device."""

    rollout: DeviceRollout

    def __init__(self, config: Config, game: Game, callbacks: Sequence[LearnerCallback] = ()) -> None:
        """Make a network and deal at all tables; raises what `DeviceRollout` raises."""
        super().__init__(config, game, callbacks)
        size, device = config.minibatch, self.device
        self._schedules = Schedules(*(torch.zeros((), device=device) for _ in SCHEDULES))  # type: ignore[arg-type]
        self._order = torch.zeros(size, dtype=torch.int64, device=device)
        self._step = torch.zeros((), dtype=torch.int64, device=device)
        self._offsets = torch.arange(size, device=device)
        self._sums = torch.zeros(2 + len(_MEASURES), device=device)
        self._generator = torch.Generator(device)
        self.replay = Replay(self.take_step, device)

    def make_optimiser(self) -> torch.optim.Adam:
        """Return Adam whose learning rate and number of steps are on the device, where a graph can change them."""
        rate = torch.tensor(0.0, device=self.device)
        return torch.optim.Adam(self.parameters, lr=rate, eps=1e-5, fused=True, capturable=self.device.type == "cuda")

    def make_rollout(self, config: Config) -> DeviceRollout:
        """Return new tables on the device."""
        return DeviceRollout(config, self.game, self.network, self.device)

    def collect(self) -> int:
        """Play all steps of a rollout; return the number of the network's decisions in deals that are over."""
        return self.rollout.collect()

    def learn(self, num_decisions: int, schedules: Schedules) -> dict[str, float]:
        """Take `epochs` passes over the decisions of finished deals, forget these, and return measures."""
        self._set_schedules(schedules)
        finished, size = self.rollout.find_finished(), self.config.minibatch
        num_steps = max(1, len(finished) // size)
        self._sums.zero_()
        for epoch in range(self.config.epochs if len(finished) else 0):
            self._shuffle(finished, num_steps * size, epoch)
            for _ in range(num_steps):
                if self.updates < self.value_updates:
                    self.take_step()  # a graph holds steps of all parameters only
                else:
                    self.replay()
        means = self._read_measures(max(1, num_steps * self.config.epochs), schedules)
        self.rollout.discard_finished()
        return means

    def _set_schedules(self, schedules: Schedules) -> None:
        for name in SCHEDULES:
            getattr(self._schedules, name).fill_(getattr(schedules, name))
        for group in self.optimiser.param_groups:
            group["lr"].fill_(schedules.learning_rate)

    def _shuffle(self, finished: torch.Tensor, count: int, epoch: int) -> None:
        """Write `count` of the finished decisions in random order, some of them again if there are too few."""
        self._generator.manual_seed(derive_seed(self.config.seed, _PERMUTATIONS, self.updates, epoch))
        order = torch.randperm(len(finished), generator=self._generator, device=self.device)
        if count > len(self._order):  # a larger memory has another address
            self._order = torch.zeros(2 * count, dtype=torch.int64, device=self.device)
            self.replay = Replay(self.take_step, self.device)
        self._order[:count] = finished[order.repeat(-(-count // len(order)))[:count]]
        self._step.zero_()

    def take_step(self) -> None:
        """Take one step of the optimiser on the minibatch that comes next."""
        rows = self._order.index_select(0, self._step * len(self._offsets) + self._offsets)
        loss, measures = self.loss_of(rows)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if self.updates < self.value_updates:
            self.network.policy.zero_grad()
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, MAX_GRADIENT_NORM)
        self.optimiser.step()
        self._sums += torch.stack([loss.detach(), norm, *(measures[name] for name in _MEASURES)])
        self._step += 1

    def loss_of(self, rows: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the loss of the decisions at some rows of the rollout, and its measures."""
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
        return ppo_loss(log_probabilities, value, decisions, self._schedules, self.config)

    def _read_measures(self, num_steps: int, schedules: Schedules) -> dict[str, float]:
        """Return the means of the measures; the only copy to the host in an update's learning."""
        loss, norm, *means = (self._sums / num_steps).tolist()
        if not (abs(loss) < float("inf") and norm < float("inf")):
            raise TrainingDivergedError(
                f"update {self.updates + 1}: the mean loss is {loss}, the mean norm of its gradient {norm}. The last "
                f"checkpoint is kept; begin a new run with a lower learning rate (here {schedules.learning_rate:g}) "
                "or reward scale"
            )
        return dict(zip(_MEASURES, means, strict=True))
