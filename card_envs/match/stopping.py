"""Sequential tests: stopping a match as soon as it is decided, by intervals that are valid at any stopping time.

If one looks at an ordinary 95 % interval after every few hands and stops when it excludes zero, far more than 5 % of
matches between equal agents are decided wrongly: each look is another chance of an error. A *confidence sequence* is a
sequence of intervals that with 95 % probability all contain the true mean, so one may stop at any time. This module
uses the asymptotic sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and
asymptotic confidence sequences, Annals of Statistics 52 (2024), theorem 2.2: Robbins' mixture of normal distributions
(1970) with the sample's standard deviation in place of the true one. Like a fixed-sample interval it relies on the
central limit theorem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from card_envs.match.summary import Summary, require_samples, without_interval
from card_envs.typing import Floats


@dataclass(frozen=True)
class StoppingRule:
    """Decides a match if the first agent's interval excludes zero or lies within -`margin` .. `margin`.

    Example:
        >>> from card_envs import make_game
        >>> from card_envs.agent import RandomAgent, find_agent
        >>> from card_envs.match import StoppingRule, play_match
        >>> game = make_game("limit_holdem-v0")
        >>> agents = [find_agent("always_call", game), RandomAgent()]
        >>> result = play_match(game, agents, hands=20_000, seed=0, until=StoppingRule())
        >>> result.is_decided, result.hands < 20_000
        (True, True)
    """

    confidence: float = 0.95
    """Probability that all intervals of a match contain the true mean."""
    margin: float | None = None
    """Largest absolute mean that counts as zero, in the unit of the match per hand; None: only zero."""
    first_look: int = 500
    """Number of samples at the first look, large enough for the central limit theorem."""
    growth: float = 1.05
    """Factor between the numbers of samples at consecutive looks."""
    tightest_at: int = 5000
    """Number of samples at which the intervals are closest to their smallest possible width."""

    def __post_init__(self) -> None:
        """Raise ValueError for numbers out of their ranges."""
        if not 0 < self.confidence < 1:
            raise ValueError(f"confidence {self.confidence} must be in (0, 1)")
        if self.margin is not None and not self.margin > 0:
            raise ValueError(f"margin {self.margin} must be above 0")
        if self.first_look < 2 or not self.growth > 1 or self.tightest_at < 1:
            raise ValueError(
                f"first_look {self.first_look} must be at least 2, growth {self.growth} above 1 and tightest_at "
                f"{self.tightest_at} at least 1"
            )

    def looks(self, samples: int) -> list[int]:
        """Return the numbers of samples, up to `samples`, at which the rule looks at the result."""
        looks, look = [], self.first_look
        while look <= samples:
            looks.append(look)
            look = max(look + 1, math.ceil(look * self.growth))
        return looks

    def half_width(self, count: Floats | float) -> Floats:
        """Return the half-width of the interval after `count` samples, in standard deviations of a sample."""
        level = 1 - self.confidence
        spread = (-2 * math.log(level) + math.log(-2 * math.log(level) + 1)) / self.tightest_at  # rho^2, appendix B.2
        scaled = np.asarray(count, np.float64) * spread + 1
        return np.asarray(np.sqrt(2 * scaled / spread * np.log(np.sqrt(scaled) / level)) / count, np.float64)

    def first_decision(self, samples: Floats, weights: Floats | None = None) -> int | None:
        """Return the number of samples after which the match is decided, or None if it is not.

        Args:
            samples: (n,) independent results per hand of the first agent.
            weights: (n,) weights of the samples, each determined before its sample; None for ones.
        """
        looks = np.array(self.looks(len(samples)), np.int64)
        if len(looks) == 0:
            return None
        means, half_widths, _ = self._intervals(samples, weights, looks)
        decided = (np.abs(means) > half_widths) | (np.abs(means) + half_widths < (self.margin or 0))
        return int(looks[np.argmax(decided)]) if decided.any() else None

    def summarise(self, name: str, samples: Floats, weights: Floats | None = None) -> Summary:
        """Return the mean of independent samples (n,) with an interval that is valid at any stopping time."""
        count = len(require_samples(samples))
        means, half_widths, errors = self._intervals(samples, weights, np.array([count]))
        mean, half_width = float(means[0]), float(half_widths[0])
        if count == 1:
            return without_interval(name, mean)
        error = float(errors[0] * math.sqrt(count / (count - 1)))
        return Summary(name, mean, (mean - half_width, mean + half_width), error, count)

    def _intervals(
        self, samples: Floats, weights: Floats | None, looks: NDArray[np.int64]
    ) -> tuple[Floats, Floats, Floats]:
        """Return weighted means, half-widths of their intervals and standard errors after each number of `looks`.

        The sums of w * (sample - mean) are a martingale if each weight is determined before its sample. A weight says
        how many unweighted samples a sample is worth, so the sum W of the weights replaces the number of samples, and
        V / W their variance, where V is the variance of the sum.
        """
        weights = np.ones(len(samples)) if weights is None else weights
        sums = np.cumsum([weights, weights * samples, *(weights**2 * samples**power for power in range(3))], axis=1)
        weight, total, *powers = sums[:, looks - 1]
        means = total / weight
        variances = np.maximum(powers[2] - 2 * means * powers[1] + means**2 * powers[0], 0.0)
        return means, self.half_width(weight) * np.sqrt(variances / weight), np.sqrt(variances) / weight
