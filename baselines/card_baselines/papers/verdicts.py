"""The rule by which numbers of ours are compared with printed ones."""

from __future__ import annotations

import math
from collections.abc import Sequence


def verdict(paper: float, noise: float, mean: float, ci95: Sequence[float]) -> str:
    """Return "agrees", "differs" or "undecided", and whether the signs do.

    `noise` is half the 95 % interval that the paper's own hands leave around its number. They differ if the interval
    of the difference excludes zero; they agree if it does not and our sign is decided.
    """
    half = (ci95[1] - ci95[0]) / 2
    if not math.isfinite(half):
        return "undecided"
    is_decided = ci95[0] > 0 or ci95[1] < 0
    sign = "" if not is_decided else ", same sign" if mean * paper > 0 else ", other sign"
    if abs(mean - paper) > math.hypot(half, noise):
        return "differs" + sign
    return "agrees" + sign if is_decided else "undecided"
