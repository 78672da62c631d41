"""States and betting of a hand in the service's notation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from card_envs.game import ILLEGAL, NOBODY, Game
from card_envs.games.holdem.kernels import apply_decision
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.games.holdem.view import chips_before_street
from card_envs.history.errors import shorten
from card_wrappers.acpc import make_acpc_game
from card_wrappers.slumbot.client import SlumbotError

GAME = "holdem.nolimit.2p.reverse_blinds.game"
"""Name of the game at the Annual Computer Poker Competition."""
_STREETS = {0: 0, 3: 1, 4: 2, 5: 3}
"""Number of board cards -> street."""
_TOKEN = re.compile(r"[kcf]|b[0-9]{1,6}")
_BETTING = re.compile(rf"(?:{_TOKEN.pattern}|/)*")
_CARD = re.compile(r"[2-9TJQKA][cdhs]")


@cache
def make_slumbot_game(bet_menu: str | None = None) -> Game:
    """Return the game that Slumbot plays.

    Args:
        bet_menu: Raise sizes of our agent: "integers" for every amount; None for the default menu.

    Returns:
        The game, with the stacks and blinds of Slumbot.
    """
    return make_acpc_game(GAME, bet_menu)


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
    chips: int
    """Chips that the player who acted last has put in since the deal; at a showdown, so has the other."""

    @property
    def is_over(self) -> bool:
        """True if no player is to act."""
        return self.has_folded or self.is_showdown


def parse_betting(action: str, num_board_cards: int) -> Betting:
    """Parse the betting of a hand, by playing it at a table.

    Args:
        action: Betting in the service's notation, such as "b200c/kk/kb400".
        num_board_cards: Number of cards on the board; the betting may omit "/" at its end.

    Raises:
        SlumbotError: For unknown letters, and for decisions and streets that are not legal.
    """
    if not _BETTING.fullmatch(action):
        raise SlumbotError(f"betting {shorten(repr(action), 60)}: write k, c, f, b and numbers, and /")
    streets = action.split("/")
    missing = _STREETS[num_board_cards] + 1 - len(streets)
    if missing < 0:
        raise SlumbotError(f"betting {action!r} has more streets than a board of {num_board_cards} cards")
    game = make_slumbot_game()
    tables = game.seeded_tables(1, 0)
    game.deal_with(tables, 0, {"button": 1})  # so that seats are positions
    t, signs, positions = tables[0], list[str](), list[int]()
    for street, text in enumerate(streets + [""] * missing):
        signs += ["/"] if street else []
        for token in _TOKEN.findall(text):
            kind = {"f": FOLD, "b": RAISE}.get(token[0], CALL)
            position, before = int(t.actor), chips_before_street(t)
            is_named = int(t.street) == street and (kind != CALL or (token == "c") == _has_to_call(t))
            if not is_named or apply_decision(tables, 0, kind, int(token[1:] or 0)) == ILLEGAL:
                number = len(positions) + 1
                raise SlumbotError(f"action {number} of the betting {action!r}: {token!r} is not legal there")
            positions.append(position)
            signs.append(f"r{before + int(token[1:])}" if kind == RAISE else "f" if kind == FOLD else "c")
    is_over, has_folded = int(t.actor) == NOBODY, "f" in action
    return Betting(
        "".join(signs), tuple(positions), chips_before_street(t), not is_over and _has_to_call(t), has_folded,
        is_over and not has_folded, int(t.hand_commit[positions[-1] if positions else 0]),
    )  # fmt: skip


def _has_to_call(t: Any) -> bool:
    return bool(t.current_bet > t.street_commit[t.actor])


def to_incr(token: str, betting: Betting) -> str:
    """Convert a decision from the competition's notation ("f", "c", "rTOTAL") to the service's."""
    if token.startswith("r"):
        return f"b{int(token[1:]) - betting.chips_before}"
    return "k" if token == "c" and not betting.has_to_call else token
