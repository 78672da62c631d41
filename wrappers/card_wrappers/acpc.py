"""The Annual Computer Poker Competition over TCP: our agents at its dealer, and its bots in our matches.

Protocol version 2: one line for every state of a hand, `MATCHSTATE:POSITION:HAND:BETTING:CARDS`, and the seat to act
answers with the same line and `:f`, `:c`, `:r` or `:rTOTAL` behind it, all chips that it has put in since the deal. The
log format has the same betting and cards, see `card_envs.history.acpc`.
"""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions, decisions_at
from card_envs.cards import NO_CARD, card_name
from card_envs.game import NOBODY, Game, Tables
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION, INTEGERS_OFFSET, raise_to_of
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.state import MENU_INTEGERS, MENU_LIMIT
from card_envs.games.holdem.view import board, hole_cards, is_shown
from card_envs.history.acpc.format import AcpcHand
from card_envs.history.acpc.game_file import KNOWN_GAMES, card_shift, game_lines, parse_game
from card_envs.history.acpc.replay import replay_acpc_tables

VERSION = "VERSION:2.0.0"
_MAX_LINE = 10_000
"""Maximum number of characters of a line; no hand that the protocol allows is longer."""
_STATE = re.compile(r"MATCHSTATE:(\d{1,2}):(\d{1,10}):([fcr0-9/]*):([2-9TJQKAcdhs|/]*)")
_ANSWER = re.compile(r"f|c|r(\d{0,9})")
_ROW = np.zeros(1, np.int64)


class AcpcProtocolError(RuntimeError):
    """Raised when the other side breaks the protocol, times out, or disconnects in the middle of a hand."""


# --- games ------------------------------------------------------------------------------------------------------------


def make_acpc_game(definition: str | Path | HoldemConfig, bet_menu: str | None = None) -> Game:
    """Return the game of an ACPC definition.

    Args:
        definition: A file with a game definition, the name of one that the competition played
            (`holdem.limit.2p.reverse_blinds.game` ...), or its settings.
        bet_menu: Raise sizes of a no-limit game: "integers" for every amount; None for the default menu.

    Returns:
        The game; its tables are dealt by the dealer, so `deal` is not needed. Seat and position are the same.

    Raises:
        ValueError: If the definition describes a game that is not supported.
    """
    config = definition if isinstance(definition, HoldemConfig) else parse_game(_definition_lines(definition))
    if bet_menu is not None and config.structure != "limit":
        config = replace(config, bet_menu=bet_menu)
    if not config.is_texas:
        return holdem_game("flop_holdem" if config.is_flop_holdem else "holdem", config)
    return holdem_game("limit_holdem" if config.structure == "limit" else "no_limit_holdem", config)


def _definition_lines(definition: str | Path) -> Sequence[str]:
    path = Path(definition)
    if path.is_file():
        return path.read_text(encoding="ascii", errors="replace").splitlines()
    if str(definition) in KNOWN_GAMES:
        return KNOWN_GAMES[str(definition)]
    raise ValueError(f"game {str(definition)!r} is neither a file nor one of {sorted(KNOWN_GAMES)}")


# --- lines ------------------------------------------------------------------------------------------------------------


class _Lines:
    """Lines of text over a socket, of limited length."""

    def __init__(self, connection: socket.socket, timeout: float | None) -> None:
        connection.settimeout(timeout)
        with contextlib.suppress(OSError):  # not every kind of socket has it
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        self._file = connection.makefile("rb")

    def read(self) -> str | None:
        """Return the next line that is no comment, None at the end."""
        while True:
            try:
                line = self._file.readline(_MAX_LINE + 1)
            except TimeoutError:
                raise AcpcProtocolError("the other side has been silent for too long") from None
            except ConnectionError:
                return None
            if not line:
                return None
            if len(line) > _MAX_LINE:
                raise AcpcProtocolError(f"a line is longer than {_MAX_LINE} characters")
            text = line.decode("ascii", "replace").strip()
            if text and text[0] not in "#;":
                return text

    def write(self, text: str) -> None:
        """Send a line."""
        try:
            self._connection.sendall(f"{text}\r\n".encode())
        except OSError as error:
            raise AcpcProtocolError(f"the other side does not listen: {error}") from error

    def close(self) -> None:
        """Close the connection."""
        self._file.close()
        self._connection.close()


