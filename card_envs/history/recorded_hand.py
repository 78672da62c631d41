"""Recorded hands that can be played step by step, in any game that has their actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from card_envs.cards import NO_CARD
from card_envs.game import Game, Tables
from card_envs.games.holdem.actions import INTEGERS_OFFSET
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.state import RAISE
from card_envs.history.acpc import format as acpc_format
from card_envs.history.acpc import replay as acpc_replay
from card_envs.history.big2 import format as big2_format
from card_envs.history.big2 import replay as big2_replay
from card_envs.history.phh import format as phh_format
from card_envs.history.phh import replay as phh_replay
from card_envs.history.recorded_cards import RecordedDecisions

_SMALL_GAMES = {6: "leduc_holdem", 3: "kuhn_poker"}
"""Cards of a deck -> what the game is called."""


@dataclass(frozen=True)
class RecordedHand:
    """A hand as the tables of a game play it again."""

    source: str
    game: Game
    options: dict[str, Any]
    """For `Game.deal_with`."""
    names: tuple[str, ...]
    """By seat."""
    actions: tuple[int, ...]
    others: tuple[Game, ...] = ()
    """The same game with other bet menus, in which agents may know it."""

    def tables_after(self, step: int) -> Tables:
        """Return one table after the first `step` actions; a ValueError says which of them is illegal."""
        tables = self.game.seeded_tables(1, 0)
        self.game.deal_with(tables, 0, self.options)
        for action in self.actions[:step]:
            if self.game.step(tables, 0, action) < -1:
                raise ValueError(f"{self.source}: {self.game.why_illegal(tables, 0, action)}")
        return tables

    def in_game(self, game: Game, step: int) -> Tables | None:
        """Return the table of another game after the same actions, by their names; None if one is not on its menu."""
        ours, theirs = self.tables_after(0), game.seeded_tables(1, 0)
        game.deal_with(theirs, 0, self.options)
        for action in self.actions[:step]:
            name = self.game.action_name(ours, 0, action)
            same = next((each for each in range(game.num_actions) if _is_called(game, theirs, each, name)), None)
            if same is None:
                return None
            self.game.step(ours, 0, action)
            game.step(theirs, 0, same)
        return theirs


def _is_called(game: Game, tables: Tables, action: int, name: str) -> bool:
    return game.action_name(tables, 0, action) == name and game.step(tables.copy(), 0, action) >= -1


def recorded_hands(file: Path) -> Iterator[RecordedHand | str]:
    """Yield the hands of a PHH file, an ACPC log or a file of Big 2 deals; a reason in words for one that is not shown.

    Raises HandHistoryError for a file that is none of these.
    """
    read: Callable[[Path], Iterator[Callable[[], RecordedHand]]]
    read = {".acpc": _acpc_hands, ".log": _acpc_hands, ".big2": _big2_hands}.get(file.suffix, _phh_hands)
    for make in read(file):
        try:
            yield make()
        except ValueError as error:
            yield str(error)


def _phh_hands(file: Path) -> Iterator[Callable[[], RecordedHand]]:
    for hand in phh_format.load_hands(file):
        yield partial(_of_phh, hand)


def _acpc_hands(file: Path) -> Iterator[Callable[[], RecordedHand]]:
    log = acpc_format.load_log(file)
    for hand in log.hands:
        yield partial(_of_acpc, hand, log.config)


def _big2_hands(file: Path) -> Iterator[Callable[[], RecordedHand]]:
    for deal in big2_format.load_deals(file):
        yield partial(_of_big2, deal)


def _of_phh(hand: phh_format.Hand) -> RecordedHand:
    return _of_holdem(phh_replay.recorded_decisions(hand))


def _of_acpc(hand: acpc_format.AcpcHand, config: HoldemConfig) -> RecordedHand:
    return _of_holdem(acpc_replay.recorded_decisions(hand, config))


def _of_holdem(recorded: RecordedDecisions) -> RecordedHand:
    config = replace(recorded.config, stacks=recorded.stacks)
    n = config.num_players
    if NO_CARD in recorded.known[: n * config.num_hole_cards]:
        raise ValueError(f"{recorded.source}: hole cards are not recorded")
    is_limit = config.structure == "limit"
    shown = config if is_limit else replace(config, bet_menu="integers")  # so that every amount can be shown
    actions = [
        kind if kind < RAISE or is_limit else raise_to + INTEGERS_OFFSET for kind, raise_to in recorded.decisions
    ]
    hand = RecordedHand(
        source=recorded.source,
        game=holdem_game(_name(config), shown),
        options={
            "button": n - 1,
            "stacks": list(recorded.stacks),
            "deck": [card for card in recorded.known if card != NO_CARD],
        },
        names=recorded.names,
        actions=tuple(actions),
        others=() if is_limit else (holdem_game(_name(config), config),),
    )
    hand.tables_after(len(actions))
    return hand


def _name(config: HoldemConfig) -> str:
    if config.is_texas:
        return "limit_holdem" if config.structure == "limit" else "no_limit_holdem"
    return _SMALL_GAMES.get(config.deck_size, "holdem")


def _of_big2(deal: big2_format.Big2Deal) -> RecordedHand:
    game, hands, actions = big2_replay.recorded_actions(deal)
    return RecordedHand(deal.source, game, {"hands": hands}, deal.players, tuple(actions))
