"""Card ids: 4 * rank + suit, with rank 0..12 = 2..A and suit 0..3 = clubs, diamonds, hearts, spades.

OpenSpiel and phevaluator use the same ids. Games that rank cards differently (Big 2) map these ids to an order of their
own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = [
    "DECK_SIZE",
    "NO_CARD",
    "RANKS",
    "SUITS",
    "card_id",
    "card_ids",
    "card_name",
    "card_names",
    "check_cards",
    "from_treys",
    "to_treys",
]

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK_SIZE = 52
NO_CARD = 255
"""Id in place of a card that is not dealt or that the observing seat cannot see."""


def card_name(card: int) -> str:
    """Return the name of a card id: rank and suit.

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
    """Return the card id of a name.

    Args:
        name: Rank and suit in upper or lower case, such as "As", "Td" or "10d"; "??" for an unknown card.

    Returns:
        Card id, 0..51, or `NO_CARD`.

    Raises:
        ValueError: If the text names no card.

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
    """Return the names of card ids, separated by blanks: "As Kd"."""
    return " ".join(card_name(int(card)) for card in cards)


def card_ids(text: str) -> list[int]:
    """Return the card ids of names that follow each other with or without blanks: "As Kd" or "AsKd"."""
    joined = "".join(text.split()).replace("10", "T")
    return [card_id(joined[i : i + 2]) for i in range(0, len(joined), 2)]


def check_cards(cards: Sequence[int], where: str = "") -> None:
    """Raise ValueError for ids outside 0..51 and repeated cards; the message says `where` they are."""
    for position, card in enumerate(cards):
        if not 0 <= card < DECK_SIZE:
            raise ValueError(f"card id {card}{where} is outside 0..{DECK_SIZE - 1}")
        if card in cards[:position]:
            raise ValueError(f"card id {card} ({card_name(card)}){where} comes twice in {list(cards)}")


def to_treys(card: int) -> int:
    """Convert a card id to treys' integer for the card.

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
        raise ValueError("treys has no integer for an unknown card")
    from treys import Card  # imported here because nothing else needs it

    return int(Card.new(card_name(card)))


def from_treys(card: int) -> int:
    """Convert treys' integer for a card to a card id, 0..51.

    Raises:
        ValueError: If the integer stands for no card.

    Example:
        >>> card_name(from_treys(268442665))
        'As'
    """
    found = {to_treys(own): own for own in range(DECK_SIZE)}.get(card)
    if found is None:
        raise ValueError(f"{card} is not the integer of a card in treys")
    return found
