"""The evaluator against treys and phevaluator on random hands: every rank must be the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, NO_CARD, card_name, from_treys, to_treys
from card_envs.poker.ranks import BEST_RANK, WORST_RANK
from card_envs.poker_hands import hand_category, hand_rank, hand_ranks

WIDTHS = (5, 6, 7)
CATEGORY_OF_TREYS = {"royal flush": "straight flush"}


def random_hands(width: int, count: int, seed: int) -> NDArray[np.uint8]:
    order = np.random.default_rng(seed).random((count, DECK_SIZE)).argpartition(width, axis=1)
    return order[:, :width].astype(np.uint8)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", [20_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_ranks_are_those_of_treys(width: int, count: int) -> None:
    treys = pytest.importorskip("treys")
    evaluator = treys.Evaluator()
    names = [treys.Card.new(card_name(card)) for card in range(DECK_SIZE)]
    hands = random_hands(width, count, seed=count + width)
    translated = [[names[card] for card in hand] for hand in hands.tolist()]
    expected = [evaluator.evaluate(hand[:2], hand[2:]) for hand in translated]
    differing = np.flatnonzero(hand_ranks(hands) != np.array(expected))
    assert not len(differing), f"{len(differing)} of {count} hands differ, first: {hands[differing[0]]}"


@pytest.mark.parametrize("width", WIDTHS)
def test_ranks_are_those_of_phevaluator(width: int) -> None:
    phevaluator = pytest.importorskip("phevaluator")
    hands = random_hands(width, 100_000, seed=200 + width)
    expected = [phevaluator.evaluate_cards(*hand) for hand in hands.tolist()]
    np.testing.assert_array_equal(hand_ranks(hands), expected)


@pytest.mark.parametrize("width", WIDTHS)
def test_one_hand_ranks_as_in_a_batch(width: int) -> None:
    hands = random_hands(width, 500, seed=300 + width)
    assert [hand_rank(hand) for hand in hands.tolist()] == hand_ranks(hands).tolist()


def test_categories_are_those_of_treys() -> None:
    treys = pytest.importorskip("treys")
    evaluator = treys.Evaluator()
    for rank in range(BEST_RANK, WORST_RANK + 1):
        expected = evaluator.class_to_string(evaluator.get_rank_class(rank)).lower()
        assert hand_category(rank) == CATEGORY_OF_TREYS.get(expected, expected), rank


def test_cards_convert_to_those_of_treys_and_back() -> None:
    treys = pytest.importorskip("treys")
    numbers = [to_treys(card) for card in range(DECK_SIZE)]
    assert [treys.Card.int_to_str(number) for number in numbers] == [card_name(card) for card in range(DECK_SIZE)]
    assert sorted(numbers) == sorted(treys.Deck.GetFullDeck())
    assert [from_treys(number) for number in numbers] == list(range(DECK_SIZE))


@pytest.mark.parametrize("card", [NO_CARD, DECK_SIZE, -1])
def test_what_is_no_card_has_no_integer_of_treys(card: int) -> None:
    with pytest.raises(ValueError, match=r"no integer|outside 0\.\.51"):
        to_treys(card)
    with pytest.raises(ValueError, match="is not the integer of a card in treys"):
        from_treys(card)
