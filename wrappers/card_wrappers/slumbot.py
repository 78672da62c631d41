"""Matches of our agents against Slumbot, a public bot for heads-up no-limit hold'em, over its HTTP interface.

This module is not tested against the service: it uses the format of public clients, and its tests use a local server
with this format. It sends nothing before `SlumbotPlayer.play` is iterated.

Slumbot plays the no-limit game of the Annual Computer Poker Competition, with blinds of 50 and 100, and 20,000 chips in
every hand. `POST /api/new_hand` and `POST /api/act` take and return JSON objects:

* `token`: id of the session, which every request repeats
* `client_pos`: position of the client, 0 for the big blind, 1 for the small blind
* `hole_cards`, `board`: such as ["Ah", "Kd"]
* `action`: the betting: k checks, c calls, f folds, bN bets or raises to N chips on the street; "/" divides streets
* `incr` (only in requests): the client's decision, in the same letters
* `winnings`: chips that the client won or lost, when the hand is over
* `bot_hole_cards`: Slumbot's cards, when the hand is over
* `error_msg`: reason why a request was refused

The module converts states to the competition's protocol, so that `card_wrappers.acpc` plays the hands.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from card_envs.agent import Agent
from card_envs.game import Game
from card_envs.history.errors import shorten
from card_wrappers.acpc import AcpcPlayer, AcpcProtocolError, DealtHand, make_acpc_game

URL = "https://slumbot.com"
"""Address of the service."""
GAME = "holdem.nolimit.2p.reverse_blinds.game"
"""Name of the game at the Annual Computer Poker Competition."""
_BIG_BLIND, _STACK = 100, 20_000
_STREETS = {0: 0, 3: 1, 4: 2, 5: 3}
"""Number of board cards -> street."""
_RIVER = 3
_TOKEN = re.compile(r"[kcf]|b[0-9]{1,6}")
_CARD = re.compile(r"[2-9TJQKA][cdhs]")
_MAX_BYTES = 1_000_000
"""Maximum number of bytes of an answer; usual answers have a few hundred."""
_MAX_PAUSE = 60.0
"""Maximum number of seconds between two attempts."""
_UNSENT = (ConnectionRefusedError, socket.gaierror)
"""Errors that occur before a request is sent."""
_BUSY = (429, 503)
"""HTTP statuses of a server that did not process the request."""


class SlumbotError(OSError):
    """Raised if the service cannot be reached, refuses a request, or answers with something else than a state."""


# --- requests ---------------------------------------------------------------------------------------------------------


class SlumbotClient:
    """Client of the service's two requests, with retries.

    The client repeats requests for new hands, and requests that had no effect. It does not repeat an action whose
    answer is lost, because the service may have processed it and would treat the repetition as the next decision.

    Args:
        url: Address of the service, http or https.
        timeout: Seconds to wait for an answer.
        retries: Maximum number of repetitions of a request.
        backoff: Seconds before the first repetition; each further one waits twice as long, up to a minute.

    Raises:
        ValueError: If the address does not begin with http:// or https://.
    """

    def __init__(self, url: str = URL, timeout: float = 30.0, retries: int = 5, backoff: float = 1.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url {url!r} must begin with http:// or https://")
        self._url, self._timeout, self._retries, self._backoff = url.rstrip("/"), timeout, retries, backoff
        self._token: str | None = None

    def new_hand(self) -> dict[str, Any]:
        """Start a hand and return its first state.

        Raises:
            SlumbotError: If the request fails, or the answer is not a JSON object.
        """
        return self._post("new_hand", {}, is_action=False)

    def act(self, incr: str) -> dict[str, Any]:
        """Send a decision and return the next state.

        Args:
            incr: The decision, such as "c" or "b300".

        Raises:
            SlumbotError: If the request fails, or the answer is not a JSON object.
        """
        return self._post("act", {"incr": incr}, is_action=True)

    def _post(self, path: str, body: dict[str, Any], is_action: bool) -> dict[str, Any]:
        if self._token is not None:
            body = {"token": self._token, **body}
        for attempt in range(self._retries + 1):
            if attempt:
                time.sleep(min(self._backoff * 2 ** (attempt - 1), _MAX_PAUSE))
            try:
                return self._parse(path, self._send(path, body))
            except (urllib.error.URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
                if attempt == self._retries or not _may_repeat(error, is_action):
                    raise SlumbotError(f"{self._url}, {path}: {_describe(error)}") from error
        raise AssertionError("unreachable")

    def _send(self, path: str, body: dict[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._url}/api/{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=self._timeout) as response:
            return bytes(response.read(_MAX_BYTES + 1))

    def _parse(self, path: str, content: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(content[:_MAX_BYTES])
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise SlumbotError(f"{path}: {shorten(repr(content[:200]), 100)} is not a JSON object")
        if "error_msg" in answer:
            raise SlumbotError(f"{path} was refused: {shorten(str(answer['error_msg']), 200)}")
        if isinstance(answer.get("token"), str):
            self._token = answer["token"]
        return answer


def _may_repeat(error: Exception, is_action: bool) -> bool:
    """Return True if the service cannot have processed a failed request, or may process it twice."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code in _BUSY or (error.code >= 500 and not is_action)
    return not is_action or isinstance(getattr(error, "reason", error), _UNSENT)


