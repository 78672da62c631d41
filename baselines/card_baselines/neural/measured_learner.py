"""Base class of learners that measure the exact exploitability of their strategies in small games, and its settings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from card_baselines.neural.external_sampling import Policy
from card_baselines.runs.checkpoint import Part
from card_baselines.runs.config import GameRunConfig
from card_baselines.runs.exploitability_meter import AVERAGE, LATEST, PICTURE, require_small
from card_baselines.runs.learner import Curve, Learner
from card_envs.agent import Decisions
from card_envs.analysis.exploitability.average_strategy import AverageStrategy
from card_envs.analysis.exploitability.best_response import strategy_exploitability
from card_envs.analysis.exploitability.public_tree import PublicTree
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
        self._tree: PublicTree | None = None
        if measures_exploitability:
            require_small(game)
            self._tree = PublicTree(game)
            self._average = AverageStrategy(self._tree)

    @abstractmethod
    def strategies(self, decisions: Decisions) -> Mapping[str, Floats]:
        """Return the strategies to measure (n, num_actions), named `LATEST` and `AVERAGE`."""

    def add_to_average(self, strategy: Policy, weight: float) -> None:
        """Add a strategy to the exact average, if exploitability is measured."""
        if self._tree is not None:
            decisions = self._tree.decisions
            self._average.add(strategy(decisions.observation, decisions.action_mask), weight)

    def exact_average(self) -> Floats:
        """Return the average of the added strategies at all states of a small game, (states, num_actions)."""
        return self._average.strategy()

    def measure(self) -> dict[str, float]:
        """Return the exploitability of the strategies."""
        if self._tree is None:
            return {}
        strategies = self.strategies(self._tree.decisions).items()
        return {name: strategy_exploitability(self._tree, strategy).exploitability for name, strategy in strategies}

    def curves(self) -> Sequence[Curve]:
        """Return the curve of both."""
        if self._tree is None:
            return ()
        labels = {LATEST: "latest strategy", AVERAGE: "average strategy"}
        return [Curve(labels, f"exploitability, {self.game.unit} per hand", PICTURE, log=True)]

    @property
    def parts(self) -> Mapping[str, Any]:
        """The exact average, if exploitability is measured."""
        return {"exploitability": Part(self._average.state, self._average.restore)} if self._tree is not None else {}
