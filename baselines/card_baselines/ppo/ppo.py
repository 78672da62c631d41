"""Self-play PPO in plain PyTorch on the batched engine: one network that plays all seats against itself.

Schulman et al. (2017), self-play as in Charlesworth (2018). Read in this order: `config` (settings), `network`,
`rollout` (who sits where, how decisions are collected), `rollout_buffer` (advantages), and this file: `ppo_loss`, then
`Ppo` with its `update`, `save` and `load`. The run around it (budget, checkpoints, evaluations) is `runs.run`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.optim.swa_utils import AveragedModel

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import load_weights, read_weights, save_policy
from card_baselines.ppo.config import Config, Schedules
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.rollout import Rollout
from card_baselines.ppo.rollout_buffer import Batch
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.checkpoint import (
    STATE,
    load_optimiser,
    load_state,
    optimiser_tensors,
    save_state,
    strip_prefix,
)
from card_baselines.runs.learner import Curve, Learner, LearnerCallback, TrainingDivergedError
from card_envs.files import replace_file
from card_envs.game import Game

UPDATES_PER_PAST_SELF = 50
"""Updates between two past selves."""
_VALUE_WEIGHT = 0.5
_MAX_GRADIENT_NORM = 0.5
_VALUE_UPDATES = 50
"""Updates in which the value alone learns, if a run starts from an agent without one."""
_MAX_ACTIONS_LOGGED = 16


def ppo_loss(
    network: ActorCritic,
    minibatch: Mapping[str, torch.Tensor],
    schedules: Schedules,
    config: Config,
    magnet: ActorCritic | None = None,
    magnet_weight: float = 0.0,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return the loss of n decisions, Schulman et al. (2017), equations 7 to 9, and its measures.

    Args:
        network: The network that learns.
        minibatch: `LOSS_COLUMNS` of the rollout buffer: `choice`, `log_probability` and `value` as the decisions were
            taken, `advantage` and `target` as computed by GAE, each (n,).
        schedules: Weights of the terms at this moment of the run.
        config: Settings of the run.
        magnet: Reference policy of which the KL divergence of the policy is penalised (`neural.mmd`).
        magnet_weight: Weight of that divergence.
    """
    logits, value = network(minibatch["observation"].float(), minibatch["legal"])
    log_probabilities = torch.log_softmax(logits, dim=1)
    advantage = minibatch["advantage"]
    if config.normalise:
        advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
    entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()
    log_ratio = log_probabilities.gather(1, minibatch["choice"][:, None])[:, 0] - minibatch["log_probability"]
    ratio = log_ratio.exp()
    clip = schedules.clip
    objective = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
    error = (value - minibatch["target"]).square()
    if config.clip_value:
        clipped = minibatch["value"] + (value - minibatch["value"]).clamp(-clip, clip)
        error = torch.maximum(error, (clipped - minibatch["target"]).square())
    value_loss = 0.5 * error.mean()
    kl = (ratio - 1 - log_ratio).mean()
    loss = -objective + schedules.kl_penalty * kl - schedules.entropy * entropy + _VALUE_WEIGHT * value_loss
    measures = {"entropy": entropy.detach(), "value_loss": value_loss.detach(), "kl": kl.detach()}
    if magnet is None:
        return loss, measures
    with torch.no_grad():
        log_magnet = torch.log_softmax(magnet(minibatch["observation"].float(), minibatch["legal"])[0], dim=1)
    divergence = (log_probabilities.exp() * (log_probabilities - log_magnet)).sum(dim=1).mean()
    return loss + magnet_weight * divergence, {**measures, "kl_from_magnet": divergence.detach()}


