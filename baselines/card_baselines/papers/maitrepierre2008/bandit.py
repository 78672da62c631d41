"""Which strategy to play: UCB-tuned, and a change-point detection that forgets an opponent that has changed (3.3).

The bound of strategy i after n hands is sigma_i * sqrt(2 ln n / n_i), with the empirical deviation sigma_i of its
results (Audibert, Munos and Szepesvari 2006, as the paper gives it). The strategy with the largest mean + bound plays.
When the best strategy's mean over the last 200 hands is below its mean - bound, all hands before those are forgotten.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from card_envs.typing import Floats

WINDOW = 200
"""Hands that a change point leaves over, and by which it is found."""


@dataclass(kw_only=True)
class Bandit(ABC):
    """One session: chooses a strategy for each hand, and learns from what it won."""

    played: list[int] = field(default_factory=list)
    """Strategy of each hand that is over, of the whole session."""
    rewards: list[float] = field(default_factory=list)
    change_points: list[int] = field(default_factory=list)
    """Numbers of hands after which the past was forgotten."""

    @property
    @abstractmethod
    def means(self) -> Floats:
        """(strategies,): estimated reward of each strategy per hand."""

    @property
    @abstractmethod
    def bounds(self) -> Floats:
        """(strategies,): half-widths of the intervals around them."""

    def choose(self) -> int:
        """Return the strategy for the next hand: the largest upper bound, the first of equal ones."""
        return int(np.argmax(self.means + self.bounds))

    def learn(self, strategy: int, reward: float) -> None:
        """Count a hand that `strategy` played and that won `reward`."""
        self.played.append(strategy)
        self.rewards.append(reward)


@dataclass
class Ucb(Bandit):
    """UCB-tuned with change-point detection."""

    num_strategies: int
    window: int = WINDOW
    begin: int = 0
    """First hand that still counts."""

    def __post_init__(self) -> None:
        """Start with no hand played."""
        if self.num_strategies < 1 or self.window < 2:
            raise ValueError(f"{self.num_strategies} strategies and a window of {self.window}: at least 1 and 2")
        self._clear()

    def _clear(self) -> None:
        self._count, self._sum, self._square = (np.zeros(self.num_strategies) for _ in range(3))

    @property
    def means(self) -> Floats:
        """Mean reward of each strategy since the last change point; 0 for those that have not played."""
        return np.asarray(self._sum / np.maximum(self._count, 1))

    @property
    def bounds(self) -> Floats:
        """Half-widths of the confidence intervals; infinite for strategies with fewer than two hands."""
        variances = np.maximum(self._square / np.maximum(self._count, 1) - self.means**2, 0.0)
        widths = np.sqrt(variances * 2 * math.log(max(2.0, self._count.sum())) / np.maximum(self._count, 1))
        return np.asarray(np.where(self._count < 2, np.inf, widths))

    def learn(self, strategy: int, reward: float) -> None:
        """Count a hand, and forget an opponent that has changed."""
        super().learn(strategy, reward)
        self._add(strategy, reward)
        if self._has_changed():
            self._forget()

    def _has_changed(self) -> bool:
        """Return True if the best strategy's latest results are below its lower bound."""
        if len(self.played) - self.begin <= self.window:
            return False
        best = int(np.argmax(np.where(self._count > 0, self.means, -np.inf)))
        latest = [
            reward
            for strategy, reward in zip(self.played[-self.window :], self.rewards[-self.window :], strict=True)
            if strategy == best
        ]
        return bool(latest) and float(np.mean(latest)) < self.means[best] - self.bounds[best]

    def _forget(self) -> None:
        """Count the last `window` hands alone."""
        self.change_points.append(len(self.played))
        self.begin = len(self.played) - self.window
        self._clear()
        for strategy, reward in zip(self.played[self.begin :], self.rewards[self.begin :], strict=True):
            self._add(strategy, reward)

    def _add(self, strategy: int, reward: float) -> None:
        self._count[strategy] += 1
        self._sum[strategy] += reward
        self._square[strategy] += reward**2
