"""Means and 95 % intervals, by Student's t distribution with a correction for skewed results.

Intervals need SciPy (extra `stats`); matches can be played without it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.formatting import json_number

FEWEST_HANDS, FEWEST_DEALS = 300, 10
"""Numbers of hands, and of duplicate deals, from which any results at three or more seats have intervals."""
_FEWEST_LARGE = 10
"""Number of equally large results, others being zero, whose hands are enough at any length of a match."""


@dataclass(frozen=True)
class Summary:
    """Mean result of an agent per hand, in the unit of the match, with its 95 % confidence interval."""

    name: str
    """Name of the agent."""
    mean: float
    """Mean per hand."""
    ci95: tuple[float, float]
    """Bounds of the 95 % confidence interval of the mean; infinite for a single sample."""
    standard_error: float
    """Standard error of the mean; NaN for a single sample."""
    num_samples: int
    """Number of independent samples: deals, or tables with several hands."""
    hands_needed: int | None = None
    """Hands from which there is an interval, if these are too few (`num_hands_needed`); `ci95` is then infinite."""

    @property
    def sd(self) -> float:
        """Standard deviation of a sample; NaN for a single sample."""
        return self.standard_error * math.sqrt(self.num_samples)

    @property
    def half_width(self) -> float:
        """Half the width of the interval, which may be longer on one side of the mean."""
        return (self.ci95[1] - self.ci95[0]) / 2

    def as_json(self) -> dict[str, Any]:
        """Return mean and interval for JSON, with None for infinite bounds."""
        return {"mean": self.mean, "ci95": [json_number(bound) for bound in self.ci95]}

    def scale(self, factor: float) -> Summary:
        """Return the summary in another unit: all numbers times `factor`, such as 100 for bb/100."""
        low, high = sorted(bound * factor for bound in self.ci95)
        error = self.standard_error * abs(factor)
        return replace(self, mean=self.mean * factor, ci95=(low, high), standard_error=error)

    def without_interval(self, hands_needed: int | None) -> Summary:
        """Return the summary with an infinite interval because it needs more hands; unchanged for None."""
        return self if hands_needed is None else replace(self, ci95=(-math.inf, math.inf), hands_needed=hands_needed)


def summarise(name: str, samples: NDArray[np.float64], confidence: float = 0.95) -> Summary:
    """Return mean and interval of independent samples by Student's t distribution.

    Use it for nearly normal samples, such as the means of several runs, and `summarise_deals` for results of deals,
    which are skewed.

    Args:
        name: Name of the summary.
        samples: (n,) numbers, n >= 1. Hands of the same deal depend on each other: average them first.
        confidence: Probability that the interval contains the mean.

    Raises:
        ValueError: If there is no sample.

    Example:
        >>> summary = summarise("a run", np.array([1.0, 2.0, 3.0]))
        >>> summary.mean, round(summary.half_width, 2)
        (2.0, 2.48)
    """
    count, mean = len(require_samples(samples)), float(samples.mean())
    if count == 1:
        return without_interval(name, mean)
    error = float(samples.std(ddof=1)) / math.sqrt(count)
    half_width = error * student_t_quantile(0.5 + confidence / 2, count - 1)
    return Summary(name, mean, (mean - half_width, mean + half_width), error, count)


def summarise_deals(name: str, samples: NDArray[np.float64]) -> Summary:
    """Return mean and 95 % interval of the results of independent deals, which are skewed.

    With few deals, Student's interval misses the mean too often, on the side of rare large results. On that side, this
    interval is longer by the first term of the Edgeworth expansion of Student's t, see `skewed_interval`.

    Args:
        name: Name of the summary, usually that of an agent.
        samples: (n,) mean result of each deal, n >= 1.

    Raises:
        ValueError: If there is no sample.
    """
    found = summarise(name, samples)
    if found.num_samples == 1:
        return found
    interval = skewed_interval(found.mean, found.standard_error, skewness(samples), found.num_samples)
    return replace(found, ci95=interval)


def without_interval(name: str, mean: float) -> Summary:
    """Return the summary of a single sample, whose interval is infinite."""
    return Summary(name, mean, (-math.inf, math.inf), math.nan, 1)


def skewness(samples: NDArray[np.float64]) -> float:
    """Return the skewness of samples (n,); 0 for samples that are all equal."""
    deviations = samples - samples.mean()
    variance = float(np.mean(deviations**2))
    largest = float(np.abs(samples).max())
    return float(np.mean(deviations**3)) / variance**1.5 if variance > (1e-12 * largest) ** 2 else 0.0


def skewed_interval(mean: float, error: float, skewness: float, count: int) -> tuple[float, float]:
    """Return a 95 % interval of the mean of `count` samples, which is longer on the side of their long tail.

    On the short side it is Student's interval, with the quantile q for `count` - 1 degrees of freedom. On the side of
    the long tail q grows by |skewness| (1 + 2 q^2) / (6 sqrt(count)), by which the quantiles of a skewed mean's t
    statistic shift (Johnson 1978; Hall, On the removal of skewness by transformation, Journal of the Royal Statistical
    Society B 54, 1992). The bound on the short side stays, since the skewness of few samples is uncertain.

    Args:
        mean: Mean of the samples.
        error: Its standard error.
        skewness: Skewness of the samples; the long tail is above the mean if it is positive.
        count: Number of samples, at least 2.
    """
    quantile = student_t_quantile(0.975, count - 1)
    shift = abs(skewness) * (1 + 2 * quantile**2) / (6 * math.sqrt(count))
    short, long = quantile * error, (quantile + shift) * error
    return (mean - long, mean + short) if skewness < 0 else (mean - short, mean + long)


def num_hands_needed(results: NDArray[np.float64]) -> int | None:
    """Return the number of hands from which the means of agents have intervals; None if these hands are enough.

    `results` (hands, agents) are those of single hands, of different deals. An agent that seldom plays, and then may
    win several stacks, has results with a skewness of up to 6. Samples do not show it as long as the large results have
    not occurred, so fewer than `FEWEST_HANDS` hands are refused if a few of them decide the variance of any agent's
    results.
    """
    if len(results) >= FEWEST_HANDS:
        return None
    deviations = results - results.mean(axis=0)
    squares = (deviations**2).sum(axis=0)
    decisive = squares**2 < _FEWEST_LARGE * (deviations**4).sum(axis=0)
    return FEWEST_HANDS if decisive.any() else None


def require_samples(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the samples, or raise a ValueError if there is none."""
    if samples.ndim != 1 or len(samples) == 0:
        raise ValueError(f"samples of shape {samples.shape}: one dimension and at least one sample are needed")
    return samples


def student_t_quantile(probability: float, df: int) -> float:
    """Return the quantile of Student's t distribution with `df` >= 1 degrees of freedom, `probability` in (0.5, 1)."""
    if not 0.5 < probability < 1 or df < 1:
        raise ValueError(f"probability {probability} must be in (0.5, 1) and df {df} at least 1")
    try:
        from scipy.stats import t
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("intervals need SciPy: pip install 'card-envs[stats]'", name=error.name) from error
    return float(t.ppf(probability, df))
