"""The format of Big 2 as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from card_envs.game import Game
from card_envs.games.big2.actions import POSITIONS
from card_envs.games.big2.config import Big2Config, is_big2
from card_envs.games.big2.kernels import step
from card_envs.games.big2.state import HAND_SIZE, NUM_SEATS
from card_envs.history.big2.format import Big2Deal, Play, dump_deal, load_deals
from card_envs.history.big2.replay import Big2Replay
from card_envs.history.history_format import HistoryFormat, HistoryWriter
from card_envs.history.recording import PlayedHands, names_by_seat


class _Writer(HistoryWriter):
    def __init__(self, game: Game, names: tuple[str, ...]) -> None:
        self._config, self._names = game.config, names

    def hands(self, played: PlayedHands) -> Iterator[str]:
        tables = played.dealt.copy()
        for i, actions in enumerate(played.actions):
            number = int(played.numbers[i])
            names = names_by_seat(self._names, number)
            yield dump_deal(_replay_hand(self._config, tables[i : i + 1], actions, number, names)) + "\n"


class Big2Format(HistoryFormat[Big2Deal]):
    """This project's text format for Big 2. A file names its rules; the argument `rules` is not used."""

    suffixes = (".big2",)

    def why_not(self, game: Game) -> str | None:
        """See `HistoryFormat`."""
        return None if is_big2(game) else "it is for Big 2"

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`."""
        return _Writer(game, names)

    def load_hands(self, file: Path) -> list[Big2Deal]:
        """See `HistoryFormat`."""
        return load_deals(file)

    def begin(self, hand: Big2Deal, rules: object) -> Big2Replay:
        """See `HistoryFormat`."""
        return Big2Replay(hand)


def _replay_hand(config: Big2Config, tables: Any, actions: list[int], number: int, names: tuple[str, ...]) -> Big2Deal:
    """Take the actions at a table after the deal, and return the deal as it is written."""
    held = (int(sets[0]) | int(sets[1]) for sets in zip(tables["held"][0], tables["played"][0], strict=True))
    hands = tuple(tuple(order for order in range(NUM_SEATS * HAND_SIZE) if cards >> order & 1) for cards in held)
    leads_3d = not config.opening_decision and not tables["is_over"][0]  # a dragon wins before the first lead
    tricks: list[list[Play]] = [[(int(tables["opener"][0]), (0,))]] if leads_3d else []
    hand, actor, trick_size = tables["hand"][0], tables["actor"], tables["trick_size"]
    for action in actions:
        if not trick_size[0]:
            tricks.append([])
        seat = int(actor[0])
        tricks[-1].append((seat, tuple(int(hand[seat, position]) for position in POSITIONS[action])))
        step(tables, 0, action)
    payoffs = tuple(int(points) for points in tables["payoff"][0])
    return Big2Deal(number, config, names, hands, tuple(map(tuple, tricks)), payoffs)


BIG2 = Big2Format()
