"""PokerStars' text among the formats of recorded hands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path

from card_envs.game import Game
from card_envs.history.formats import HistoryFormat
from card_envs.history.holdem_hand import check_rules, replay_recorded, why_not_holdem
from card_envs.history.phh.files import phh_steps, to_recorded_hand
from card_envs.history.phh.format import Hand
from card_envs.history.phh.replay import replay_hand
from card_envs.history.pokerstars.format import load_pokerstars
from card_envs.history.pokerstars.write import require_pokerstars, write_hand
from card_envs.history.recorded_hand import RecordedHand, make_recorded_hands
from card_envs.history.recording import PlayedHands, names_by_seat
from card_envs.history.results import ReplayResult
from card_envs.history.steps import HandSteps, hand_number

_NUMBER_OF_MATCH = 10**9
"""Hands of two matches have numbers that differ by more than a match has hands."""


class _Writer:
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        self._config, self._names = game.config, _unique_names(names)
        match = sha256(f"{game.name} {names} {seed}".encode()).digest()
        self._first = int.from_bytes(match[:4], "big") * _NUMBER_OF_MATCH

    def header(self, num_hands: int) -> str:
        return ""

    def hands(self, played: PlayedHands) -> Iterator[str]:
        for hand in replay_recorded(self._config, played, partial(names_by_seat, self._names)):
            yield write_hand(hand, hand.players, self._first + hand.number + 1) + "\n\n"

    def footer(self) -> str:
        return ""


def _unique_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names that are all different and that the text can hold: "chen", "chen 2"."""
    plain = [re.sub(r"[^\w.+-]+", " ", name).strip() or "player" for name in names]
    seen: Counter[str] = Counter()
    found = []
    for name in plain:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(found)


class PokerStarsFormat:
    """Texas hold'em with two blinds; a match is a .pokerstars file, and .txt files are read if they are named."""

    suffixes = (".pokerstars",)
    suffixes_if_named = (".txt",)

    def why_not(self, game: Game) -> str | None:
        """See `HistoryFormat`."""
        return why_not_holdem(game, require_pokerstars)

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`; pots are added up, and amounts are play money."""
        return _Writer(game, names, seed)

    def replay(self, file: Path, rules: object = None) -> list[ReplayResult]:
        """See `HistoryFormat`; without `rules`, `standard`."""
        under = check_rules(rules)
        return [hand if isinstance(hand, ReplayResult) else replay_hand(hand, under) for hand in load_pokerstars(file)]

    def steps(self, file: Path, number: int, rules: object = None) -> HandSteps:
        """See `HistoryFormat`."""
        return phh_steps(_playable(hand_number(number, load_pokerstars(file), file)), rules)

    def load_recorded_hands(self, file: Path) -> Iterator[RecordedHand | str]:
        """See `HistoryFormat`."""
        return make_recorded_hands(partial(_make_recorded, hand) for hand in load_pokerstars(file))


def _make_recorded(hand: Hand | ReplayResult) -> RecordedHand:
    return to_recorded_hand(_playable(hand))


def _playable(hand: Hand | ReplayResult) -> Hand:
    if isinstance(hand, ReplayResult):
        raise ValueError(f"{hand.source}: {hand.reason}")
    return hand


POKERSTARS: HistoryFormat = PokerStarsFormat()
