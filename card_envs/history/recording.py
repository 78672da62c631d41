"""What is kept of the hands of a match: enough to play every one of them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from card_envs.game import Tables
from card_envs.typing import Rows


@dataclass(frozen=True, eq=False)
class PlayedHands:
    """Hands that were played to their ends side by side."""

    numbers: Rows
    """(n,): number of each hand in the match."""
    dealt: Tables
    """(n,): the tables as they were dealt."""
    actions: list[list[int]]
    """The action ids of each hand, in the order of play."""


class Recorder:
    """Notes what happens at tables that play side by side."""

    def __init__(self, numbers: Rows, dealt: Tables) -> None:
        """Begin with the numbers of the hands and their tables, which are copied."""
        self._numbers, self._dealt = numbers, dealt.copy()
        self._rows: list[Rows] = []
        self._actions: list[Rows] = []

    def add(self, rows: Rows, actions: Rows) -> None:
        """Note the actions that are about to be taken at dealt[rows]."""
        self._rows.append(rows.copy())
        self._actions.append(actions.copy())

    def finish(self) -> PlayedHands:
        """Return all hands."""
        rows = np.concatenate([*self._rows, np.empty(0, np.int64)])
        actions = np.concatenate([*self._actions, np.empty(0, np.int64)])
        in_order = actions[np.argsort(rows, kind="stable")]
        ends = np.cumsum(np.bincount(rows, minlength=len(self._dealt)))
        return PlayedHands(self._numbers, self._dealt, [part.tolist() for part in np.split(in_order, ends[:-1])])


def names_by_seat(names: Sequence[str], hand: int) -> tuple[str, ...]:
    """Return by seat the names of a match's agents: in hand h, agent j sits at seat (j + h) % n."""
    return tuple(names[(seat - hand) % len(names)] for seat in range(len(names)))
