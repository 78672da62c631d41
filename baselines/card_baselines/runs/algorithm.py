"""A training algorithm: its settings, its presets, and the function that makes its `Learner`.

The registry and the entry points `card_envs.algorithms` name `Algorithm` objects as "module:ALGORITHM".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from card_baselines.agents.learned.mlp_agent import describe_game
from card_baselines.runs.budget import Budget, Periodic
from card_baselines.runs.config import RunConfig
from card_baselines.runs.learner import Learner
from card_envs.game import Game
from card_envs.locations import load_object

__all__ = [
    "Algorithm", "describe_game_run", "find_algorithm", "find_preset", "list_settings", "make_game_algorithm",
    "require_algorithm",
]  # fmt: skip

MAY_CHANGE = ("minutes", "steps", "evaluation_seconds")
"""Settings of any environment's runs that may differ when a run is continued."""
AnyConfig = TypeVar("AnyConfig", bound=RunConfig)


def _make_budget(config: Any, done: Callable[[], int]) -> Budget:
    return Budget(config.minutes, config.steps, done)


def _make_evaluation_timer(config: Any, budget: Budget, learner: Learner) -> Periodic:
    return Periodic(config.evaluation_seconds, budget.seconds)


@dataclass(frozen=True, kw_only=True)
class Algorithm(Generic[AnyConfig]):
    """A training algorithm, as `card-envs train` and `runs.run.train` run it.

    Most algorithms need only `name`, `config`, `make_learner`, `describe` and perhaps `presets`.

    Example:
        An algorithm of another distribution::

            ALGORITHM = Algorithm(
                name="mine",
                config=Config,  # a frozen dataclass that extends GameRunConfig
                make_learner=MyLearner,  # a Learner with arguments config and game
                describe=partial(describe_game_run, algorithm="mine", agent="mlp"),
            )
    """

    name: str
    """Name on the command line and in config.json."""
    config: type[AnyConfig]
    """Dataclass of the settings; its defaults are the defaults of `card-envs train`."""
    make_learner: Callable[[AnyConfig, Game], Learner]
    """Function (settings, game) -> new learner; raises ValueError for settings that it does not support."""
    describe: Callable[[AnyConfig], dict[str, Any]]
    """Function (settings) -> content of config.json."""
    presets: Mapping[str, AnyConfig] = field(default_factory=dict)
    """Settings under names."""
    find_preset: Callable[[AnyConfig], str] = lambda config: ""
    """Function (settings) -> name of the default preset for their environment, "" if there is none."""
    budget: Callable[[AnyConfig, Callable[[], int]], Budget] = _make_budget
    """Function (settings, function that returns the steps so far) -> budget of the run."""
    evaluation_timer: Callable[[AnyConfig, Budget, Learner], Periodic] = _make_evaluation_timer
    """Function (settings, budget, learner) -> timer of evaluations; by default every `evaluation_seconds`."""
    counts: str = "decisions"
    """Unit of the steps of the budget, and name of their column in the metrics."""
    final_panel: Callable[[AnyConfig], Sequence[str]] = lambda config: config.panel
    """Function (settings) -> opponents of the final evaluation."""
    checkpoint_seconds: float = 30.0
    """Processor time between checkpoints: the most that is lost when a run is killed."""
    may_change: tuple[str, ...] = MAY_CHANGE
    """Settings that may differ when a run is continued; changes are recorded in config.json."""
    duplicate: bool = False
    """Play evaluations with duplicate deals."""
    keeps_frozen_selves: bool = False
    """Save the agent after each quarter of the budget, as an opponent of the final evaluation."""
    logs_means: bool = False
    """Log the means of measures since the previous evaluation, not the measures of the latest update."""


def make_game_algorithm(
    name: str, config: type[Any], make_learner: Callable[[Any, Game], Learner], *,
    agent: str | Callable[[Any], str] = "mlp", presets: Mapping[str, Any] | None = None,
    may_change: tuple[str, ...] = MAY_CHANGE, keeps_frozen_selves: bool = False, **extra_config: Any,
) -> Algorithm[Any]:  # fmt: skip
    """Return an algorithm for any environment, whose settings are a `GameRunConfig`.

    The default preset is that of `find_preset`, for the environment and number of seats of the settings. `agent` and
    `extra_config` are those of `describe_game_run`, further arguments are fields of `Algorithm`.
    """
    presets = presets or {}
    return Algorithm(
        name=name,
        config=config,
        make_learner=make_learner,
        describe=partial(describe_game_run, algorithm=name, agent=agent, **extra_config),
        presets=presets,
        find_preset=lambda config: find_preset(presets, config.env, config.game().num_seats),
        may_change=may_change,
        keeps_frozen_selves=keeps_frozen_selves,
    )


def find_preset(presets: Mapping[str, Any], env: str, num_seats: int) -> str:
    """Return the name of the first preset of an environment, "" if there is none.

    Among presets for different numbers of seats: the smallest number that is large enough, otherwise the largest.
    """
    seats = {name: preset.game().num_seats for name, preset in presets.items() if preset.env == env}
    return min(seats, key=lambda name: (seats[name] < num_seats, abs(seats[name] - num_seats)), default="")


def find_algorithm(location: str) -> Algorithm[Any]:
    """Return the algorithm at the "module:NAME" of a registry; raises ValueError if there is none."""
    return require_algorithm(load_object(location) if ":" in location else None, location)


def require_algorithm(found: object, location: str) -> Algorithm[Any]:
    """Return an object if it is an algorithm, else raise ValueError with its location."""
    if not isinstance(found, Algorithm):
        raise ValueError(f"{location!r} is no algorithm: it must name a `card_baselines.runs.algorithm.Algorithm`")
    return found


def describe_game_run(
    config: RunConfig, algorithm: str, agent: str | Callable[[Any], str], **extra_config: Any
) -> dict[str, Any]:
    """Return the content of config.json for a run.

    Args:
        config: Settings of the run.
        algorithm: Name of the algorithm.
        agent: Kind of agent that plays the run folder, a name of the entry points `card_envs.saved_agents`; or a
            function of the settings that returns one.
        **extra_config: Further entries that the agent needs, such as the activation of its network.

    Returns:
        The settings, and what the agent needs to rebuild the network: game, encoder and sizes.
    """
    kind = agent if isinstance(agent, str) else agent(config)
    settings = list_settings(config)
    return {"agent": kind, "algorithm": algorithm, **settings, **describe_game(config.game()), **extra_config}


def list_settings(config: RunConfig) -> dict[str, Any]:
    """Return the settings without the device, and without `start_from` where it is empty."""
    left_out = ("device",) if config.start_from else ("device", "start_from")
    return {name: value for name, value in asdict(config).items() if name not in left_out}