class Ppo(Learner):
    """The network, its optimiser and its rollout."""

    def __init__(self, config: Config, game: Game, callbacks: Sequence[LearnerCallback] = ()) -> None:
        """Begin with a network that plays nearly at random."""
        torch.manual_seed(config.seed)
        self.config, self.game, self.callbacks = config, game, callbacks
        self.device = find_device(config.device)
        self.network = self.make_network().to(self.device)
        self.averaged = AveragedModel(self.network, avg_fn=self._average) if config.average else None
        self.parameters = list(self.network.parameters())
        self.optimiser = torch.optim.Adam(self.parameters, eps=1e-5, fused=True)
        self.rollout = Rollout(config, game)
        self.rng = np.random.default_rng([config.seed % 2**64, 2])
        self.decisions = self.updates = 0
        self.value_updates = 0
        """Updates, from the first one on, in which the value alone learns."""

    def make_network(self) -> ActorCritic:
        """Return a new network in plain PyTorch; `fast_cpu.FastPpo` has one that is faster on CPUs."""
        return ActorCritic.from_config(self.config, self.game)

    @property
    def done(self) -> int:
        """Decisions so far."""
        return self.decisions

    @property
    def playing(self) -> ActorCritic:
        """The network that plays in the end: averaged weights, or the network itself."""
        if self.averaged is None:
            return self.network
        assert isinstance(self.averaged.module, ActorCritic)
        return self.averaged.module

    def _average(self, averaged: torch.Tensor, current: torch.Tensor, num_averaged: torch.Tensor | int) -> torch.Tensor:
        """Return the new averaged weights: a plain mean at first, so the initial network is forgotten."""
        keep = min(self.config.average, 1.0 - 1.0 / (int(num_averaged) + 1))
        return averaged.lerp(current, 1.0 - keep)

    def update(self, fraction: float) -> dict[str, float]:
        """Collect a batch and learn from it; returns measures. `fraction` is the used share of the budget."""
        config, schedules = self.config, Schedules.from_config(self.config, fraction)
        for group in self.optimiser.param_groups:
            group["lr"] = schedules.learning_rate
        num_decisions = self.rollout.collect(self.network, config.batch)
        self.decisions += num_decisions
        batch = self.rollout.buffer.make_batch(self.device)
        num_minibatches = self.num_minibatches(num_decisions)
        steps = [
            self._take_step(batch, rows, schedules)
            for _ in range(config.epochs)
            for rows in np.array_split(self.rng.permutation(len(batch)), num_minibatches)
        ]
        means = self._mean_measures(steps, num_minibatches, schedules)
        self.rollout.buffer.discard_finished()
        self.updates += 1
        if self.averaged:
            self.averaged.update_parameters(self.network)
        self._add_past_self()
        for callback in self.callbacks:
            means |= callback.on_update(self)
        return {"learning_rate": schedules.learning_rate, **means, **self._action_shares()}

    def _add_past_self(self) -> None:
        """Add the network to the past selves of the pool, at intervals."""
        if self.updates % UPDATES_PER_PAST_SELF == 0:
            self.rollout.tables.add_past_self(self.network)

    def num_minibatches(self, num_decisions: int) -> int:
        """Return into how many minibatches a batch is split."""
        return min(num_decisions, max(1, round(num_decisions / self.config.minibatch)))

    def compute_loss(
        self, minibatch: Mapping[str, torch.Tensor], schedules: Schedules
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the loss of a minibatch, and measures; variants of PPO change it."""
        return ppo_loss(self.network, minibatch, schedules, self.config)

    def _take_step(self, batch: Batch, rows: NDArray[np.int64], schedules: Schedules) -> dict[str, torch.Tensor]:
        """Take one step of the optimiser for the decisions `rows` of a batch; returns measures, a number each.

        They are not read yet, since that would wait for a GPU.
        """
        loss, measures = self.compute_loss(batch.minibatch(rows), schedules)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if self.updates < self.value_updates:
            self.network.policy.zero_grad()  # to None, which the optimiser leaves as it is
        self.average_gradients()
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, _MAX_GRADIENT_NORM)
        self.optimiser.step()
        return {"loss": loss.detach(), "norm": norm, **measures}

    def average_gradients(self) -> None:
        """Average the gradients over processes: nothing to do in one process, see `data_parallel`."""

    def _mean_measures(
        self, steps: Sequence[Mapping[str, torch.Tensor]], per_epoch: int, schedules: Schedules
    ) -> dict[str, float]:
        """Return the mean of each measure over the steps of an update.

        Raises TrainingDivergedError at the first step whose loss is no number.
        """
        names = list(steps[0])
        measures = torch.stack([measure for step in steps for measure in step.values()]).double().cpu().numpy()
        table = measures.reshape(len(steps), len(names))
        diverged = np.flatnonzero(~np.isfinite(table[:, 0] + table[:, 1]))
        if len(diverged):
            epoch, number = divmod(int(diverged[0]), per_epoch)
            loss, norm = table[diverged[0], :2].tolist()
            raise TrainingDivergedError(
                f"update {self.updates + 1}, epoch {epoch + 1}, minibatch {number + 1}: the loss is "
                f"{loss}, the norm of its gradient {norm}. The last checkpoint is kept; begin a new run "
                f"with a lower learning rate (here {schedules.learning_rate:g}) or reward scale"
            )
        return dict(zip(names[2:], table[:, 2:].mean(axis=0).tolist(), strict=True))

    def _action_shares(self) -> dict[str, float]:
        """Return how often each action was chosen, where there are few."""
        counts = self.rollout.action_counts
        if len(counts) > _MAX_ACTIONS_LOGGED:
            return {}
        return {f"action {action}": float(share) for action, share in enumerate(counts / counts.sum())}

    def measure(self) -> dict[str, float]:
        """Return the measures of the callbacks."""
        return {name: value for callback in self.callbacks for name, value in callback.measure(self).items()}

    def curves(self) -> Sequence[Curve]:
        """Return the pictures of callbacks."""
        return [curve for callback in self.callbacks for curve in callback.curves()]

    def save_policy(self, run: RunFolder) -> None:
        """Write the policy that plays."""
        with replace_file(run.path / WEIGHTS) as temporary:
            save_policy(self.playing.policy, temporary)
        for callback in self.callbacks:
            callback.save_policy(run)

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write networks, optimiser, rollout, random generators and the state of callbacks."""
        arrays, rollout_rng = self.rollout.state()
        parts: dict[str, dict[str, torch.Tensor]] = {
            "network": self.network.state_dict(),
            "playing": {name: tensor.clone() for name, tensor in self.playing.state_dict().items()},
            "adam": optimiser_tensors(self.optimiser),
            "rollout": {name: torch.from_numpy(array) for name, array in arrays.items()},
        } | {f"callback{k}": callback.state() for k, callback in enumerate(self.callbacks)}
        tensors = {f"{part}.{name}": tensor for part, named in parts.items() for name, tensor in named.items()}
        counts = {"decisions": self.decisions, "updates": self.updates, "value_updates": self.value_updates}
        rngs = {"rollout_rng": rollout_rng, "rng": json.dumps(self.rng.bit_generator.state)}
        save_state(path, tensors, {**progress, **counts, **rngs})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; returns the progress that was saved with it."""
        tensors, progress = load_state(path)
        self._load_networks(tensors)
        load_optimiser(self.optimiser, strip_prefix("adam.", tensors))
        arrays = {name: tensor.numpy() for name, tensor in strip_prefix("rollout.", tensors).items()}
        self.rollout.restore(arrays, progress["rollout_rng"], self.network)
        self.rng.bit_generator.state = json.loads(progress["rng"])
        self.decisions, self.updates = int(progress["decisions"]), int(progress["updates"])
        self.value_updates = int(progress["value_updates"])
        if self.averaged:
            self.averaged.n_averaged.fill_(self.updates)
        for k, callback in enumerate(self.callbacks):
            callback.restore(strip_prefix(f"callback{k}.", tensors))
        return progress

    def start_from(self, run: RunFolder) -> None:
        """Begin with the networks of another run of this algorithm; ValueError where they have another shape.

        Where there is a policy alone, as in the agents that come with the package, the value begins anew, and learns
        for some updates before the policy goes on.
        """
        try:
            if (run.path / STATE).exists():
                self._load_networks(load_state(run.path / STATE)[0])
                return
            for network in (self.network, self.playing):
                load_weights(network.policy, read_weights(run.path / WEIGHTS), run.path)
        except RuntimeError as error:
            raise ValueError(f"the networks in {run.path} are not those of these settings: {error}") from error
        self.value_updates = _VALUE_UPDATES

    def _load_networks(self, tensors: Mapping[str, torch.Tensor]) -> None:
        self.network.load_state_dict(strip_prefix("network.", tensors))
        self.playing.load_state_dict(strip_prefix("playing.", tensors))
