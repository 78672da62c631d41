"""Runs of Stable-Baselines3 algorithms as one seat against a pool: what all such training scripts share.

The learner's tables run on the batched engine; its opponents, one drawn per deal, are named agents or `self`, the
learner as it was at the last evaluation. The run itself is `runs.run.Run`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import policy_of, save_policy
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.algorithm import Algorithm, describe_game_run
from card_baselines.runs.config import GameRunConfig, require, require_above_0
from card_baselines.runs.learner import Learner, TrainingDivergedError
from card_baselines.sb3.model_file import load_model, load_policy
from card_envs.agent import Agent, Decisions, RandomAgent, find_agent
from card_envs.files import replace_file
from card_envs.game import Game
from card_wrappers.sb3 import CardVecEnv

MODEL = "model.zip"
_NOT_SAVED = ("lr_schedule", "exploration_schedule", "replay_buffer_class", "replay_buffer_kwargs")
"""Attributes of a model that know the clock of their run, or that SB3 makes anew."""


@dataclass(frozen=True, kw_only=True)
class Sb3Config(GameRunConfig):
    """Settings that all algorithms have. Time and steps are budgets: the run ends at whichever comes first."""

    opponents: tuple[str, ...] = ("self", "always_call", "always_raise", "random")
    """The pool: agent names, "module:Class", run folders, or "self"; one is drawn for each deal."""
    steps: int = 100_000_000
    """Budget of the learner's decisions."""
    num_tables: int = 512
    """Tables that are played side by side."""
    minibatch: int = 2048
    """Decisions per step of the optimiser."""
    learning_rate: float = 1e-3
    """Learning rate at the start; it falls linearly to a tenth over the budget."""
    reward_scale: float = 0.1
    """Rewards are multiplied by this: big blinds and points are large numbers for a network."""
    hidden: tuple[int, ...] = (128, 128)
    """Widths of the hidden layers."""
    evaluation_seconds: float = 30.0
    evaluation_hands: int = 4000
    final_hands: int = 50_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 1, "num_tables", "minibatch", "hidden")
        require_above_0(self, "learning_rate", "reward_scale")
        if not self.opponents:
            raise ValueError("opponents are missing: name at least one, such as self or random")


