"""How many hands a question needs, before it is played out."""

from __future__ import annotations

import math
from statistics import NormalDist


def hands_needed(sd: float, difference: float, power: float = 0.8, confidence: float = 0.95) -> int:
    """Return how many hands show a true mean of `difference` to be unlike zero, with probability `power`.

    `sd` is the standard deviation of a sample in the same unit, and what is counted are such samples: hands, or the
    deals of a duplicate match. The test is two-sided at level 1 - `confidence`, for samples so many that their mean is
    normally distributed. To compare two agents by matches of each against others, sd**2 is the sum of both variances.
    """
    _check(sd, confidence)
    if not difference > 0:
        raise ValueError(f"difference {difference} must be above 0")
    if not 0.5 <= power < 1:
        raise ValueError(f"power {power} must be in [0.5, 1)")
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) + NormalDist().inv_cdf(power)
    return max(2, math.ceil((reach * sd / difference) ** 2))


def hands_for_interval(sd: float, half_width: float, confidence: float = 0.95) -> int:
    """Return how many hands bring the interval of a mean down to plus or minus `half_width`; see `hands_needed`."""
    _check(sd, confidence)
    if not half_width > 0:
        raise ValueError(f"half_width {half_width} must be above 0")
    return max(2, math.ceil((NormalDist().inv_cdf(0.5 + confidence / 2) * sd / half_width) ** 2))


def _check(sd: float, confidence: float) -> None:
    if not 0 <= sd < math.inf:
        raise ValueError(f"sd {sd} must be a finite number, at least 0")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} must be in (0, 1)")
