"""The learner that the algorithms of Stable-Baselines3 share: one seat of a game, against a pool of opponents.

The tables run on the batched engine. The opponent, drawn for each deal, is a named agent or `self`, the learner as it
was at the previous evaluation. The training loop is `runs.run.Run`. A continued run starts with new deals and new
random streams, so it differs from one without interruption.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import MlpPolicy, save_policy
from card_baselines.agents.learned.recurrent_policy import RecurrentPolicy
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs import algorithm
from card_baselines.runs.checkpoint import STATE, Part, load_state, read_count, restore_parts
from card_baselines.runs.config import GameRunConfig
from card_baselines.runs.learner import Learner, TrainingDivergedError, divergence_error
from card_baselines.runs.ranges import ABOVE_0, AT_LEAST_1
from card_envs.agent import Agent, Decisions, RandomAgent, find_agent
from card_envs.game import Game, IllegalActionError
from card_envs.rng import derive_seed
from card_wrappers.sb3 import CardVecEnv

MAY_CHANGE = (*algorithm.MAY_CHANGE, "learning_rate")
"""Settings that may differ when a run is continued (`Algorithm.may_change`)."""


@dataclass(frozen=True, kw_only=True)
class Sb3Config(GameRunConfig):
    """Settings of all algorithms of Stable-Baselines3."""

    opponents: tuple[str, ...] = ("self", "always_call", "always_raise", "random")
    """The pool: agent names, "module:Class", run folders, or "self"; one is drawn for each deal."""
    steps: int = 100_000_000
    """Budget of the learner's decisions."""
    num_tables: Annotated[int, AT_LEAST_1] = 512
    """Number of tables that are played side by side."""
    minibatch: Annotated[int, AT_LEAST_1] = 2048
    """Number of decisions per optimiser step."""
    learning_rate: Annotated[float, ABOVE_0] = 1e-3
    """Learning rate at the start; it falls linearly to a tenth over the budget."""
    reward_scale: Annotated[float, ABOVE_0] = 0.1
    """Factor of the rewards, since big blinds and points are large numbers for a network."""
    hidden: Annotated[tuple[int, ...], AT_LEAST_1] = (128, 128)
    """Widths of the hidden layers."""
    evaluation_seconds: float = 30.0
    evaluation_hands: int = 4000
    final_hands: int = 50_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        if not self.opponents:
            raise ValueError("opponents are missing: name at least one, such as self or random")


