"""Big 2 once more, written to be obvious: every set of cards is looked at, every rule is a line of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from card_envs.games.big2.config import Big2Config

RANKS = "3456789TJQKA2"
SUITS = "DCHS"

ASCENDING_STRAIGHTS = {
    "two_high": ["34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA", "JQKA2"],
    "without_twos": ["34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA"],
    "two_low": ["A2345", "23456", "34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA"],
    "hong_kong": ["34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA", "23456", "A2345"],
    "taiwan": ["A2345", "34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA", "23456"],
}
DECIDING_RANK = {
    ("two_low", "A2345"): "5",
    ("two_low", "23456"): "6",
    ("hong_kong", "23456"): "2",
    ("hong_kong", "A2345"): "2",
    ("taiwan", "A2345"): "5",
    ("taiwan", "23456"): "2",
}
ORDER_OF_KINDS = ["two pair", "four", "straight", "flush", "full house", "straight flush"]


def card_key(card: str) -> tuple[int, int]:
    return RANKS.index(card[0]), SUITS.index(card[1])


def describe(config: Big2Config, cards: Sequence[str]) -> tuple[str, object] | None:
    """Return the kind of a combination and a key that orders combinations of that kind, or None."""
    count = Counter(card[0] for card in cards)
    shape = sorted(count.values())
    top = max(map(card_key, cards))
    if shape == [3] and not config.bare_triples:
        return None
    if shape == [len(cards)] and len(cards) <= 4:
        return {1: "single", 2: "pair", 3: "triple", 4: "four"}[len(cards)], top
    if shape == [2, 2]:
        return "two pair", top
    if len(cards) != 5:
        return None
    if shape == [2, 3]:
        return "full house", RANKS.index(next(rank for rank, number in count.items() if number == 3))
    suits = {card[1] for card in cards}
    run = next((r for r in ASCENDING_STRAIGHTS[config.straights] if set(r) == set(count)), None)
    if run is not None:
        rank = DECIDING_RANK.get((config.straights, run), run[-1])
        suit = next(SUITS.index(card[1]) for card in cards if card[0] == rank)
        key = ASCENDING_STRAIGHTS[config.straights].index(run), suit
        return ("straight flush" if len(suits) == 1 else "straight"), key
    if len(suits) == 1 and config.flushes != "none":
        suit = SUITS.index(cards[0][1])
        ranks = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
        return "flush", {"highest_card": top, "suit": (suit, top), "ranks": (ranks, suit)}[config.flushes]
    return None


def wins(config: Big2Config, cards: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether a combination beats another one."""
    if len(cards) != len(other):
        return False
    mine, theirs = describe(config, cards), describe(config, other)
    assert mine is not None
    assert theirs is not None
    if theirs[0] == "straight flush" and not config.higher_straight_flush_wins:
        return False
    if mine[0] != theirs[0]:
        return ORDER_OF_KINDS.index(mine[0]) > ORDER_OF_KINDS.index(theirs[0])
    return mine[1] > theirs[1]  # type: ignore[operator,no-any-return]


def uses_triple_without_heart_of_four(hand: Sequence[str], cards: Sequence[str]) -> bool:
    for rank in RANKS:
        held = {card for card in hand if card[0] == rank}
        used = {card for card in cards if card[0] == rank}
        if len(held) == 4 and len(used) == 3 and rank + "H" not in used:
            return True
    return False


def plays(config: Big2Config, hand: Sequence[str], to_beat: Sequence[str]) -> set[tuple[str, ...]]:
    """Return every legal set of cards of a sorted hand, the empty one to pass; with nothing to beat it has control."""
    found: set[tuple[str, ...]] = set()
    for size in range(1, 6):
        for cards in combinations(hand, size):
            if describe(config, cards) is None or (to_beat and not wins(config, cards, to_beat)):
                continue
            if not config.all_triples and uses_triple_without_heart_of_four(hand, cards):
                continue
            found.add(cards)
    if to_beat:
        found.add(())
    return found


def dragon_seat(config: Big2Config, hands: Sequence[Sequence[str]]) -> int | None:
    """Return the seat that wins at once with the hands as dealt, or None."""
    if not config.dragon_wins:
        return None
    opener = next(seat for seat, hand in enumerate(hands) if "3D" in hand)
    order = [(opener + turn) % len(hands) for turn in range(len(hands))]
    return next((seat for seat in order if {card[0] for card in hands[seat]} == set(RANKS)), None)


def penalty(config: Big2Config, cards: Sequence[str]) -> int:
    """Return what a loser pays."""
    factor = 1
    if config.double_from is not None and len(cards) >= config.double_from:
        factor = 2
    if config.triple_from is not None and len(cards) >= config.triple_from:
        factor = 3
    twos = sum(card[0] == "2" for card in cards)
    return len(cards) * factor * (2**twos if config.double_per_two else 1) + config.points_per_two * twos
