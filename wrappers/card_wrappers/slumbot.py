"""Slumbot, a public player of heads-up no-limit hold'em, as the opponent of our agents, over its HTTP interface.

Not tested against the service here: the format is that of public clients, and the tests play against a local server
that speaks it. Nothing is sent before `SlumbotPlayer.play` is iterated.

Slumbot plays the no-limit game of the Annual Computer Poker Competition: blinds of 50 and 100, and 20,000 chips in
every hand. `POST /api/new_hand` and `POST /api/act` take and return JSON objects:

* `token`: names the session; sent back with every request
* `client_pos`: 0: the client has the big blind; 1: the small blind
* `hole_cards`, `board`: such as ["Ah", "Kd"]
* `action`: the betting: k checks, c calls, f folds, bN bets or raises to N chips on the street; "/" divides streets
* `incr`: request: what the client does, in the same letters
* `winnings`: chips that the client won or lost; only when the hand is over
* `bot_hole_cards`: Slumbot's cards, when the hand is over
* `error_msg`: why a request was refused

States are written as the competition's protocol has them, so that `card_wrappers.acpc` plays the hands.
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
"""Maximum size of an answer; real ones have a few hundred bytes."""
_MAX_PAUSE = 60.0
"""Maximum number of seconds between two attempts."""
_UNSENT = (ConnectionRefusedError, socket.gaierror)
_BUSY = (429, 503)
"""HTTP statuses by which a server says that it did nothing."""


class SlumbotError(OSError):
    """Raised when the service cannot be reached, refuses a request, or answers with no state of the game."""


# --- requests ---------------------------------------------------------------------------------------------------------


class SlumbotClient:
    """The two requests of the service, with retries.

    An action whose answer is lost is not sent again: the service may have taken it, and would take the second one as
    the next decision. Requests that certainly had no effect, and those for new hands, are repeated.

    Args:
        url: Address of the service, http or https.
        timeout: Seconds to wait for an answer.
        retries: Maximum number of repetitions of a request.
        backoff: Seconds before the first repetition; they double with each, up to a minute.

    Raises:
        ValueError: If the address is not one of HTTP.
    """

    def __init__(self, url: str = URL, timeout: float = 30.0, retries: int = 5, backoff: float = 1.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url {url!r} must begin with http:// or https://")
        self._url, self._timeout, self._retries, self._backoff = url.rstrip("/"), timeout, retries, backoff
        self._token: str | None = None

    def new_hand(self) -> dict[str, Any]:
        """Start a hand and return its first state.

        Raises:
            SlumbotError: If no answer comes, or one that is no JSON object.
        """
        return self._post("new_hand", {}, is_action=False)

    def act(self, incr: str) -> dict[str, Any]:
        """Send the client's decision and return the next state; raises as `new_hand` does."""
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
            raise SlumbotError(f"{path}: {shorten(repr(content[:200]), 100)} is no JSON object")
        if "error_msg" in answer:
            raise SlumbotError(f"{path} was refused: {shorten(str(answer['error_msg']), 200)}")
        if isinstance(answer.get("token"), str):
            self._token = answer["token"]
        return answer


def _may_repeat(error: Exception, is_action: bool) -> bool:
    """Return True if a request that failed may be sent again without being taken twice."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code in _BUSY or (error.code >= 500 and not is_action)
    return not is_action or isinstance(getattr(error, "reason", error), _UNSENT)


def _describe(error: Exception) -> str:
    """Return what failed, with the beginning of the page that came with an HTTP status."""
    if not isinstance(error, urllib.error.HTTPError):
        return str(getattr(error, "reason", error)) or type(error).__name__
    page = b""
    with contextlib.suppress(OSError, http.client.HTTPException), error:
        page = error.read(200)
    return f"HTTP status {error.code} {error.reason} {shorten(page.decode('utf-8', 'replace'), 200)}".strip()


# --- states -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SlumbotState:
    """A state of a hand as the service describes it."""

    position: int
    """Of the client; 0: big blind, 1: small blind and button."""
    hole_cards: tuple[str, ...]
    board: tuple[str, ...]
    action: str
    bot_hole_cards: tuple[str, ...] = ()
    """Slumbot's cards; () while they are unknown."""
    winnings: int | None = None
    """Chips that the client won; None while the hand goes on."""


