"""A run of a Stable-Baselines3 algorithm as one seat against a pool: what all such training scripts share.

The learner's tables run on the batched engine; its opponents, one drawn per deal, are named agents or `self`, the
learner as it was at the last evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback

from card_baselines.agents.learned.mlp_policy import save_policy
from card_baselines.progress import progress_bar
from card_baselines.run_folder import EVALUATION, WEIGHTS, RunFolder
from card_baselines.settings import parse_settings
from card_baselines.training.budget import Budget, Every, seconds_used
from card_baselines.training.evaluation import evaluate
from card_envs.agent import Agent, Decisions, RandomAgent, find_agent
from card_envs.envs import find_entry, make_game
from card_envs.game import Game
from card_wrappers.sb3 import CardVecEnv

MODEL = "model.zip"
BOARD = "tensorboard"
_NOT_KEPT = ("lr_schedule", "exploration_schedule", "replay_buffer_class", "replay_buffer_kwargs")
"""Attributes of a model that know the clock of their run, or that SB3 makes anew."""
MLP_AGENT = "mlp"


@dataclass(frozen=True, kw_only=True)
class Sb3Config:
    """Settings that all algorithms have. Time and steps are budgets: the run ends at whichever comes first."""

    env: str = "limit_holdem-v0"
    """Environment id."""
    set: tuple[str, ...] = ()
    """Environment arguments, such as num_players=6."""
    opponents: tuple[str, ...] = ("self", "always_call", "always_raise", "random")
    """The pool: agent names, "module:Class", run folders, or "self"; one is drawn for each deal."""
    panel: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents that the learner is measured against along the way and at the end."""
    minutes: float = 10.0
    """Budget of processor time for the whole run, evaluations included; 0 for none."""
    steps: int = 100_000_000
    """Budget of the learner's decisions."""
    seed: int = 0
    num_tables: int = 512
    learning_rate: float = 1e-3
    """At the start; falls linearly to a tenth over the budget."""
    reward_scale: float = 0.1
    """Rewards are multiplied by this: big blinds and points are large numbers for a network."""
    hidden: tuple[int, ...] = (128, 128)
    checkpoint_seconds: float = 30.0
    """Time between checkpoints: the most that a killed run loses."""
    evaluation_seconds: float = 30.0
    evaluation_hands: int = 4000
    final_hands: int = 50_000
    tensorboard: bool = False
    """Write the measures of Stable-Baselines3 for TensorBoard into the run folder."""
    folder: str = ""
    """Run folder; an interrupted run there is continued. By default a new one below `runs/`."""
    threads: int = 1
    """PyTorch's threads. More help little with small networks, and wait for each other when another program runs."""
    progress: bool = True


@dataclass(frozen=True)
class Script:
    """What tells one algorithm from another."""

    algorithm: str
    model: Any
    """Class of the model."""
    settings: Callable[[Any], dict[str, Any]]
    """Config -> arguments of the model: policy and numbers."""
    parameters: Callable[[Any], Iterable[torch.nn.Parameter]]
    """Model -> the parameters of the network that plays, in its order."""
    network: Callable[[dict[str, Any]], torch.nn.Module]
    """config.json -> the network that plays, which `agent` makes as well."""
    agent: str = MLP_AGENT
    facts: dict[str, Any] = field(default_factory=dict)
    """What config.json tells the agent besides."""
    tables: Callable[[CardVecEnv], Any] = lambda tables: tables
    """The tables as the algorithm wants them."""
    set_progress: Callable[[Any, Any, float], None] = lambda model, config, fraction: None
    """Model, config, used share of the budget: set what changes along the run, besides the learning rate."""


def train(script: Script, config: Sb3Config) -> RunFolder:
    """Train, evaluate, and return the run folder."""
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # masks are checked by the engine
    game = game_of(config)
    new_folder = RunFolder.named(Path("runs"), find_entry(config.env).id, script.algorithm, config.seed)
    run = RunFolder(Path(config.folder)) if config.folder else new_folder
    run.start(describe(script, config), may_change=("minutes", "steps"))

    past_self = PastSelf()
    pool: list[Agent] = [past_self if name == "self" else find_agent(name, game) for name in config.opponents]
    tables = CardVecEnv(game, config.num_tables, pool, seed=config.seed, reward_scale=config.reward_scale)
    model = _load_or_make(script, config, run, script.tables(tables))
    budget = Budget(config.minutes, config.steps, lambda: model.num_timesteps, seconds_used(run))
    model.lr_schedule = lambda _: config.learning_rate * (1.0 - 0.9 * budget.fraction())
    keeper = Keeper(script, config, run, game, past_self, budget)
    if budget.fraction() < 1.0:
        model.learn(config.steps, callback=keeper, reset_num_timesteps=False)
    run.write_json(EVALUATION, evaluate(run, game, config.panel, config.final_hands, config.seed))
    return run


