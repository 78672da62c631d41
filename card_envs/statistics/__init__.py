"""Play statistics: numbers that describe how an agent plays, such as how often it raises."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from card_envs.features import Feature
from card_envs.game import Game
from card_envs.match.callbacks import MatchCallback

__all__ = ["STATISTICS", "PlayCounter", "Statistic", "make_play_counter", "ratio", "share", "statistics_json"]

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


class PlayCounter(MatchCallback, Protocol):
    """Match callback that counts play statistics."""

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
