"""The result of a match: payoffs, their summaries, and faults of agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.formatting import json_number
from card_envs.game import Game
from card_envs.match.stopping import StoppingRule
from card_envs.match.summary import FEWEST_DEALS, Summary, num_hands_needed, summarise_deals


@dataclass(frozen=True)
class Fault:
    """Failures of an agent during a match with on_error="forfeit"."""

    agent: str
    """Name of the agent."""
    decisions: int
    """Number of decisions in which the first legal action was taken instead."""
    first: str
    """Message of the first failure."""


@dataclass(frozen=True, eq=False)
class MatchResult:
    """Payoffs of a match and their summaries; `agents` holds the means with their intervals."""

    names: tuple[str, ...]
    """Names of the agents, in the order of `play_match`'s argument, like all data of agents."""
    payoffs: NDArray[np.int64]
    """(hands, agents): chips or points won by each agent in each hand, in the order of play."""
    positions: NDArray[np.int8]
    """(hands, agents): position of each agent, an index of `position_names`."""
    position_names: tuple[str, ...]
    """Names of the positions. The first is the one that acts first after the flop (hold'em), or opens (Big 2)."""
    seed: int
    """Seed of the match."""
    unit: str
    """Unit of all means, per hand: "bb", "points" or "chips"."""
    chips_per_reward: int
    """Payoff that equals one `unit`."""
    units: Mapping[str, float]
    """Units for printing: name -> factor from `unit` per hand, such as {"bb/100": 100.0}."""
    plays: int = 1
    """Number of times each deal was played in a row with other seats for the agents, 1 without duplicate deals."""
    hands_per_table: int = 1
    """Number of consecutive hands at a table."""
    until: StoppingRule | None = None
    """Rule that could end the match early; intervals are then those of the rule, valid at any stopping time."""
    faults: tuple[Fault, ...] = ()
    """Faults of agents, with on_error="forfeit"."""

    @property
    def hands(self) -> int:
        """Number of hands played."""
        return len(self.payoffs)

    @property
    def deals(self) -> int:
        """Number of different deals."""
        return self.hands // self.plays

    @property
    def duplicate(self) -> bool:
        """Whether every deal was played several times in a row with the agents moved around the table."""
        return self.plays > 1

    @property
    def hands_per_sample(self) -> int:
        """Number of hands that depend on each other: the hands of a duplicate deal, or of a table."""
        return self.plays * self.hands_per_table

    @cached_property
    def deal_means(self) -> NDArray[np.float64]:
        """(samples, agents): mean in `unit` per hand over each deal (or table); the rows are independent samples."""
        sums = self.payoffs.reshape(-1, self.hands_per_sample, len(self.names)).sum(axis=1)
        return np.asarray(sums / (self.hands_per_sample * self.chips_per_reward), np.float64)

    @cached_property
    def hands_needed(self) -> int | None:
        """Number of hands from which the means of this match have intervals; None if they have.

        All means of two agents have one. At three or more seats, see `summary.num_hands_needed`; of duplicate deals,
        `summary.FEWEST_DEALS` are enough.
        """
        if len(self.names) == 2:
            return None
        if self.duplicate:
            return FEWEST_DEALS * self.plays if self.deals < FEWEST_DEALS else None
        return num_hands_needed(self.payoffs.astype(np.float64))

    @cached_property
    def agents(self) -> tuple[Summary, ...]:
        """Mean per hand of each agent with its 95 % interval, in `unit`."""
        return tuple(self._summarise(name, self.deal_means[:, agent]) for agent, name in enumerate(self.names))

    def _summarise(self, name: str, samples: NDArray[np.float64]) -> Summary:
        make = summarise_deals if self.until is None else self.until.summarise
        return make(name, samples).without_interval(self.hands_needed)

    @cached_property
    def hand_sds(self) -> tuple[float, ...]:
        """Standard deviation of a single hand of each agent, in `unit`; 0 for a match of one hand."""
        return tuple((self.payoffs.std(axis=0, ddof=min(1, self.hands - 1)) / self.chips_per_reward).tolist())

    @property
    def is_decided(self) -> bool:
        """True if the stopping rule decided the match."""
        return self.until is not None and self.until.first_decision(self.deal_means[:, 0]) is not None

    @cached_property
    def by_position(self) -> tuple[tuple[Summary, ...], ...]:
        """Summaries of each agent's hands by position, named after the positions."""
        return tuple(
            tuple(
                self._summarise(name, samples)
                for position, name in enumerate(self.position_names)
                if len(samples := self._means_at(agent, position))
            )
            for agent in range(len(self.names))
        )

    def _means_at(self, agent: int, position: int) -> NDArray[np.float64]:
        """Return the mean over an agent's hands at a position, for each sample that has such hands."""
        hands = np.flatnonzero(self.positions[:, agent] == position)
        samples = hands // self.hands_per_sample
        counts = np.bincount(samples, minlength=1)
        sums = np.bincount(samples, self.payoffs[hands, agent], minlength=1)
        return np.asarray(sums[counts > 0] / (counts[counts > 0] * self.chips_per_reward), np.float64)

    @cached_property
    def cashflow(self) -> NDArray[np.float64]:
        """(agents, agents): net payment per hand, in `unit`, from the agent of the row to the agent of the column.

        The losses of a hand are paid to its winners in proportion to their winnings. A row sums to minus the mean.
        """
        lost, won = np.maximum(-self.payoffs, 0).astype(np.float64), np.maximum(self.payoffs, 0).astype(np.float64)
        shares = won / np.maximum(won.sum(axis=1, keepdims=True), 1)
        paid = lost.T @ shares / (self.hands * self.chips_per_reward)
        return np.asarray(paid - paid.T, np.float64)

    def as_json(self, env_id: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the report of `card-envs match --json`; infinite bounds become None, and `hands_needed` says why.

        Args:
            env_id: Id of the environment.
            settings: Its arguments.
        """
        report = {
            "env": env_id,
            "settings": dict(settings),
            "hands": self.hands,
            "deals": self.deals,
            "seed": self.seed,
            "duplicate": self.duplicate,
            "hands_per_table": self.hands_per_table,
            "unit": self.unit,
            "agents": [
                {
                    "name": agent.name,
                    **agent.as_json(),
                    "sd_of_hand": sd,
                    "sd_of_sample": json_number(agent.sd),
                    "units": {unit: agent.scale(factor).as_json() for unit, factor in self.units.items()},
                    "by_position": [{"name": position.name, **position.as_json()} for position in positions],
                    "pays": flow,
                }
                for agent, sd, positions, flow in zip(
                    self.agents, self.hand_sds, self.by_position, self.cashflow.tolist(), strict=True
                )
            ],
        }
        if self.hands_needed is not None:
            report["hands_needed"] = self.hands_needed
        if self.until is not None:
            report["until_decided"] = {"decided": self.is_decided, "margin": self.until.margin}
        if self.faults:
            report["faults"] = [asdict(fault) for fault in self.faults]
        return report


class AgentError(RuntimeError):
    """Raised when an agent fails in a match; names agent, hand, deal, seed, seat, legal actions and table."""

    result: MatchResult | None = None
    """Result of the complete hands, None if there are none."""


class MatchInterrupted(KeyboardInterrupt):
    """Raised when a match is interrupted (Ctrl-C)."""

    def __init__(self, result: MatchResult | None) -> None:
        super().__init__("the match was interrupted")
        self.result = result
        """Result of the complete hands, None if there are none."""


def units_of(game: Game) -> dict[str, float]:
    """Return the units for printing results of a game: name -> factor from `game.unit` per hand."""
    return dict(game.info.units) or {f"{game.unit}/hand": 1.0}


def main_unit_of(game: Game) -> tuple[str, float]:
    """Return the first of the units of a game: its name, and the factor from `game.unit` per hand."""
    return next(iter(units_of(game).items()))