def game_of(config: Sb3Config) -> Game:
    """Return the game that the settings name."""
    return make_game(find_entry(config.env).id, **parse_settings(config.set))


def describe(script: Script, config: Sb3Config) -> dict[str, Any]:
    """Return what config.json holds: the settings, and what a player needs to rebuild the network."""
    game = game_of(config)
    settings = asdict(config)
    for key in ("folder", "progress", "threads", "tensorboard"):  # how a run goes on does not change what it is
        del settings[key]
    return {
        "agent": script.agent,
        "algorithm": script.algorithm,
        **settings,
        "game": game.name,
        "encoder": game.encoder.name,
        "encoder_version": game.encoder.version,
        "num_seats": game.num_seats,
        "num_actions": game.num_actions,
        "observation_size": game.layout.size,
        **script.facts,
    }


def _load_or_make(script: Script, config: Sb3Config, run: RunFolder, tables: Any) -> Any:
    board = str(run.path / BOARD) if config.tensorboard else None
    if (run.path / MODEL).exists():
        return script.model.load(run.path / MODEL, env=tables, tensorboard_log=board)
    common = {"learning_rate": config.learning_rate, "gamma": 1.0, "seed": config.seed, "device": "cpu"}
    return script.model(env=tables, tensorboard_log=board, **common, **script.settings(config))


class PastSelf(Agent):
    """The learner as it was at the last evaluation; plays at random before the first."""

    name = "self"

    def __init__(self) -> None:
        """Begin at random."""
        self._agent: Agent = RandomAgent()

    def become(self, agent: Agent) -> None:
        """Play as this agent from now on."""
        self._agent = agent

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        return self._agent.act(decisions, rng)

    def deal_starts(self, tables: NDArray[np.int64]) -> None:
        """Tell an agent with a memory."""
        self._agent.deal_starts(tables)


class Keeper(BaseCallback):
    """Called by SB3 at every step: writes checkpoints and evaluations, ends the run with its budget."""

    def __init__(
        self, script: Script, config: Sb3Config, run: RunFolder, game: Game, past_self: PastSelf, budget: Budget
    ) -> None:
        """Watch over one call of `learn`."""
        super().__init__()
        self._script, self._config, self._run, self._game = script, config, run, game
        self._past_self, self._budget = past_self, budget
        self._bar: Any = None

    def _on_training_start(self) -> None:
        self._budget.begin()
        self._checkpoint = Every(self._config.checkpoint_seconds, self._budget)
        self._evaluation = Every(self._config.evaluation_seconds, self._budget)
        self.save()
        self._past_self.become(find_agent(str(self._run.path), self._game))
        self._bar = progress_bar("training", total=1.0, enabled=self._config.progress)

    def _on_step(self) -> bool:
        """Return False when the budget is used up."""
        self._script.set_progress(self.model, self._config, self._budget.fraction())
        return self._budget.fraction() < 1.0

    def _on_rollout_end(self) -> None:
        if self._evaluation.is_due():
            self._evaluate()
        elif self._checkpoint.is_due():
            self.save()
        self._bar.update(self._budget.fraction(), f"{self.model.num_timesteps:,} decisions")

    def _on_training_end(self) -> None:
        self._evaluate()
        self._bar.close()

    def _evaluate(self) -> None:
        self.save()
        self._past_self.become(find_agent(str(self._run.path), self._game))
        row: dict[str, float] = {"seconds": self._budget.seconds(), "decisions": self.model.num_timesteps}
        for result in evaluate(self._run, self._game, self._config.panel, self._config.evaluation_hands, 1)["matches"]:
            row[f"v {result['opponent']}"] = result["mean"]
        self._run.log(row)
        labels = {f"v {name}": name for name in self._config.panel}
        self._run.draw_curve("decisions", labels, f"{self._game.unit} per hand")

    def save(self) -> None:
        """Write the model (to continue) and the policy (to play)."""
        with self._run.replacing(MODEL) as temporary:
            self.model.save(temporary, exclude=_NOT_KEPT)
        network = self._script.network(self._run.config())
        with torch.no_grad():
            for parameter, value in zip(network.parameters(), self._script.parameters(self.model), strict=True):
                parameter.copy_(value)
        with self._run.replacing(WEIGHTS) as temporary:
            save_policy(network, temporary)
