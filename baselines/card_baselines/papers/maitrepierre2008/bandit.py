"""Which strategy to play: UCB-tuned, and a change-point detection that forgets an opponent that has changed (3.3).

The bound of strategy i after n hands is sigma_i * sqrt(2 ln n / n_i), with the empirical deviation sigma_i of its
results (Audibert, Munos and Szepesvari 2006, as the paper gives it). The strategy with the largest mean + bound plays.
When the best strategy's mean over the last 200 hands is below its mean - bound, all hands before those are forgotten.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from card_envs.typing import Floats

WINDOW = 200
"""Hands that a change point leaves over, and by which it is found."""
ADDED_EVERY = 100
"""Hands after which another strategy joins; the paper says "several"."""
MEMORY = 0.99
"""Weight of a hand relative to the next one: about the last hundred hands count."""
BOUND = 0.5
"""Half-width of the intervals in standard deviations of the posterior."""
LENGTH = 0.5
"""Distance, in shares of the loose-passive model, over which strategies win alike."""
SPREAD = 2.0
"""Deviation of what strategies win, before anything is known: small bets a hand."""
_OWN_SPREAD = 0.3  # the part of it that no neighbour shares
_FIRST_NOISE, _FIRST_HANDS = 6.0, 10.0
"""Deviation of a hand that is supposed at first, and how many hands' worth that is."""


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


@dataclass
class GrowingUcb(Ucb):
    """UCB-tuned that begins with one strategy; another one joins after every `added_every` hands (section 3.2)."""

    added_every: int = ADDED_EVERY

    def choose(self) -> int:
        """Return the strategy for the next hand, among those that have joined."""
        joined = 1 + len(self.played) // self.added_every
        return int(np.argmax((self.means + self.bounds)[:joined]))


@dataclass
class CorrelatedBandit(Bandit):
    """A bandit of ours for strategies on a line: winnings of one count for its neighbours too, and old hands fade.

    UCB-tuned learns of one strategy a hand. With a deviation of five to ten small bets a hand, a bound narrow
    enough to tell five strategies apart takes most of a session, and after a change all begin again. But strategies
    that read the opponent almost alike win almost alike: the paper names updating several at once as an improvement
    to come. Here the means of all strategies are one curve over the share of the loose-passive model, a Gaussian
    process, so that a hand of any strategy moves all of them; and a hand counts less with every hand that follows,
    which takes the place of change-point detection. The strategy with the largest mean + bound plays, as in the
    paper.
    """

    looseness: Sequence[float]
    """Place of each strategy on the line."""
    memory: float = MEMORY
    bound: float = BOUND

    def __post_init__(self) -> None:
        """Start with no hand played."""
        if not self.looseness or not 0.0 < self.memory <= 1.0 or self.bound < 0.0:
            raise ValueError(
                f"{len(self.looseness)} strategies, memory {self.memory}, bound {self.bound}: at least one strategy, "
                "a memory above 0 and at most 1, and a bound of at least 0 are needed"
            )
        places = np.asarray(self.looseness, np.float64)
        shared = np.exp(-0.5 * ((places[:, None] - places) / LENGTH) ** 2)
        self._prior = np.linalg.inv(SPREAD**2 * shared + _OWN_SPREAD**2 * np.eye(len(places)))
        self._count, self._sum = np.zeros(len(places)), np.zeros(len(places))
        self._square = 0.0

    @property
    def noise(self) -> float:
        """Variance of a hand: of the remembered rewards about their mean, with some of what is supposed at first."""
        count = self._count.sum()
        about_mean = self._square - self._sum.sum() ** 2 / count if count else 0.0
        return float((about_mean + _FIRST_HANDS * _FIRST_NOISE**2) / (count + _FIRST_HANDS))

    def _posterior(self) -> tuple[Floats, Floats]:
        covariance = np.linalg.inv(self._prior + np.diag(self._count) / self.noise)
        return covariance @ (self._sum / self.noise), np.sqrt(np.diag(covariance))

    @property
    def means(self) -> Floats:
        """What each strategy is thought to win per hand, (strategies,)."""
        return self._posterior()[0]

    @property
    def bounds(self) -> Floats:
        """Half-widths of the intervals around them, (strategies,)."""
        return self.bound * self._posterior()[1]

    def learn(self, strategy: int, reward: float) -> None:
        """Count a hand; those before count a little less."""
        super().learn(strategy, reward)
        self._count *= self.memory
        self._sum *= self.memory
        self._square = self._square * self.memory + reward**2
        self._count[strategy] += 1
        self._sum[strategy] += reward