def parse_state(line: str, game: Game) -> tuple[int, AcpcHand]:
    """Parse a line MATCHSTATE:...

    Returns:
        Position of the reader, and the hand so far.

    Raises:
        AcpcProtocolError: For another line.
    """
    match = _STATE.fullmatch(line)
    n = game.num_seats
    if match is None or int(match[1]) >= n:
        raise AcpcProtocolError(f"{line[:80]!r} is not a state of this game: MATCHSTATE:POSITION:HAND:BETTING:CARDS")
    names = tuple(f"position {k + 1}" for k in range(n))
    return int(match[1]), AcpcHand(int(match[2]), match[3], match[4], (0,) * n, names, f"hand {match[2]}")


# --- our agents at the competition's dealer ---------------------------------------------------------------------------


@dataclass(frozen=True)
class DealtHand:
    """A hand that was played at a dealer."""

    number: int
    position: int
    """0: the first seat left of the button."""
    payoff: int
    """Chips, by our rules from the cards that were shown; the dealer's log divides odd chips of split pots."""
    state: str
    """The last line of the dealer."""


class AcpcPlayer:
    """An agent at the table of a dealer.

    Args:
        game: From `make_acpc_game`.
        agent: The agent.
        seed: Seed of the agent's random numbers.
    """

    def __init__(self, game: Game, agent: Agent, seed: int = 0) -> None:
        self.game, self.agent = game, agent
        self._game = agent.apply_encoder(game)
        self._rng = np.random.default_rng(seed % 2**64)
        self._number: int | None = None
        self._num_shown = 0

    def play(self, host: str, port: int, timeout: float | None = 600.0) -> list[DealtHand]:
        """Play the hands of a dealer until it disconnects, and return them.

        Args:
            host: Name or address of the dealer.
            port: The port that it opened for this seat.
            timeout: Seconds to wait for a line, None for ever.

        Raises:
            AcpcProtocolError: If the dealer breaks the protocol, or disconnects in the middle of a hand.
            OSError: If the dealer cannot be reached.
        """
        lines = _Lines(socket.create_connection((host, port), timeout=30.0), timeout)
        hands: list[DealtHand] = []
        try:
            lines.write(VERSION)
            is_over = True
            while (line := lines.read()) is not None:
                hand, answer = self.respond(line)
                is_over = hand is not None
                if hand is not None:
                    hands.append(hand)
                elif answer is not None:
                    lines.write(f"{line}:{answer}")
        finally:
            lines.close()
        if not is_over:
            raise AcpcProtocolError("the dealer hung up in the middle of a hand")
        return hands

    def respond(self, line: str) -> tuple[DealtHand | None, str | None]:
        """Return the finished hand, or the answer to a state in which the agent is to act; (None, None) to wait."""
        position, hand = parse_state(line, self.game)
        try:
            frames = list(replay_acpc_tables(hand, self.game.config))
        except ValueError as error:
            raise AcpcProtocolError(str(error)) from error
        if hand.number != self._number:
            self._number, self._num_shown = hand.number, 0
            self.agent.deal_starts(_ROW)
        self._show_actions(frames, position)
        tables = frames[-1][1]
        actor = int(tables["actor"][0])
        if actor == NOBODY:
            return self._finish(tables, position, hand, line)
        return None, self._answer(tables) if actor == position else None

    def _answer(self, tables: Tables) -> str:
        decisions = decisions_at(self._game, tables, _ROW, _ROW, self._rng.random(1))
        action = int(self.agent.act(decisions, self._rng)[0])
        if self.game.first_illegal(tables, _ROW, np.array([action])) >= 0:
            raise ValueError(f"agent {self.agent.name!r}: {self.game.why_illegal(tables, 0, action)}")
        return sign_of(tables[0], action)

    def _finish(self, tables: Tables, position: int, hand: AcpcHand, line: str) -> tuple[DealtHand | None, str | None]:
        t = tables[0]
        in_hand = int(t.in_hand)
        is_showdown = in_hand & (in_hand - 1) != 0
        if is_showdown and hand.betting.count("/") < len(self.game.config.board_cards) - 1:
            return None, "c"  # the dealer still asks a seat that can only check; our tables do not
        shown = hand.cards.split("/")[0].split("|")
        if is_showdown and not all(shown[k] for k in range(self.game.num_seats) if in_hand >> k & 1):
            return None, "c"
        ends = Decisions(self._game, np.array([position]), _ROW, np.zeros(1), tables, _ROW)
        if self.agent.needs_showdowns:
            self.agent.sees_end(ends)
        self.agent.deal_ends(_ROW, tables["payoff"][:, : self.game.num_seats] / self.game.chips_per_reward)
        return DealtHand(hand.number, position, int(t.payoff[position]), line), None

    def _show_actions(self, frames: Sequence[tuple[str, Tables]], position: int) -> None:
        """Call `observe_actions` of the agent for the actions since the last state."""
        if self.agent.needs_actions:
            for k in range(max(1, self._num_shown + 1), len(frames)):
                before = frames[k - 1][1].copy()
                action = _id_of(before, frames[k][0])
                seen = Decisions(self._game, np.array([position]), _ROW, np.zeros(1), before, _ROW)
                self.agent.observe_actions(seen, np.array([action]))
        self._num_shown = len(frames) - 1


