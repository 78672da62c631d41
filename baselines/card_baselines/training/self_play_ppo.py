"""Train one network that plays all seats against itself: PPO in plain PyTorch on the batched engine.

Read top to bottom: settings, the run (what is written, when it ends), one update. How decisions are gathered is in
`rollouts`, how they are credited in `experience`. PPO: Schulman et al. 2017; self-play as in Charlesworth 2018, whose
set-up is the preset `charlesworth2018`.
"""

from __future__ import annotations

import json
import math
import shutil
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.learned.actor_critic import ActorCritic
from card_baselines.learned.legal_logits import NO_ACTION
from card_baselines.learned.mlp_policy import save_policy
from card_baselines.progress import progress_bar
from card_baselines.run_folder import CONFIG, EVALUATION, WEIGHTS, RunFolder
from card_baselines.settings import parse_settings
from card_baselines.training.budget import Budget, Every
from card_baselines.training.checkpoint import STATE, below, load_optimiser, load_state, optimiser_tensors, save_state
from card_baselines.training.evaluation import evaluate
from card_baselines.training.exploitability import AVERAGE, LATEST, PICTURE, ExploitabilityMeter, require_small
from card_baselines.training.presets import DEFAULT_PRESETS as DEFAULT_PRESETS
from card_baselines.training.presets import PRESETS
from card_baselines.training.rollouts import Rollouts
from card_envs.envs import find_entry, make_game
from card_envs.game import Game

FROZEN = "frozen"
"""Folder, within that of the run, of agents as they were after each quarter."""
_QUARTERS = 4
_PICTURE_SECONDS = 30.0
"""Between drawings of the measures, which in small games take longer than an evaluation."""
_FEW_ACTIONS = 16


@dataclass(frozen=True)
class Config:
    """Settings of a run; the defaults suit hold'em. Settings with a `final_` counterpart move there along a line.

    `PRESETS` has others under names.
    """

    env: str = "limit_holdem-v0"
    """Environment id."""
    set: tuple[str, ...] = ()
    """Environment arguments, such as num_players=6."""
    opponents: tuple[str, ...] = ()
    """Pool for mixed deals: agent names, "module:Class", run folders, or "self" for past selves."""
    mixed: float = 0.0
    """Share of deals in which the learner has one seat and a player of the pool all others."""
    past_selves: int = 8
    """How many past selves are kept."""
    past_self_updates: int = 50
    """One is added after so many updates."""
    panel: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents that the learner is measured against along the way and at the end, each in all other seats."""
    minutes: float = 10.0
    """Budget of processor time for the whole run, evaluations included; 0 for none."""
    steps: int = 1_000_000_000
    """Budget of the learner's decisions."""
    seed: int = 0
    num_tables: int = 1024
    batch: int = 16_384
    """Decisions of finished deals per update, at least."""
    minibatch: int = 1024
    epochs: int = 2
    learning_rate: float = 3e-4
    final_learning_rate: float = 1e-4
    entropy: float = 0.02
    """Weight of the entropy in the objective."""
    final_entropy: float = 0.01
    clip: float = 0.2
    final_clip: float = 0.2
    kl_penalty: float = 0.0
    """Weight of the KL divergence from the policy that played the batch (Schulman et al. 2017, section 4)."""
    final_kl_penalty: float = 0.0
    clip_value: bool = False
    """Keep values within `clip` of the old ones too, as Charlesworth (2018) does."""
    value_weight: float = 0.5
    max_gradient: float = 0.5
    """Longer gradients are shortened to this norm."""
    normalise: bool = True
    """Give the advantages of each minibatch mean 0 and deviation 1."""
    gamma: float = 1.0
    gae_lambda: float = 0.95
    reward_scale: float = 0.1
    """Rewards are multiplied by this: big blinds and points are large numbers for a network."""
    skip_forced: bool = True
    """Let the engine play decisions with one legal action."""
    hidden: tuple[int, ...] = (128, 128)
    value_hidden: tuple[int, ...] = (128, 128)
    shared_layers: int = 0
    """Hidden layers of the policy that the value shares."""
    activation: str = "relu"
    average: float = 0.0
    """Decay per update of the averaged weights, which then play and are shipped; 0 for the latest weights."""
    bfloat16: bool = False
    """Compute hidden layers in bfloat16: three times as fast on processors with AMX, much slower on others."""
    checkpoint_seconds: float = 30.0
    """Time between checkpoints: the most that a killed run loses."""
    exploitability: bool = False
    """Small hold'em games: measure the exact exploitability of the policy, and of the average of all so far, which the
    folder `average` plays."""
    evaluation_seconds: float = 60.0
    evaluation_hands: int = 10_000
    final_hands: int = 100_000
    folder: str = ""
    """Run folder; an interrupted run there is continued. By default a new one below `runs/`."""
    threads: int = 1
    """PyTorch's threads. More help little with small networks, and wait for each other when another program runs."""
    progress: bool = True


class TrainingDivergedError(RuntimeError):
    """Raised when a loss or a gradient is no number; says in which batch, and what is left."""


