"""Recording of the deals and actions of a match, from which each hand can be replayed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

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


class Recorder:
    """Records the actions at a batch of tables."""

    def __init__(self, numbers: Rows, dealt: Tables) -> None:
        """Start a recording.

        Args:
            numbers: (n,) number of each hand in the match.
            dealt: (n,) tables after the deal; they are copied.
        """
        self._numbers, self._dealt = numbers, dealt.copy()
        self._rows: list[Rows] = []
        self._actions: list[Rows] = []

    def add(self, rows: Rows, actions: Rows) -> None:
        """Record the actions that the next step takes at dealt[rows]."""
        self._rows.append(rows.copy())
        self._actions.append(actions.copy())

    def finish(self) -> PlayedHands:
        """Return the recorded hands."""
        rows = np.concatenate([*self._rows, np.empty(0, np.int64)])
        actions = np.concatenate([*self._actions, np.empty(0, np.int64)])
        in_order = actions[np.argsort(rows, kind="stable")]
        ends = np.cumsum(np.bincount(rows, minlength=len(self._dealt)))
        return PlayedHands(self._numbers, self._dealt, [part.tolist() for part in np.split(in_order, ends[:-1])])


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
