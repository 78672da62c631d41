"""What a check of the fuzz is: work that a seed fixes, a count, and what is said where it finds a difference."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass


class Difference(Exception):
    """Something that must not be: which game, at which step, and what was seen there."""

    def __init__(self, game: str, step: str, seen: str) -> None:
        super().__init__(f"game: {game}\nstep: {step}\nseen: {seen}")


@dataclass(frozen=True)
class Check:
    """One claim, tried again and again with other seeds."""

    claim: str
    """What holds if the check finds nothing."""
    unit: str
    """What it counts."""
    run: Callable[[int], int]
    """Seed -> how much was checked in a few seconds at most; raises Difference."""
    needs: str | None = None
    """Package without which it is left out."""

    @property
    def can_run(self) -> bool:
        """True if the package that the check needs is installed."""
        return self.needs is None or importlib.util.find_spec(self.needs) is not None
