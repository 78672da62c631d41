"""Recorded hands of hold'em: cards in the order of a table's `deck` field, and conversion to `RecordedHand`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from card_envs.cards import DECK_SIZE, NO_CARD, card_name, card_names
from card_envs.game import ILLEGAL
from card_envs.games.holdem.actions import INTEGERS_OFFSET
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.kernels import apply_decision
from card_envs.games.holdem.state import RAISE
from card_envs.history.phh.format import DEAL_BOARD, DEAL_HOLE, SHOW, Hand
from card_envs.history.recorded_hand import RecordedHand
from card_envs.history.results import MISMATCHED, Stop
from card_envs.poker.hands import BOARD_SIZE, HOLE_CARDS

_SMALL_GAMES = {6: "leduc_holdem", 3: "kuhn_poker"}
"""Number of cards of the deck -> name of the game."""


@dataclass(frozen=True)
class RecordedDecisions:
    """Cards and decisions of a recorded hand of hold'em; seat 0 is the first seat left of the button."""

    source: str
    config: HoldemConfig
    names: tuple[str, ...]
    stacks: tuple[int, ...]
    """Chips by seat at the start of the hand."""
    known: tuple[int, ...]
    """Card ids in the order of the deck field; NO_CARD for unknown cards."""
    decisions: tuple[tuple[int, int], ...]
    """(FOLD, CALL or RAISE; chips on the street after a raise, 0 after other decisions)."""


def cards_in_deck_order(hand: Hand) -> list[int]:
    """Return the card ids of a hand in the order of the deck field; NO_CARD for unknown cards."""
    n = hand.num_players
    holes: list[tuple[int, ...]] = [()] * n
    board: tuple[int, ...] = ()
    for index, move in enumerate(hand.moves):
        kind, seat, cards = move.kind, move.seat, move.cards
        if kind == DEAL_BOARD:
            board += cards
        elif kind == DEAL_HOLE:
            holes[seat] += cards
            if len(holes[seat]) > HOLE_CARDS:
                _stop_cards(hand, index, f"p{seat + 1} has {len(holes[seat])} hole cards; hold'em is played with 2")
        elif kind == SHOW and cards:
            holes[seat] = _find_shown_cards(hand, index, holes[seat], cards)
    deck = [card for hole in holes for card in (*hole, *[NO_CARD] * (HOLE_CARDS - len(hole)))]
    deck += board[:BOARD_SIZE]
    deck += [NO_CARD] * (HOLE_CARDS * n + BOARD_SIZE - len(deck))
    known = [card for card in deck if card != NO_CARD]
    if len(set(known)) < len(known):
        _stop_at_double(hand)
    return deck


def _find_shown_cards(hand: Hand, index: int, dealt: tuple[int, ...], shown: tuple[int, ...]) -> tuple[int, ...]:
    """Return the hole cards of a seat after it showed cards; both `dealt` and `shown` may contain NO_CARD."""
    if len(shown) != 2:
        _stop_cards(hand, index, f"{len(shown)} cards are shown; hold'em is played with 2")
    known = {card for card in dealt if card != NO_CARD}
    seen = {card for card in shown if card != NO_CARD}
    if len(seen) < 2 and NO_CARD not in shown:
        _stop_cards(hand, index, "one card is shown twice")
    if len(known | seen) > 2:
        _stop_cards(hand, index, f"the hand was dealt {card_names(dealt)}")
    if known >= seen and len(known) == len(dealt):
        return dealt
    both = tuple(sorted(known | seen))
    return (*both, *[NO_CARD] * (2 - len(both)))


def fill_unknown(cards: Sequence[int], deck_size: int = DECK_SIZE) -> list[int]:
    """Replace unknown cards by unused ones; the caller must ensure that these do not affect the result."""
    if NO_CARD not in cards:
        return list(cards)
    used = set(cards)
    unused = (card for card in range(deck_size) if card not in used)
    return [next(unused) if card == NO_CARD else card for card in cards]


def _stop_at_double(hand: Hand) -> NoReturn:
    seen: dict[int, int] = {}
    for index, move in enumerate(hand.moves):
        cards = move.cards
        for card in cards if move.kind in (DEAL_HOLE, DEAL_BOARD) else ():
            if card != NO_CARD and card in seen:
                _stop_cards(hand, index, f"{card_name(card)} was dealt before, by action {seen[card] + 1}")
            seen[card] = index
    index = max(index for index, move in enumerate(hand.moves) if move.kind == SHOW)
    _stop_cards(hand, index, "a shown card was dealt to another player")


def _stop_cards(hand: Hand, index: int, reason: str) -> NoReturn:
    text = hand.fields["actions"][index]
    raise Stop(MISMATCHED, f"action {index + 1} '{text}' is not possible: {reason}", index)


def seats_with_hidden_cards(cards: Sequence[int]) -> int:
    """Return the set (a bit for each seat) of the seats with an unknown hole card."""
    if NO_CARD not in cards:
        return 0
    num_hole_cards = len(cards) - BOARD_SIZE
    return sum({1 << k // HOLE_CARDS for k in range(num_hole_cards) if cards[k] == NO_CARD})


def playable_hand(recorded: RecordedDecisions) -> RecordedHand:
    """Convert a hand of hold'em to the form that a table plays; ValueError if it is not legal.

    Unknown cards are replaced by unused ones. `RecordedHand.unknown_seats` lists the seats that hold them.
    """
    config = replace(recorded.config, stacks=recorded.stacks)
    n, k = config.num_players, config.num_hole_cards
    unknown = tuple(seat for seat in range(n) if NO_CARD in recorded.known[k * seat : k * seat + k])
    num_known = max((k + 1 for k, card in enumerate(recorded.known) if card != NO_CARD), default=0)
    is_limit = config.structure == "limit"
    shown = config if is_limit else replace(config, bet_menu="integers")  # this menu offers every amount
    actions = [
        kind if kind < RAISE or is_limit else raise_to + INTEGERS_OFFSET for kind, raise_to in recorded.decisions
    ]
    hand = RecordedHand(
        source=recorded.source,
        game=holdem_game(_name(config), shown),
        options={
            "button": n - 1,
            "stacks": list(recorded.stacks),
            "deck": fill_unknown(recorded.known, config.deck_size)[: max(num_known, n * k)],
        },
        names=recorded.names,
        actions=tuple(actions),
        others=() if is_limit else (holdem_game(_name(config), config),),
        apply=_apply_amount,
        unknown_seats=unknown,
    )
    hand.tables_after(len(actions))
    return hand


def _apply_amount(tables: Any, action: int) -> bool:
    """Take an action id of the menu "integers" at a single table with any menu; return False if it is illegal."""
    kind = min(action, RAISE)
    return int(apply_decision(tables, 0, kind, action - INTEGERS_OFFSET if kind == RAISE else 0)) != ILLEGAL


def _name(config: HoldemConfig) -> str:
    if config.is_texas:
        return "limit_holdem" if config.structure == "limit" else "no_limit_holdem"
    if config.is_flop_holdem:
        return "flop_holdem"
    return _SMALL_GAMES.get(config.deck_size, "holdem")
