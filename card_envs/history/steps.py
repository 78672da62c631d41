"""A recorded hand decision by decision, for display."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from card_envs.game import Game, Tables


@dataclass(frozen=True, eq=False)
class HandSteps:
    """A replayed hand: the table before each decision, and the decisions as text."""

    game: Game
    source: str
    """File of the hand, and its position there."""
    players: tuple[str, ...]
    """Names by seat; empty where none are recorded."""
    tables: Tables
    """(k + 1,) tables before each of k decisions, and the table after the last one."""
    actions: tuple[str, ...]
    """(k,) decisions as the file writes them."""

    def lines(self) -> Iterator[str]:
        """Yield lines of text: the table before each decision, the decision, and the final table."""
        yield self.source
        yield from (f"player_{seat} is {name}" for seat, name in enumerate(self.players))
        for i in range(len(self.tables)):
            yield ""
            yield self.game.text(self.tables, i, None)
            if i < len(self.actions):
                yield f"--> player_{int(self.tables['actor'][i])}: {self.actions[i]}"
