"""Self-play PPO in plain PyTorch on the batched engine: one network that plays all seats against itself.

Schulman et al. (2017), Proximal policy optimization algorithms; self-play as in Charlesworth (2018). The run around it
(budget, checkpoints, evaluations) is `runs.run`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch.optim.swa_utils import AveragedModel

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import read_weights, save_policy
from card_baselines.learning.adam import Adam
from card_baselines.ppo.config import Config, Schedules
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.rollout import Rollout
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.checkpoint import STATE, Part, load_state, strip_prefix
from card_baselines.runs.learner import Curve, Learner, LearnerCallback, divergence_error
from card_envs.game import Game
from card_envs.rng import derive_seed, make_generator

UPDATES_PER_PAST_SELF = 50
"""Number of updates between two copies of the network that join the pool as past selves."""
VALUE_WEIGHT = 0.5
"""Weight of the value loss, c1 in Schulman et al. (2017), equation 9."""
MAX_GRADIENT_NORM = 0.5
EPSILON = 1e-8
"""Added to the standard deviation by which advantages are divided."""
_VALUE_UPDATES = 50
"""Number of updates in which only the value is trained, if a run starts from a policy without a value."""
_NEW_DEALS = 80
"""Purpose of the seed of the deals that a run begins when it goes on on another device, for `derive_seed`."""
_MAX_ACTIONS_LOGGED = 16
"""Action frequencies are logged in games with at most this many actions."""

Loss = tuple[torch.Tensor, dict[str, torch.Tensor]]
"""The loss, and measures to log, each a tensor with one number."""


def evaluate_actions(network: ActorCritic, minibatch: Mapping[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the log-probabilities (n, k) of the k listed legal actions, and the values (n,), of n decisions."""
    logits, value = network(minibatch["observation"].float(), minibatch["legal"])
    return torch.log_softmax(logits, dim=1), value


def ppo_loss(
    log_probabilities: torch.Tensor,
    value: torch.Tensor,
    minibatch: Mapping[str, torch.Tensor],
    schedules: Schedules,
    config: Config,
) -> Loss:
    """Return the loss of n decisions, Schulman et al. (2017), equations 7 to 9.

    Args:
        log_probabilities: (n, k), from `evaluate_actions`.
        value: (n,), from `evaluate_actions`.
        minibatch: `LOSS_COLUMNS` of the rollout buffer: `choice`, `log_probability` and `value` when the decisions were
            made, `advantage` and `target` as computed by GAE, each (n,).
        schedules: Current values of the scheduled settings.
        config: Settings of the run.
    """
    advantage = minibatch["advantage"]
    if config.normalise:
        advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + EPSILON)
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
    kl = (ratio - 1 - log_ratio).mean()  # low-variance estimator (Schulman, Approximating KL divergence, 2020)
    loss = -objective + schedules.kl_penalty * kl - schedules.entropy * entropy + VALUE_WEIGHT * value_loss
    return loss, {"entropy": entropy.detach(), "value_loss": value_loss.detach(), "kl": kl.detach()}


