"""Play statistics: numbers that describe how an agent plays, such as how often it raises."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.features import Feature
from card_envs.game import Game
from card_envs.typing import Rows

__all__ = ["STATISTICS", "Hands", "PlayCounter", "Statistic", "make_play_counter", "ratio", "share", "statistics_json"]

_Z95 = 1.959963984540054


@dataclass(frozen=True)
class Statistic:
    """One statistic of an agent."""

    name: str
    """Name, such as "VPIP"."""
    value: float | None
    """Share, mean or ratio; None without occasions."""
    occasions: int
    """Number of occasions that `value` is computed from."""
    ci95: tuple[float, float] | None = None
    """95 % interval of a share (Wilson 1927); None for means and ratios."""


class Hands(Protocol):
    """The part of `match.MatchBatch` that the code in the folder of a game uses."""

    @property
    def tables(self) -> NDArray[Any]:
        """(n,): records of the tables, with nothing hidden. They change during the hands; do not write to them."""
        ...

    @property
    def hands(self) -> Rows:
        """(n,): index of each hand in the match. In hand h, agent j sits at seat (j + h) % num_seats."""
        ...

    @property
    def deals(self) -> Rows:
        """(n,): index of each hand's deal in the match."""
        ...

    def agent_indices(self, rows: Rows, seats: Rows) -> Rows:
        """Return the indices of the agents at `seats` of tables[rows], in the order of the match."""
        ...

    def order_by_agent(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return values (n, num_seats), given with a column per seat, with a column per agent."""
        ...


class PlayCounter(Protocol):
    """Match callback that counts play statistics."""

    def on_deal(self, batch: Hands, /) -> None:
        """Called after the hands of `batch` are dealt."""
        ...

    def on_actions(self, batch: Hands, rows: Rows, actions: Rows, /) -> None:
        """Called before the actors of batch.tables[rows] take the legal `actions`."""
        ...

    def on_end(self, batch: Hands, /) -> None:
        """Called when all hands of `batch` are over."""
        ...

    def compute_statistics(self) -> tuple[tuple[Statistic, ...], ...]:
        """Return the statistics of each agent, in the order of the match."""
        ...


STATISTICS: Feature[Callable[[], PlayCounter]] = Feature("statistics", __name__, "play statistics")
"""Function that makes a counter of play statistics."""


def make_play_counter(game: Game) -> PlayCounter:
    """Return a match callback that counts play statistics; ValueError for a game without any."""
    return STATISTICS.require(game)()


def share(name: str, count: int, occasions: int) -> Statistic:
    """Return `count / occasions` as a statistic with Wilson's 95 % interval."""
    if occasions == 0:
        return Statistic(name, None, 0)
    part, z = count / occasions, _Z95**2 / occasions
    middle, half_width = part + z / 2, math.sqrt(z * part * (1 - part) + z**2 / 4)
    low, high = max(0.0, (middle - half_width) / (1 + z)), min(1.0, (middle + half_width) / (1 + z))
    return Statistic(name, part, occasions, (low, high))


def ratio(name: str, count: int, occasions: int) -> Statistic:
    """Return `count / occasions` as a statistic without an interval."""
    return Statistic(name, count / occasions if occasions else None, occasions)


def statistics_json(statistics: Iterable[Statistic]) -> dict[str, dict[str, object]]:
    """Return statistics for JSON reports: name -> {"value", "n", "ci95" for shares}."""
    return {
        each.name: {"value": each.value, "n": each.occasions, **({"ci95": list(each.ci95)} if each.ci95 else {})}
        for each in statistics
    }