def read_state(answer: dict[str, Any], earlier: SlumbotState | None = None) -> SlumbotState:
    """Read an answer of the service.

    Args:
        answer: The JSON object.
        earlier: State before it in the same hand; its position and hole cards are kept where the answer omits them.

    Raises:
        SlumbotError: If the answer is no state, or not one of the same hand.
    """
    known = {} if earlier is None else {"client_pos": earlier.position, "hole_cards": list(earlier.hole_cards)}
    found = known | {key: value for key, value in answer.items() if value is not None}
    position, action, winnings = found.get("client_pos"), found.get("action"), found.get("winnings")
    if isinstance(position, bool) or position not in (0, 1):
        raise SlumbotError(f"client_pos {position!r} is not 0 or 1")
    if not isinstance(action, str) or len(action) > 1000:
        raise SlumbotError(f"action {shorten(repr(action), 60)} is no betting")
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
        raise SlumbotError(f"{key} {shorten(repr(cards), 60)} is no list of {' or '.join(map(str, counts))} cards")
    if not all(isinstance(card, str) and _CARD.fullmatch(card) for card in cards):
        raise SlumbotError(f"{key} {shorten(repr(cards), 60)}: write cards such as 'Ah'")
    return tuple(cards)


@dataclass(frozen=True)
class Betting:
    """The betting of a hand, read from the service's notation."""

    signs: str
    """The same betting in the notation of the Annual Computer Poker Competition."""
    positions: tuple[int, ...]
    """Who took each decision."""
    chips_before: int
    """Chips that each player put in on earlier streets."""
    has_to_call: bool
    """True if the next player faces a bet."""
    has_folded: bool
    is_showdown: bool

    @property
    def is_over(self) -> bool:
        """True if nobody is to act."""
        return self.has_folded or self.is_showdown


def parse_betting(action: str, num_board_cards: int) -> Betting:
    """Parse the betting of a hand.

    Args:
        action: Letters such as "b200c/kk/kb400".
        num_board_cards: Number of cards on the board; a "/" at the end of the betting may be missing.

    Raises:
        SlumbotError: For other letters, and for checks, calls and streets where the game has none. Whether amounts are
            legal is not checked.
    """
    street = _STREETS[num_board_cards]
    streets = action.split("/")
    if len(streets) > street + 1:
        raise SlumbotError(f"betting {action!r} has more streets than a board of {num_board_cards} cards")
    reader = _BettingReader(action)
    for number, text in enumerate(streets + [""] * (street + 1 - len(streets))):
        reader.read_street(number, text)
    return reader.betting()


class _BettingReader:
    """Reads the betting of a hand, one street after the other."""

    def __init__(self, action: str) -> None:
        self._action = action
        self._signs, self._positions = list[str](), list[int]()
        self._street = self._before = self._bet = 0
        self._has_to_call = self._is_closed = self._has_folded = False

    def read_street(self, street: int, text: str) -> None:
        """Read the decisions of a street."""
        tokens = _TOKEN.findall(text)
        if "".join(tokens) != text:
            raise SlumbotError(f"betting {shorten(repr(self._action), 60)}: write k, c, f, b and numbers, and /")
        if street:
            self._signs.append("/")
        is_preflop = street == 0
        self._street, self._before, self._bet = street, self._before + self._bet, _BIG_BLIND if is_preflop else 0
        self._has_to_call, self._is_closed = is_preflop, False
        for k, token in enumerate(tokens):
            self._signs.append(self._read_decision(token))
            self._positions.append((k + is_preflop) % 2)  # the big blind, position 0, is second before the flop
            self._is_closed = k > 0 and token in ("k", "c")

    def _read_decision(self, token: str) -> str:
        """Return the sign of a decision at the competition."""
        if token in ("k", "c") and (token == "c") != self._has_to_call:
            raise SlumbotError(f"betting {self._action!r}: {token!r} is not legal there")
        self._has_to_call = token[0] == "b"
        self._has_folded |= token == "f"
        if self._has_to_call:
            self._bet = int(token[1:])
            return f"r{self._before + self._bet}"
        return "f" if token == "f" else "c"

    def betting(self) -> Betting:
        """Return what was read."""
        is_all_in = self._before + self._bet >= _STACK and not self._has_to_call
        is_called = is_all_in or (self._is_closed and self._street == _RIVER)
        return Betting(
            "".join(self._signs), tuple(self._positions), self._before, self._has_to_call, self._has_folded,
            is_called and not self._has_folded,
        )  # fmt: skip


