"""Recorded hands that can be played step by step, in any game that has their actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from card_envs.game import Game, Tables


@dataclass(frozen=True)
class RecordedHand:
    """A hand as the tables of a game play it again."""

    source: str
    game: Game
    options: dict[str, Any]
    """Reset options for `Game.deal_with`."""
    names: tuple[str, ...]
    """Names of the players, by seat."""
    actions: tuple[int, ...]
    others: tuple[Game, ...] = ()
    """The same game with other bet menus, in which agents may know it."""
    apply: Callable[[Tables, int], bool] | None = None
    """Takes an action id of `game` at a single table of one of `others`, whatever its menu; False if it is illegal."""
    unknown_seats: tuple[int, ...] = ()
    """Seats whose cards are not recorded; they hold cards that nobody else has."""

    def tables_after(self, step: int) -> Tables:
        """Return one table after the first `step` actions; a ValueError says which of them is illegal."""
        tables = self.game.seeded_tables(1, 0)
        self.game.deal_with(tables, 0, self.options)
        for action in self.actions[:step]:
            if self.game.step(tables, 0, action) < -1:
                raise ValueError(f"{self.source}: {self.game.why_illegal(tables, 0, action)}")
        return tables

    def tables_in_game(self, game: Game, step: int) -> Tables:
        """Return the table of one of `others` after the first `step` actions; ValueError if one is not legal there."""
        if self.apply is None:
            raise ValueError(f"{self.source}: the actions of {self.game.name} are not those of {game.name}")
        tables = game.seeded_tables(1, 0)
        game.deal_with(tables, 0, self.options)
        for action in self.actions[:step]:
            if not self.apply(tables, action):
                raise ValueError(f"{self.source}: action {action} is not legal in {game.name}")
        return tables


def make_recorded_hands(makers: Iterable[Callable[[], RecordedHand]]) -> Iterator[RecordedHand | str]:
    """Yield what each function makes, or the words of the ValueError that it raises."""
    for make in makers:
        try:
            yield make()
        except ValueError as error:
            yield str(error)
