"""The 169 starting hands of Texas hold'em: numbers, notation, and equity all-in before the flop.

A starting hand stands for all hands of two cards with the same ranks, suited or offsuit.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import RANKS
from card_envs.compiler import kernel
from card_envs.poker.hands import HANDS
from card_envs.poker.percentiles import MATCHUPS, NUM_RANKS, TABLES

NUM_STARTING_HANDS = NUM_RANKS**2


@kernel
def starting_hand(a: Any, b: Any) -> Any:
    """Return the number of a starting hand, 0..168: 13 * rank + other rank, with the higher rank first if suited."""
    high, low = max(a >> 2, b >> 2), min(a >> 2, b >> 2)
    return high * NUM_RANKS + low if a & 3 == b & 3 else low * NUM_RANKS + high


def starting_hands(cards: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the numbers (...) of starting hands; `cards` has two card ids on the last axis."""
    ids = np.asarray(cards, np.int64)
    high, low = ids.max(axis=-1) >> 2, ids.min(axis=-1) >> 2
    suited = (ids[..., 0] & 3) == (ids[..., 1] & 3)
    return np.asarray(np.where(suited, high * NUM_RANKS + low, low * NUM_RANKS + high), np.int64)


STARTING_HANDS: NDArray[np.int64] = starting_hands(HANDS)
"""(1326,) starting hand of each of `poker.hands.HANDS`."""
STARTING_HAND_COUNTS: NDArray[np.int64] = np.bincount(STARTING_HANDS, minlength=NUM_STARTING_HANDS)
"""(169,) number of hands of two cards that a starting hand stands for: 6 for pairs, 4 suited, 12 offsuit."""


def _percentiles() -> NDArray[np.float32]:
    scores = (2 * TABLES.starting_wins + TABLES.starting_ties).ravel()
    not_better = scores <= scores.reshape(-1, 1)
    shares: NDArray[np.float32] = (not_better @ STARTING_HAND_COUNTS / STARTING_HAND_COUNTS.sum()).astype(np.float32)
    return shares


STARTING_PERCENTILES: NDArray[np.float32] = _percentiles()
"""(169,) share of all hands of two cards whose equity is not higher, above 0, at most 1."""
STARTING_EQUITIES: NDArray[np.float64] = ((TABLES.starting_wins + 0.5 * TABLES.starting_ties) / MATCHUPS).ravel()
"""(169,) equity of each starting hand against a random hand, 0.323 (32o) to 0.852 (AA)."""


def starting_hands_of(notation: str) -> set[int]:
    """Return the numbers of the starting hands that an entry of a range names.

    Args:
        notation: "AA", "AK" (suited and offsuit), "AKs" or "AKo"; "AA-99", "AK-AT" or "KTs-JTs" (from one to another);
            "99+" (this pair and higher ones), "ATs+" (this second card and higher ones) or "T+" (two cards of at least
            a ten).

    Returns:
        Numbers 0..168, see `starting_hand`.

    Raises:
        ValueError: For any other text.
    """
    if re.fullmatch(f"[{RANKS}]\\+", notation):
        lowest = RANKS.index(notation[0])
        return {hand for hand in range(NUM_STARTING_HANDS) if min(divmod(hand, NUM_RANKS)) >= lowest}
    (high, low, suits), (last_high, last_low, _) = _ends(notation)
    if high == low:
        hands = [(rank, rank) for rank in range(last_high, high + 1)]
    elif high == last_high:
        hands = [(high, rank) for rank in range(last_low, low + 1)]
    else:
        hands = [(rank, low) for rank in range(last_high, high + 1)]
    suited = {NUM_RANKS * a + b for a, b in hands} if suits != "o" else set()
    offsuit = {NUM_RANKS * b + a for a, b in hands} if suits != "s" else set()
    return suited | offsuit


def _ends(notation: str) -> list[tuple[int, int, str]]:
    """Return the best and the worst hand that an entry names, as (high rank, low rank, "s", "o" or "")."""
    names = notation.split("-")
    found = [hand for name in names if (hand := _parse_name(name.removesuffix("+")))]
    if len(names) == len(found) == 1 and notation.endswith("+"):
        high, low, suits = found[0]
        best = (NUM_RANKS - 1, NUM_RANKS - 1, "") if high == low else (high, high - 1, suits)
        return [best, found[0]]
    if "+" not in notation and len(names) == len(found) <= 2 and _is_span(found[0], found[-1]):
        return [found[0], found[-1]]
    raise ValueError(
        f"{notation!r} names no starting hands: "
        "write 'AK', 'AKs', 'AKo', 'AA-99', 'AK-AT', 'K9s-T9s', '99+', 'ATs+' or 'T+'"
    )


def _parse_name(name: str) -> tuple[int, int, str] | None:
    found = re.fullmatch(f"([{RANKS}])([{RANKS}])([so]?)", name)
    if not found:
        return None
    high, low, suits = RANKS.index(found[1]), RANKS.index(found[2]), found[3]
    return (high, low, suits) if high > low or (high == low and not suits) else None


def _is_span(best: tuple[int, int, str], worst: tuple[int, int, str]) -> bool:
    """Return True if two hands can be the ends of a range: both pairs, the same high card, or the same low card."""
    both_pairs = best[0] == best[1] and worst[0] == worst[1]
    no_pairs = best[0] > best[1] and worst[0] > worst[1]
    shared = best[0] == worst[0] or best[1] == worst[1]
    return best[2] == worst[2] and best[:2] >= worst[:2] and (both_pairs or (no_pairs and shared))
