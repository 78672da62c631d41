"""A training algorithm: its settings, its presets, and the function that makes its `Learner`.

`card-envs train`, presets, plugins and `runs.run.train` know an algorithm as one `Algorithm` object. The registry and
the entry points `card_envs.algorithms` name it as "module:ALGORITHM".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

from card_baselines.runs.budget import Budget, Periodic
from card_baselines.runs.config import GameRunConfig, RunConfig
from card_baselines.runs.learner import Learner
from card_envs.game import Game
from card_envs.locations import load_object

AnyConfig = TypeVar("AnyConfig", bound=RunConfig)


def _time_and_decisions(config: Any, done: Callable[[], int]) -> Budget:
    return Budget(config.minutes, config.steps, done)


def _evaluate_by_time(config: Any, budget: Budget, learner: Learner) -> Periodic:
    return Periodic(config.evaluation_seconds, budget.seconds)


@dataclass(frozen=True, kw_only=True)
class Algorithm(Generic[AnyConfig]):
    """A training algorithm under a name, as `card-envs train` and `runs.run.train` run it.

    `Budget`, `Periodic` and the functions below get the settings first. Most algorithms give `name`, `config`,
    `make_learner`, `describe` and perhaps `presets`.

    Example:
        An algorithm of another distribution::

            ALGORITHM = Algorithm(
                name="mine",
                config=Config,  # a frozen dataclass that extends GameRunConfig
                make_learner=MyLearner,  # a Learner that is made from settings and a game
                describe=partial(describe_game_run, algorithm="mine", agent="mlp"),
            )
    """

    name: str
    """Name on the command line and in config.json."""
    config: type[AnyConfig]
    """Dataclass of the settings; its defaults are those of `card-envs train`."""
    make_learner: Callable[[AnyConfig, Game], Learner]
    """Settings, game -> new learner; raises ValueError for settings that it refuses."""
    describe: Callable[[AnyConfig], dict[str, Any]]
    """Settings -> content of config.json."""
    presets: Mapping[str, AnyConfig] = field(default_factory=dict)
    """Settings under names."""
    find_preset: Callable[[AnyConfig], str] = lambda config: ""
    """Settings -> name of the preset that fits their environment; "" if none does."""
    budget: Callable[[AnyConfig, Callable[[], int]], Budget] = _time_and_decisions
    """Settings, and a function that returns how much has been trained -> budget of the run."""
    evaluation_timer: Callable[[AnyConfig, Budget, Learner], Periodic] = _evaluate_by_time
    """Settings, budget, learner -> timer of evaluations; by default every `evaluation_seconds`."""
    folder_name: Callable[[AnyConfig], str] | None = None
    """Settings -> name of the folder that holds such runs; by default the name of the algorithm."""
    counts: str = "decisions"
    """Unit of the budget; a column of the metrics."""
    final_panel: Callable[[AnyConfig], Sequence[str]] = lambda config: config.panel
    """Settings -> agents of the final evaluation."""
    checkpoint_seconds: float = 30.0
    """Time between checkpoints: the most that a killed run loses."""
    may_change: tuple[str, ...] = ("minutes", "steps", "evaluation_seconds")
    """Settings that may differ when a run is continued; the change is recorded."""
    duplicate: bool = False
    """Replay the deals of evaluations from all seats."""
    keeps_frozen_selves: bool = False
    """Keep the agent as it is after each quarter of the budget, and play it in the final evaluation."""
    logs_means: bool = False
    """Log the means of measures since the last evaluation, instead of those of the latest update."""


def find_algorithm(location: str) -> Algorithm[Any]:
    """Return the algorithm at "module:NAME"; raises ValueError if there is none."""
    found = load_object(location) if ":" in location else None
    if not isinstance(found, Algorithm):
        raise ValueError(f"{location!r} is no algorithm: it must name a `card_baselines.runs.algorithm.Algorithm`")
    return found


def describe_game_run(config: GameRunConfig, algorithm: str, agent: str, **extra_config: Any) -> dict[str, Any]:
    """Return the content of config.json for a run in any environment.

    Args:
        config: Settings of the run.
        algorithm: Name of the algorithm.
        agent: Kind of agent that plays the run folder, a name of the entry points `card_envs.saved_agents`.
        **extra_config: Further entries that the agent needs, such as the activation of its network.

    Returns:
        The settings, and all that a player needs to rebuild the network: game, encoder and sizes.
    """
    game = config.game()
    return {
        "agent": agent,
        "algorithm": algorithm,
        **list_settings(config),
        "game": game.name,
        "encoder": game.encoder.name,
        "encoder_version": game.encoder.version,
        "num_seats": game.num_seats,
        "num_actions": game.num_actions,
        "observation_size": game.layout.size,
        **extra_config,
    }


def list_settings(config: RunConfig) -> dict[str, Any]:
    """Return the settings without the device, and without `start_from` where it is empty."""
    left_out = ("device",) if config.start_from else ("device", "start_from")
    return {name: value for name, value in asdict(config).items() if name not in left_out}