def _id_of(tables: Tables, sign: str) -> int:
    """Return the action id of a sign of the betting; amounts make the record one whose raises are all amounts."""
    if sign in ("f", "c"):
        return FOLD_ACTION if sign == "f" else CALL_ACTION
    if sign == "r":
        return FIRST_RAISE_ACTION
    t = tables[0]
    tables["menu"] = MENU_INTEGERS
    return INTEGERS_OFFSET + int(sign[1:]) - int(t.hand_commit[t.actor]) + int(t.street_commit[t.actor])


def sign_of(t: Any, action: int) -> str:
    """Return an action of the actor at a table in the protocol's words: f, c, r, or r and all chips since the deal."""
    if action in (FOLD_ACTION, CALL_ACTION):
        return "f" if action == FOLD_ACTION else "c"
    if t.menu == MENU_LIMIT:
        return "r"
    earlier = int(t.hand_commit[t.actor]) - int(t.street_commit[t.actor])
    return f"r{earlier + int(raise_to_of(t, action))}"


# --- bots of the competition in our matches ---------------------------------------------------------------------------


@dataclass
class _Hand:
    """A hand as one seat of a bot sees it."""

    number: int
    signs: list[tuple[int, str]] = field(default_factory=list)
    """(street, sign) of every decision so far."""
    num_sent: int = -1
    """Number of decisions in the last state that was sent."""


