"""Cards as numbers: id = 4 * rank + suit, rank 0..12 = 2..A, suit 0..3 = clubs, diamonds, hearts, spades.

The order is that of OpenSpiel and phevaluator. Games that rank cards differently (Big 2) use a key function, not other
ids.
"""

from __future__ import annotations

from collections.abc import Iterable

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK_SIZE = 52
NO_CARD = 255
"""Stands for a card that is not dealt, or that the seat which is looking cannot see."""


def card_name(card: int) -> str:
    """Return the two letters of a card id, "2c" (0) to "As" (51); "??" for `NO_CARD`."""
    if card == NO_CARD:
        return "??"
    if not 0 <= card < DECK_SIZE:
        raise ValueError(f"card id {card} is outside 0..{DECK_SIZE - 1}")
    return RANKS[card // 4] + SUITS[card % 4]


def card_id(name: str) -> int:
    """Return the id of a card written as rank and suit, such as "As", "Td" or "10d"; `NO_CARD` for "??"."""
    if name == "??":
        return NO_CARD
    text = name.replace("10", "T")
    rank = RANKS.find(text[:1].upper())
    suit = SUITS.find(text[1:].lower())
    if len(text) != 2 or rank < 0 or suit < 0:
        raise ValueError(f"{name!r} is not a card: write a rank of {RANKS} and a suit of {SUITS}, such as 'As'")
    return 4 * rank + suit


def card_names(cards: Iterable[int]) -> str:
    """Return card ids as text, separated by blanks: "As Kd"."""
    return " ".join(card_name(int(card)) for card in cards)


def card_ids(text: str) -> list[int]:
    """Return the ids of cards written one after another, with or without blanks: "As Kd" or "AsKd"."""
    joined = "".join(text.split()).replace("10", "T")
    return [card_id(joined[i : i + 2]) for i in range(0, len(joined), 2)]