def _describe(error: Exception) -> str:
    """Return the reason of a failure, with the beginning of the page of an HTTP error."""
    if not isinstance(error, urllib.error.HTTPError):
        return str(getattr(error, "reason", error)) or type(error).__name__
    page = b""
    with contextlib.suppress(OSError, http.client.HTTPException), error:
        page = error.read(200)
    return f"HTTP status {error.code} {error.reason} {shorten(page.decode('utf-8', 'replace'), 200)}".strip()


# --- states -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SlumbotState:
    """A state of a hand in the service's notation."""

    position: int
    """Position of the client: 0 for the big blind, 1 for the small blind (the button)."""
    hole_cards: tuple[str, ...]
    board: tuple[str, ...]
    action: str
    """Betting so far, see the module."""
    bot_hole_cards: tuple[str, ...] = ()
    """Slumbot's cards; empty while they are unknown."""
    winnings: int | None = None
    """Chips that the client won; None before the end of the hand."""


def parse_answer(answer: dict[str, Any], earlier: SlumbotState | None = None) -> SlumbotState:
    """Convert an answer of the service to a state.

    Args:
        answer: The JSON object.
        earlier: Previous state of the same hand, which supplies position and hole cards if the answer omits them; None
            for the first state.

    Raises:
        SlumbotError: If the answer is not a state, or a state of another hand.
    """
    known = {} if earlier is None else {"client_pos": earlier.position, "hole_cards": list(earlier.hole_cards)}
    found = known | {key: value for key, value in answer.items() if value is not None}
    position, action, winnings = found.get("client_pos"), found.get("action"), found.get("winnings")
    if isinstance(position, bool) or position not in (0, 1):
        raise SlumbotError(f"client_pos {position!r} is not 0 or 1")
    if not isinstance(action, str) or len(action) > 1000:
        raise SlumbotError(f"action {shorten(repr(action), 60)} is not a betting string")
    if winnings is not None and (isinstance(winnings, bool) or not isinstance(winnings, int)):
        raise SlumbotError(f"winnings {winnings!r} are not a number of chips")
    state = SlumbotState(
        int(position), _cards(found, "hole_cards", (2,)), _cards(found, "board", tuple(_STREETS)), action,
        _cards(found, "bot_hole_cards", (0, 2)), winnings,
    )  # fmt: skip
    if earlier is not None and (
        (state.position, state.hole_cards) != (earlier.position, earlier.hole_cards)
        or state.board[: len(earlier.board)] != earlier.board
    ):
        raise SlumbotError(f"position or cards changed within a hand: {earlier} became {state}")
    return state


def _cards(answer: dict[str, Any], key: str, counts: tuple[int, ...]) -> tuple[str, ...]:
    cards = answer.get(key, [])
    if not isinstance(cards, list) or len(cards) not in counts:
        raise SlumbotError(f"{key} {shorten(repr(cards), 60)} is not a list of {' or '.join(map(str, counts))} cards")
    if not all(isinstance(card, str) and _CARD.fullmatch(card) for card in cards):
        raise SlumbotError(f"{key} {shorten(repr(cards), 60)}: write cards such as 'Ah'")
    return tuple(cards)


