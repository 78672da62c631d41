"""Games, connections and messages of the protocol."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FOLD_ACTION, raise_to_of
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.state import MENU_LIMIT
from card_envs.games.holdem.view import chips_before_street
from card_envs.history.acpc.game_file import KNOWN_GAMES, game_lines, parse_game
from card_envs.history.acpc.hand import AcpcHand
from card_envs.history.errors import load_text
from card_envs.history.holdem_replay import game_name

VERSION = "VERSION:2.0.0"
"""First line that a client sends."""
_MAX_LINE = 10_000
"""Maximum number of characters of a line; no hand that the protocol allows is longer."""
_STATE = re.compile(r"MATCHSTATE:(\d{1,2}):(\d{1,10}):([fcr0-9/]*):([2-9TJQKAcdhs|/]*)")


class AcpcProtocolError(RuntimeError):
    """Raised when the other side breaks the protocol, times out, or disconnects in the middle of a hand."""


def make_acpc_game(definition: str | Path | HoldemConfig, bet_menu: str | None = None) -> Game:
    """Return the game of an ACPC definition.

    Args:
        definition: A file with a game definition, the name of a game of the competition (such as
            "holdem.limit.2p.reverse_blinds.game"), or a configuration.
        bet_menu: Raise sizes of a no-limit game: "integers" for every amount; None for the default menu.

    Returns:
        The game. Its seats equal the positions of the protocol.

    Raises:
        ValueError: If the definition describes a game that is not supported.
    """
    config = definition if isinstance(definition, HoldemConfig) else parse_game(_definition_lines(definition))
    if bet_menu is not None and config.structure != "limit":
        config = replace(config, bet_menu=bet_menu)
    return holdem_game(game_name(config), config)


def _definition_lines(definition: str | Path) -> Sequence[str]:
    path = Path(definition)
    if path.is_file():
        return load_text(path, "latin-1").split("\n")
    if str(definition) in KNOWN_GAMES:
        return KNOWN_GAMES[str(definition)]
    raise ValueError(f"game {str(definition)!r} is neither a file nor one of {sorted(KNOWN_GAMES)}")


def game_definition(game: Game) -> str:
    """Return the game definition of a hold'em game as text; ValueError if the format cannot describe the game."""
    if not isinstance(game.config, HoldemConfig):
        raise ValueError(f"{game.name} is not hold'em")
    return "\n".join(game_lines(game.config)) + "\n"


class LineConnection:
    """Lines of text over a socket, of limited length."""

    def __init__(self, connection: socket.socket, timeout: float | None) -> None:
        """Use a connected socket; `timeout` is the number of seconds to wait for a line, None for ever."""
        connection.settimeout(timeout)
        with contextlib.suppress(OSError):  # some kinds of sockets lack this option
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        self._file = connection.makefile("rb")

    def receive(self) -> str | None:
        """Return the next line that is not a comment; None at the end of the connection."""
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

    def send(self, text: str) -> None:
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

    Args:
        line: The line, without a line break.
        game: The game.

    Returns:
        Position of the reader, and the hand so far.

    Raises:
        AcpcProtocolError: If the line is not a state of the game.
    """
    match = _STATE.fullmatch(line)
    n = game.num_seats
    if match is None or int(match[1]) >= n:
        raise AcpcProtocolError(f"{line[:80]!r} is not a state of this game: MATCHSTATE:POSITION:HAND:BETTING:CARDS")
    names = tuple(f"position {k + 1}" for k in range(n))
    return int(match[1]), AcpcHand(int(match[2]), match[3], match[4], (0,) * n, names, f"hand {match[2]}", game.config)


def token_of(t: Any, action: int) -> str:
    """Return an action of the actor at a table in the protocol's notation: "f", "c", "r" or "rTOTAL"."""
    if action in (FOLD_ACTION, CALL_ACTION):
        return "f" if action == FOLD_ACTION else "c"
    if t.menu == MENU_LIMIT:
        return "r"
    return f"r{chips_before_street(t) + int(raise_to_of(t, action))}"
