"""Means and their intervals.

Student's t distribution as in Abramowitz and Stegun, Handbook of Mathematical Functions (1964), section 26.7, so that
nothing beyond NumPy is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_EXACT_UP_TO = 30
"""Degrees of freedom from which the expansion in 1 / df is right to six digits."""


@dataclass(frozen=True)
class Summary:
    """How an agent fared: the mean per hand in the unit of the match, and how far it can be trusted."""

    name: str
    mean: float
    ci95: tuple[float, float]
    """95 % confidence interval of the mean; infinite where one deal alone was played."""
    standard_error: float
    """Of the mean; NaN where one deal alone was played."""
    num_samples: int
    """Independent samples: deals."""

    @property
    def sd(self) -> float:
        """Standard deviation of a sample; NaN where one deal alone was played."""
        return self.standard_error * math.sqrt(self.num_samples)

    def scaled(self, factor: float) -> Summary:
        """Return the same summary in a unit of which `factor` make one of this unit."""
        low, high = self.ci95
        return Summary(
            self.name, self.mean * factor, (low * factor, high * factor), self.standard_error * factor, self.num_samples
        )


def summarise(name: str, samples: NDArray[np.float64], confidence: float = 0.95) -> Summary:
    """Return mean and interval of independent samples (n,), n >= 1, by Student's t distribution.

    Hands of the same deal are not independent: average them first, so that a sample is a deal.
    """
    count, mean = len(checked_samples(samples)), float(samples.mean())
    if count == 1:
        return Summary(name, mean, (-math.inf, math.inf), math.nan, 1)
    error = float(samples.std(ddof=1)) / math.sqrt(count)
    reach = error * student_t_quantile(0.5 + confidence / 2, count - 1)
    return Summary(name, mean, (mean - reach, mean + reach), error, count)


def checked_samples(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the samples, or raise a ValueError if there is none."""
    if samples.ndim != 1 or len(samples) == 0:
        raise ValueError(f"samples of shape {samples.shape}: one dimension and at least one sample are needed")
    return samples


def student_t_quantile(probability: float, df: int) -> float:
    """Return what Student's t with `df` >= 1 degrees of freedom stays below with a `probability` in (0.5, 1)."""
    if not 0.5 < probability < 1 or df < 1:
        raise ValueError(f"probability {probability} must be in (0.5, 1) and df {df} at least 1")
    if df > _EXACT_UP_TO:
        return _expanded_quantile(NormalDist().inv_cdf(probability), df)
    inside = 2 * probability - 1
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _central_probability(middle, df) < inside else (low, middle)
    return math.tan(low) * math.sqrt(df)


def _central_probability(angle: float, df: int) -> float:
    """Return P(|t| < sqrt(df) tan(angle)), by formulas 26.7.3 (odd df) and 26.7.4 (even df)."""
    cosine, is_odd = math.cos(angle), df % 2
    term = cosine if is_odd else 1.0
    total = term if df > 1 else 0.0
    for k in range(2 + is_odd, df - 1, 2):
        term *= cosine**2 * (k - 1) / k
        total += term
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if is_odd else total


def _expanded_quantile(x: float, df: int) -> float:
    """Return the quantile of t from the quantile x of the normal distribution, by formula 26.7.5."""
    terms = (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return math.fsum(term / df**power for power, term in enumerate(terms))
