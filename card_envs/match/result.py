"""What a match leaves behind: every payoff, the summaries made of them, and which agents failed."""

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
from card_envs.match.summary import Summary, summarise_deals


@dataclass(frozen=True)
class Fault:
    """How often an agent failed, and how it began."""

    agent: str
    decisions: int
    """For which the first legal action was taken."""
    first: str
    """The first of them, in words."""


@dataclass(frozen=True, eq=False)
class MatchResult:
    """The payoffs of a match and their summaries."""

    names: tuple[str, ...]
    """The agents', in the order given."""
    payoffs: NDArray[np.int64]
    """(hands, agents): chips or points won by each agent in each hand, in the order of play."""
    positions: NDArray[np.int8]
    """(hands, agents): where each agent sat, an index of `position_names`."""
    position_names: tuple[str, ...]
    """From who acts first after the flop (hold'em) or opens (Big 2)."""
    seed: int
    duplicate: bool
    """Every deal was played once for each way to move the agents around the table, one after the other."""
    unit: str
    """Of means: "bb", "points" or "chips", per hand."""
    chips_per_unit: int
    """Payoff that makes one of `unit`."""
    units: Mapping[str, float]
    """How results are printed: name of a unit -> how many of it make one of `unit` per hand."""
    hands_per_table: int = 1
    """Hands of which agents may have remembered the ones before."""
    until: StoppingRule | None = None
    """The rule that could end the match; the intervals are then the rule's, which hold whenever it stops."""
    faults: tuple[Fault, ...] = ()
    """Agents for which the first legal action had to be taken."""

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

    @property
    def hands_per_sample(self) -> int:
        """Hands that depend on each other: of the same deal, or of the same tables."""
        return self._plays * self.hands_per_table

    @cached_property
    def deal_means(self) -> NDArray[np.float64]:
        """(samples, agents): `unit` per hand over the hands of each deal (or table); these are independent."""
        sums = self.payoffs.reshape(-1, self.hands_per_sample, len(self.names)).sum(axis=1)
        return np.asarray(sums / (self.hands_per_sample * self.chips_per_unit), np.float64)

    @cached_property
    def agents(self) -> tuple[Summary, ...]:
        """Mean per hand with its interval, in `unit`, for each agent in the order given."""
        make = summarise_deals if self.until is None else self.until.summarise
        return tuple(make(name, self.deal_means[:, place]) for place, name in enumerate(self.names))

    @cached_property
    def hand_sds(self) -> tuple[float, ...]:
        """Standard deviation of a single hand, in `unit`, for each agent; 0 for one hand alone."""
        return tuple((self.payoffs.std(axis=0, ddof=min(1, self.hands - 1)) / self.chips_per_unit).tolist())

    @property
    def is_decided(self) -> bool:
        """Whether the stopping rule, if there is one, found the match decided."""
        return self.until is not None and self.until.first_decision(self.deal_means[:, 0]) is not None

    @cached_property
    def by_position(self) -> tuple[tuple[Summary, ...], ...]:
        """For each agent, mean and interval at each of `position_names` where it sat, named by the position."""
        make = summarise_deals if self.until is None else self.until.summarise
        return tuple(
            tuple(
                make(name, samples)
                for position, name in enumerate(self.position_names)
                if len(samples := self._means_at(place, position))
            )
            for place in range(len(self.names))
        )

    def _means_at(self, place: int, position: int) -> NDArray[np.float64]:
        """Return the means of an agent over the hands at one position, one for each sample that has some."""
        hands = np.flatnonzero(self.positions[:, place] == position)
        samples = hands // self.hands_per_sample
        counts = np.bincount(samples, minlength=1)
        sums = np.bincount(samples, self.payoffs[hands, place], minlength=1)
        return np.asarray(sums[counts > 0] / (counts[counts > 0] * self.chips_per_unit), np.float64)

    @cached_property
    def cashflow(self) -> NDArray[np.float64]:
        """(agents, agents): `unit` per hand that the agent of the row pays the agent of the column, net.

        In each hand, what a loser lost goes to the winners in proportion to what they won. Rows sum to minus the means.
        """
        lost, won = np.maximum(-self.payoffs, 0).astype(np.float64), np.maximum(self.payoffs, 0).astype(np.float64)
        shares = won / np.maximum(won.sum(axis=1, keepdims=True), 1)
        paid = lost.T @ shares / (self.hands * self.chips_per_unit)
        return np.asarray(paid - paid.T, np.float64)

    def as_json(self, env_id: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result as JSON has it; bounds that are infinite become null."""
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
                    **_summary_json(agent),
                    "sd_of_hand": sd,
                    "sd_of_sample": json_number(agent.sd),
                    "units": {unit: _interval_json(agent.scaled(factor)) for unit, factor in self.units.items()},
                    "by_position": [_summary_json(position) for position in positions],
                    "pays": flow,
                }
                for agent, sd, positions, flow in zip(
                    self.agents, self.hand_sds, self.by_position, self.cashflow.tolist(), strict=True
                )
            ],
        }
        if self.until is not None:
            report["until_decided"] = {"decided": self.is_decided, "margin": self.until.margin}
        if self.faults:
            report["faults"] = [asdict(fault) for fault in self.faults]
        return report


class AgentError(RuntimeError):
    """Raised when an agent fails during a match; names agent, hand, deal, seed, seat, legal actions and the state."""

    result: MatchResult | None = None
    """Of the hands that were complete before, if there are any."""


class MatchInterrupted(KeyboardInterrupt):
    """Raised when a match is interrupted (Ctrl-C)."""

    def __init__(self, result: MatchResult | None) -> None:
        super().__init__("the match was interrupted")
        self.result = result
        """Of the hands that were complete before, None if there are none."""


def _summary_json(summary: Summary) -> dict[str, Any]:
    return {"name": summary.name, **_interval_json(summary)}


def _interval_json(summary: Summary) -> dict[str, Any]:
    return {"mean": summary.mean, "ci95": [json_number(bound) for bound in summary.ci95]}


def units_of(game: Game) -> dict[str, float]:
    """Return the units in which people read results of a game -> how many make one of `game.unit` per hand."""
    return dict(game.info.units) or {f"{game.unit}/hand": 1.0}
