"""The format of PokerStars' hand histories."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RulesProfile
from card_envs.history.hand_record import HandRecord
from card_envs.history.holdem_format import HoldemFormat, HoldemWriter
from card_envs.history.phh.format import Hand
from card_envs.history.phh.tables import record_of
from card_envs.history.pokerstars.format import load_pokerstars
from card_envs.history.pokerstars.write import require_pokerstars, write_hand
from card_envs.history.results import ReplayResult, Stop

_HANDS_PER_MATCH = 10**9
"""Hand numbers that are reserved for each match, so that the numbers of two matches differ."""


class _Writer(HoldemWriter):
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        super().__init__(game, _unique_names(names))
        match = sha256(f"{game.name} {names} {seed}".encode()).digest()
        self._first = int.from_bytes(match[:4], "big") * _HANDS_PER_MATCH

    def text(self, hand: HandRecord) -> str:
        return write_hand(hand, self._first + hand.number + 1) + "\n\n"


def _unique_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return different names without special characters; equal names get numbers: "chen", "chen 2"."""
    plain = [re.sub(r"[^\w.+-]+", " ", name).strip() or "player" for name in names]
    seen: Counter[str] = Counter()
    found = []
    for name in plain:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(found)


class PokerStarsFormat(HoldemFormat[Hand | ReplayResult]):
    """Texas hold'em with two blinds. The default rules are `pokerstars`.

    Written amounts are play money, and the pots of a hand are added up. A hand that cannot be read is loaded as the
    result that says why.
    """

    suffixes = (".pokerstars",)
    suffixes_if_named = (".txt",)

    def require(self, config: HoldemConfig) -> None:
        """See `HoldemFormat`."""
        require_pokerstars(config)

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`."""
        return _Writer(game, names, seed)

    def load_hands(self, file: Path) -> list[Hand | ReplayResult]:
        """See `HistoryFormat`."""
        return load_pokerstars(file)

    def to_record(self, hand: Hand | ReplayResult, rules: str | RulesProfile | None) -> HandRecord:
        """See `HoldemFormat`."""
        if isinstance(hand, ReplayResult):
            raise Stop(hand.status, hand.reason)
        return record_of(hand, rules)


POKERSTARS = PokerStarsFormat()
