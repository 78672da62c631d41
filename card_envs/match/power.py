"""Power analysis: the number of hands that a question needs, before a match is played."""

from __future__ import annotations

import math
from statistics import NormalDist


def hands_needed(sd: float, difference: float, power: float = 0.8, confidence: float = 0.95) -> int:
    """Return the number of samples that show a mean of `difference` to differ from zero with probability `power`.

    A sample is a hand, or a deal of a duplicate match. The test is two-sided at level 1 - `confidence` and takes the
    mean of the samples to be normally distributed.

    Args:
        sd: Standard deviation of a sample. To compare two agents by their matches against others, sd**2 is the sum of
            both variances.
        difference: True mean that is to be noticed, in the same unit.
        power: Probability in [0.5, 1) that the test notices it.
        confidence: One minus the probability that the test finds a difference where there is none.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        >>> hands_needed(sd=5.0, difference=0.1)
        19623
    """
    _check(sd, confidence)
    if not difference > 0:
        raise ValueError(f"difference {difference} must be above 0")
    if not 0.5 <= power < 1:
        raise ValueError(f"power {power} must be in [0.5, 1)")
    quantiles = NormalDist().inv_cdf(0.5 + confidence / 2) + NormalDist().inv_cdf(power)
    return _count(quantiles * sd / difference)


def hands_for_interval(sd: float, half_width: float, confidence: float = 0.95) -> int:
    """Return the number of samples after which the interval of a mean is plus or minus `half_width`.

    Args:
        sd: Standard deviation of a sample: a hand, or a deal of a duplicate match.
        half_width: Half the width of the interval, in the same unit.
        confidence: Confidence level of the interval.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        >>> hands_for_interval(sd=5.0, half_width=0.1)
        9604
    """
    _check(sd, confidence)
    if not half_width > 0:
        raise ValueError(f"half_width {half_width} must be above 0")
    return _count(NormalDist().inv_cdf(0.5 + confidence / 2) * sd / half_width)


def _count(ratio: float) -> int:
    """Return the square of a ratio of standard deviation and width as a number of samples, at least 2."""
    if ratio > 1e100:
        raise ValueError(f"the difference must be at least 1e-100 of the standard deviation, not {1 / ratio:.3g} of it")
    return max(2, math.ceil(ratio**2))


def _check(sd: float, confidence: float) -> None:
    if not 0 <= sd < math.inf:
        raise ValueError(f"sd {sd} must be a finite number, at least 0")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} must be in (0, 1)")
