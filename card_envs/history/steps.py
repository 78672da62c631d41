"""One recorded hand decision by decision, to be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from card_envs.game import Game, Tables
from card_envs.history.errors import HandHistoryError

Recorded = TypeVar("Recorded")


@dataclass(frozen=True, eq=False)
class HandSteps:
    """A hand that was played again."""

    game: Game
    source: str
    """File of the hand, and its place there."""
    players: tuple[str, ...]
    """Names by seat; empty where none are recorded."""
    tables: Tables
    """(k + 1,): as each of k decisions was taken, all cards known that are recorded; the last one afterwards."""
    actions: tuple[str, ...]
    """(k,): the decisions as they are written in the file."""

    def lines(self) -> Iterator[str]:
        """Yield the hand as text: the table before every decision, the decision, and the table at the end."""
        yield self.source
        yield from (f"player_{seat} is {name}" for seat, name in enumerate(self.players))
        for i in range(len(self.tables)):
            yield ""
            yield self.game.text(self.tables, i, None)
            if i < len(self.actions):
                yield f"--> player_{int(self.tables['actor'][i])}: {self.actions[i]}"


def hand_number(number: int, hands: Sequence[Recorded], file: Path) -> Recorded:
    """Return a hand of a file, counted from 1; raise HandHistoryError for one that is not there."""
    if not 1 <= number <= len(hands):
        raise HandHistoryError(f"{file}: there is no hand {number}: it has hands 1 to {len(hands)}")
    return hands[number - 1]
