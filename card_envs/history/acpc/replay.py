"""`AcpcReplay`: the replay of a hand of a log of the Annual Computer Poker Competition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from card_envs.cards import NO_CARD
from card_envs.game import NOBODY
from card_envs.games.holdem.state import CALL, STREET_NAMES
from card_envs.games.holdem.view import chips_before_street
from card_envs.history.hand_record import Move
from card_envs.history.holdem_replay import HoldemReplay
from card_envs.history.results import MISMATCHED, Number, Stop


class AcpcReplay(HoldemReplay):
    """The replay of a hand of a log.

    No seat is named. Raises count from the deal on, and have no amount in limit games. A seat that can only check is
    asked although our tables skip it. Messages name players and letters of the betting.
    """

    @property
    def seat_names(self) -> tuple[str, ...]:
        """Names of the players."""
        return self.names

    def format_amounts(self, amounts: Iterable[Number]) -> str:
        """Return amounts by seat as the log writes them."""
        return "|".join(map(str, amounts))

    def _deal_board(self, index: int, move: Move) -> None:
        if self.board_dealt + len(move.cards) > self.board_due:
            self._stop(index, f"the {self._street_of_board()} is not over; {self.situation()}")
        super()._deal_board(index, move)

    def _decide(self, index: int, move: Move) -> bool:
        if move.kind == CALL and self.is_showdown:
            return False
        if self.actor != NOBODY and self.board_dealt != self.board_due:
            self._stop(index, f"the {self._street_of_board()} is over: write / before the next action")
        return super()._decide(index, move._replace(seat=self.actor))

    def _street_of_board(self) -> str:
        """Return the name of the street whose board cards the log has dealt last."""
        return STREET_NAMES[self.board_by_street.index(self.board_dealt)]

    def _raise_to(self, index: int, move: Move) -> int:
        is_limit = self.record.config.structure == "limit"
        if bool(move.amount) == is_limit:
            self._stop(index, self.situation())
        return int(self.table.max_raise_to) if is_limit else super()._raise_to(index, move) - self._earlier_chips()

    def _earlier_chips(self) -> int:
        return 0 if self.record.config.structure == "limit" else chips_before_street(self.table)

    def _stop(self, index: int, reason: str) -> NoReturn:
        action = f"action {index + 1} of the betting, {self.texts[index]!r},"
        raise Stop(MISMATCHED, f"{action} is not legal: {reason}", index)

    def _check_end(self) -> None:
        """Raise `Stop` unless the betting is over, and the betting and the cards have the board of its last street."""
        if self.actor != NOBODY:
            raise Stop(MISMATCHED, f"the recorded betting ends although {self.situation()}")
        config = self.record.config
        streets = len(config.board_cards) if self.is_showdown else int(self.street[0]) + 1
        known = sum(card != NO_CARD for card in self.record.known[len(self.stack) * config.num_hole_cards :])
        if {self.board_dealt, known} != {self.board_by_street[streets - 1]}:
            reason = f"the hand has {streets} streets, but the betting or the board of the log has another"
            raise Stop(MISMATCHED, reason)
