"""Ranges: weights that say how likely a player holds each of the 1,326 hands of two cards.

A range is a float64 array (1326,) in the order of `poker.hands.HANDS`. Weights are not negative and need not sum to 1.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import RANKS, SUITS, card_ids
from card_envs.poker.hands import HANDS, NUM_HANDS, hand_number
from card_envs.poker.starting_hands import STARTING_HANDS, starting_hands_of

Range = NDArray[np.float64]

_RANK_LETTERS, _SUIT_LETTERS = frozenset(RANKS), frozenset(SUITS)


def parse_range(text: str) -> Range:
    """Parse a range in the usual notation.

    Args:
        text: Entries separated by commas or blanks, such as "QQ+, AK, KTs-JTs, 7+, 22:0.5, AsKd". An entry names
            starting hands (see `starting_hands_of`) or two cards, and may end with a colon and a weight (default 1).
            Where entries overlap, the last one counts.

    Returns:
        (1326,) float64 weights in the order of `poker.hands.HANDS`.

    Raises:
        ValueError: For an entry that names neither starting hands nor two cards, and for a weight below 0.

    Example:
        >>> float(parse_range("QQ+, AKs:0.5").sum())
        20.0
    """
    weights = np.zeros(NUM_HANDS)
    for entry in text.replace(",", " ").split():
        hands, colon, weight = entry.partition(":")
        weights[_hands_named(hands)] = _weight(weight, entry) if colon else 1.0
    return weights


def _hands_named(entry: str) -> NDArray[np.intp]:
    if len(entry) == 4 and set(entry[::2]) <= _RANK_LETTERS and set(entry[1::2]) <= _SUIT_LETTERS:
        first, second = card_ids(entry)
        if first == second:
            raise ValueError(f"{entry!r} holds a card twice")
        return np.array([hand_number(first, second)])
    return np.flatnonzero(np.isin(STARTING_HANDS, list(starting_hands_of(entry))))


def _weight(text: str, entry: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = -1.0
    if not 0.0 <= weight < np.inf:
        raise ValueError(f"the weight in {entry!r} is not a number from 0 on: write 'AKs:0.5'")
    return weight


def possible_hands(seen: Iterable[int]) -> NDArray[np.bool_]:
    """Return a mask (1326,) of the hands that hold none of the card ids `seen`."""
    return np.asarray(~np.isin(HANDS, list(seen)).any(axis=1))
