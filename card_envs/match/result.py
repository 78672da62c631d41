"""What a match leaves behind: every payoff, and the summaries made of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game
from card_envs.match.statistics import Summary, summarise


@dataclass(frozen=True, eq=False)
class MatchResult:
    """The payoffs of a match and their summaries."""

    names: tuple[str, ...]
    """The agents', in the order given."""
    payoffs: NDArray[np.int64]
    """(hands, agents): chips or points won by each agent in each hand, in the order of play."""
    seed: int
    duplicate: bool
    """Every deal was played once for each way to move the agents around the table, one after the other."""
    unit: str
    """Of means: "bb", "points" or "chips", per hand."""
    chips_per_unit: int
    """Payoff that makes one of `unit`."""
    units: Mapping[str, float]
    """How results are printed: name of a unit -> how many of it make one of `unit` per hand."""

    @property
    def hands(self) -> int:
        """Number of hands played."""
        return len(self.payoffs)

    @property
    def deals(self) -> int:
        """Number of different deals."""
        return self.hands // self._plays

    @property
    def _plays(self) -> int:
        return len(self.names) if self.duplicate else 1

    @cached_property
    def deal_means(self) -> NDArray[np.float64]:
        """(deals, agents): `unit` per hand over the hands of each deal; the deals are independent."""
        sums = self.payoffs.reshape(self.deals, self._plays, len(self.names)).sum(axis=1)
        return np.asarray(sums / (self._plays * self.chips_per_unit), np.float64)

    @cached_property
    def agents(self) -> tuple[Summary, ...]:
        """Mean per hand with its interval, in `unit`, for each agent in the order given."""
        return tuple(summarise(name, self.deal_means[:, place]) for place, name in enumerate(self.names))

    def as_json(self, env_id: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result as JSON has it; bounds that are infinite become null."""
        return {
            "env": env_id,
            "settings": dict(settings),
            "hands": self.hands,
            "seed": self.seed,
            "duplicate": self.duplicate,
            "unit": self.unit,
            "agents": [
                {"name": agent.name, "mean": agent.mean, "ci95": [_finite(bound) for bound in agent.ci95]}
                for agent in self.agents
            ],
        }


def units_of(game: Game) -> dict[str, float]:
    """Return the units in which people read results of a game -> how many make one of `game.unit` per hand."""
    if game.unit != "bb":
        return {f"{game.unit}/hand": 1.0}
    units = {"bb/100": 100.0, "mbb/hand": 1000.0}
    small_blind = game.config.blinds[0]
    return units | ({"sb/hand": game.chips_per_reward / small_blind} if small_blind else {})


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
