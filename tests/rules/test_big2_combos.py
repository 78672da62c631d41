"""What a combination is and which beats which (section 3 and 5 of the rules; house rules by option)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from card_envs.cards import card_id, card_name
from card_envs.compiler import kernel
from card_envs.games.big2.combos import (
    CARD_OF_ORDER,
    NO_COMBO,
    ORDER_OF_CARD,
    beats,
    card_of,
    kind_of,
    order_name,
    order_of,
    value_of,
)
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.game import new_tables
from card_envs.games.big2.state import FLUSH, FULL_HOUSE, KIND_NAMES, STRAIGHT, STRAIGHT_FLUSH
from tests.helpers.big2_deals import DECK


def value(cards: str, **options: Any) -> int:
    orders = sorted(DECK.index(card) for card in cards.split())
    five = [np.int64(order) for order in [*orders, 0, 0, 0, 0][:5]]
    return int(value_of(new_tables(Big2Config(**options), 1)[0], len(orders), *five))


def kind(cards: str, **options: Any) -> str | None:
    number = value(cards, **options)
    return None if number == NO_COMBO else KIND_NAMES[kind_of(number)]


def wins(cards: str, other: str, **options: Any) -> bool:
    table = new_tables(Big2Config(**options), 1)[0]
    return bool(beats(table, np.int64(value(cards, **options)), np.int64(value(other, **options))))


def test_the_order_of_cards() -> None:
    assert [order_name(order) for order in range(52)] == DECK
    assert (DECK[:5], DECK[-8:]) == (["3D", "3C", "3H", "3S", "4D"], ["AD", "AC", "AH", "AS", "2D", "2C", "2H", "2S"])
    for card in range(52):
        assert order_name(order_of(card)) == card_name(card).upper()
        assert card_of(order_of(card)) == card
    assert (CARD_OF_ORDER[ORDER_OF_CARD] == np.arange(52)).all()
    assert order_of(card_id("2s")) == 51


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("7C", "single"),
        ("7C 7S", "pair"),
        ("7C 8S", None),
        ("7C 7H 7S", "three of a kind"),
        ("7C 7H 8S", None),
        ("7C 7H 9C 9D", "two pair"),
        ("7C 7H 7D 7S", "four of a kind"),
        ("7C 7H 7D 8S", None),
        ("7C 8H 8D 8S", None),
        ("7C 8H 8D 9S", None),
        ("3C 4D 5D 6D 7D", "straight"),
        ("TC JD QD KD AD", "straight"),
        ("JC QD KD AD 2D", "straight"),
        ("QC KD AD 2D 3D", None),
        ("AC 2D 3D 4D 5D", None),
        ("2C 3D 4D 5D 6D", None),
        ("3C 4D 5D 6D 8D", None),
        ("3D 4D 5D 6D 8D", "flush"),
        ("3D 4D 5D AD 2D", "flush"),
        ("3D 4D 5D 6D 2D", "flush"),
        ("3D 4D 5D 6D 7D", "straight flush"),
        ("JS QS KS AS 2S", "straight flush"),
        ("3D 3C 9C 9H 9S", "full house"),
        ("3D 3C 3H 9H 9S", "full house"),
        ("3D 3C 3H 3S 9S", None),
        ("3D 9D 9C 9H 9S", None),
        ("3D 3C 4H 9H 9S", None),
        ("3D 4D 5D 6D 6C", None),
    ],
)
def test_kinds(cards: str, expected: str | None) -> None:
    assert kind(cards) == expected


ASCENDING: dict[str, tuple[dict[str, str], list[str]]] = {
    "single cards": ({}, ["3D", "3C", "3H", "3S", "4D", "AS", "2D", "2S"]),
    "pairs": ({}, ["3D 3C", "3D 3H", "3C 3S", "4D 4C", "AC AS", "2D 2C", "2H 2S"]),
    "three of a kind": ({}, ["3C 3H 3S", "4D 4C 4H", "AC AH AS", "2D 2C 2H"]),
    "four cards": (
        {}, ["3D 3C 4D 4C", "3H 3S 4C 4H", "5H 5S 9D 9C", "3D 3C 9H 9S", "KH KS 2H 2S", "3D 3C 3H 3S", "2D 2C 2H 2S"],
    ),
    "five cards": (
        {},
        [
            "3C 4S 5S 6S 7D", "3D 4D 5D 6D 7C", "4D 5D 6D 7D 8C", "JS QS KS AS 2H",
            "3D 4D 5D 6D 8D", "3C 4C 5C 6C 8C", "4D 5D 6D 7D 9D", "3S 4S 5S 6S 2S",
            "2H 2S 3D 3C 3H", "2H 2S AD AC AH", "3D 3C 2D 2C 2H",
            "3D 4D 5D 6D 7D",
        ],
    ),
    "flushes by their highest card": (
        {"flushes": "highest_card"}, ["3S 4S 5S 6S 8S", "3D 4D 5D 6D 9D", "9H TH JH QH 2H", "3S 4S 5S 6S 2S"],
    ),
    "flushes by suit": (
        {"flushes": "suit"}, ["9D TD JD QD 2D", "3C 4C 5C 6C 8C", "4H 5H 6H 7H 9H", "3S 4S 5S 6S 8S", "3S 4S 5S 6S 2S"],
    ),
    "flushes by all ranks": (
        {"flushes": "ranks"},
        ["3S 4S 5S 6S 8S", "3S 4S 5S 7S 8S", "4D 5D 6D TD 2D", "4S 5S 6S TS 2S", "3D 4D 5D JD 2D"],
    ),
    "ace to five, two low": ({"straights": "two_low"}, ["AS 2S 3S 4S 5H", "AD 2D 3D 4D 5S"]),
    "two to six, two low": ({"straights": "two_low"}, ["2S 3S 4S 5S 6H", "2D 3D 4D 5D 6S"]),
    "ace to five, Hong Kong": ({"straights": "hong_kong"}, ["AS 2H 3S 4S 5S", "AD 2S 3D 4D 5D"]),
    "two to six, Hong Kong": ({"straights": "hong_kong"}, ["2H 3S 4S 5S 6S", "2S 3D 4D 5D 6D"]),
    "ace to five, Taiwan": ({"straights": "taiwan"}, ["AS 2S 3S 4S 5H", "AD 2D 3D 4D 5S"]),
    "two to six, Taiwan": ({"straights": "taiwan"}, ["2H 3S 4S 5S 6S", "2S 3D 4D 5D 6D"]),
}  # fmt: skip
"""Name -> options, and combinations of which each beats the one before it."""


@pytest.mark.parametrize("name", ASCENDING)
def test_what_beats_what(name: str) -> None:
    options, combos = ASCENDING[name]
    for lower, higher in pairwise(combos):
        assert wins(higher, lower, **options)
        assert not wins(lower, higher, **options)


def test_only_the_highest_pair_and_card_count() -> None:
    assert value("3D 3C 9H 9S") == value("8D 8C 9H 9S")
    assert value("3S 4S 5S 6S 2S") == value("9S JS KS AS 2S")


def test_nothing_beats_a_straight_flush() -> None:
    assert not wins("JS QS KS AS 2S", "3D 4D 5D 6D 7D")
    assert wins("JS QS KS AS 2S", "3D 4D 5D 6D 7D", higher_straight_flush_wins=True)
    assert wins("3C 4C 5C 6C 7C", "3D 4D 5D 6D 7D", higher_straight_flush_wins=True)
    assert not wins("3D 4D 5D 6D 7D", "JS QS KS AS 2S", higher_straight_flush_wins=True)
    assert not wins("2H 2S AD AC AH", "3D 4D 5D 6D 7D", higher_straight_flush_wins=True)


RUN = {
    run: " ".join(rank + "CHSHC"[k] for k, rank in enumerate(run))
    for run in ("34567", "TJQKA", "JQKA2", "23456", "A2345")
}


@pytest.mark.parametrize(
    ("straights", "ascending", "none"),
    [
        ("two_high", ["34567", "TJQKA", "JQKA2"], ["23456", "A2345"]),
        ("without_twos", ["34567", "TJQKA"], ["JQKA2", "23456", "A2345"]),
        ("two_low", ["A2345", "23456", "34567", "TJQKA"], ["JQKA2"]),
        ("hong_kong", ["34567", "TJQKA", "23456", "A2345"], ["JQKA2"]),
        ("taiwan", ["A2345", "34567", "TJQKA", "23456"], ["JQKA2"]),
    ],
)
def test_straights_of_other_houses(straights: str, ascending: list[str], none: list[str]) -> None:
    for lower, higher in pairwise(ascending):
        assert wins(RUN[higher], RUN[lower], straights=straights)
        assert not wins(RUN[lower], RUN[higher], straights=straights)
    assert [kind(RUN[run], straights=straights) for run in none] == [None] * len(none)
    suited = [" ".join(rank + "S" for rank in run) for run in none]
    assert [kind(cards, straights=straights) for cards in suited] == ["flush"] * len(none)


@kernel
def count_five_card_kinds(tables: Any, counts: Any) -> None:
    t = tables[0]
    for e in range(4, 52):
        for d in range(3, e):
            for c in range(2, d):
                for b in range(1, c):
                    for a in range(b):
                        combo = value_of(t, 5, a, b, c, d, e)
                        if combo != NO_COMBO:
                            counts[kind_of(combo)] += 1


@pytest.mark.parametrize(("straights", "runs"), [("two_high", 9), ("without_twos", 8), ("hong_kong", 10)])
def test_there_are_as_many_hands_of_each_kind_as_arithmetic_says(straights: str, runs: int) -> None:
    counts = np.zeros(9, np.int64)
    count_five_card_kinds(new_tables(Big2Config(straights=straights), 1), counts)
    assert counts[STRAIGHT] == runs * (4**5 - 4)
    assert counts[FLUSH] == 4 * (1287 - runs)
    assert counts[FULL_HOUSE] == 13 * 12 * 4 * 6
    assert counts[STRAIGHT_FLUSH] == runs * 4
    assert counts.sum() == counts[STRAIGHT : STRAIGHT_FLUSH + 1].sum()
