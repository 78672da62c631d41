"""Recorded hands in the form that the tables of a game play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from card_envs.game import ILLEGAL, Game, Tables


@dataclass(frozen=True)
class RecordedHand:
    """A recorded hand: the game, the deal and the actions."""

    source: str
    """File of the hand, and its position there."""
    game: Game
    options: dict[str, Any]
    """Reset options for `Game.deal_with`."""
    names: tuple[str, ...]
    """Names of the players, by seat."""
    actions: tuple[int, ...]
    """Action ids of `game`."""
    others: tuple[Game, ...] = ()
    """The same game with other bet menus, for agents that play only with these."""
    apply: Callable[[Tables, int], bool] | None = None
    """Function that takes an action id of `game` at a single table of one of `others`; it returns False if illegal."""
    unknown_seats: tuple[int, ...] = ()
    """Seats whose cards are not recorded; the deal gives them unused cards."""

    def tables_after(self, step: int, game: Game | None = None) -> Tables:
        """Return one table of `game`, or for one of `others` of that game, after the first `step` actions.

        Raises:
            ValueError: If an action is illegal, or `game` is another one and the hand has no `apply`.
        """
        game = game or self.game
        apply = None if game is self.game else self.apply
        if apply is None and game is not self.game:
            raise ValueError(f"{self.source}: actions of {self.game.name} cannot be taken in {game.name}")
        tables = game.seeded_tables(1, 0)
        game.deal_with(tables, 0, self.options)
        for action in self.actions[:step]:
            if apply is None:
                if game.step(tables, 0, action) == ILLEGAL:
                    raise ValueError(f"{self.source}: {game.why_illegal(tables, 0, action)}")
            elif not apply(tables, action):
                raise ValueError(f"{self.source}: action {action} is not legal in {game.name}")
        return tables
