"""Recording of the deals and actions of a match, from which each hand can be replayed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from card_envs.game import Tables
from card_envs.typing import Rows


@dataclass(frozen=True, eq=False)
class PlayedHands:
    """Complete hands of a batch of tables."""

    numbers: Rows
    """(n,) number of each hand in the match."""
    dealt: Tables
    """(n,) tables after the deal, before the first decision."""
    actions: list[list[int]]
    """Action ids of each hand, in the order of play."""


def number_equal_names(names: Iterable[str], separator: str) -> tuple[str, ...]:
    """Return different names: of equal ones, later ones get a number, as in "chen", "chen 2"."""
    found: list[str] = []
    for name in names:
        number, unique = 1, name
        while unique in found:
            number += 1
            unique = f"{name}{separator}{number}"
        found.append(unique)
    return tuple(found)


def names_by_seat(names: Sequence[str], hand: int) -> tuple[str, ...]:
    """Return the agents' names by seat in a hand of a match: in hand h, agent j sits at seat (j + h) % n."""
    return tuple(names[(seat - hand) % len(names)] for seat in range(len(names)))
