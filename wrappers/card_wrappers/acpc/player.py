"""Our agents at a dealer of the competition."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from card_envs.agent import Agent, decisions_at
from card_envs.agent.hooks import end_deals, show_actions
from card_envs.game import NOBODY, Game, Tables, check_actions
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION, INTEGERS_OFFSET
from card_envs.games.holdem.state import MENU_INTEGERS
from card_envs.games.holdem.view import chips_before_street, is_shown, reaches_showdown
from card_envs.history.acpc.hand import AcpcHand
from card_envs.history.replay import replay_tables
from card_envs.rng import make_generator
from card_wrappers.acpc.protocol import (
    VERSION,
    AcpcProtocolError,
    LineConnection,
    parse_state,
    token_of,
)

_ROW = np.zeros(1, np.int64)


@dataclass(frozen=True)
class DealtHand:
    """A hand that an agent played at a dealer."""

    number: int
    position: int
    """Position of the agent: 0 for the first seat left of the button."""
    payoff: int
    """Chips that the agent won, by our rules from the shown cards. The dealer's log may divide odd chips."""
    state: str
    """Last line that the dealer sent."""


class AcpcPlayer:
    """An agent that plays at a dealer of the competition.

    Args:
        game: The game, from `make_acpc_game`.
        agent: The agent.
        seed: Seed of the agent's random numbers.
    """

    def __init__(self, game: Game, agent: Agent, seed: int = 0) -> None:
        self.game, self.agent = game, agent
        self._encoder = agent.find_encoder(game)
        self._rng = make_generator(seed)
        self._number: int | None = None
        self._num_shown = 0

    def play(self, host: str, port: int, timeout: float | None = 600.0) -> list[DealtHand]:
        """Play the hands of a dealer until it disconnects, and return them.

        Args:
            host: Name or address of the dealer.
            port: Port that the dealer opened for this seat.
            timeout: Seconds to wait for a line; None for ever.

        Raises:
            AcpcProtocolError: If the dealer breaks the protocol, or disconnects in the middle of a hand.
            OSError: If the dealer cannot be reached.
        """
        connection = LineConnection(socket.create_connection((host, port), timeout=30.0), timeout)
        hands: list[DealtHand] = []
        is_over: dict[int, bool] = {}  # by the number of the hand
        self._number = None  # another match may begin with the number of the last hand
        try:
            connection.send(VERSION)
            while (line := connection.receive()) is not None:
                number = parse_state(line, self.game)[1].number
                if is_over.get(number):
                    raise AcpcProtocolError(f"hand {number} is over, but the dealer sends {line[:80]!r}")
                hand, answer = self.respond(line)
                is_over[number] = hand is not None
                if hand is not None:
                    hands.append(hand)
                elif answer is not None:
                    connection.send(f"{line}:{answer}")
        finally:
            connection.close()
        if not all(is_over.values()):
            raise AcpcProtocolError("the dealer hung up in the middle of a hand")
        return hands

    def respond(self, line: str) -> tuple[DealtHand | None, str | None]:
        """Process a line of the dealer.

        Args:
            line: The line, without a line break.

        Returns:
            (hand, None) if the hand is over, (None, answer) if the agent acts, (None, None) if another seat acts.

        Raises:
            AcpcProtocolError: If the line is not a state of the game.
        """
        position, hand = parse_state(line, self.game)
        holes = hand.cards.partition("/")[0].split("|")
        if position < len(holes) and not holes[position]:
            raise AcpcProtocolError(f"{hand.source}: the dealer shows position {position} no cards of its own")
        try:
            steps = list(replay_tables(hand))
        except ValueError as error:
            raise AcpcProtocolError(str(error)) from error
        if hand.number != self._number:
            self._number, self._num_shown = hand.number, 0
            self.agent.deal_starts(_ROW)
        self._show_actions(hand.tokens, steps, position)
        tables = steps[-1][1]
        actor = int(tables["actor"][0])
        if actor == NOBODY:
            return self._finish(tables, position, hand, line)
        return None, self._answer(tables) if actor == position else None

    def _answer(self, tables: Tables) -> str:
        decisions = decisions_at(self.game, tables, _ROW, _ROW, self._rng.random(1), encoder=self._encoder)
        action = int(check_actions(self.agent.act(decisions, self._rng), 1)[0])
        if self.game.first_illegal(tables, _ROW, np.array([action])) >= 0:
            raise ValueError(f"agent {self.agent.name!r}: {self.game.why_illegal(tables, 0, action)}")
        return token_of(tables[0], action)

    def _finish(self, tables: Tables, position: int, hand: AcpcHand, line: str) -> tuple[DealtHand | None, str | None]:
        t = tables[0]
        is_showdown = reaches_showdown(t)
        if is_showdown and hand.betting.count("/") < len(self.game.config.board_cards) - 1:
            return None, "c"  # the dealer asks a seat that can only check; our tables skip this decision
        shown = hand.cards.split("/")[0].split("|")
        if is_showdown and not all(shown[k] for k in range(self.game.num_seats) if is_shown(t, k)):
            return None, "c"
        end_deals(self.game, self.agent, tables, _ROW, _ROW, np.array([[position]]))
        return DealtHand(hand.number, position, int(t.payoff[position]), line), None

    def _show_actions(self, tokens: Sequence[str], steps: Sequence[tuple[int, Tables]], position: int) -> None:
        """Call `observe_actions` of the agent for the actions since the last state."""
        if self.agent.needs_actions:
            for k in range(max(1, self._num_shown + 1), len(steps)):
                before = steps[k - 1][1].copy()
                action = _action_of(before, tokens[steps[k][0]])
                show_actions(self.game, self.agent, before, _ROW, _ROW, np.array([[position]]), np.array([action]))
        self._num_shown = len(steps) - 1


def _action_of(tables: Tables, token: str) -> int:
    """Return the action id of a token of the betting; for a raise to an amount, set the table's menu to "integers"."""
    if token in ("f", "c"):
        return FOLD_ACTION if token == "f" else CALL_ACTION
    if token == "r":
        return FIRST_RAISE_ACTION
    tables["menu"] = MENU_INTEGERS
    return INTEGERS_OFFSET + int(token[1:]) - chips_before_street(tables[0])