def to_incr(sign: str, betting: Betting) -> str:
    """Return a decision of the competition's protocol (f, c, r and all chips since the deal) as the service's."""
    if sign.startswith("r"):
        return f"b{int(sign[1:]) - betting.chips_before}"
    return "k" if sign == "c" and not betting.has_to_call else sign


# --- hands ------------------------------------------------------------------------------------------------------------


class SlumbotPlayer:
    """An agent that plays hands against Slumbot, one request at a time.

    Slumbot's bets may have any amount: the agent sees them as they are, while its own are those of the bet menu.

    Args:
        game: From `make_slumbot_game`.
        agent: The agent.
        client: How the service is reached.
        seed: Seed of the agent's random numbers.
    """

    def __init__(self, game: Game, agent: Agent, client: SlumbotClient, seed: int = 0) -> None:
        self._agent, self._client = agent, client
        self._player = AcpcPlayer(game, agent, seed)
        self._chips_per_reward = game.chips_per_reward
        self._num_hands = 0

    def play(self, hands: int) -> Iterator[DealtHand]:
        """Play hands and yield each when it is over.

        Raises:
            SlumbotError: If the service fails, answers with what is no state of the game, or names other winnings than
                the rules give. The hand that was being played is lost.
        """
        for _ in range(hands):
            yield self._play_hand()

    def _play_hand(self) -> DealtHand:
        self._num_hands += 1
        state = read_state(self._client.new_hand())
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
            answer = read_state(self._client.act(incr), state)
            taken = state.action.replace("/", "") + incr
            if not answer.action.replace("/", "").startswith(taken):
                raise SlumbotError(f"betting {answer.action!r} does not continue {state.action!r} and {incr!r}")
            state, num_sent = answer, num_sent + 1

    def _decide(self, state: SlumbotState, betting: Betting) -> str:
        _, sign = self._respond(state, betting)
        if sign is None:
            raise SlumbotError(f"betting {state.action!r} waits for Slumbot itself")
        return to_incr(sign, betting)

    def _finish(self, state: SlumbotState, betting: Betting, winnings: int) -> DealtHand:
        if betting.is_showdown and (len(state.board) < 5 or not state.bot_hole_cards):
            return self._finish_unseen(state, betting, winnings)
        hand, _ = self._respond(state, betting)
        if hand is None or hand.payoff != winnings:
            by_rules = "nothing yet" if hand is None else hand.payoff
            raise SlumbotError(f"winnings of {state.action!r} are {winnings}, but {by_rules} by the rules: {state}")
        return hand

    def _finish_unseen(self, state: SlumbotState, betting: Betting, winnings: int) -> DealtHand:
        """Take the service's word for a showdown whose cards it does not tell."""
        payoffs = np.array([[winnings, -winnings] if state.position == 0 else [-winnings, winnings]])
        self._agent.deal_ends(np.zeros(1, np.int64), payoffs / self._chips_per_reward)
        return DealtHand(self._num_hands, state.position, winnings, self._line(state, betting))

    def _respond(self, state: SlumbotState, betting: Betting) -> tuple[DealtHand | None, str | None]:
        try:
            return self._player.respond(self._line(state, betting))
        except AcpcProtocolError as error:
            raise SlumbotError(f"betting {state.action!r}: {error}") from error

    def _line(self, state: SlumbotState, betting: Betting) -> str:
        """Return a state as the competition's protocol writes it; Slumbot's cards appear at showdowns alone."""
        holes = ["", ""]
        holes[state.position] = "".join(state.hole_cards)
        if betting.is_showdown:
            holes[1 - state.position] = "".join(state.bot_hole_cards)
        board = ["".join(state.board[:3]), *state.board[3:]] if state.board else []
        cards = "/".join(["|".join(holes), *board])
        return f"MATCHSTATE:{state.position}:{self._num_hands}:{betting.signs}:{cards}"


def make_slumbot_game(bet_menu: str | None = None) -> Game:
    """Return the game that Slumbot plays.

    Args:
        bet_menu: Raise sizes of our agent: "integers" for every amount; None for the default menu.
    """
    return make_acpc_game(GAME, bet_menu)
