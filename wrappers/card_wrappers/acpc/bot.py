"""Bots of the competition as agents in our matches."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions
from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION, raise_to_of
from card_envs.games.holdem.state import MENU_LIMIT
from card_envs.games.holdem.view import board, chips_before_street, hole_cards, is_shown, reaches_showdown
from card_envs.history.acpc.game_file import format_cards
from card_wrappers.acpc.protocol import (
    VERSION,
    AcpcProtocolError,
    LineConnection,
    game_definition,
    token_of,
)

_ANSWER = re.compile(r"f|c|r(\d{0,9})")


@dataclass
class _Hand:
    """A hand from the view of one seat of a bot."""

    number: int
    decisions: list[tuple[int, str]] = field(default_factory=list)
    """(street, token) of every decision so far."""
    num_sent: int = -1
    """Number of decisions in the last state that was sent; -1 before the first state."""


class AcpcBot(Agent):
    """An agent that plays the actions of a program which speaks the protocol.

    A match with one table (`num_tables=1`, no duplicate deals) sends the bot one hand after another. Other matches send
    the states of several hands in turn; this is no problem for bots without memory. A raise that the game does not
    offer is replaced by the nearest legal raise and counted in `num_rounded_raises`; bet_menu="integers" offers all.

    Args:
        game: The game of the match; `game_definition` describes it for the bot.
        connection: Socket that the bot is connected to.
        timeout: Seconds to wait for an answer; None for ever.
        name: Name of the agent in results.

    Raises:
        ValueError: If the protocol cannot describe the game.
        AcpcProtocolError: If the bot does not begin with its version.
    """

    name = "acpc_bot"

    def __init__(
        self, game: Game, connection: socket.socket, timeout: float | None = 600.0, name: str = "acpc_bot"
    ) -> None:
        game_definition(game)
        self.name = name
        self.num_rounded_raises = 0
        self._game = game
        self._hands: dict[tuple[int, int], _Hand] = {}
        self._numbers: dict[int, int] = {}
        self._dealt = 0
        self._connection = LineConnection(connection, timeout)
        version = self._connection.receive()
        if version is None or not re.fullmatch(r"VERSION:2\.\d{1,9}\.\d{1,9}", version):
            raise AcpcProtocolError(f"{str(version)[:80]!r} is not {VERSION}")

    def can_play(self, game: Game) -> bool:
        """Return True for the game that the bot was made for."""
        return bool(game.name == self._game.name and game.config == self._game.config)

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Number the hands that begin."""
        for table in table_ids.tolist():
            self._numbers[table] = self._dealt
            self._dealt += 1
            for key in [key for key in self._hands if key[0] == table]:
                del self._hands[key]

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        """Record the betting."""
        for j, action in enumerate(actions.tolist()):
            view = decisions.views[j]
            hand = self._hand(int(decisions.table_ids[j]), int(decisions.seats[j]))
            hand.decisions.append((int(view["street"]), token_of(view, action)))

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Ask the bot for an action (n,) of each decision."""
        return np.array([self._ask(decisions, j) for j in range(len(decisions))], np.int64)

    def sees_end(self, ends: Decisions) -> None:
        """Send the final states of the hands."""
        for j, seat in enumerate(ends.seats.tolist()):
            hand = self._hand(int(ends.table_ids[j]), seat)
            self._send_states(hand, ends.views[j], seat, is_end=True)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _hand(self, table: int, seat: int) -> _Hand:
        if table not in self._numbers:
            raise ValueError(f"agent {self.name!r} was not told of this deal: it can only play in matches")
        return self._hands.setdefault((table, seat), _Hand(self._numbers[table]))

    def _ask(self, decisions: Decisions, j: int) -> int:
        seat, view = int(decisions.seats[j]), decisions.views[j]
        state = self._send_states(self._hand(int(decisions.table_ids[j]), seat), view, seat, is_end=False)
        while True:
            line = self._connection.receive()
            if line is None:
                raise AcpcProtocolError("the bot hung up")
            asked, _, answer = line.rpartition(":")
            if asked == state:  # the competition's dealer also ignores answers to other states
                break
        match = _ANSWER.fullmatch(answer)
        if match is None:
            raise AcpcProtocolError(f"answer {answer[:40]!r} is not f, c or r and a number")
        if answer in ("f", "c"):
            return FOLD_ACTION if answer == "f" else CALL_ACTION
        return self._raise(view, match[1], decisions.legal_actions(j))

    def _raise(self, t: Any, total: str, legal: Iterable[int]) -> int:
        """Return the legal raise whose total since the deal is nearest to `total`; the call if no raise is legal."""
        raises = [action for action in legal if action >= FIRST_RAISE_ACTION]
        if not raises:
            self.num_rounded_raises += 1
            return CALL_ACTION
        if t.menu == MENU_LIMIT:
            return raises[0]
        wanted = int(total or 0) - chips_before_street(t)
        action = min(raises, key=lambda action: abs(int(raise_to_of(t, action)) - wanted))
        self.num_rounded_raises += int(raise_to_of(t, action)) != wanted
        return action

    def _send_states(self, hand: _Hand, view: Any, seat: int, is_end: bool) -> str:
        """Send the states since the last one, and return the newest."""
        state = ""
        for count in range(hand.num_sent + 1, len(hand.decisions) + 1):
            is_newest = count == len(hand.decisions)
            street = int(view["street"]) if is_newest else hand.decisions[count][0]
            if is_newest and is_end and reaches_showdown(view):
                street = len(self._game.config.board_cards) - 1
            state = self._format_state(hand, hand.decisions[:count], view, seat, street, is_newest and is_end)
            self._connection.send(state)
        hand.num_sent = len(hand.decisions)
        return state

    def _format_state(
        self, hand: _Hand, decisions: Sequence[tuple[int, str]], view: Any, seat: int, street: int, is_end: bool
    ) -> str:
        """Return the line of a state; the cards of other seats are part of it at the end of a hand that shows them."""
        config, n = self._game.config, self._game.num_seats
        betting = "/".join("".join(token for on, token in decisions if on == k) for k in range(street + 1))
        by_position = [(int(view["button"]) + 1 + k) % n for k in range(n)]
        holes = [hole_cards(view, k) if k == seat or (is_end and is_shown(view, k)) else [] for k in by_position]
        ends = list(accumulate(config.board_cards))[: street + 1]
        cards = format_cards(config, holes, [board(view)[start:end] for start, end in pairwise(ends)])
        return f"MATCHSTATE:{by_position.index(seat)}:{hand.number}:{betting}:{cards}"


def accept_bot(game: Game, port: int, host: str = "127.0.0.1", timeout: float | None = 60.0) -> AcpcBot:
    """Wait for a bot to connect to a port, and return it.

    Args:
        game: The game of the match.
        port: Port to listen at.
        host: Address to listen at.
        timeout: Seconds to wait for the connection; None for ever.

    Raises:
        TimeoutError: If no bot connects in time.
        ValueError: If the protocol cannot describe the game.
        AcpcProtocolError: If the bot does not begin with its version.
    """
    with socket.create_server((host, port)) as listener:
        listener.settimeout(timeout)
        connection, _ = listener.accept()
    return AcpcBot(game, connection, name=f"acpc_bot_{port}")
