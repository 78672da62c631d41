"""Base class of learners that measure the exact exploitability of their strategies in small games, and its settings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from card_baselines.runs.config import GameRunConfig
from card_baselines.runs.exploitability_meter import ExploitabilityMeter
from card_baselines.runs.learner import Curve, Learner
from card_envs.agent import Decisions
from card_envs.game import Game
from card_envs.typing import Floats


@dataclass(frozen=True, kw_only=True)
class MeasuredConfig(GameRunConfig):
    """Settings of learners of equilibria in games of any size."""

    exploitability: bool = False
    """In small hold'em games: measure the exact exploitability of the latest strategy and of the average strategy."""
    panel: tuple[str, ...] = ("random", "always_call")
    evaluation_hands: int = 2_000
    final_hands: int = 10_000


class MeasuredLearner(Learner):
    """A learner that can measure the exact exploitability of its strategies."""

    def __init__(self, game: Game, measures_exploitability: bool) -> None:
        """List all states of the game if exploitability is measured; ValueError for large games."""
        self.game = game
        self.meter = ExploitabilityMeter(game) if measures_exploitability else None

    @abstractmethod
    def strategies(self, decisions: Decisions) -> Mapping[str, Floats]:
        """Return the strategies to measure (n, num_actions), named `LATEST` and `AVERAGE`."""

    def measure(self) -> dict[str, float]:
        """Return the exploitability of the strategies."""
        return self.meter.measure(self.strategies(self.meter.decisions)) if self.meter else {}

    def curves(self) -> Sequence[Curve]:
        """Return the curve of both."""
        return self.meter.curves() if self.meter else ()

    @property
    def parts(self) -> Mapping[str, Any]:
        """The exact average, if exploitability is measured."""
        return {"exploitability": self.meter.part} if self.meter else {}


def require_two_players(algorithm: str, game: Game) -> None:
    """Raise ValueError unless the game has two seats."""
    if game.num_seats != 2:
        raise ValueError(
            f"{algorithm} is for two players, {game.name} has {game.num_seats} seats: train self_play_ppo there"
        )
