"""The format of ACPC logs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.history.acpc.format import AcpcHand, hand_line, header_lines, load_log, score_line
from card_envs.history.acpc.game_file import game_lines
from card_envs.history.acpc.replay import begin, with_rules
from card_envs.history.formats import HistoryFormat, HistoryWriter
from card_envs.history.holdem_hand import check_rules, replay_recorded, rules_name, why_not_holdem
from card_envs.history.holdem_replay import HoldemReplay
from card_envs.history.recording import PlayedHands


class HandOfGame(NamedTuple):
    """A hand of a log, and the game of the log."""

    hand: AcpcHand
    config: HoldemConfig

    @property
    def source(self) -> str:
        """File and line of the hand."""
        return self.hand.source


class _Writer(HistoryWriter):
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        self._game, self._names, self._seed = game, names, seed
        self._totals = [0] * len(names)

    def header(self, num_hands: int) -> str:
        config = self._game.config
        lines = header_lines(config, self._game.name, num_hands, self._seed or 0, rules_name(config))
        return "\n".join(lines) + "\n"

    def hands(self, played: PlayedHands) -> Iterator[str]:
        n = len(self._totals)
        for hand in replay_recorded(self._game.config, played, self._names):
            for seat, won in zip(hand.seats, hand.payoffs, strict=True):
                self._totals[(seat - hand.number) % n] += won
            yield hand_line(hand) + "\n"

    def footer(self) -> str:
        return score_line(self._names, self._totals) + "\n"


class AcpcFormat(HistoryFormat[HandOfGame]):
    """Logs of limit and no-limit hold'em with equal stacks and decks of any size.

    The default rules are the rules that the log names, else `acpc`. Unknown cards are replaced by unused ones.
    """

    suffixes = (".acpc",)
    suffixes_if_named = (".log",)

    def why_not(self, game: Game) -> str | None:
        """See `HistoryFormat`."""
        return why_not_holdem(game, _require_acpc)

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`."""
        return _Writer(game, names, seed)

    def load_hands(self, file: Path) -> list[HandOfGame]:
        """See `HistoryFormat`."""
        log = load_log(file)
        return [HandOfGame(hand, log.config) for hand in log.hands]

    def begin(self, hand: HandOfGame, rules: object) -> HoldemReplay:
        """See `HistoryFormat`."""
        return begin(hand.hand, with_rules(hand.config, check_rules(rules)))


def _require_acpc(config: HoldemConfig) -> None:
    """Raise ValueError for a game that a game definition of the competition cannot describe."""
    game_lines(config)
    rules_name(config)


ACPC = AcpcFormat()