def main(config: Config) -> RunFolder:
    """Train, evaluate, and return the run folder."""
    torch.set_num_threads(config.threads)
    game = game_of(config)
    if config.exploitability:
        require_small(game)
    new_folder = RunFolder.named(Path("runs"), find_entry(config.env).id, "self_play_ppo", config.seed)
    run = RunFolder(Path(config.folder)) if config.folder else new_folder
    run.start(describe(config), may_change=("minutes", "steps"))
    learner = Learner(config, game)
    seconds = learner.load(run.path / STATE) if (run.path / STATE).exists() else 0.0
    budget = Budget(config.minutes, config.steps, lambda: learner.decisions, seconds)
    keeper = Keeper(config, run, game, learner, budget)
    with progress_bar("training", total=1.0, enabled=config.progress) as bar:
        while budget.fraction() < 1.0:
            keeper.heed(learner.update(budget.fraction()))
            bar.update(budget.fraction(), f"{learner.decisions:,} decisions")
    keeper.finish()
    return run


def preset(name: str) -> Config:
    """Return the settings of that name, one of `PRESETS`."""
    return Config(**PRESETS[name])


def game_of(config: Config) -> Game:
    """Return the game that the settings name."""
    return make_game(find_entry(config.env).id, **parse_settings(config.set))


def describe(config: Config) -> dict[str, Any]:
    """Return what config.json holds: the settings, and what a player needs to rebuild the network."""
    game = game_of(config)
    settings = asdict(config)
    for key in ("folder", "progress", "threads"):  # where and how a run goes on does not change what it is
        del settings[key]
    return {
        "agent": "card_baselines.learned.mlp_policy:MlpAgent",
        "algorithm": "self_play_ppo",
        **settings,
        "game": game.name,
        "encoder": game.encoder.name,
        "encoder_version": game.encoder.version,
        "num_seats": game.num_seats,
        "num_actions": game.num_actions,
        "observation_size": game.layout.size,
    }


