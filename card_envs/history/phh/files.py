"""PHH among the formats of recorded hands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from card_envs.game import Game
from card_envs.games.holdem.game import holdem_game
from card_envs.history.formats import HistoryFormat
from card_envs.history.holdem_hand import check_rules, replay_recorded, why_not_holdem
from card_envs.history.phh.format import Hand, dump_hand, load_hands
from card_envs.history.phh.replay import config_of, read_decisions, replay_hand, replay_tables
from card_envs.history.phh.write import phh_of, require_phh
from card_envs.history.recorded_cards import playable_hand
from card_envs.history.recorded_hand import RecordedHand, make_recorded_hands
from card_envs.history.recording import PlayedHands, names_by_seat
from card_envs.history.results import ReplayResult
from card_envs.history.steps import HandSteps, hand_number


class _Writer:
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        self._config, self._names = game.config, names
        self._more = {"event": game.name if seed is None else f"{game.name}, seed {seed}"}

    def header(self, num_hands: int) -> str:
        return ""

    def hands(self, played: PlayedHands) -> Iterator[str]:
        for hand in replay_recorded(self._config, played, partial(names_by_seat, self._names)):
            yield f"[{hand.number + 1}]\n{dump_hand(phh_of(hand, self._more))}\n\n"

    def footer(self) -> str:
        return ""


class PhhFormat:
    """Texas hold'em; a match is a .phhs file, a .phh file is a single hand."""

    suffixes = (".phhs", ".phh")
    suffixes_if_named = ()

    def why_not(self, game: Game) -> str | None:
        """See `HistoryFormat`."""
        return why_not_holdem(game, require_phh)

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`."""
        return _Writer(game, names, seed)

    def replay(self, file: Path, rules: object = None) -> list[ReplayResult]:
        """See `HistoryFormat`; without `rules`, those that a hand names, else `standard`."""
        under = check_rules(rules)
        return [replay_hand(hand, under) for hand in load_hands(file)]

    def steps(self, file: Path, number: int, rules: object = None) -> HandSteps:
        """See `HistoryFormat`; fractions of chips are counted in a smaller unit."""
        return phh_steps(hand_number(number, load_hands(file), file), rules)

    def load_recorded_hands(self, file: Path) -> Iterator[RecordedHand | str]:
        """See `HistoryFormat`."""
        return make_recorded_hands(partial(to_recorded_hand, hand) for hand in load_hands(file))


def phh_steps(hand: Hand, rules: object) -> HandSteps:
    """Return a hand decision by decision; ValueError where it cannot be played."""
    under = check_rules(rules)
    game = holdem_game("holdem", config_of(hand, under))
    (_, dealt), *later = replay_tables(hand, under)
    tables = np.concatenate([dealt, *(table for _, table in later)])
    actions = tuple(hand.actions[index] for index, _ in later)
    return HandSteps(game, hand.source, tuple(hand.fields.get("players", ())), tables, actions)


def to_recorded_hand(hand: Hand) -> RecordedHand:
    """Return a hand as a table plays it again; ValueError if hole cards are missing or it is not legal."""
    return playable_hand(read_decisions(hand))


PHH: HistoryFormat = PhhFormat()
