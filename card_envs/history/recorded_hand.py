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
    """By seat."""
    actions: tuple[int, ...]
    others: tuple[Game, ...] = ()
    """The same game with other bet menus, in which agents may know it."""

    def tables_after(self, step: int) -> Tables:
        """Return one table after the first `step` actions; a ValueError says which of them is illegal."""
        tables = self.game.seeded_tables(1, 0)
        self.game.deal_with(tables, 0, self.options)
        for action in self.actions[:step]:
            if self.game.step(tables, 0, action) < -1:
                raise ValueError(f"{self.source}: {self.game.why_illegal(tables, 0, action)}")
        return tables

    def in_game(self, game: Game, step: int) -> Tables | None:
        """Return the table of another game after the same actions, by their names; None if one is not on its menu."""
        ours, theirs = self.tables_after(0), game.seeded_tables(1, 0)
        game.deal_with(theirs, 0, self.options)
        for action in self.actions[:step]:
            name = self.game.action_name(ours, 0, action)
            same = next((each for each in range(game.num_actions) if _is_called(game, theirs, each, name)), None)
            if same is None:
                return None
            self.game.step(ours, 0, action)
            game.step(theirs, 0, same)
        return theirs


def _is_called(game: Game, tables: Tables, action: int, name: str) -> bool:
    return game.action_name(tables, 0, action) == name and game.step(tables.copy(), 0, action) >= -1


def make_recorded_hands(makers: Iterable[Callable[[], RecordedHand]]) -> Iterator[RecordedHand | str]:
    """Yield what each function makes, or the words of the ValueError that it raises."""
    for make in makers:
        try:
            yield make()
        except ValueError as error:
            yield str(error)
