"""Ranges: how likely a player holds each hand of two cards, as weights over all 1,326.

A range is a float64 array (1326,) in the order of `poker.hands.HANDS`; weights are not negative and need not sum to 1.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import RANKS, SUITS, card_ids
from card_envs.poker.hands import HANDS, NUM_HANDS, hand_number
from card_envs.poker.starting_hands import NUM_STARTING_HANDS, STARTING_HANDS, starting_hands_of

Range = NDArray[np.float64]

_RANK_LETTERS, _SUIT_LETTERS = frozenset(RANKS), frozenset(SUITS)


def parse_range(text: str) -> Range:
    """Parse a range.

    Args:
        text: Entries separated by commas or blanks: starting hands as `starting_hands_of` reads them, or two cards,
            with a weight after a colon (1 without): "QQ+, AK, KTs-JTs, 7+, 22:0.5, AsKd". Of entries that overlap, the
            last one counts.

    Returns:
        (1326,) float64 weights in the order of `poker.hands.HANDS`.

    Raises:
        ValueError: For an entry that is neither, and for a weight below 0.

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


def full_range() -> Range:
    """Return the range of a player of whom nothing is known: every hand has weight 1."""
    return np.ones(NUM_HANDS)


def range_of_starting_hands(weights: NDArray[np.float64]) -> Range:
    """Return the range in which each hand has the weight (169,) of its starting hand."""
    if np.shape(weights) != (NUM_STARTING_HANDS,):
        raise ValueError(f"weights have shape {np.shape(weights)}: give one for each of {NUM_STARTING_HANDS} hands")
    return np.asarray(weights, np.float64)[STARTING_HANDS]


def possible_hands(seen: Iterable[int]) -> NDArray[np.bool_]:
    """Return (1326,): the hands that hold none of the card ids `seen`."""
    return np.asarray(~np.isin(HANDS, list(seen)).any(axis=1))


def without_cards(weights: Range, seen: Iterable[int]) -> Range:
    """Return the range in which hands that hold one of the card ids `seen` have weight 0."""
    return np.where(possible_hands(seen), weights, 0.0)
