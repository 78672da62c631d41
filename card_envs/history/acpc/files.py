"""ACPC logs among the formats of recorded hands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.history.acpc.format import AcpcHand, hand_line, header_lines, load_log, score_line
from card_envs.history.acpc.game_file import game_lines
from card_envs.history.acpc.replay import read_decisions, replay_acpc_hand, replay_acpc_tables, with_rules
from card_envs.history.formats import HistoryFormat
from card_envs.history.holdem_hand import check_rules, replay_recorded, rules_name, why_not_holdem
from card_envs.history.recorded_cards import playable_hand
from card_envs.history.recorded_hand import RecordedHand, make_recorded_hands
from card_envs.history.recording import PlayedHands, names_by_seat
from card_envs.history.results import ReplayResult
from card_envs.history.steps import HandSteps, hand_number


class _Writer:
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        self._game, self._names, self._seed = game, names, seed
        self._totals = [0] * len(names)

    def header(self, num_hands: int) -> str:
        config = self._game.config
        lines = header_lines(config, self._game.name, num_hands, self._seed or 0, rules_name(config))
        return "\n".join(lines) + "\n"

    def hands(self, played: PlayedHands) -> Iterator[str]:
        n = len(self._totals)
        for hand in replay_recorded(self._game.config, played, partial(names_by_seat, self._names)):
            for seat, won in zip(hand.seats, hand.payoffs, strict=True):
                self._totals[(seat - hand.number) % n] += won
            yield hand_line(hand) + "\n"

    def footer(self) -> str:
        return score_line(self._names, self._totals) + "\n"


class AcpcFormat:
    """Limit and no-limit hold'em with equal stacks, decks of all sizes."""

    suffixes = (".acpc",)
    suffixes_if_named = (".log",)

    def why_not(self, game: Game) -> str | None:
        """See `HistoryFormat`."""
        return why_not_holdem(game, _require_acpc)

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`."""
        return _Writer(game, names, seed)

    def replay(self, file: Path, rules: object = None) -> list[ReplayResult]:
        """See `HistoryFormat`; without `rules`, those that the log names, else `acpc`."""
        log = load_log(file)
        config = with_rules(log.config, check_rules(rules))
        return [replay_acpc_hand(hand, config) for hand in log.hands]

    def steps(self, file: Path, number: int, rules: object = None) -> HandSteps:
        """See `HistoryFormat`; cards that the log does not tell are others of the deck."""
        log = load_log(file)
        hand = hand_number(number, log.hands, file)
        config = with_rules(log.config, check_rules(rules))
        frames = list(replay_acpc_tables(hand, config))
        tables = np.concatenate([table for _, table in frames])
        actions = tuple(sign for sign, _ in frames[1:])
        return HandSteps(holdem_game("holdem", config), hand.source, hand.players, tables, actions)

    def load_recorded_hands(self, file: Path) -> Iterator[RecordedHand | str]:
        """See `HistoryFormat`."""
        log = load_log(file)
        return make_recorded_hands(partial(_to_recorded_hand, hand, log.config) for hand in log.hands)


def _to_recorded_hand(hand: AcpcHand, config: HoldemConfig) -> RecordedHand:
    return playable_hand(read_decisions(hand, config))


def _require_acpc(config: HoldemConfig) -> None:
    """Raise ValueError for a game that a definition of the competition cannot describe."""
    game_lines(config)
    rules_name(config)


ACPC: HistoryFormat = AcpcFormat()