class Sb3Learner(Learner):
    """A model of Stable-Baselines3 at one seat of its tables. Subclasses say which model, and what its policy is."""

    checkpoint = MODEL
    model_class: ClassVar[Any]
    """Algorithm of Stable-Baselines3."""
    steps_per_update = 1
    """Decisions of each table, at least, between two looks at what is due."""

    def __init__(self, config: Any, game: Game) -> None:
        """Begin with a new model."""
        self.config, self._game = config, game
        self._past_self = PastSelf()
        self._next_self: Agent = RandomAgent()
        pool: list[Agent] = [self._past_self if name == "self" else find_agent(name, game) for name in config.opponents]
        tables = CardVecEnv(game, config.num_tables, pool, seed=config.seed, reward_scale=config.reward_scale)
        self._tables = self.wrap_tables(tables)
        self._device = find_device(config.device)
        common = {"learning_rate": config.learning_rate, "gamma": 1.0, "seed": config.seed, "device": self._device}
        self._callback = _UntilBudget(self)
        self._fraction: Callable[[], float] = lambda: 0.0
        self._use(self.model_class(env=self._tables, **common, **self.model_settings(config)))

    @staticmethod
    @abstractmethod
    def model_settings(config: Any) -> dict[str, Any]:
        """Return the arguments of the model: policy and numbers."""

    @abstractmethod
    def policy_parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return the parameters of the policy, in the order of `make_policy`."""

    @staticmethod
    def make_policy(config: dict[str, Any]) -> torch.nn.Module:
        """Return the policy that config.json describes, as the agent of the run folder makes it."""
        return policy_of(config)

    @staticmethod
    def wrap_tables(tables: CardVecEnv) -> Any:
        """Return the tables as the algorithm needs them."""
        return tables

    def set_progress(self, fraction: float) -> None:
        """Set what changes along the run besides the learning rate, at this used share of the budget."""

    def _use(self, model: Any) -> None:
        self.model = model
        model.set_logger(configure(None, []))  # measures go to the run
        model.lr_schedule = lambda _: self.config.learning_rate * (1.0 - 0.9 * self.fraction())

    def set_budget(self, fraction: Callable[[], float]) -> None:
        """Ask this for the used share of the budget while learning: rates change and the run ends within an update."""
        self._fraction = fraction

    def fraction(self) -> float:
        """Return the used share of the budget."""
        return self._fraction()

    @property
    def done(self) -> int:
        """Decisions of the learner."""
        return int(self.model.num_timesteps)

    def update(self, fraction: float) -> dict[str, float]:
        """Let the model collect and learn; returns what it logs."""
        decisions = self.steps_per_update * self.config.num_tables
        with _skip_distribution_checks():
            self.model.learn(decisions, callback=self._callback, reset_num_timesteps=False, log_interval=None)
        if not all(bool(torch.isfinite(parameter).all()) for parameter in self.policy_parameters()):
            raise TrainingDivergedError(
                f"after {self.done:,} decisions a weight is no number. The last checkpoint is kept; begin a new run "
                f"with a lower learning rate (here {self.config.learning_rate:g}) or reward scale"
            )
        return {name: float(value) for name, value in self.model.logger.name_to_value.items()}

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write the model as Stable-Baselines3 does."""
        self.model.run_progress = dict(progress)
        self.model.save(path, exclude=_NOT_SAVED)

    def load(self, path: Path) -> dict[str, Any]:
        """Continue with the model in a file of `save`."""
        load_model(self.model, path, self._device)
        return dict(self.model.run_progress)

    def start_from(self, run: RunFolder) -> None:
        """Begin with the weights of another run of this algorithm."""
        load_policy(self.model, run.path / MODEL, self._device)

    def save_policy(self, run: RunFolder) -> None:
        """Write the network that plays."""
        policy = self.make_policy(run.config())
        with torch.no_grad():
            for parameter, value in zip(policy.parameters(), self.policy_parameters(), strict=True):
                parameter.copy_(value)
        with replace_file(run.path / WEIGHTS) as temporary:
            save_policy(policy, temporary)

    def on_evaluation(self, run: RunFolder) -> None:
        """Let `self` play as the run folder does now, from the next update on."""
        self._next_self = find_agent(str(run.path), self._game)

    def renew_past_self(self) -> None:
        """Let `self` play as at the last evaluation; waits for the tables to be dealt."""
        self._past_self.become(self._next_self)


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

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Called when deals start: pass it on to an agent with a memory."""
        self._agent.deal_starts(table_ids)


class _UntilBudget(BaseCallback):
    """Called by SB3 at every step: sets what changes, and stops when the budget is used up."""

    def __init__(self, learner: Sb3Learner) -> None:
        super().__init__()
        self._learner = learner

    def _on_training_start(self) -> None:
        self._learner.renew_past_self()

    def _on_step(self) -> bool:
        self._learner.set_progress(self._learner.fraction())
        return self._learner.fraction() < 1.0


def make_algorithm(name: str, config: type[Any], learner: type[Sb3Learner], **described: Any) -> Algorithm[Any]:
    """Return an algorithm of this folder; `described` is added to config.json, such as the kind of `agent`."""
    return Algorithm(
        name=name,
        config=config,
        make_learner=learner,
        describe=partial(describe_game_run, algorithm=name, **described),
        may_change=("minutes", "steps", "learning_rate", "evaluation_seconds"),
    )


@contextmanager
def _skip_distribution_checks() -> Iterator[None]:
    """Let PyTorch's distributions trust their arguments: masks are checked by the engine."""
    before = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(before)
