"""Train sb3-contrib's MaskablePPO as one seat of a card game, against a pool of opponents.

Read top to bottom: settings, the training loop, what is written along the way. The learner's tables run on the batched
engine; its opponents, one drawn per deal, are named agents or `self`, the learner as it was at the last evaluation.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from card_baselines.learned.mlp_policy import MlpAgent, MlpPolicy, save_policy
from card_baselines.progress import progress_bar
from card_baselines.run_folder import EVALUATION, WEIGHTS, RunFolder
from card_baselines.settings import parse_settings
from card_envs.agent import Agent, Decisions, choose, find_agent
from card_envs.envs import find_entry, make_game
from card_envs.game import Game
from card_envs.match.play import play_match
from card_wrappers.sb3 import CardVecEnv

MODEL = "model.zip"


@dataclass(frozen=True)
class Config:
    """Settings of a run. Amounts of time and steps are budgets: the run ends at whichever comes first."""

    env: str = "limit_holdem-v0"
    """Environment id."""
    set: tuple[str, ...] = ()
    """Environment arguments, such as num_players=6."""
    opponents: tuple[str, ...] = ("self", "always_call", "always_raise", "random")
    """The pool: agent names, "module:Class", run folders, or "self"; one is drawn for each deal."""
    panel: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents that the learner is measured against along the way and at the end."""
    minutes: float = 10.0
    """Time budget of the whole run, evaluations included; 0 for none."""
    steps: int = 100_000_000
    """Budget of the learner's decisions."""
    seed: int = 0
    num_tables: int = 512
    steps_per_update: int = 32
    """Decisions per table and update; the batch is num_tables times as large."""
    minibatch: int = 2048
    epochs: int = 2
    learning_rate: float = 1e-3
    """At the start; falls linearly to a tenth over the budget."""
    entropy: float = 0.01
    gae_lambda: float = 0.95
    clip: float = 0.2
    reward_scale: float = 0.1
    """Rewards are multiplied by this: big blinds and points are large numbers for a network."""
    hidden: tuple[int, ...] = (128, 128)
    checkpoint_seconds: float = 30.0
    """Time between checkpoints: the most that a killed run loses."""
    evaluation_seconds: float = 30.0
    evaluation_hands: int = 4000
    final_hands: int = 50_000
    folder: str = ""
    """Run folder; an interrupted run there is continued. By default a new one below `runs/`."""
    threads: int = 1
    """PyTorch's threads. More help little with small networks, and wait for each other when another program runs."""
    progress: bool = True


def main(config: Config) -> RunFolder:
    """Train, evaluate, and return the run folder."""
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # masks are checked by the engine
    entry = find_entry(config.env)
    game = make_game(entry.id, **parse_settings(config.set))
    new_folder = RunFolder.named(Path("runs"), entry.id, "maskable_ppo", config.seed)
    run = RunFolder(Path(config.folder)) if config.folder else new_folder
    run.start(_description(config, game))

    past_self = PastSelf(game, config)
    pool: list[Agent] = [past_self if name == "self" else find_agent(name, game) for name in config.opponents]
    tables = CardVecEnv(game, config.num_tables, pool, seed=config.seed, reward_scale=config.reward_scale)
    model = _load_or_make(config, run, tables)
    budget = Budget(config, run, model)
    model.lr_schedule = lambda _: config.learning_rate * (1.0 - 0.9 * budget.fraction())
    keeper = Keeper(config, run, game, past_self, budget)
    if budget.fraction() < 1.0:
        model.learn(config.steps, callback=keeper, reset_num_timesteps=False)
    keeper.save()
    evaluation = evaluate(run, game, config.panel, config.final_hands, config.seed)
    run.write_json(EVALUATION, evaluation)
    return run


def _description(config: Config, game: Game) -> dict[str, Any]:
    """Return what config.json holds: the settings, and what a player needs to rebuild the network."""
    settings = asdict(config)
    for key in ("folder", "progress", "threads"):  # where and how a run goes on does not change what it is
        del settings[key]
    return {
        "agent": "card_baselines.learned.mlp_policy:MlpAgent",
        "algorithm": "maskable_ppo",
        **settings,
        "game": game.name,
        "encoder": game.encoder.name,
        "encoder_version": game.encoder.version,
        "num_seats": game.num_seats,
        "num_actions": game.num_actions,
        "observation_size": game.layout.size,
        "activation": "tanh",
    }


def _load_or_make(config: Config, run: RunFolder, tables: CardVecEnv) -> MaskablePPO:
    if (run.path / MODEL).exists():
        return MaskablePPO.load(run.path / MODEL, env=tables)
    return MaskablePPO(
        "MlpPolicy",
        tables,
        n_steps=config.steps_per_update,
        batch_size=config.minibatch,
        n_epochs=config.epochs,
        learning_rate=config.learning_rate,
        gamma=1.0,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        policy_kwargs={"net_arch": {"pi": list(config.hidden), "vf": list(config.hidden)}},
        seed=config.seed,
        device="cpu",
    )


def policy_of(model: MaskablePPO, config: Config, game: Game) -> MlpPolicy:
    """Return a copy of the model's policy network as a plain `MlpPolicy`."""
    policy = MlpPolicy(game.layout.size, list(config.hidden), game.num_actions)
    trained = [*model.policy.mlp_extractor.policy_net.parameters(), *model.policy.action_net.parameters()]
    with torch.no_grad():
        for parameter, value in zip(policy.parameters(), trained, strict=True):
            parameter.copy_(value)
    return policy