class Sb3Learner(Learner):
    """A model of Stable-Baselines3 at one seat. Subclasses choose the model and return the parameters of its policy."""

    model_class: ClassVar[Any]
    """Algorithm of Stable-Baselines3."""
    policy_class: ClassVar[type[MlpPolicy | RecurrentPolicy]] = MlpPolicy
    """Network of the run's agent."""
    wrap_tables: ClassVar[Any] = staticmethod(lambda tables: tables)
    """Returns the tables with the wrappers that the algorithm needs."""
    steps_per_update = 1
    """Minimum number of decisions per table in an update."""
    model_counts: ClassVar[Sequence[str]] = ("num_timesteps", "_n_updates")
    """Attributes of the model with numbers of things so far, which a checkpoint holds."""

    def __init__(self, config: Any, game: Game) -> None:
        """Make the tables and a new model."""
        self.config, self._game = config, game
        self._past_self = PastSelf()
        self._next_self: Agent = RandomAgent()
        pool: list[Agent] = [self._past_self if name == "self" else find_agent(name, game) for name in config.opponents]
        tables = CardVecEnv(game, config.num_tables, pool, seed=config.seed, reward_scale=config.reward_scale)
        self._tables = self.wrap_tables(tables)
        device = find_device(config.device)
        common = {"learning_rate": config.learning_rate, "gamma": 1.0, "seed": config.seed, "device": device}
        self._callback = _BudgetCallback(self)
        self.fraction: Callable[[], float] = lambda: 0.0
        """Function that returns the used fraction of the budget."""
        self.model = self.model_class(env=self._tables, **common, **self.model_settings(config))
        self.model.set_logger(configure(None, []))  # measures are logged by the run
        self.model.lr_schedule = lambda _: config.learning_rate * (1.0 - 0.9 * self.fraction())

    @staticmethod
    @abstractmethod
    def model_settings(config: Any) -> dict[str, Any]:
        """Return the arguments of the model that depend on the settings."""

    @abstractmethod
    def policy_parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return the parameters of the policy, in the order of `policy_class`."""

    def set_progress(self, fraction: float) -> None:
        """Set schedules other than the learning rate, given the used fraction of the budget."""

    def set_budget(self, fraction: Callable[[], float]) -> None:
        """Store the function: schedules are updated, and the run can end, within an update."""
        self.fraction = fraction

    @property
    def num_steps(self) -> int:
        """Number of decisions of the learner."""
        return int(self.model.num_timesteps)

    def update(self, fraction: float) -> dict[str, float]:
        """Run `learn` of the model for some decisions; return the measures that it logs."""
        decisions = self.steps_per_update * self.config.num_tables
        try:
            with _skip_distribution_checks():
                self.model.learn(decisions, callback=self._callback, reset_num_timesteps=False, log_interval=None)
        except IllegalActionError as error:  # masks leave legal actions only, unless logits are larger than theirs
            raise self._describe_divergence(f"the policy chose an illegal action ({error})") from error
        if not all(bool(torch.isfinite(parameter).all()) for parameter in self.policy_parameters()):
            raise self._describe_divergence("a weight is NaN or infinite")
        return {name: float(value) for name, value in self.model.logger.name_to_value.items()}

    def _describe_divergence(self, problem: str) -> TrainingDivergedError:
        return divergence_error(f"after {self.num_steps:,} decisions {problem}", self.config.learning_rate)

    @property
    def parts(self) -> Mapping[str, Any]:
        """The policy, its optimiser, and the counts of the model; not the deals, nor the replay buffer of DQN."""
        policy = self.model.policy
        return {"policy": policy, "adam": policy.optimizer, "counts": Part(self._read_counts, self._restore_counts)}

    def _read_counts(self) -> dict[str, Any]:
        return {name: np.int64(getattr(self.model, name)) for name in self.model_counts}

    def _restore_counts(self, state: Mapping[str, Any]) -> None:
        for name in self.model_counts:
            setattr(self.model, name, read_count(state, name))

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`, with random streams that depend on the seed and the decisions so far."""
        progress = super().load(path)
        self.model.set_random_seed(derive_seed(self.config.seed, self.num_steps))
        return progress

    def start_from(self, run: RunFolder) -> None:
        """Load the weights of the policy of another run of this algorithm; ValueError for other runs."""
        if not (run.path / STATE).exists():
            raise ValueError(f"start_from {run.path} has no {STATE}: it must be a run of this algorithm and version")
        restore_parts({"policy": self.model.policy}, load_state(run.path / STATE)[0])

    def save_policy(self, run: RunFolder) -> None:
        """Write the weights of the policy."""
        policy = self.policy_class.from_config(run.config())
        with torch.no_grad():
            for parameter, value in zip(policy.parameters(), self.policy_parameters(), strict=True):
                parameter.copy_(value)
        save_policy(policy, run.path / WEIGHTS)

    def on_evaluation(self, run: RunFolder) -> None:
        """Load the new policy of the run folder as the opponent `self` of the next updates."""
        self._next_self = find_agent(str(run.path), self._game)

    def update_past_self(self) -> None:
        """Use the policy of the latest evaluation as the opponent `self`, from this update on."""
        self._past_self.agent = self._next_self


class PastSelf(Agent):
    """The learner as it was at the previous evaluation; plays uniformly at random before the first."""

    name = "self"

    def __init__(self) -> None:
        """Start with random play; assign another `agent` to replace it."""
        self.agent: Agent = RandomAgent()

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        return self.agent.act(decisions, rng)

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Called when deals start: forwarded to the agent, which may have a memory."""
        self.agent.deal_starts(table_ids)


class _BudgetCallback(BaseCallback):
    """SB3 callback that updates schedules at every step, and stops when the budget is used up."""

    def __init__(self, learner: Sb3Learner) -> None:
        super().__init__()
        self._learner = learner

    def _on_training_start(self) -> None:
        self._learner.update_past_self()

    def _on_step(self) -> bool:
        self._learner.set_progress(self._learner.fraction())
        return self._learner.fraction() < 1.0


@contextmanager
def _skip_distribution_checks() -> Iterator[None]:
    """Turn off the argument checks of PyTorch's distributions, which cost time; the engine checks masks."""
    before = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(before)
