"""The learner of self-play PPO (Schulman et al. 2017): gathers a batch of decisions, learns from it, begins anew.

How decisions are gathered is in `rollouts`, how they are credited in `experience`, how several processes share the work
in `workers`.
"""

from __future__ import annotations

import json
import math
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.actor_critic import ActorCritic
from card_baselines.agents.learned.legal_logits import NO_ACTION
from card_baselines.training.checkpoint import load_optimiser, load_state, optimiser_tensors, save_state, strip_prefix
from card_baselines.training.exploitability import ExploitabilityMeter
from card_baselines.training.rollouts import Rollouts
from card_baselines.training.workers import ALONE, Team
from card_envs.game import Game

if TYPE_CHECKING:
    from card_baselines.training.self_play_ppo import Config

_FEW_ACTIONS = 16


class TrainingDivergedError(RuntimeError):
    """Raised when a loss or a gradient is no number; says in which batch, and what is left."""


@dataclass(frozen=True)
class Rates:
    """What changes in the course of a run."""

    learning_rate: float
    entropy: float
    clip: float
    kl_penalty: float

    @classmethod
    def at(cls, fraction: float, config: Config) -> Rates:
        """Return the rates when a `fraction` of the budget is used."""
        names = ("learning_rate", "entropy", "clip", "kl_penalty")
        return cls(
            **{
                name: (1.0 - fraction) * getattr(config, name) + fraction * getattr(config, f"final_{name}")
                for name in names
            }
        )


