"""Settings that the runs of all algorithms share, and checks of settings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any

import tyro

from card_baselines.settings import parse_settings
from card_envs.envs import find_entry, make_game
from card_envs.game import Game

__all__ = ["EnvArgs", "GameRunConfig", "RunConfig", "require", "require_above_0", "require_shares"]

EnvArgs = Annotated[tuple[str, ...], tyro.conf.arg(name="set")]
"""Arguments of an environment as words, such as "num_players=6"; the option `--set`, as in all commands."""


@dataclass(frozen=True, kw_only=True)
class RunConfig(ABC):
    """Settings of all runs."""

    panel: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Opponents of evaluations; each plays a match in which it has all other seats."""
    seed: int = 0
    """Seed of the network, of deals and of the final evaluation, whose first deals are those with which the tables of
    the training began; a match with another seed has none of them."""
    evaluation_hands: int = 10_000
    """Hands of each match of an evaluation during the run."""
    final_hands: int = 100_000
    """Hands of each match of the final evaluation."""
    start_from: str = ""
    """Run folder, or trained agent of this package, whose weights initialise the network of a new run."""
    device: str = "auto"
    """Device of the networks: auto (a GPU if there is one), cpu, cuda or cuda:N."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        require(self, 1, "evaluation_hands", "final_hands")

    @abstractmethod
    def game(self) -> Game:
        """Return the game that the run is about."""


@dataclass(frozen=True, kw_only=True)
class GameRunConfig(RunConfig):
    """Settings of runs in any environment. Time and steps are budgets: the run ends at whichever comes first."""

    env: str = "limit_holdem-v0"
    """Environment id."""
    env_args: EnvArgs = ()
    """Environment arguments, such as num_players=6."""
    minutes: float = 10.0
    """Budget of processor time (of each process) for the whole run, evaluations included; 0 for no limit."""
    steps: int = 1_000_000_000_000
    """Budget of the learner's decisions."""
    evaluation_seconds: float = 60.0
    """Processor time between evaluations."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 0, "minutes", "evaluation_seconds")
        require(self, 1, "steps")

    def game(self) -> Game:
        """Return the game that the settings name."""
        return make_game(find_entry(self.env).id, **parse_settings(self.env_args))


def _values_of(config: Any, name: str) -> tuple[Any, ...]:
    """Return the values of a setting that is a number or a tuple of numbers."""
    value = getattr(config, name)
    return value if isinstance(value, tuple) else (value,)


def require(config: Any, least: float, *names: str) -> None:
    """Raise ValueError, naming the setting, unless these settings (numbers, or tuples of them) are at least `least`."""
    for name in names:
        for number in _values_of(config, name):
            if not number >= least:
                raise ValueError(f"{name} {number} must be at least {least}")


def require_above_0(config: Any, *names: str) -> None:
    """Raise ValueError, naming the setting, unless these settings (numbers, or tuples of them) are above 0."""
    for name in names:
        for number in _values_of(config, name):
            if not number > 0:
                raise ValueError(f"{name} {number} must be above 0")


def require_shares(config: Any, *names: str) -> None:
    """Raise ValueError, naming the setting, unless these settings are in 0 to 1."""
    for name in names:
        if not 0 <= getattr(config, name) <= 1:
            raise ValueError(f"{name} {getattr(config, name)} must be in 0 .. 1")
