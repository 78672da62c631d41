"""Hands of a file, and their replay on a table: the part that all games and formats share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from card_envs.game import ILLEGAL, Game, Tables
from card_envs.history.errors import HandHistoryError
from card_envs.history.results import MISMATCHED, ReplayResult, Stop

__all__ = [
    "HandSteps",
    "ParsedHand",
    "RecordedHand",
    "Replay",
    "UnreadHand",
    "play_through",
    "replay_hand",
    "replay_tables",
]


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


class Replay(ABC):
    """The replay of one hand, from the deal on."""

    names: tuple[str, ...]
    """Names by seat; empty where none are recorded."""
    texts: tuple[str, ...]
    """Moves as the file writes them."""
    tables: Tables
    """(1,) the table."""

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game."""

    @abstractmethod
    def play(self) -> Iterator[int]:
        """Make the recorded moves; yield the index of each decision after it. `Stop` for a move that is not legal."""

    @abstractmethod
    def result(self) -> ReplayResult:
        """Compare the result of the hand, whose moves are all legal, with the recorded one; `Stop` if they differ."""

    @abstractmethod
    def recorded_hand(self) -> RecordedHand:
        """Return the hand after its last move in the form that a table plays."""


class ParsedHand(ABC):
    """One hand of a file as its format reads it. Whether the hand follows the rules is found by its replay."""

    source: str
    """File of the hand, and its position there."""

    @property
    def identity(self) -> Hashable:
        """A key that two hands of a format share only if they are the same hand; None in formats without such keys."""
        return None

    @abstractmethod
    def begin(self, rules: object = None) -> Replay:
        """Return the replay of the hand, dealt but not played; `results.Stop` for a hand that cannot be played.

        Args:
            rules: Rules profile or its name, for games with profiles; None for the rules that the file names, else the
                default of its format.
        """


@dataclass(frozen=True)
class UnreadHand(ParsedHand):
    """A hand that is not replayed, with the reason: its text cannot be read, or contradicts itself."""

    source: str
    status: str
    """MISMATCHED or SKIPPED."""
    reason: str

    def begin(self, rules: object = None) -> Replay:
        """Raise `Stop` with the reason."""
        raise Stop(self.status, self.reason)


def replay_hand(hand: ParsedHand, rules: object = None) -> ReplayResult:
    """Replay a recorded hand, and check that it is legal and ends with the recorded result.

    Args:
        hand: A hand of a file, see `load_hands`, `load_log`, `load_pokerstars` and `load_deals`.
        rules: Rules profile of hold'em or its name; None for the profile that the file names, else the default of its
            format. Some rules are always those of the file: PHH says whether antes are trimmed, and the game of an ACPC
            log who posts the small blind heads-up. A deal of Big 2 names all its rules.

    Returns:
        A result whose status is MATCHED, MISMATCHED or SKIPPED, with the reason.
    """
    try:
        replay = hand.begin(rules)
        for _ in replay.play():
            pass
        return replay.result()
    except Stop as stop:
        return ReplayResult(hand.source, stop.status, stop.reason, stop.action_index)
    except HandHistoryError as error:
        return ReplayResult(hand.source, MISMATCHED, str(error).removeprefix(f"{hand.source}: "))


def replay_tables(hand: ParsedHand, rules: object = None) -> Iterator[tuple[int, Tables]]:
    """Replay a recorded hand, and yield the table after every decision.

    Args:
        hand: A hand of a file.
        rules: Rules profile or its name, see `replay_hand`.

    Yields:
        (index of the action, copy of the table after it). The first index is -1, for the table after the deal. The
        table is a record array of length 1; chips are in units of 1 / `HandRecord.scale` of the file's.

    Raises:
        ValueError: If an action is not legal or the hand cannot be played, with the reason.
    """
    for index, replay in play_through(hand, rules):
        yield index, replay.tables.copy()


def play_through(hand: ParsedHand, rules: object = None) -> Iterator[tuple[int, Replay]]:
    """Yield (-1, the replay of a hand after the deal), then (index, the same replay) after each decision.

    Raises a ValueError, with the reason, if an action is not legal or the hand cannot be played.
    """
    try:
        replay = hand.begin(rules)
        yield -1, replay
        for index in replay.play():
            yield index, replay
    except Stop as stop:
        raise ValueError(f"{hand.source}: {stop.reason}") from None


@dataclass(frozen=True, eq=False)
class HandSteps:
    """A replayed hand decision by decision, for display."""

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