@dataclass(frozen=True)
class Betting:
    """The parsed betting of a hand."""

    acpc_betting: str
    """The betting in the notation of the Annual Computer Poker Competition."""
    positions: tuple[int, ...]
    """Position of the player who took each decision."""
    chips_before: int
    """Chips that each player put in on earlier streets."""
    has_to_call: bool
    """True if the next player faces a bet."""
    has_folded: bool
    """True if a player folded."""
    is_showdown: bool
    """True if the betting is over and no player folded."""

    @property
    def is_over(self) -> bool:
        """True if no player is to act."""
        return self.has_folded or self.is_showdown


def parse_betting(action: str, num_board_cards: int) -> Betting:
    """Parse the betting of a hand.

    Args:
        action: Betting in the service's notation, such as "b200c/kk/kb400".
        num_board_cards: Number of cards on the board; the betting may omit "/" at its end.

    Raises:
        SlumbotError: For unknown letters, and for checks, calls and streets that are not legal. The amounts of bets are
            not checked.
    """
    street = _STREETS[num_board_cards]
    streets = action.split("/")
    if len(streets) > street + 1:
        raise SlumbotError(f"betting {action!r} has more streets than a board of {num_board_cards} cards")
    parser = _BettingParser(action)
    for number, text in enumerate(streets + [""] * (street + 1 - len(streets))):
        parser.parse_street(number, text)
    return parser.result()


class _BettingParser:
    """Parses the betting of a hand street by street."""

    def __init__(self, action: str) -> None:
        self._action = action
        self._tokens, self._positions = list[str](), list[int]()
        self._street = self._before = self._bet = 0
        self._has_to_call = self._is_closed = self._has_folded = False

    def parse_street(self, street: int, text: str) -> None:
        """Read the decisions of a street."""
        tokens = _TOKEN.findall(text)
        if "".join(tokens) != text:
            raise SlumbotError(f"betting {shorten(repr(self._action), 60)}: write k, c, f, b and numbers, and /")
        if street:
            self._tokens.append("/")
        is_preflop = street == 0
        self._street, self._before, self._bet = street, self._before + self._bet, _BIG_BLIND if is_preflop else 0
        self._has_to_call, self._is_closed = is_preflop, False
        for k, token in enumerate(tokens):
            self._tokens.append(self._parse_decision(token))
            self._positions.append((k + is_preflop) % 2)  # the big blind, position 0, is second before the flop
            self._is_closed = k > 0 and token in ("k", "c")

    def _parse_decision(self, token: str) -> str:
        """Return a decision in the notation of the competition."""
        if token in ("k", "c") and (token == "c") != self._has_to_call:
            raise SlumbotError(f"betting {self._action!r}: {token!r} is not legal there")
        self._has_to_call = token[0] == "b"
        self._has_folded |= token == "f"
        if self._has_to_call:
            self._bet = int(token[1:])
            return f"r{self._before + self._bet}"
        return "f" if token == "f" else "c"

    def result(self) -> Betting:
        """Return the betting that was parsed."""
        is_all_in = self._before + self._bet >= _STACK and not self._has_to_call
        is_called = is_all_in or (self._is_closed and self._street == _RIVER)
        return Betting(
            "".join(self._tokens), tuple(self._positions), self._before, self._has_to_call, self._has_folded,
            is_called and not self._has_folded,
        )  # fmt: skip


def to_incr(token: str, betting: Betting) -> str:
    """Convert a decision from the competition's notation ("f", "c", "rTOTAL") to the service's."""
    if token.startswith("r"):
        return f"b{int(token[1:]) - betting.chips_before}"
    return "k" if token == "c" and not betting.has_to_call else token


# --- hands ------------------------------------------------------------------------------------------------------------


