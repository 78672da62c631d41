"""Recorded deals, one a line: last_trick; who sat where; who opened; hands; cards in the order of play; payoffs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from card_envs.game import ILLEGAL, Game
from card_envs.history import (
    HistoryFormat,
    HistoryWriter,
    ParsedHand,
    PlayedHands,
    RecordedHand,
    Replay,
    ReplayResult,
)
from card_envs.history.results import EXACT, MATCHED, MISMATCHED, Stop
from tests.third_game.game import dozen


class _Writer(HistoryWriter):
    def __init__(self, game: Game, names: tuple[str, ...]) -> None:
        self._game, self._names = game, names

    def hands(self, played: PlayedHands) -> Iterator[str]:
        for number, start, actions in zip(played.numbers.tolist(), played.dealt, played.actions, strict=True):
            table = start.reshape(1).copy()
            for action in actions:
                self._game.step(table, 0, action)
            n = len(self._names)
            yield json.dumps({
                "last_trick": self._game.config.settings["last_trick"],
                "names": [self._names[(seat - number) % n] for seat in range(n)],
                "opener": int(start["opener"]),
                "deck": start["deck"].tolist(),
                "cards": actions,
                "payoffs": table["payoff"][0].tolist(),
            }) + "\n"  # fmt: skip


@dataclass(frozen=True)
class DozenHand(ParsedHand):
    """File and line of a deal, and its fields."""

    source: str
    deal: dict[str, Any]

    def begin(self, rules: object = None) -> DozenReplay:
        return DozenReplay(self)


class DozenReplay(Replay):
    def __init__(self, hand: DozenHand) -> None:
        deal = self.deal = hand.deal
        self.source, self.names = hand.source, tuple(deal["names"])
        self.texts = tuple(str(card + 1) for card in deal["cards"])
        self._game = dozen(int(deal["last_trick"]))
        self.tables = self._game.new_tables(1)
        self.tables["opener"] = (int(deal["opener"]) - 1) % self._game.num_seats
        self._game.deal_with(self.tables, 0, {"deck": deal["deck"]})

    @property
    def game(self) -> Game:
        return self._game

    def play(self) -> Iterator[int]:
        for index, card in enumerate(self.deal["cards"]):
            if self._game.step(self.tables, 0, card) == ILLEGAL:
                raise Stop(MISMATCHED, self._game.why_illegal(self.tables, 0, card), index)
            yield index

    def result(self) -> ReplayResult:
        payoffs = self.tables["payoff"][0].tolist()
        if payoffs != self.deal["payoffs"]:
            raise Stop(MISMATCHED, f"payoffs {payoffs}, recorded {self.deal['payoffs']}")
        return ReplayResult(self.source, MATCHED, agreement=EXACT)

    def recorded_hand(self) -> RecordedHand:
        deal = self.deal
        recorded = RecordedHand(self.source, self._game, {"deck": deal["deck"]}, self.names, tuple(deal["cards"]))
        if recorded.tables_after(0)["opener"][0] != deal["opener"]:
            raise ValueError(f"{self.source}: another seat opens")
        return recorded


class DozenFormat(HistoryFormat):
    """One JSON object a line."""

    suffixes = (".dozen",)

    def why_not(self, game: Game) -> str | None:
        return None if game.name == "dozen" else f"{game.name} is not Dozen"

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        return _Writer(game, names)

    def load_hands(self, file: Path) -> list[DozenHand]:
        return [DozenHand(f"{file}:{n + 1}", json.loads(line)) for n, line in enumerate(file.read_text().splitlines())]


FORMAT = DozenFormat()
