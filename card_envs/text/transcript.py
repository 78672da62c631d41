"""`Transcript`: the actions of a deal in words, which are public."""

from __future__ import annotations

from dataclasses import dataclass

from card_envs.game import NOBODY, Game, Tables
from card_envs.text.interface import find_text


@dataclass(frozen=True)
class Event:
    """One public action."""

    seat: int
    stage: str
    """Stage of the deal, such as "flop 7c 8c 2s"; "" in games without stages."""
    words: str
    """Name of the action, such as "raise to 6"."""


class Transcript:
    """Records the actions of one deal."""

    def __init__(self, game: Game) -> None:
        """Start without actions."""
        self._game = game
        self.events: list[Event] = []

    def clear(self) -> None:
        """Delete all actions, for the next deal."""
        self.events.clear()

    def record(self, tables: Tables, i: int, action: int) -> Event:
        """Record an action of the actor at table i, before it is applied, and return it."""
        seat = int(tables["actor"][i])
        if seat == NOBODY:
            raise ValueError("the deal is over: no action can be recorded")
        event = Event(seat, find_text(self._game).stage(tables, i), self._game.action_name(tables, i, action))
        self.events.append(event)
        return event

    def lines(self) -> list[str]:
        """Return a line for each stage, such as "preflop: player_0 raise to 6, player_1 call 4"."""
        found: list[tuple[str, list[str]]] = []
        for event in self.events:
            if not found or found[-1][0] != event.stage:
                found.append((event.stage, []))
            found[-1][1].append(f"player_{event.seat} {event.words}")
        return [f"{stage}: {', '.join(words)}" if stage else ", ".join(words) for stage, words in found]
