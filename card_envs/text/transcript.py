"""What was done at a table since the deal, in words: public knowledge alone."""

from __future__ import annotations

from dataclasses import dataclass

from card_envs.game import NOBODY, Game, Tables


@dataclass(frozen=True)
class Event:
    """One public action."""

    seat: int
    stage: str
    """Heading under which it happened, such as "flop 7c 8c 2s"; "" in games without stages."""
    words: str
    """The action, such as "raise to 6"."""


class Transcript:
    """The actions of one deal, noted before they are applied."""

    def __init__(self, game: Game) -> None:
        """Begin without actions."""
        self._game = game
        self.events: list[Event] = []

    def clear(self) -> None:
        """Forget the deal; for the next one."""
        self.events.clear()

    def note(self, tables: Tables, i: int, action: int) -> Event:
        """Keep an action that the actor at table i is about to take; returns it in words."""
        seat = int(tables["actor"][i])
        if seat == NOBODY:
            raise ValueError("the deal is over: nobody acts")
        text = self._game.info.text
        stage = text.stage(tables, i) if text is not None else ""
        event = Event(seat, stage, self._game.action_name(tables, i, action))
        self.events.append(event)
        return event

    def lines(self) -> list[str]:
        """Return the actions as lines, one for each stage: "preflop: player_0 raise to 6, player_1 call 4"."""
        found: list[tuple[str, list[str]]] = []
        for event in self.events:
            if not found or found[-1][0] != event.stage:
                found.append((event.stage, []))
            found[-1][1].append(f"player_{event.seat} {event.words}")
        return [f"{stage}: {', '.join(words)}" if stage else ", ".join(words) for stage, words in found]
