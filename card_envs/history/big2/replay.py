"""`Big2Deal`: a recorded deal of Big 2, and its replay, which checks every play and the payoffs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, NoReturn

from card_envs.game import ILLEGAL, NOBODY, Game
from card_envs.games.big2.actions import PASS, action_of
from card_envs.games.big2.combos import card_of, order_names
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.game import big2_game
from card_envs.games.big2.kernels import deal_known, step
from card_envs.games.big2.state import HAND_SIZE
from card_envs.history.replay import ParsedHand, RecordedHand, Replay
from card_envs.history.results import EXACT, MATCHED, MISMATCHED, ReplayResult, Stop

Play = tuple[int, tuple[int, ...]]
"""Seat, and the order numbers of the played cards, lowest first; no cards for a pass."""


@dataclass(frozen=True)
class Big2Deal(ParsedHand):
    """One deal: hands, plays and payoffs."""

    number: int
    config: Big2Config
    players: tuple[str, ...]
    hands: tuple[tuple[int, ...], ...]
    """Hands by seat, 13 order numbers each, lowest first."""
    tricks: tuple[tuple[Play, ...], ...]
    payoffs: tuple[int, ...]
    """Points by seat."""
    source: str = ""
    """File and line of the deal."""

    def begin(self, rules: object = None) -> Big2Replay:
        """Return the replay of the deal, which names its rules; the argument is not used."""
        return Big2Replay(self)


class Big2Replay(Replay):
    """The replay of one deal."""

    def __init__(self, deal: Big2Deal) -> None:
        self.deal, self.names = deal, deal.players
        self._game, template = _template(deal.config)
        self.tables = template.copy()
        self.tables["hand"][0], self.tables["num_cards"][0] = deal.hands, HAND_SIZE
        self.tables["held"][0] = [sum(1 << order for order in hand) for hand in deal.hands]
        self.actor = int(deal_known(self.tables, 0))
        self.hands = [list(hand) for hand in deal.hands]
        self.plays = [play for trick in deal.tricks for play in trick]
        self.line_starts = set(accumulate(map(len, deal.tricks), initial=0))
        """Indices of the plays that begin a line of the file."""
        self.texts = tuple(order_names(cards) or "pass" for _, cards in self.plays)
        self.actions: list[int] = []
        self.first = 0
        """Index of the first play that is a decision."""
        if not deal.config.opening_decision and self.actor != NOBODY:
            opener = next(seat for seat, hand in enumerate(self.hands) if hand[0] == 0)
            if self.plays[:1] != [(opener, (0,))]:
                raise Stop(MISMATCHED, f"the first play must be '{opener} 3D': the seat with 3D leads it", 0)
            self.hands[opener].remove(0)
            self.first = 1

    @property
    def game(self) -> Game:
        """Big 2 under the rules of the deal."""
        return self._game

    def play(self) -> Iterator[int]:
        """Make the recorded plays; yield the index of each decision. `Stop` for an illegal play or no end."""
        for index in range(self.first, len(self.plays)):
            seat, cards = self.plays[index]
            if seat != self.actor:
                self._stop(index, self._whose_turn())
            begins_trick = not self.tables["trick_size"][0]
            if begins_trick != (index in self.line_starts):
                self._stop(index, "a new trick begins here" if begins_trick else "the trick of the line before goes on")
            action = self._action(index)
            self.actor = int(step(self.tables, 0, action))
            if self.actor == ILLEGAL:
                self._stop(index, self._game.why_illegal(self.tables, 0, action))
            for card in cards:
                self.hands[seat].remove(card)
            self.actions.append(action)
            yield index
        if self.actor != NOBODY:
            raise Stop(MISMATCHED, f"the recorded plays end although {self._whose_turn()}")

    def result(self) -> ReplayResult:
        """Compare the payoffs with the recorded ones."""
        ours, recorded = tuple(self.tables["payoff"][0].tolist()), self.deal.payoffs
        if ours == recorded:
            return ReplayResult(self.deal.source, MATCHED, agreement=EXACT, stacks=ours)
        reason = f"payoffs are {recorded} in the recording, {ours} by the rules"
        return ReplayResult(self.deal.source, MISMATCHED, reason, stacks=ours)

    def recorded_hand(self) -> RecordedHand:
        """Return the deal after its last play in the form that a table plays."""
        hands = [[card_of(order) for order in hand] for hand in self.deal.hands]
        return RecordedHand(self.deal.source, self._game, {"hands": hands}, self.names, tuple(self.actions))

    def _action(self, index: int) -> int:
        seat, cards = self.plays[index]
        if not cards:
            return PASS
        hand = self.hands[seat]
        try:
            return action_of(hand.index(card) for card in cards)
        except ValueError:
            held = set(cards) <= set(hand)
            self._stop(index, "they are not a combination" if held else f"the seat holds {order_names(hand)}")

    def _whose_turn(self) -> str:
        return "the deal is over" if self.actor == NOBODY else f"player_{self.actor} is to act"

    def _stop(self, index: int, reason: str) -> NoReturn:
        seat, _ = self.plays[index]
        tricks = [number for number, trick in enumerate(self.deal.tricks, start=1) for _ in trick]
        where = f"trick {tricks[index]}, play {index + 1} '{seat} {self.texts[index]}'"
        raise Stop(MISMATCHED, f"{where} is not legal: {reason}", index)


@lru_cache(maxsize=64)
def _template(config: Big2Config) -> tuple[Game, Any]:
    """Return the game of a configuration, and a read-only table to copy."""
    game = big2_game(config)
    tables = game.new_tables(1)
    tables.flags.writeable = False
    return game, tables
