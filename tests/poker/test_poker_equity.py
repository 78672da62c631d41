"""Equities by enumeration: plain loops over all boards, figures that others publish, ranges and their notation."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from treys import Card, Evaluator

from card_envs.cards import DECK_SIZE, RANKS, card_ids, card_names
from card_envs.compiler import COMPILED
from card_envs.poker.equity import equities, equities_against_all, equity_against_range
from card_envs.poker.hands import HANDS, NUM_HANDS, hand_number
from card_envs.poker.ranges import parse_range, possible_hands
from card_envs.poker.ranks import hand_ranks
from card_envs.poker.starting_hands import (
    STARTING_EQUITIES,
    STARTING_HAND_COUNTS,
    starting_hand,
    starting_hands,
    starting_hands_of,
)

compiled = pytest.mark.skipif(not COMPILED, reason="millions of boards in plain Python take minutes")


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


@compiled
def test_equities_before_the_flop_are_those_of_a_list_of_all_boards() -> None:
    hands = [card_ids("AsKs"), card_ids("QhQd")]
    left = [card for card in range(DECK_SIZE) if card not in {*chain(*hands)}]
    boards = np.fromiter(chain.from_iterable(combinations(left, 5)), np.uint8).reshape(-1, 5)
    assert len(boards) == 1_712_304
    mine, other = (hand_ranks(np.column_stack([np.tile(np.uint8(hand), (len(boards), 1)), boards])) for hand in hands)
    expected = np.mean(mine < other) + np.mean(mine == other) / 2
    assert equities(hands) == pytest.approx([expected, 1 - expected], abs=1e-12)


def test_equities_against_all_hands_are_those_of_pairs_of_hands() -> None:
    hand, board = card_ids("AsKd"), card_ids("Ac7d2h")
    shares = equities_against_all(hand, board)
    possible = possible_hands([*hand, *board])
    assert (np.isnan(shares) == ~possible).all() and possible.sum() == 47 * 46 // 2
    for number in np.flatnonzero(possible)[::97]:
        assert shares[number] == pytest.approx(equities([hand, HANDS[number]], board)[0], abs=1e-12)


def test_equity_against_a_range_is_the_weighted_mean() -> None:
    hand, board = card_ids("Th9h"), card_ids("Tc4d2h8s")
    weights = parse_range("AA, AKs:0.5, TT:0.25")
    shares = equities_against_all(hand, board)
    counted = np.where(possible_hands([*hand, *board]), weights, 0.0)
    assert (weights > 0).sum() == 6 + 4 + 6
    assert (counted > 0).sum() == 6 + 4 + 1  # two of the four tens are seen
    expected = np.nansum(shares * counted) / counted.sum()
    assert equity_against_range(hand, weights, board) == pytest.approx(expected, abs=1e-12)


@compiled
def test_hands_that_only_suits_tell_apart_are_computed_once_before_the_flop() -> None:
    hand, weights = card_ids("AsKs"), parse_range("QdJc, QdJd, QsJs, QhJs:2")
    wanted = [equities([hand, card_ids(other)])[0] for other in ("QhJc", "QcJc", "QsJs", "QcJs")]
    assert equity_against_range(hand, weights) == pytest.approx(np.dot(wanted, [1, 1, 1, 2]) / 5, abs=1e-12)


@compiled
@pytest.mark.slow
def test_a_hand_against_every_hand_before_the_flop_is_the_starting_hand_of_the_tables() -> None:
    hand = card_ids("AsKs")
    expected = STARTING_EQUITIES[starting_hand(*hand)]
    assert equity_against_range(hand, np.ones(NUM_HANDS)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("hands", "board", "message"),
    [
        (["AsAh"], "", "1 hands: give 2 to 10"),
        (["AsAh", "As2c"], "", r"card id 51 \(As\) comes twice"),
        (["AsAh", "KsKh"], "2c3c", "a board of 2 cards"),
        (["AsAh", "KsKhKd"], "", "a hand of 3 cards"),
    ],
)
def test_wrong_cards_are_named(hands: list[str], board: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        equities([card_ids(hand) for hand in hands], card_ids(board))


def test_wrong_ranges_are_named() -> None:
    with pytest.raises(ValueError, match="no hand of the range is possible"):
        equity_against_range(card_ids("AsAh"), parse_range("AsKs"), card_ids("2c3c4c"))
    with pytest.raises(ValueError, match="finite weights from 0 on"):
        equity_against_range(card_ids("AsAh"), -np.ones(NUM_HANDS))
    with pytest.raises(ValueError, match="card id 52 is outside"):
        equity_against_range([0, 52], np.ones(NUM_HANDS))


# --- ranges and starting hands ---


def starting_hand_name(number: int) -> str:
    first, second = divmod(number, len(RANKS))
    suits = "" if first == second else "s" if first > second else "o"
    return RANKS[max(first, second)] + RANKS[min(first, second)] + suits


def names_in(notation: str) -> set[str]:
    return {starting_hand_name(number) for number in starting_hands_of(notation)}


@pytest.mark.parametrize(
    ("notation", "names"),
    [
        ("AA", "AA"),
        ("AK", "AKs AKo"),
        ("AKs", "AKs"),
        ("AKo", "AKo"),
        ("QQ+", "AA KK QQ"),
        ("ATs+", "AKs AQs AJs ATs"),
        ("AJo+", "AKo AQo AJo"),
        ("JJ-99", "JJ TT 99"),
        ("KJs-K9s", "KJs KTs K9s"),
        ("K9s-T9s", "K9s Q9s J9s T9s"),
        ("K+", "AA KK AKs AKo"),
    ],
)
def test_notation_of_starting_hands(notation: str, names: str) -> None:
    assert names_in(notation) == {*names.split()}


@pytest.mark.parametrize(
    "notation", ["A", "AA-", "1K", "AA-KK-QQ", "AAs", "KA", "99-JJ", "AK-QJ", "AA-99+", "AKs-ATo", ""]
)
def test_unknown_notation_is_explained(notation: str) -> None:
    with pytest.raises(ValueError, match=f"'{notation.replace('+', '.')}' names no starting hands: write 'AK'"):
        starting_hands_of(notation)


def test_starting_hands_count_all_hands() -> None:
    assert STARTING_HAND_COUNTS.sum() == NUM_HANDS
    assert sorted({starting_hand_name(k): c for k, c in enumerate(STARTING_HAND_COUNTS.tolist())}.values()) == (
        [4] * 78 + [6] * 13 + [12] * 78
    )
    assert starting_hands(HANDS).tolist() == [starting_hand(int(a), int(b)) for a, b in HANDS]


def test_ranges_weigh_every_hand() -> None:
    weights = parse_range("22+, AKs:0.5 7h2d:0.25, AA:0")
    assert weights.sum() == 12 * 6 + 4 * 0.5 + 0.25
    assert weights[hand_number(*sorted(card_ids("7h2d")))] == 0.25
    for wrong, message in (
        ("AA:-1", "not a number from 0 on"),
        ("AA:", "not a number"),
        ("AsAs", "holds a card twice"),
    ):
        with pytest.raises(ValueError, match=message):
            parse_range(wrong)