class SlumbotPlayer:
    """An agent that plays hands against Slumbot, one request at a time.

    The agent sees Slumbot's bets with their exact amounts. Its own bets have the sizes of the game's bet menu.

    Args:
        game: The game, from `make_slumbot_game`.
        agent: The agent.
        client: Client of the service.
        seed: Seed of the agent's random numbers.
    """

    def __init__(self, game: Game, agent: Agent, client: SlumbotClient, seed: int = 0) -> None:
        self._agent, self._client = agent, client
        self._player = AcpcPlayer(game, agent, seed)
        self._chips_per_reward = game.chips_per_reward
        self._num_hands = 0

    def play(self, hands: int) -> Iterator[DealtHand]:
        """Play hands and yield each at its end.

        Args:
            hands: Number of hands.

        Raises:
            SlumbotError: If the service fails, answers with something else than a state of the hand, or names other
                winnings than the rules give. The current hand is lost.
        """
        for _ in range(hands):
            yield self._play_hand()

    def _play_hand(self) -> DealtHand:
        self._num_hands += 1
        state = parse_answer(self._client.new_hand())
        num_sent = 0
        while True:
            betting = parse_betting(state.action, len(state.board))
            if betting.positions.count(state.position) != num_sent:
                raise SlumbotError(f"betting {state.action!r} has not the {num_sent} decisions that were sent")
            if betting.is_over != (state.winnings is not None):
                raise SlumbotError(f"betting {state.action!r} and winnings {state.winnings} do not fit together")
            if state.winnings is not None:
                return self._finish(state, betting, state.winnings)
            incr = self._decide(state, betting)
            answer = parse_answer(self._client.act(incr), state)
            taken = state.action.replace("/", "") + incr
            if not answer.action.replace("/", "").startswith(taken):
                raise SlumbotError(f"betting {answer.action!r} does not continue {state.action!r} and {incr!r}")
            state, num_sent = answer, num_sent + 1

    def _decide(self, state: SlumbotState, betting: Betting) -> str:
        _, token = self._respond(state, betting)
        if token is None:
            raise SlumbotError(f"betting {state.action!r} waits for Slumbot itself")
        return to_incr(token, betting)

    def _finish(self, state: SlumbotState, betting: Betting, winnings: int) -> DealtHand:
        if betting.is_showdown and (len(state.board) < 5 or not state.bot_hole_cards):
            return self._finish_unseen(state, betting, winnings)
        hand, _ = self._respond(state, betting)
        if hand is None or hand.payoff != winnings:
            by_rules = "nothing yet" if hand is None else hand.payoff
            raise SlumbotError(f"winnings of {state.action!r} are {winnings}, but {by_rules} by the rules: {state}")
        return hand

    def _finish_unseen(self, state: SlumbotState, betting: Betting, winnings: int) -> DealtHand:
        """Finish a hand whose showdown cards are unknown, with the winnings that the service names."""
        payoffs = np.array([[winnings, -winnings] if state.position == 0 else [-winnings, winnings]])
        self._agent.deal_ends(np.zeros(1, np.int64), payoffs / self._chips_per_reward)
        return DealtHand(self._num_hands, state.position, winnings, self._line(state, betting))

    def _respond(self, state: SlumbotState, betting: Betting) -> tuple[DealtHand | None, str | None]:
        try:
            return self._player.respond(self._line(state, betting))
        except AcpcProtocolError as error:
            raise SlumbotError(f"betting {state.action!r}: {error}") from error

    def _line(self, state: SlumbotState, betting: Betting) -> str:
        """Return a state as a line of the competition's protocol, with Slumbot's cards only at a showdown."""
        holes = ["", ""]
        holes[state.position] = "".join(state.hole_cards)
        if betting.is_showdown:
            holes[1 - state.position] = "".join(state.bot_hole_cards)
        board = ["".join(state.board[:3]), *state.board[3:]] if state.board else []
        cards = "/".join(["|".join(holes), *board])
        return f"MATCHSTATE:{state.position}:{self._num_hands}:{betting.acpc_betting}:{cards}"


def make_slumbot_game(bet_menu: str | None = None) -> Game:
    """Return the game that Slumbot plays.

    Args:
        bet_menu: Raise sizes of our agent: "integers" for every amount; None for the default menu.

    Returns:
        The game, with the stacks and blinds of Slumbot.
    """
    return make_acpc_game(GAME, bet_menu)