class Ppo(Learner):
    """The learner: a network, its optimiser and its rollout."""

    counts: ClassVar[Sequence[str]] = ("decisions", "updates", "value_updates")

    def __init__(self, config: Config, game: Game, callbacks: Sequence[LearnerCallback] = ()) -> None:
        """Make a network with small random weights, whose policy is nearly uniform, and deal at all tables."""
        torch.manual_seed(config.seed)
        self.config, self.game, self.callbacks = config, game, callbacks
        self.device = find_device(config.device)
        self.network = self.make_network().to(self.device)
        self.averaged = AveragedModel(self.network, avg_fn=self._average) if config.average else None
        self.parameters = list(self.network.parameters())
        self.optimiser = self.make_optimiser()
        self.rollout: Any = self.make_rollout(config)
        self.rng = make_generator(config.seed, 2)
        self.decisions = self.updates = 0
        self.value_updates = 0
        """Number of updates, from the first one on, in which only the value is trained."""
        self.adds_past_selves = True
        """Whether copies of the network join the pool; an exploiter's only opponent stays the policy."""

    def make_network(self) -> ActorCritic:
        """Return a new network in plain PyTorch; `fast_cpu.FastPpo` has one that is faster on CPUs."""
        return ActorCritic.from_config(self.config, self.game)

    def make_optimiser(self) -> torch.optim.Adam:
        """Return Adam with the usual epsilon of PPO."""
        return Adam(self.parameters, eps=1e-5, fused=True)

    def make_rollout(self, config: Config) -> Any:
        """Return new tables with the players of the settings, and the buffer of their decisions."""
        return Rollout(config, self.game)

    @property
    def num_steps(self) -> int:
        """Number of decisions so far."""
        return self.decisions

    @property
    def playing(self) -> ActorCritic:
        """The network that is evaluated and saved: the averaged weights (`Config.average`), or the latest ones."""
        if self.averaged is None:
            return self.network
        assert isinstance(self.averaged.module, ActorCritic)
        return self.averaged.module

    def _average(self, averaged: torch.Tensor, current: torch.Tensor, num_averaged: torch.Tensor | int) -> torch.Tensor:
        """Return the new averaged weights: a plain mean in early updates, then an exponential moving average."""
        keep = min(self.config.average, 1.0 - 1.0 / self.updates)  # `num_averaged` would wait for a GPU
        return averaged.lerp(current, 1.0 - keep)

    def update(self, fraction: float) -> dict[str, float]:
        """Collect a batch, take `epochs` passes over it, and return measures.

        `fraction`, the used fraction of the budget, sets the scheduled settings.
        """
        schedules = Schedules.from_config(self.config, fraction)
        num_decisions = self.collect()
        self.decisions += num_decisions
        means = self.learn(num_decisions, schedules)
        self.updates += 1
        if self.averaged:
            self.averaged.update_parameters(self.network)
        if self.adds_past_selves and self.updates % UPDATES_PER_PAST_SELF == 0:
            self.rollout.tables.add_past_self(self.network)
        for callback in self.callbacks:
            means |= callback.on_update(self)
        return {"learning_rate": schedules.learning_rate, **means, **self._action_frequencies()}

    def collect(self) -> int:
        """Play until deals with a batch of the network's decisions have ended; return their number."""
        return int(self.rollout.collect(self.network, self.config.batch))

    def learn(self, num_decisions: int, schedules: Schedules) -> dict[str, float]:
        """Take `epochs` passes over the decisions of finished deals, forget these, and return measures."""
        for group in self.optimiser.param_groups:
            group["lr"] = schedules.learning_rate
        batch = self.rollout.buffer.make_batch(self.device)
        num_minibatches = self.num_minibatches(num_decisions)
        steps = [
            self._take_step(batch.minibatch(rows), schedules)
            for _ in range(self.config.epochs)
            for rows in np.array_split(self.rng.permutation(len(batch)), num_minibatches)
        ]
        self.rollout.buffer.discard_finished()
        return self._mean_measures(steps, num_minibatches, schedules)

    def num_minibatches(self, num_decisions: int) -> int:
        """Return the number of minibatches of a batch, each of about `Config.minibatch` decisions."""
        return min(num_decisions, max(1, round(num_decisions / self.config.minibatch)))

    def compute_loss(self, minibatch: Mapping[str, torch.Tensor], schedules: Schedules) -> Loss:
        """Return the loss of a minibatch; variants of PPO override it."""
        log_probabilities, value = evaluate_actions(self.network, minibatch)
        return ppo_loss(log_probabilities, value, minibatch, schedules, self.config)

    def step_optimiser(self, compute_gradients: Callable[[], Loss]) -> dict[str, torch.Tensor]:
        """Take one optimiser step; `compute_gradients` adds those of its loss to gradients of 0.

        Returns loss, norm of the gradient and measures. They stay on the device: reading them here would wait for a GPU
        at every step.
        """
        self.optimiser.zero_grad()
        loss, measures = compute_gradients()
        if self.updates < self.value_updates:
            self.network.policy.zero_grad()  # sets gradients to None, and the optimiser skips these parameters
        self.average_gradients()
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, MAX_GRADIENT_NORM)
        self.optimiser.step()
        return {"loss": loss.detach(), "norm": norm, **measures}

    def _take_step(self, minibatch: Mapping[str, torch.Tensor], schedules: Schedules) -> dict[str, torch.Tensor]:
        """Take one optimiser step on a minibatch."""

        def compute_gradients() -> Loss:
            loss, measures = self.compute_loss(minibatch, schedules)
            loss.backward()  # type: ignore[no-untyped-call]
            return loss, measures

        return self.step_optimiser(compute_gradients)

    def average_gradients(self) -> None:
        """Average the gradients over processes. There is one process here; `data_parallel` overrides this hook."""

    def _mean_measures(
        self, steps: Sequence[Mapping[str, torch.Tensor]], per_epoch: int, schedules: Schedules
    ) -> dict[str, float]:
        """Return the mean of each measure over the steps of an update.

        Raises TrainingDivergedError, naming the first step whose loss or gradient is NaN or infinite.
        """
        names = list(steps[0])
        measures = torch.stack([measure for step in steps for measure in step.values()]).double().cpu().numpy()
        table = measures.reshape(len(steps), len(names))
        diverged = np.flatnonzero(~np.isfinite(table[:, 0] + table[:, 1]))
        if len(diverged):
            epoch, number = divmod(int(diverged[0]), per_epoch)
            loss, norm = table[diverged[0], :2].tolist()
            place = f"update {self.updates + 1}, epoch {epoch + 1}, minibatch {number + 1}"
            problem = f"{place}: the loss is {loss}, the norm of its gradient {norm}"
            raise divergence_error(problem, schedules.learning_rate)
        return dict(zip(names[2:], table[:, 2:].mean(axis=0).tolist(), strict=True))

    def _action_frequencies(self) -> dict[str, float]:
        """Return the relative frequency of each action in the batch, in games with few actions."""
        counts = self.rollout.action_counts
        if len(counts) > _MAX_ACTIONS_LOGGED:
            return {}
        return {f"action {action}": float(frequency) for action, frequency in enumerate(counts / counts.sum())}

    def measure(self) -> dict[str, float]:
        """Return the measures of the callbacks."""
        return {name: value for callback in self.callbacks for name, value in callback.measure(self).items()}

    def curves(self) -> Sequence[Curve]:
        """Return the curves of the callbacks."""
        return [curve for callback in self.callbacks for curve in callback.curves()]

    def save_policy(self, run: RunFolder) -> None:
        """Write the weights of the policy of `playing`, and the files of callbacks."""
        save_policy(self.playing.policy, run.path / WEIGHTS)
        for callback in self.callbacks:
            callback.save_policy(run)

    @property
    def parts(self) -> Mapping[str, Any]:
        """Networks, optimiser, rollout, random generator, and the parts of callbacks."""
        return {
            "network": self.network,
            "playing": self.playing,
            "adam": self.optimiser,
            "rollout": Part(self.rollout.state, self._load_rollout),
            "rng": self.rng,
            **{f"callback{k}": callback.parts(self) for k, callback in enumerate(self.callbacks)},
        }

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; returns the progress that was saved with it."""
        progress = super().load(path)
        if self.averaged:
            self.averaged.n_averaged.fill_(self.updates)
        return progress

    def _load_rollout(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Go on with the deals of a checkpoint, or, from a run on another device, with new ones and its networks."""
        if self.rollout.can_restore(arrays):
            self.rollout.restore(arrays, self.network)
        else:
            seed = derive_seed(self.config.seed, _NEW_DEALS, self.updates)
            self.rollout = self.make_rollout(replace(self.config, seed=seed))
            self.rollout.tables.restore_networks(arrays, self.network)

    def start_from(self, run: RunFolder) -> None:
        """Load the networks of another run of this algorithm, or its policy alone; ValueError for another shape.

        Runs of other algorithms and the agents that come with the package have a policy only. Then the value keeps its
        random weights, and only the value is trained in the first 50 updates.
        """
        tensors = load_state(run.path / STATE)[0] if (run.path / STATE).exists() else {}
        if _shapes(strip_prefix("network.", tensors)) == _shapes(self.network.state_dict()):
            self._load_networks(tensors)
            return
        weights = read_weights(run.path / WEIGHTS)
        try:
            for network in (self.network, self.playing):
                network.policy.load_state_dict(weights)
        except RuntimeError as error:
            raise ValueError(f"the networks in {run.path} are not those of these settings: {error}") from error
        self.value_updates = _VALUE_UPDATES

    def _load_networks(self, tensors: Mapping[str, torch.Tensor]) -> None:
        self.network.load_state_dict(strip_prefix("network.", tensors))
        self.playing.load_state_dict(strip_prefix("playing.", tensors))


def _shapes(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Size]:
    """Return the shape of each tensor."""
    return {name: tensor.shape for name, tensor in tensors.items()}
