"""A bandit of ours for strategies on a line: winnings of one count for its neighbours too, and old hands fade.

UCB-tuned learns of one strategy a hand. With a deviation of five to ten small bets a hand, a bound narrow enough to
tell five strategies apart takes most of a session, and after a change all begin again. But strategies that read the
opponent almost alike win almost alike: the paper names updating several at once as an improvement to come. Here the
means of all strategies are one curve over the share of the loose-passive model, a Gaussian process, so that a hand of
any strategy moves all of them; and a hand counts less with every hand that follows, which takes the place of
change-point detection. The strategy with the largest mean + bound plays, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from card_baselines.papers.maitrepierre2008.bandit import Bandit
from card_envs.typing import Floats

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


@dataclass
class CorrelatedBandit(Bandit):
    """A Gaussian process over the strategies of a session; nothing is forgotten at once."""

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

    def choose(self) -> int:
        """Return the strategy for the next hand: the largest upper bound, the first of equal ones."""
        means, deviations = self._posterior()
        return int(np.argmax(means + self.bound * deviations))

    def learn(self, strategy: int, reward: float) -> None:
        """Count a hand; those before count a little less."""
        super().learn(strategy, reward)
        self._count *= self.memory
        self._sum *= self.memory
        self._square = self._square * self.memory + reward**2
        self._count[strategy] += 1
        self._sum[strategy] += reward
