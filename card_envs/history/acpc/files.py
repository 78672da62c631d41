"""The format of ACPC logs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RulesProfile
from card_envs.history.acpc.format import AcpcHand, compare_scores, hand_line, header_lines, load_log, score_line
from card_envs.history.acpc.game_file import game_lines
from card_envs.history.acpc.replay import record_of, with_rules
from card_envs.history.hand_record import HandRecord
from card_envs.history.holdem_format import HoldemFormat, HoldemWriter
from card_envs.history.holdem_match import rules_name
from card_envs.history.results import ReplayResult, Stop


class HandOfGame(NamedTuple):
    """A hand of a log, and the game of the log."""

    hand: AcpcHand
    config: HoldemConfig

    @property
    def source(self) -> str:
        """File and line of the hand."""
        return self.hand.source


class _Writer(HoldemWriter):
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        super().__init__(game, names)
        self._name, self._seed, self._totals = game.name, seed or 0, [0] * len(names)

    def header(self, num_hands: int) -> str:
        lines = header_lines(self.config, self._name, num_hands, self._seed, rules_name(self.config))
        return "\n".join(lines) + "\n"

    def text(self, hand: HandRecord) -> str:
        for seat, won in zip(hand.seats, hand.results["values"], strict=True):
            self._totals[(seat - hand.number) % len(self._totals)] += int(won)
        return hand_line(hand) + "\n"

    def footer(self) -> str:
        return score_line(self.names, self._totals) + "\n"


class AcpcFormat(HoldemFormat[HandOfGame | ReplayResult]):
    """Logs of limit and no-limit hold'em with equal stacks and decks of any size.

    The default rules are the rules that the log names, else `acpc`. Unknown cards are replaced by unused ones. Scores
    that are not the sums of the hands are loaded as the result that says so.
    """

    suffixes = (".acpc",)
    suffixes_if_named = (".log",)

    def require(self, config: HoldemConfig) -> None:
        """See `HoldemFormat`."""
        game_lines(config)
        rules_name(config)

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`."""
        return _Writer(game, names, seed)

    def load_hands(self, file: Path) -> list[HandOfGame | ReplayResult]:
        """See `HistoryFormat`."""
        log = load_log(file)
        return [*(HandOfGame(hand, log.config) for hand in log.hands), *compare_scores(log, str(file))]

    def to_record(self, hand: HandOfGame | ReplayResult, rules: str | RulesProfile | None) -> HandRecord:
        """See `HoldemFormat`."""
        if isinstance(hand, ReplayResult):
            raise Stop(hand.status, hand.reason)
        return record_of(hand.hand, with_rules(hand.config, rules))


ACPC = AcpcFormat()
