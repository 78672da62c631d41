"""Stopping a match when it is decided, by intervals that hold at all times together.

Looking at a usual interval after every few hands, and stopping when it excludes zero, errs far more often than in 5 %
of matches between equals: every look is another chance to err. A *confidence sequence* is a sequence of intervals that
with 95 % probability contain the true mean at all looks at once, so one may stop whenever one likes. Used is the
asymptotic sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic
confidence sequences, Annals of Statistics 52 (2024), theorem 2.2: Robbins' mixture of normal distributions (1970) with
the sample's standard deviation in place of the true one. Like a usual interval it relies on the central limit theorem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from card_envs.match.summary import Summary, checked_samples

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StoppingRule:
    """A match is decided when the first agent's interval excludes zero, or lies within `margin` of zero."""

    confidence: float = 0.95
    """That no interval of the match misses the mean, however many are looked at."""
    margin: float | None = None
    """In the unit of the match, per hand: means nearer to zero than this are as good as zero. None: only zero is."""
    first_look: int = 500
    """Samples before which no result is decided: the central limit theorem needs some."""
    growth: float = 1.05
    """From one look to the next, the number of samples grows by this factor."""
    tightest_at: int = 5000
    """Samples at which the intervals are tightest, compared with what they could be."""

    def __post_init__(self) -> None:
        """Check the numbers; see the messages."""
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
        """Return the numbers of samples, up to `samples`, at which the rule is asked; they depend on nothing else."""
        looks, look = [], self.first_look
        while look <= samples:
            looks.append(look)
            look = max(look + 1, math.ceil(look * self.growth))
        return looks

    def reach(self, count: Floats | float) -> Floats:
        """Return half the width of the interval after `count` samples, in standard deviations of a sample."""
        level = 1 - self.confidence
        spread = (-2 * math.log(level) + math.log(-2 * math.log(level) + 1)) / self.tightest_at  # rho^2, appendix B.2
        scaled = np.asarray(count, np.float64) * spread + 1
        return np.asarray(np.sqrt(2 * scaled / spread * np.log(np.sqrt(scaled) / level)) / count, np.float64)

    def first_decision(self, samples: Floats, weights: Floats | None = None) -> int | None:
        """Return how many of the independent samples (n,) decide, or None if they do not."""
        looks = np.array(self.looks(len(samples)), np.int64)
        if len(looks) == 0:
            return None
        means, reach, _ = self._intervals(samples, weights, looks)
        decided = (np.abs(means) > reach) | (np.abs(means) + reach < (self.margin or 0))
        return int(looks[np.argmax(decided)]) if decided.any() else None

    def summarise(self, name: str, samples: Floats, weights: Floats | None = None) -> Summary:
        """Return mean and interval of independent samples (n,); the interval holds whenever one stopped."""
        count = len(checked_samples(samples))
        means, reaches, errors = self._intervals(samples, weights, np.array([count]))
        mean, reach = float(means[0]), float(reaches[0])
        if count == 1:
            return Summary(name, mean, (-math.inf, math.inf), math.nan, 1)
        return Summary(
            name, mean, (mean - reach, mean + reach), float(errors[0] * math.sqrt(count / (count - 1))), count
        )

    def _intervals(
        self, samples: Floats, weights: Floats | None, looks: NDArray[np.int64]
    ) -> tuple[Floats, Floats, Floats]:
        """Return weighted means, half the widths of their intervals and their standard errors, after `looks` samples.

        The sums of w * (sample - mean) are a martingale if each weight was known before its sample was. Their variance
        V is in units of the sample's where all weights are 1; a weight says how many such samples one is worth, so the
        sum W of weights takes the place of the number of samples, and V / W that of their variance.
        """
        weights = np.ones(len(samples)) if weights is None else weights
        sums = np.cumsum([weights, weights * samples, *(weights**2 * samples**power for power in range(3))], axis=1)
        worth, total, *powers = sums[:, looks - 1]
        means = total / worth
        variances = np.maximum(powers[2] - 2 * means * powers[1] + means**2 * powers[0], 0.0)
        return means, self.reach(worth) * np.sqrt(variances / worth), np.sqrt(variances) / worth
