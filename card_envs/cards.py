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
"""Id of a card that is not dealt, or that the observing seat cannot see."""


def card_name(card: int) -> str:
    """Write a card id as rank and suit.

    Args:
        card: Card id, 0..51, or `NO_CARD`.

    Returns:
        Two letters, "2c" (0) to "As" (51); "??" for `NO_CARD`.

    Raises:
        ValueError: For any other number.

    Example:
        >>> card_name(51)
        'As'
    """
    if card == NO_CARD:
        return "??"
    if not 0 <= card < DECK_SIZE:
        raise ValueError(f"card id {card} is outside 0..{DECK_SIZE - 1}")
    return RANKS[card // 4] + SUITS[card % 4]


def card_id(name: str) -> int:
    """Read a card that is written as rank and suit.

    Args:
        name: Rank and suit in upper or lower case, such as "As", "Td" or "10d"; "??" for a card that is not known.

    Returns:
        Card id, 0..51, or `NO_CARD`.

    Raises:
        ValueError: For text that is no card.

    Example:
        >>> card_id("As")
        51
    """
    if name == "??":
        return NO_CARD
    text = name.replace("10", "T")
    rank = RANKS.find(text[:1].upper())
    suit = SUITS.find(text[1:].lower())
    if len(text) != 2 or rank < 0 or suit < 0:
        raise ValueError(f"{name!r} is not a card: write a rank of {RANKS} and a suit of {SUITS}, such as 'As'")
    return 4 * rank + suit


def card_names(cards: Iterable[int]) -> str:
    """Write card ids as text, separated by blanks: "As Kd"."""
    return " ".join(card_name(int(card)) for card in cards)


def card_ids(text: str) -> list[int]:
    """Read cards that are written one after another, with or without blanks: "As Kd" or "AsKd"."""
    joined = "".join(text.split()).replace("10", "T")
    return [card_id(joined[i : i + 2]) for i in range(0, len(joined), 2)]


def to_treys(card: int) -> int:
    """Convert a card id to the integer that stands for the card in treys.

    Hand ranks need no conversion: `card_envs.poker_hands.hand_rank` counts as `treys.Evaluator` does.

    Args:
        card: Card id, 0..51.

    Raises:
        ValueError: For any other number.

    Example:
        >>> to_treys(card_id("As"))
        268442665
    """
    if card == NO_CARD:
        raise ValueError("treys knows no integer for a card that is not dealt")
    from treys import Card  # here, as it is not needed elsewhere

    return int(Card.new(card_name(card)))


def from_treys(card: int) -> int:
    """Convert an integer that stands for a card in treys to a card id, 0..51.

    Raises:
        ValueError: For an integer that treys makes for no card.

    Example:
        >>> card_name(from_treys(268442665))
        'As'
    """
    found = {to_treys(own): own for own in range(DECK_SIZE)}.get(card)
    if found is None:
        raise ValueError(f"{card} is no card of treys")
    return found
