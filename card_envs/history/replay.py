"""Replay of one recorded hand on a table of its own: the part that all games and formats share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

import numpy as np

from card_envs.game import Game, Tables
from card_envs.history.errors import HandHistoryError
from card_envs.history.recorded_hand import RecordedHand
from card_envs.history.results import MISMATCHED, ReplayResult, Stop
from card_envs.history.steps import HandSteps


class Replay(ABC):
    """The replay of one hand, from the deal on."""

    source: str
    """File of the hand, and its position there."""
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

    def frames(self) -> Iterator[tuple[int, Tables]]:
        """Yield (-1, copy of the table after the deal), then (index of a decision, copy of the table after it)."""
        yield -1, self.tables.copy()
        for index in self.play():
            yield index, self.tables.copy()


Begin = Callable[[], Replay]
"""Function that deals a recorded hand; it raises `Stop` for a hand that cannot be played."""


def replay_hand(source: str, begin: Begin) -> ReplayResult:
    """Return the result of replaying a hand: MATCHED, MISMATCHED or SKIPPED, with the reason."""
    try:
        replay = begin()
        for _ in replay.play():
            pass
        return replay.result()
    except Stop as stop:
        return ReplayResult(source, stop.status, stop.reason, stop.action_index)
    except HandHistoryError as error:
        return ReplayResult(source, MISMATCHED, str(error).removeprefix(f"{source}: "))


def hand_frames(source: str, begin: Begin) -> Iterator[tuple[int, Tables]]:
    """Yield the frames of a hand, see `Replay.frames`; ValueError with the reason if it cannot be replayed."""
    try:
        yield from begin().frames()
    except Stop as stop:
        raise ValueError(f"{source}: {stop.reason}") from None


def hand_steps(source: str, begin: Begin) -> HandSteps:
    """Return a hand decision by decision; ValueError with the reason if it cannot be replayed."""
    replays: list[Replay] = []

    def keep() -> Replay:
        replays.append(begin())
        return replays[0]

    frames = list(hand_frames(source, keep))
    replay = replays[0]
    tables = np.concatenate([table for _, table in frames])
    actions = tuple(replay.texts[index] for index, _ in frames[1:])
    return HandSteps(replay.game, source, replay.names, tables, actions)


def recorded_hand(source: str, begin: Begin) -> RecordedHand:
    """Return a hand in the form that a table plays; ValueError with the reason if it cannot be replayed."""
    try:
        replay = begin()
        for _ in replay.play():
            pass
    except Stop as stop:
        raise ValueError(f"{source}: {stop.reason}") from None
    return replay.recorded_hand()
