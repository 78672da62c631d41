"""States and betting of a hand in the service's notation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from card_envs.history.errors import shorten
from card_wrappers.slumbot.client import SlumbotError

_BIG_BLIND, _STACK = 100, 20_000
_STREETS = {0: 0, 3: 1, 4: 2, 5: 3}
"""Number of board cards -> street."""
_RIVER = 3
_TOKEN = re.compile(r"[kcf]|b[0-9]{1,6}")
_CARD = re.compile(r"[2-9TJQKA][cdhs]")


@dataclass(frozen=True)
class SlumbotState:
    """A state of a hand in the service's notation."""

    position: int
    """Position of the client: 0 for the big blind, 1 for the small blind (the button)."""
    hole_cards: tuple[str, ...]
    board: tuple[str, ...]
    action: str
    """Betting so far, see the package."""
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
