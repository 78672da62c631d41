"""Ranges of numbers: of settings, beside their types as in `Annotated[int, AT_LEAST_1]`, and of arrays from files."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from math import inf
from types import SimpleNamespace
from typing import Any, get_type_hints

from numpy.typing import NDArray


@dataclass(frozen=True)
class Range:
    """The numbers that a setting, or each number of a tuple, may have; without `low` itself if `is_open`."""

    low: float
    high: float = inf
    is_open: bool = False

    def require(self, name: str, value: Any) -> None:
        """Raise ValueError, naming the setting, unless its number is, or all its numbers are, in the range or None."""
        for number in value if isinstance(value, tuple) else (value,):
            if number is None:
                continue
            if number == inf:  # which is no JSON either
                raise ValueError(f"{name} {number} must be {self}, and finite")
            if not self.low <= number <= self.high or (self.is_open and number == self.low):
                raise ValueError(f"{name} {number} must be {self}")

    def __str__(self) -> str:
        """Return the range in words, such as "at least 1"."""
        from_low = f"above {self.low}" if self.is_open else f"at least {self.low}"
        return from_low if self.high == inf else f"in {self.low} .. {self.high}"


AT_LEAST_0, AT_LEAST_1, AT_LEAST_2 = Range(0), Range(1), Range(2)
ABOVE_0, SHARE = Range(0, is_open=True), Range(0, 1)


def require_ranges(settings: object) -> None:
    """Raise ValueError, naming the setting, for numbers outside the ranges beside the types of a dataclass."""
    for kind in type(settings).__mro__:  # a subclass that gives another default keeps the range
        ranged = SimpleNamespace(  # other types may use what is imported for type checkers alone
            __annotations__={
                name: hint for name, hint in inspect.get_annotations(kind).items() if "Annotated[" in str(hint)
            }
        )
        hints = get_type_hints(ranged, vars(inspect.getmodule(kind)), include_extras=True)
        for name, hint in hints.items():
            for limit in getattr(hint, "__metadata__", ()):
                if isinstance(limit, Range):
                    limit.require(name, getattr(settings, name))


def require_range(name: str, array: NDArray[Any], low: float, high: float) -> None:
    """Raise a ValueError unless all numbers of an array of a file are in low .. high."""
    if array.size and not (array.min() >= low and array.max() <= high):
        raise ValueError(f"{name} has numbers in {array.min()} .. {array.max()}, outside {low} .. {high}")
