"""What Brennus believes of its opponent's hand, in words for somebody who watches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.maitrepierre2008 import beliefs
from card_baselines.papers.maitrepierre2008.beliefs import STRENGTHS
from card_baselines.papers.maitrepierre2008.models import NUM_STRENGTHS
from card_envs.cards import RANKS
from card_envs.poker.hands import HANDS

_BOARD_CARDS = (0, 3, 4, 5)
_MOST_SHOWN = 6
_SEED = np.uint64(0)


def class_name(first: int, second: int) -> str:
    """Return the name of a starting hand whatever its suits: "AA", "AKs", "T9o"."""
    low, high = sorted((first, second), key=lambda card: card // 4)
    ranks = RANKS[high // 4] + RANKS[low // 4]
    return ranks if ranks[0] == ranks[1] else ranks + ("s" if high % 4 == low % 4 else "o")


CLASSES = [class_name(int(a), int(b)) for a, b in HANDS]
"""Class of each hand, in the order of `HANDS`."""


def likeliest(probability: NDArray[np.float64], most: int = _MOST_SHOWN) -> list[tuple[str, float]]:
    """Return the starting hands, suits aside, to which the probabilities (1326,) give most, the likeliest first."""
    sums: dict[str, float] = {}
    for name, chance in zip(CLASSES, probability.tolist(), strict=True):
        sums[name] = sums.get(name, 0.0) + chance
    return sorted(sums.items(), key=lambda item: -item[1])[:most]


def strength_distribution(probability: NDArray[np.float64], view: Any) -> NDArray[np.float64]:
    """Return how probable each fifth of strength is, (5,), weakest first; `view` is a record with a board."""
    scratch = np.zeros(1, STRENGTHS)
    beliefs.write_hand_strengths(scratch[0], view, np.int64(_BOARD_CARDS[view.street]), _SEED)
    fifths = np.minimum((scratch[0]["share"] * NUM_STRENGTHS).astype(np.int64), NUM_STRENGTHS - 1)
    return np.asarray(np.bincount(fifths, weights=probability, minlength=NUM_STRENGTHS), np.float64)


def belief_text(probability: NDArray[np.float64], view: Any) -> str:
    """Return a summary of the probabilities (1326,) of the opponent's hands: strengths and likeliest hands."""
    if view.street == 0:
        return "your hand: nothing believed before the flop, which is played by a table"
    hands = ", ".join(f"{name} {chance:.1%}" for name, chance in likeliest(probability))
    parts = strength_distribution(probability, view)
    strengths = " ".join(f"{chance:.0%}" for chance in parts)
    return f"your hand, weakest fifth to strongest: {strengths}; likeliest: {hands}"


def strategies_text(current: int, looseness: Sequence[float], known: Sequence[str]) -> str:
    """Return which strategy plays, how it reads the opponent, and what is `known` of each."""
    each = ", ".join(f"{k + 1}{'*' if k == current else ''} {text}" for k, text in enumerate(known))
    return f"strategy {current + 1} of {len(looseness)} reads you as {looseness[current]:.0%} loose-passive; {each}"