class PastSelf:
    """The learner as it was at the last evaluation; plays at random before the first."""

    name = "self"

    def __init__(self, game: Game, config: Config) -> None:
        """Begin without a network."""
        self._game = game
        self._policy = MlpPolicy(game.layout.size, list(config.hidden), game.num_actions)
        torch.nn.init.zeros_(self._policy.layers[-1].weight)  # type: ignore[arg-type]
        torch.nn.init.zeros_(self._policy.layers[-1].bias)  # type: ignore[arg-type]

    def become(self, policy: MlpPolicy) -> None:
        """Play this policy from now on."""
        self._policy = policy

    @torch.inference_mode()
    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        logits = self._policy(torch.from_numpy(np.asarray(decisions.observation, np.float32))).numpy()
        weights = np.exp(logits - logits.max(axis=1, keepdims=True)) * decisions.action_mask
        return choose(weights + 1e-12 * decisions.action_mask, decisions.uniforms)


class Budget:
    """How much of the time or of the steps is used, over all interruptions of a run."""

    def __init__(self, config: Config, run: RunFolder, model: MaskablePPO) -> None:
        """Continue from the seconds that the metrics say were used."""
        self._config, self._model = config, model
        rows = run.metrics()
        self._before = rows[-1]["seconds"] if rows else 0.0
        self._start: float | None = None

    def begin(self) -> None:
        """Start the clock; compiling and loading came before."""
        self._start = time.monotonic()

    def seconds(self) -> float:
        """Return the seconds of training so far."""
        return self._before + (time.monotonic() - self._start if self._start else 0.0)

    def fraction(self) -> float:
        """Return the used share of the budget, 0 .. 1."""
        by_time = self.seconds() / (60.0 * self._config.minutes) if self._config.minutes else 0.0
        return min(1.0, max(by_time, self._model.num_timesteps / self._config.steps))


class Keeper(BaseCallback):
    """Called by SB3 at every step: writes checkpoints and evaluations, ends the run with its budget."""

    def __init__(self, config: Config, run: RunFolder, game: Game, past_self: PastSelf, budget: Budget) -> None:
        """Watch over one call of `learn`."""
        super().__init__()
        self._config, self._run, self._game = config, run, game
        self._past_self, self._budget = past_self, budget
        self._next_checkpoint = self._next_evaluation = 0.0
        self._bar: Any = None

    def _on_training_start(self) -> None:
        self._budget.begin()
        self._next_checkpoint = self._budget.seconds() + self._config.checkpoint_seconds
        self._next_evaluation = self._budget.seconds() + self._config.evaluation_seconds
        self._past_self.become(policy_of(self._model, self._config, self._game))
        self._bar = progress_bar("training", total=1.0, enabled=self._config.progress)

    @property
    def _model(self) -> MaskablePPO:
        assert isinstance(self.model, MaskablePPO)
        return self.model

    def _on_step(self) -> bool:
        """Return False when the budget is used up."""
        return self._budget.fraction() < 1.0

    def _on_rollout_end(self) -> None:
        if self._budget.seconds() >= self._next_evaluation:
            self._evaluate()
            self._next_evaluation = self._budget.seconds() + self._config.evaluation_seconds
        if self._budget.seconds() >= self._next_checkpoint:
            self.save()
            self._next_checkpoint = self._budget.seconds() + self._config.checkpoint_seconds
        self._bar.update(self._budget.fraction(), f"{self._model.num_timesteps:,} decisions")

    def _on_training_end(self) -> None:
        self._evaluate()
        self._bar.close()

    def _evaluate(self) -> None:
        policy = policy_of(self._model, self._config, self._game)
        self._past_self.become(policy)
        self.save()
        row: dict[str, float] = {"seconds": self._budget.seconds(), "decisions": self._model.num_timesteps}
        for result in evaluate(self._run, self._game, self._config.panel, self._config.evaluation_hands, 1)["matches"]:
            row[f"v {result['opponent']}"] = result["mean"]
        self._run.log(row)
        labels = {f"v {name}": name for name in self._config.panel}
        self._run.draw_curve("decisions", labels, f"{self._game.unit} per hand")

    def save(self) -> None:
        """Write the model (to continue) and the policy (to play)."""
        with self._run.replacing(MODEL) as temporary:
            self._model.save(temporary)
        with self._run.replacing(WEIGHTS) as temporary:
            save_policy(policy_of(self._model, self._config, self._game), temporary)


def evaluate(run: RunFolder, game: Game, panel: tuple[str, ...], hands: int, seed: int) -> dict[str, Any]:
    """Return results of the run's policy against each panel agent (in all other seats), with 95 % intervals."""
    learner = MlpAgent(run.path, game)
    matches = []
    for name in panel:
        others = [find_agent(name, game) for _ in range(game.num_seats - 1)]
        result = play_match(game, [learner, *others], hands, seed)
        own = result.agents[0]
        matches.append({"opponent": name, "mean": own.mean, "ci95": list(own.ci95), "hands": result.hands})
    return {"env": run.config()["env"], "unit": game.unit, "seed": seed, "matches": matches}