class Keeper:
    """Writes what a run leaves behind: checkpoints, measures, frozen agents, the evaluation."""

    def __init__(self, config: Config, run: RunFolder, game: Game, learner: Learner, budget: Budget) -> None:
        """Write the first checkpoint."""
        self._config, self._run, self._game, self._learner, self._budget = config, run, game, learner, budget
        self._checkpoint = Every(config.checkpoint_seconds, budget)
        self._evaluation = Every(config.evaluation_seconds, budget)
        self._picture = Every(_PICTURE_SECONDS, budget)
        self._quarter = int(_QUARTERS * budget.fraction())
        self.save()

    def heed(self, measures: dict[str, float]) -> None:
        """Do what is due after an update with these measures. The first one, which compiles, starts the clock."""
        self._budget.begin()
        quarter = int(_QUARTERS * self._budget.fraction())
        if self._evaluation.is_due() or self._budget.fraction() >= 1.0:
            self._evaluate(measures)
        elif self._checkpoint.is_due():
            self.save()
        if self._picture.is_due():
            self._draw()
        if self._quarter < quarter < _QUARTERS:
            self._quarter = quarter
            self._freeze(f"after_{quarter}_of_{_QUARTERS}")

    def save(self) -> None:
        """Write the state (to continue) and the policy (to play)."""
        with self._run.replacing(STATE) as temporary:
            self._learner.save(temporary, self._budget.seconds())
        with self._run.replacing(WEIGHTS) as temporary:
            save_policy(self._learner.playing.policy, temporary)
        if self._learner.meter:
            self._learner.meter.save_average(self._run)

    def _evaluate(self, measures: dict[str, float]) -> None:
        self.save()
        row = {"seconds": self._budget.seconds(), "decisions": self._learner.decisions, **measures}
        matches = evaluate(self._run, self._game, self._config.panel, self._config.evaluation_hands, 1)["matches"]
        results = {f"v {match['opponent']}": match["mean"] for match in matches}
        self._run.log(row | self._exploitability() | results)

    def _draw(self) -> None:
        labels = {f"v {name}": name for name in self._config.panel}
        self._run.draw_curve("decisions", labels, f"{self._game.unit} per hand")
        if self._learner.meter:
            labels = {LATEST: "latest policy", AVERAGE: "average"}
            y_label = f"exploitability, {self._game.unit} per hand"
            self._run.draw_curve("decisions", labels, y_label, PICTURE, log=True)

    def _exploitability(self) -> dict[str, float]:
        meter = self._learner.meter
        return meter.measure(self._learner.playing.policy) if meter else {}

    def _freeze(self, name: str) -> None:
        """Keep the agent as it is now, in a folder that plays."""
        folder = self._run.path / FROZEN / name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self._run.path / CONFIG, folder / CONFIG)
        save_policy(self._learner.playing.policy, folder / WEIGHTS)

    def finish(self) -> None:
        """Write the last checkpoint and pictures, and the evaluation against the panel and the frozen agents."""
        self.save()
        self._draw()
        frozen = sorted(str(folder) for folder in (self._run.path / FROZEN).glob("*"))
        panel = (*self._config.panel, *frozen)
        cost = {"seconds": round(self._budget.seconds()), "decisions": self._learner.decisions}
        evaluation = evaluate(self._run, self._game, panel, self._config.final_hands, self._config.seed)
        self._run.write_json(EVALUATION, {**evaluation, **self._exploitability(), "cost": cost})


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
    """The network, its optimiser and its tables."""

    def __init__(self, config: Config, game: Game) -> None:
        """Begin with a network that plays nearly at random."""
        torch.manual_seed(config.seed)
        self.config = config
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
        self.optimiser = torch.optim.Adam(self.network.parameters(), eps=1e-5, fused=True)
        self.rollouts = Rollouts(
            game,
            self.network,
            config.num_tables,
            config.seed,
            pool=config.opponents,
            mixed=config.mixed,
            past_selves=config.past_selves,
            skip_forced=config.skip_forced,
        )
        self.meter = ExploitabilityMeter(game) if config.exploitability else None
        self.decisions = self.updates = 0
        self._rng = np.random.default_rng([config.seed % 2**64, 2])

    def update(self, fraction: float) -> dict[str, float]:
        """Gather a batch and learn from it; returns measures. `fraction` is the used share of the budget."""
        config, rates = self.config, Rates.at(fraction, self.config)
        for group in self.optimiser.param_groups:
            group["lr"] = rates.learning_rate
        self.rollouts.actions[:] = 0
        self.decisions += self.rollouts.collect(config.batch, config.gamma, config.gae_lambda, config.reward_scale)
        finished = self.rollouts.experience.finished()
        measures = []
        for epoch in range(config.epochs):
            order = self._rng.permutation(finished)
            parts = np.array_split(order, max(1, round(len(order) / config.minibatch)))
            measures += [self._descend(part, rates, epoch, number) for number, part in enumerate(parts)]
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
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.max_gradient)
        if not math.isfinite(float(loss.detach()) + float(norm)):
            raise TrainingDivergedError(
                f"update {self.updates + 1}, epoch {epoch + 1}, minibatch {number + 1}: the loss is "
                f"{float(loss.detach())}, the norm of its gradient {float(norm)}. The last checkpoint is kept; begin a "
                f"new run with a lower learning rate (here {rates.learning_rate:g}) or reward scale"
            )
        self.optimiser.step()
        return measures

    def _loss(self, rows: NDArray[np.int64], rates: Rates) -> tuple[torch.Tensor, dict[str, float]]:
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
            advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
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
        return loss, {name: float(measure.detach()) for name, measure in measures.items()}

    def _average(self) -> None:
        """Move the averaged weights; at first they are a plain mean, so the initial network is forgotten."""
        if self.config.average:
            keep = min(self.config.average, 1.0 - 1.0 / self.updates)
            with torch.no_grad():
                for slow, fast in zip(self.playing.parameters(), self.network.parameters(), strict=True):
                    slow.lerp_(fast, 1.0 - keep)

    def _action_shares(self) -> dict[str, float]:
        """Return how often each action was chosen, where there are few."""
        counts = self.rollouts.actions
        if len(counts) > _FEW_ACTIONS:
            return {}
        return {f"action {action}": float(share) for action, share in enumerate(counts / counts.sum())}

    def save(self, path: Path, seconds: float) -> None:
        """Write everything that `load` needs to continue exactly."""
        arrays, rng = self.rollouts.state()
        tensors = {f"rollouts.{name}": torch.from_numpy(array) for name, array in arrays.items()}
        tensors |= {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        tensors |= {f"playing.{name}": tensor.clone() for name, tensor in self.playing.state_dict().items()}
        tensors |= {f"adam.{name}": tensor for name, tensor in optimiser_tensors(self.optimiser).items()}
        if self.meter:
            state = self.meter.average.state()
            tensors |= {f"average.{name}": torch.from_numpy(array) for name, array in state.items()}
        own_rng = json.dumps(self._rng.bit_generator.state)
        facts = {"seconds": seconds, "decisions": self.decisions, "updates": self.updates, "rngs": [rng, own_rng]}
        save_state(path, tensors, facts)

    def load(self, path: Path) -> float:
        """Continue from a file of `save`; returns the seconds of training that it took."""
        tensors, facts = load_state(path)
        self.network.load_state_dict(below("network.", tensors))
        self.playing.load_state_dict(below("playing.", tensors))
        load_optimiser(self.optimiser, below("adam.", tensors))
        if self.meter:
            self.meter.average.restore({name: tensor.numpy() for name, tensor in below("average.", tensors).items()})
        arrays = {name: tensor.numpy() for name, tensor in below("rollouts.", tensors).items()}
        self.rollouts.restore(arrays, facts["rngs"][0])
        self._rng.bit_generator.state = json.loads(facts["rngs"][1])
        self.decisions, self.updates = int(facts["decisions"]), int(facts["updates"])
        return float(facts["seconds"])