class Learner:
    """The network, its optimiser and its tables.

    Each worker has one. The network is the same in all, tables and random generators are not.
    """

    def __init__(self, config: Config, game: Game, team: Team = ALONE) -> None:
        """Begin with a network that plays nearly at random."""
        torch.manual_seed(config.seed)
        self.config, self.team = config, team
        self.network = ActorCritic(
            game.layout.size,
            config.hidden,
            game.num_actions,
            config.activation,
            config.value_hidden,
            config.shared_layers,
            config.bfloat16,
        )
        self.playing = deepcopy(self.network) if config.average else self.network
        """The network that is shipped: averaged weights, or the network itself."""
        self._parameters = list(self.network.parameters())
        self.optimiser = torch.optim.Adam(self._parameters, eps=1e-5, fused=True)
        self.rollouts = Rollouts(
            game,
            self.network,
            team.share(config.num_tables),
            team.seed(config.seed),
            pool=config.opponents,
            mixed=config.mixed,
            past_selves=config.past_selves,
            skip_forced=config.skip_forced,
        )
        self.meter = ExploitabilityMeter(game) if config.exploitability and team.rank == 0 else None
        self.decisions = self.updates = 0
        self._rng = np.random.default_rng([team.seed(config.seed) % 2**64, 2])

    def update(self, fraction: float) -> dict[str, float]:
        """Gather a batch and learn from it; returns measures. `fraction` is the used share of the budget."""
        self.team.tell("update", fraction)
        config, rates = self.config, Rates.at(fraction, self.config)
        for group in self.optimiser.param_groups:
            group["lr"] = rates.learning_rate
        self.rollouts.actions[:] = 0
        batch = self.team.share(config.batch)
        counts = self.team.each(self.rollouts.collect(batch, config.gamma, config.gae_lambda, config.reward_scale))
        self.decisions += sum(counts)
        finished = self.rollouts.experience.finished()
        steps = min(*counts, max(1, round(sum(counts) / config.minibatch)))
        measures = []
        for epoch in range(config.epochs):
            order = self._rng.permutation(finished)
            parts = enumerate(np.array_split(order, steps))
            measures += [self._descend(part, rates, epoch, number) for number, part in parts]
        self.rollouts.experience.forget_finished()
        self.updates += 1
        self._average()
        if self.meter:
            self.meter.add(self.network.policy, weight=self.updates)
        if self.updates % config.past_self_updates == 0:
            self.rollouts.remember_self()
        means = {name: float(np.mean([row[name] for row in measures])) for name in measures[0]}
        return {"learning_rate": rates.learning_rate, **means, **self._action_shares()}

    def _descend(self, rows: NDArray[np.int64], rates: Rates, epoch: int, number: int) -> dict[str, float]:
        """Take one step of the optimiser for the decisions `rows`; returns measures."""
        loss, measures = self._loss(rows, rates)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        loss = loss.detach()
        gradients = [parameter.grad for parameter in self._parameters if parameter.grad is not None]
        self.team.average([*gradients, loss, *measures.values()], len(rows))
        norm = torch.nn.utils.clip_grad_norm_(self._parameters, self.config.max_gradient)
        if not math.isfinite(float(loss) + float(norm)):
            raise TrainingDivergedError(
                f"update {self.updates + 1}, epoch {epoch + 1}, minibatch {number + 1}: the loss is "
                f"{float(loss)}, the norm of its gradient {float(norm)}. The last checkpoint is kept; begin a new run "
                f"with a lower learning rate (here {rates.learning_rate:g}) or reward scale"
            )
        self.optimiser.step()
        return {name: float(measure) for name, measure in measures.items()}

    def _loss(self, rows: NDArray[np.int64], rates: Rates) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the clipped objective of PPO, KL divergence, entropy and value error as one loss, and measures."""
        taken = {name: array[rows] for name, array in self.rollouts.experience.arrays.items()}
        widest = int((taken["legal"] != NO_ACTION).sum(axis=1).max())
        legal = torch.from_numpy(np.ascontiguousarray(taken["legal"][:, :widest]))
        choice, old, advantage, target, old_value = (
            torch.from_numpy(taken[name]) for name in ("choice", "log_probability", "advantage", "target", "value")
        )
        logits, value = self.network(torch.from_numpy(taken["observation"]).float(), legal)
        log_probabilities = torch.log_softmax(logits, dim=1)
        entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()
        if self.config.normalise:
            mean, deviation = self.team.moments(advantage)
            advantage = (advantage - mean) / (deviation + 1e-8)
        change = log_probabilities.gather(1, choice[:, None])[:, 0] - old
        ratio = change.exp()
        objective = torch.minimum(ratio * advantage, ratio.clamp(1 - rates.clip, 1 + rates.clip) * advantage).mean()
        error = (value - target).square()
        if self.config.clip_value:
            near = old_value + (value - old_value).clamp(-rates.clip, rates.clip)
            error = torch.maximum(error, (near - target).square())
        value_loss = 0.5 * error.mean()
        kl = (ratio - 1 - change).mean()
        loss = -objective + rates.kl_penalty * kl - rates.entropy * entropy + self.config.value_weight * value_loss
        measures = {"entropy": entropy, "value_loss": value_loss, "kl": kl}
        return loss, {name: measure.detach() for name, measure in measures.items()}

    def _average(self) -> None:
        """Move the averaged weights; at first they are a plain mean, so the initial network is forgotten."""
        if self.config.average:
            keep = min(self.config.average, 1.0 - 1.0 / self.updates)
            with torch.no_grad():
                for slow, fast in zip(self.playing.parameters(), self.network.parameters(), strict=True):
                    slow.lerp_(fast, 1.0 - keep)

    def _action_shares(self) -> dict[str, float]:
        """Return how often each action was chosen, where there are few."""
        if len(self.rollouts.actions) > _FEW_ACTIONS:
            return {}
        counts = self.team.total(self.rollouts.actions)
        return {f"action {action}": float(share) for action, share in enumerate(counts / counts.sum())}

    def save(self, path: Path, seconds: float) -> None:
        """Write everything that `load` needs to continue exactly."""
        states = [self.own_state(), *self.team.ask("own_state")]
        tensors = {
            f"{_rollouts_of(rank)}{name}": torch.from_numpy(array)
            for rank, (arrays, _) in enumerate(states)
            for name, array in arrays.items()
        }
        tensors |= {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        tensors |= {f"playing.{name}": tensor.clone() for name, tensor in self.playing.state_dict().items()}
        tensors |= {f"adam.{name}": tensor for name, tensor in optimiser_tensors(self.optimiser).items()}
        if self.meter:
            state = self.meter.average.state()
            tensors |= {f"average.{name}": torch.from_numpy(array) for name, array in state.items()}
        rngs = [text for _, rngs in states for text in rngs]
        facts = {"seconds": seconds, "decisions": self.decisions, "updates": self.updates, "rngs": rngs}
        save_state(path, tensors, facts)

    def own_state(self) -> tuple[dict[str, NDArray[Any]], list[str]]:
        """Return what no other worker has: arrays of the rollouts, random generators. Past selves are worker 0's."""
        arrays, rng = self.rollouts.state()
        if self.team.rank:
            arrays = {name: array for name, array in arrays.items() if not name.startswith("past.")}
        return arrays, [rng, json.dumps(self._rng.bit_generator.state)]

    def load(self, path: Path) -> float:
        """Continue from a file of `save`; returns the seconds of training that it took."""
        self.team.tell("load", path)
        tensors, facts = load_state(path)
        workers, rank = len(facts["rngs"]) // 2, self.team.rank
        if workers != self.team.size:
            raise ValueError(
                f"{path} holds the tables of {workers} workers, this run has {self.team.size}: "
                f"continue it with --workers {workers}, or choose another folder"
            )
        self.network.load_state_dict(strip_prefix("network.", tensors))
        self.playing.load_state_dict(strip_prefix("playing.", tensors))
        load_optimiser(self.optimiser, strip_prefix("adam.", tensors))
        if self.meter:
            self.meter.average.restore(
                {name: tensor.numpy() for name, tensor in strip_prefix("average.", tensors).items()}
            )
        past = {f"past.{name}": tensor for name, tensor in strip_prefix("rollouts.past.", tensors).items()}
        own = past | strip_prefix(_rollouts_of(rank), tensors)
        self.rollouts.restore({name: tensor.numpy() for name, tensor in own.items()}, facts["rngs"][2 * rank])
        self._rng.bit_generator.state = json.loads(facts["rngs"][2 * rank + 1])
        self.decisions, self.updates = int(facts["decisions"]), int(facts["updates"])
        return float(facts["seconds"])


def _rollouts_of(rank: int) -> str:
    """Return how the names of a worker's arrays begin in a checkpoint; those of worker 0 as if it were alone."""
    return f"rollouts{rank or ''}."