class AcpcBot(Agent):
    """A program that speaks the protocol, as an agent: the match is its dealer.

    A bot gets the states of one hand after the other if the match plays one table at a time (`num_tables=1`, no
    duplicate deals); else those of several hands mixed, which bots without memory do not mind. A raise that the game
    does not offer becomes the nearest legal one, and is counted in `num_rounded_raises`; with bet_menu="integers" there
    is none.

    Args:
        game: The game that is played; `game_definition` describes it for the bot.
        connection: Socket of the bot, such as that of `accept_bot`.
        timeout: Seconds for an answer.
        name: Name in results.

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
        self._lines = _Lines(connection, timeout)
        version = self._lines.read()
        if version is None or not re.fullmatch(r"VERSION:2\.\d{1,9}\.\d{1,9}", version):
            raise AcpcProtocolError(f"{str(version)[:80]!r} is not {VERSION}")

    def can_play(self, game: Game) -> bool:
        """Return True for the game that it was made for."""
        return bool(game.name == self._game.name and game.config == self._game.config)

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Give the hands their numbers."""
        for table in table_ids.tolist():
            self._numbers[table] = self._dealt
            self._dealt += 1
            for key in [key for key in self._hands if key[0] == table]:
                del self._hands[key]

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        """Write the betting down."""
        for j, action in enumerate(actions.tolist()):
            view = decisions.views[j]
            hand = self._hand(int(decisions.table_ids[j]), int(decisions.seats[j]))
            hand.signs.append((int(view["street"]), sign_of(view, action)))

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Ask the bot."""
        return np.array([self._ask(decisions, j) for j in range(len(decisions))], np.int64)

    def sees_end(self, ends: Decisions) -> None:
        """Send the last states of the hands."""
        for j, seat in enumerate(ends.seats.tolist()):
            hand = self._hand(int(ends.table_ids[j]), seat)
            self._tell(hand, ends.views[j], seat, is_end=True)

    def close(self) -> None:
        """Close the connection."""
        self._lines.close()

    def _hand(self, table: int, seat: int) -> _Hand:
        if table not in self._numbers:
            raise ValueError(f"agent {self.name!r} plays where it is told of deals and actions: in matches")
        return self._hands.setdefault((table, seat), _Hand(self._numbers[table]))

    def _ask(self, decisions: Decisions, j: int) -> int:
        seat, view = int(decisions.seats[j]), decisions.views[j]
        state = self._tell(self._hand(int(decisions.table_ids[j]), seat), view, seat, is_end=False)
        while True:
            line = self._lines.read()
            if line is None:
                raise AcpcProtocolError("the bot hung up")
            asked, _, answer = line.rpartition(":")
            if asked == state:  # answers to other states are not read, as the competition's dealer does it
                break
        match = _ANSWER.fullmatch(answer)
        if match is None:
            raise AcpcProtocolError(f"answer {answer[:40]!r} is not f, c or r and a number")
        if answer in ("f", "c"):
            return FOLD_ACTION if answer == "f" else CALL_ACTION
        return self._raise(view, match[1], decisions.legal_actions(j))

    def _raise(self, t: Any, total: str, legal: Iterable[int]) -> int:
        """Return the legal raise nearest to all chips since the deal; calling where none is legal."""
        raises = [action for action in legal if action >= FIRST_RAISE_ACTION]
        if not raises:
            self.num_rounded_raises += 1
            return CALL_ACTION
        if t.menu == MENU_LIMIT:
            return raises[0]
        wanted = int(total or 0) - int(t.hand_commit[t.actor]) + int(t.street_commit[t.actor])
        action = min(raises, key=lambda action: abs(int(raise_to_of(t, action)) - wanted))
        self.num_rounded_raises += int(raise_to_of(t, action)) != wanted
        return action

    def _tell(self, hand: _Hand, view: Any, seat: int, is_end: bool) -> str:
        """Send the states since the last one; return the newest."""
        state = ""
        for count in range(hand.num_sent + 1, len(hand.signs) + 1):
            is_newest = count == len(hand.signs)
            street = int(view["street"]) if is_newest else hand.signs[count][0]
            if is_newest and is_end and _is_showdown(view):
                street = len(self._game.config.board_cards) - 1
            state = self._state(hand, hand.signs[:count], view, seat, street, is_newest and is_end)
            self._lines.write(state)
        hand.num_sent = len(hand.signs)
        return state

    def _state(
        self, hand: _Hand, signs: Sequence[tuple[int, str]], view: Any, seat: int, street: int, is_end: bool
    ) -> str:
        config, n = self._game.config, self._game.num_seats
        shift = card_shift(config)

        def names(cards: Iterable[int]) -> str:
            return "".join(card_name(card + shift) for card in cards if card != NO_CARD)

        betting = "/".join("".join(sign for on, sign in signs if on == k) for k in range(street + 1))
        by_position = [(int(view["button"]) + 1 + k) % n for k in range(n)]
        holes = [names(hole_cards(view, k)) if k == seat or (is_end and is_shown(view, k)) else "" for k in by_position]
        cards, streets, start = board(view), [], 0
        for count in config.board_cards[: street + 1]:
            streets.append(names(cards[start : start + count]))
            start += count
        shown = "/".join(["|".join(holes), *streets[1:]])
        return f"MATCHSTATE:{by_position.index(seat)}:{hand.number}:{betting}:{shown}"


def _is_showdown(t: Any) -> bool:
    in_hand = int(t["in_hand"])
    return in_hand & (in_hand - 1) != 0


def game_definition(game: Game) -> str:
    """Return the game definition of a hold'em game as bots read it; ValueError where the format cannot describe it."""
    if not isinstance(game.config, HoldemConfig):
        raise ValueError(f"{game.name} is not hold'em")
    return "\n".join(game_lines(game.config)) + "\n"


def accept_bot(game: Game, port: int, host: str = "127.0.0.1", timeout: float | None = 60.0) -> AcpcBot:
    """Return the bot that connects to a port; TimeoutError if none does in time."""
    with socket.create_server((host, port)) as listener:
        listener.settimeout(timeout)
        connection, _ = listener.accept()
    return AcpcBot(game, connection, name=f"acpc_bot_{port}")
