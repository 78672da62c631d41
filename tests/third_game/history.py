"""Recorded deals, one a line: last_trick; who sat where; who opened; hands; cards in the order of play; payoffs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from card_envs.game import ILLEGAL, Game, Tables
from card_envs.history import HistoryFormat, HistoryWriter
from card_envs.history.recorded_hand import RecordedHand
from card_envs.history.recording import PlayedHands
from card_envs.history.results import EXACT, MATCHED, MISMATCHED, ReplayResult
from card_envs.history.steps import HandSteps
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


Recorded = tuple[str, dict[str, Any]]
"""File and line of a deal, and its fields."""


class DozenFormat(HistoryFormat[Recorded]):
    """One JSON object a line."""

    suffixes = (".dozen",)

    def why_not(self, game: Game) -> str | None:
        return None if game.name == "dozen" else f"{game.name} is not Dozen"

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        return _Writer(game, names)

    def load_hands(self, file: Path) -> list[Recorded]:
        return [(f"{file}:{n + 1}", json.loads(line)) for n, line in enumerate(file.read_text().splitlines())]

    def replay_hand(self, hand: Recorded, rules: object) -> ReplayResult:
        return _replay(*hand)

    def hand_steps(self, hand: Recorded, rules: object) -> HandSteps:
        source, deal = hand
        game, tables = _dealt(deal)
        frames = [tables.copy()]
        for card in deal["cards"]:
            game.step(tables, 0, card)
            frames.append(tables.copy())
        names = tuple(str(card + 1) for card in deal["cards"])
        return HandSteps(game, source, tuple(deal["names"]), np.concatenate(frames), names)

    def to_recorded_hand(self, hand: Recorded) -> RecordedHand:
        source, deal = hand
        game, _ = _dealt(deal)
        recorded = RecordedHand(source, game, {"deck": deal["deck"]}, tuple(deal["names"]), tuple(deal["cards"]))
        if recorded.tables_after(0)["opener"][0] != deal["opener"]:
            raise ValueError(f"{source}: another seat opens")
        return recorded


def _dealt(deal: dict[str, Any]) -> tuple[Game, Tables]:
    game = dozen(int(deal["last_trick"]))
    tables = game.new_tables(1)
    tables["opener"] = (int(deal["opener"]) - 1) % game.num_seats
    game.deal_with(tables, 0, {"deck": deal["deck"]})
    return game, tables


def _replay(source: str, deal: dict[str, Any]) -> ReplayResult:
    game, tables = _dealt(deal)
    for index, card in enumerate(deal["cards"]):
        if game.step(tables, 0, card) == ILLEGAL:
            return ReplayResult(source, MISMATCHED, game.why_illegal(tables, 0, card), index)
    if tables["payoff"][0].tolist() != deal["payoffs"]:
        return ReplayResult(source, MISMATCHED, f"payoffs {tables['payoff'][0].tolist()}, recorded {deal['payoffs']}")
    return ReplayResult(source, MATCHED, agreement=EXACT)


FORMAT = DozenFormat()
