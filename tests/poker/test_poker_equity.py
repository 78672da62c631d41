"""Equities by enumeration, compared with plain loops over all boards; notation of starting hands."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from treys import Card, Evaluator

from card_envs.cards import DECK_SIZE, RANKS, card_ids, card_names
from card_envs.poker.hands import HANDS, NUM_HANDS, possible_hands
from card_envs.poker.starting_hands import (
    STARTING_HAND_COUNTS,
    starting_hand,
    starting_hands,
)
from tests.helpers.equities import equities, equities_against_all


def shares_by_treys(hands: list[list[int]], board: list[int]) -> np.ndarray:
    """The shares of each hand, by another evaluator and a loop over all boards."""
    evaluator, seen = Evaluator(), {*chain(*hands), *board}
    left = [card for card in range(DECK_SIZE) if card not in seen]
    names = {card: Card.new(card_names([card])) for card in range(DECK_SIZE)}
    shares, count = np.zeros(len(hands)), 0
    for rest in combinations(left, 5 - len(board)):
        whole = [names[card] for card in (*board, *rest)]
        ranks = np.array([evaluator.evaluate(whole, [names[card] for card in hand]) for hand in hands])
        shares += (ranks == ranks.min()) / (ranks == ranks.min()).sum()
        count += 1
    return shares / count


@pytest.mark.parametrize(
    ("hands", "board"),
    [
        ("AsAh KsKh", "2c7d9s"),
        ("AsKs QdQh JcTc", "JsTs2d"),
        ("As2d Ah3c KdKc", "AcAd7h7s"),
        ("AsKd AhKc 2c2d", "QsJsTh9c"),  # ties
        ("2c3d 4h5s", "AsKsQsJsTs"),  # the board plays
    ],
)
def test_equities_of_hands_are_those_of_treys(hands: str, board: str) -> None:
    cards = [card_ids(hand) for hand in hands.split()]
    assert equities(cards, card_ids(board)) == pytest.approx(shares_by_treys(cards, card_ids(board)), abs=1e-12)


def test_equities_against_all_hands_are_those_of_pairs_of_hands() -> None:
    hand, board = card_ids("AsKd"), card_ids("Ac7d2h9s")
    shares = equities_against_all(hand, board)
    possible = possible_hands([*hand, *board])
    assert (np.isnan(shares) == ~possible).all() and possible.sum() == 46 * 45 // 2
    for number in np.flatnonzero(possible)[::97]:
        assert shares[number] == pytest.approx(equities([hand, HANDS[number]], board)[0], abs=1e-12)


# --- starting hands ---


def starting_hand_name(number: int) -> str:
    first, second = divmod(number, len(RANKS))
    suits = "" if first == second else "s" if first > second else "o"
    return RANKS[max(first, second)] + RANKS[min(first, second)] + suits


def test_starting_hands_count_all_hands() -> None:
    assert STARTING_HAND_COUNTS.sum() == NUM_HANDS
    assert sorted({starting_hand_name(k): c for k, c in enumerate(STARTING_HAND_COUNTS.tolist())}.values()) == (
        [4] * 78 + [6] * 13 + [12] * 78
    )
    assert starting_hands(HANDS).tolist() == [starting_hand(int(a), int(b)) for a, b in HANDS]
