"""Checks of numbers from files that need no PyTorch."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def require_range(name: str, array: NDArray[Any], low: float, high: float) -> None:
    """Raise a ValueError unless all numbers of an array of a file are in low .. high."""
    if array.size and not (array.min() >= low and array.max() <= high):
        raise ValueError(f"{name} has numbers in {array.min()} .. {array.max()}, outside {low} .. {high}")
