"""Ranges of numbers: of settings, beside their types as in `Annotated[int, AT_LEAST_1]`, and of arrays from files."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Range:
    """The numbers that a setting may have, or that each number of a tuple may have."""

    low: float
    high: float = math.inf
    is_open: bool = False
    """Leave out `low` itself."""

    def require(self, name: str, value: Any) -> None:
        """Raise ValueError, naming the setting, unless its number is, or all its numbers are, in the range."""
        for number in value if isinstance(value, tuple) else (value,):
            if not self.low <= number <= self.high or (self.is_open and number == self.low):
                raise ValueError(f"{name} {number} must be {self}")

    def __str__(self) -> str:
        """Return the range in words, such as "at least 1"."""
        if self.high < math.inf:
            return f"in {self.low} .. {self.high}"
        return f"above {self.low}" if self.is_open else f"at least {self.low}"


AT_LEAST_0, AT_LEAST_1, AT_LEAST_2 = Range(0), Range(1), Range(2)
ABOVE_0, SHARE = Range(0, is_open=True), Range(0, 1)


def require_ranges(settings: object) -> None:
    """Raise ValueError, naming the setting, for numbers outside the ranges beside the types of a dataclass."""
    for kind in type(settings).__mro__:  # a subclass that gives another default keeps the range
        for name, hint in inspect.get_annotations(kind, eval_str=True).items():
            for limit in getattr(hint, "__metadata__", ()):
                if isinstance(limit, Range):
                    limit.require(name, getattr(settings, name))


def require_range(name: str, array: NDArray[Any], low: float, high: float) -> None:
    """Raise a ValueError unless all numbers of an array of a file are in low .. high."""
    if array.size and not (array.min() >= low and array.max() <= high):
        raise ValueError(f"{name} has numbers in {array.min()} .. {array.max()}, outside {low} .. {high}")
