"""Settings that the runs of all algorithms share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated

import tyro

from card_baselines.runs.ranges import AT_LEAST_0, AT_LEAST_1, require_ranges
from card_baselines.settings import parse_settings
from card_envs.envs import make_game
from card_envs.game import Game

__all__ = ["EnvArgs", "GameRunConfig", "RunConfig"]

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
    evaluation_hands: Annotated[int, AT_LEAST_1] = 10_000
    """Hands of each match of an evaluation during the run."""
    final_hands: Annotated[int, AT_LEAST_1] = 100_000
    """Hands of each match of the final evaluation."""
    start_from: str = ""
    """Run folder, or trained agent of this package, whose weights initialise the network of a new run."""
    device: str = "auto"
    """Device of the networks: auto (a GPU if there is one), cpu, cuda or cuda:N."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        require_ranges(self)

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
    minutes: Annotated[float, AT_LEAST_0] = 10.0
    """Budget of processor time (of each process) for the whole run, evaluations included; 0 for no limit."""
    steps: Annotated[int, AT_LEAST_1] = 1_000_000_000_000
    """Budget of the learner's decisions."""
    evaluation_seconds: Annotated[float, AT_LEAST_0] = 60.0
    """Processor time between evaluations."""

    def game(self) -> Game:
        """Return the game that the settings name."""
        return make_game(self.env, **parse_settings(self.env_args))
