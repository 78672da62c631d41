"""What beats what in poker: by hand-written examples, by counting all five-card hands, and by rebuilding the tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from card_envs.cards import DECK_SIZE, NO_CARD, card_ids
from card_envs.poker import rank_tables
from card_envs.poker.pinned_tables import fingerprint, load_pinned
from card_envs.poker.ranks import (
    BEST_RANK,
    CARD_BITS,
    CARD_KEYS,
    CATEGORIES,
    WORST_RANK,
    WORST_RANK_OF_CATEGORY,
    rank_of,
)
from card_envs.poker_hands import hand_category, hand_rank, hand_rank_of_set, hand_ranks
from tests.helpers import poker_tables

# The numbers of five-card hands of each kind, found in any book on poker odds.
HANDS_OF_CATEGORY = (40, 624, 3744, 5108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540)


def rank(names: str) -> int:
    return hand_rank(card_ids(names))


def category(names: str) -> str:
    return hand_category(rank(names))


@pytest.mark.parametrize(
    ("names", "expected_rank"),
    [
        ("As Ks Qs Js Ts", 1),
        ("5d 4d 3d 2d Ad", 10),
        ("As Ah Ad Ac Ks", 11),
        ("2s 2h 2d 2c 3s", 166),
        ("As Ah Ad Ks Kh", 167),
        ("2s 2h 2d 3s 3h", 322),
        ("As Ks Qs Js 9s", 323),
        ("7s 5s 4s 3s 2s", 1599),
        ("As Ks Qs Js Td", 1600),
        ("5s 4s 3s 2s Ad", 1609),
        ("As Ah Ad Ks Qd", 1610),
        ("2s 2h 2d 4s 3d", 2467),
        ("As Ah Ks Kh Qd", 2468),
        ("3s 3h 2s 2h 4d", 3325),
        ("As Ah Ks Qs Jd", 3326),
        ("2s 2h 5s 4s 3d", 6185),
        ("As Ks Qs Js 9d", 6186),
        ("7s 5s 4s 3s 2d", 7462),
    ],
)
def test_first_and_last_hand_of_each_category(names: str, expected_rank: int) -> None:
    assert rank(names) == expected_rank


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("Ah 2c 3d 4s 5h", "straight"),
        ("Qh Kc Ad 2s 3h", "high card"),
        ("Ah 2c 3d 4s 5h Kd Qc", "straight"),
        ("9h 8c 7d 6s 5h 4d", "straight"),
        ("9h 8h 7h 6s 5h 2h Kc", "flush"),
        ("9h 8h 7h 6h 5h Tc Jc", "straight flush"),
        ("Ah Kh Qh 9h 2h Tc Jc", "flush"),
        ("As 2s 3s 4s 5s Ah Ad", "straight flush"),
        ("Ah Ad Ac Kh Kd Kc 2s", "full house"),
        ("Ah Ad Ac Kh Kd Qc Qs", "full house"),
        ("Ah Ad Kh Kd Qc Qs", "two pair"),
        ("Ah Ad Ac As Kd Kc Ks", "four of a kind"),
        ("2h 2d 2c 3h 5d 9c Js", "three of a kind"),
        ("2h 3h 4h 5h 7d 8d 9d", "high card"),
    ],
)
def test_kind_of_hand(names: str, expected: str) -> None:
    assert category(names) == expected


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param("6h 5c 4d 3s 2h", "5h 4c 3d 2s Ah", id="the wheel is the lowest straight"),
        pytest.param("6h 5h 4h 3h 2h", "5d 4d 3d 2d Ad", id="so is the steel wheel among straight flushes"),
        pytest.param("9h 8c 7d 6s 5h 4d", "8h 7c 6d 5s 4h 3d", id="six in a row count from the top"),
        pytest.param("Ah Ad Kc 9s 8d", "As Ac Qc Jd Td", id="first kicker decides"),
        pytest.param("Ah Ad Kc 9s 8d", "As Ac Kd 9h 7d", id="last kicker decides"),
        pytest.param("Kh Kd 3c 3s Ad", "Qh Qd Jc Js Ac", id="the higher pair of two decides"),
        pytest.param("Kh Kd 3c 3s 5d", "Ks Kc 3d 3h 4d", id="then the fifth card"),
        pytest.param("3h 3d 3c 2h 2d", "2s 2h 2c Ah Ad", id="a full house is named by its three"),
        pytest.param("2h 2d 2c 2s 4h", "2h 2d 2c 2s 3h", id="four of a kind on the board: kicker plays"),
        pytest.param("Ah 9h 8h 7h 2h", "Kh Qh Jh Th 8h", id="the highest card of a flush decides"),
        pytest.param("Ah Ad Ac Kh Kd Kc 2s", "Ah Ad Ac Qh Qd Qc Ks", id="two threes: the second serves as a pair"),
        pytest.param("Ah Ad Kh Kd Qc Qs", "Ah Ad Kh Kd Jc Js", id="of three pairs the lowest is a kicker"),
    ],
)
def test_better_hand_wins(better: str, worse: str) -> None:
    assert rank(better) < rank(worse)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("2h 2d Ah Kd Kc Qs Qd", "3h 3d Ah Kd Kc Qs Qd", id="small pairs are counterfeited"),
        pytest.param("2h 3d Ah Kd Qc Js Th", "2c 2s Ah Kd Qc Js Th", id="the board plays"),
        pytest.param("Ah 2d Kc Kd Ks Qh Qd", "4h 3d Kc Kd Ks Qh Qd", id="a full house on the board plays"),
        pytest.param("As Ks 9s 5s 3s 2s", "As Ks 9s 5s 3s 2d", id="a sixth card of the suit does not count"),
        pytest.param("Ah Kd Qc Js 9h 8d 7c", "Ah Kd Qc Js 9h 2d 3c", id="nor do a sixth and a seventh kicker"),
        pytest.param("Ac Kd 9c 5s 3h", "Ah Ks 9d 5c 3s", id="no suit is better than another"),
    ],
)
def test_pot_is_split(one: str, other: str) -> None:
    assert rank(one) == rank(other)


def test_order_of_cards_does_not_matter() -> None:
    hand = card_ids("2h 9c Kd Ks 4h 9d Ac")
    assert {hand_rank(np.random.default_rng(seed).permutation(hand)) for seed in range(20)} == {hand_rank(hand)}


@pytest.mark.parametrize("others", [[], ["Kx"], ["Kx", "9x"]])
def test_no_suit_is_better_for_a_flush(others: list[str]) -> None:
    names = [" ".join(f"{r}{suit}" for r in "AJ962") for suit in "cdhs"]
    rest = [" ".join(others).replace("x", suit) for suit in "dhsc"]
    assert {rank(f"{flush} {more}") for flush, more in zip(names, rest, strict=True)} == {rank("As Js 9s 6s 2s")}


@pytest.mark.slow
def test_all_five_card_hands() -> None:
    hands = np.fromiter(combinations(range(DECK_SIZE), 5), np.dtype((np.uint8, 5)), count=2_598_960)
    per_rank = np.bincount(hand_ranks(hands), minlength=WORST_RANK + 1)
    assert per_rank[0] == 0
    assert per_rank[1:].all(), "a rank that no hand has"
    edges = (0, *WORST_RANK_OF_CATEGORY)
    counts = [int(per_rank[low + 1 : high + 1].sum()) for low, high in pairwise(edges)]
    assert counts == list(HANDS_OF_CATEGORY)


def test_rank_of_seven_cards_is_the_best_of_its_fives() -> None:
    random = np.random.default_rng(7)
    sevens = np.array([random.choice(DECK_SIZE, 7, replace=False) for _ in range(2_000)])
    fives = np.stack([hand_ranks(sevens[:, list(five)]) for five in combinations(range(7), 5)])
    np.testing.assert_array_equal(hand_ranks(sevens), fives.min(axis=0))


def test_category_names() -> None:
    assert len(CATEGORIES) == len(WORST_RANK_OF_CATEGORY) == len(HANDS_OF_CATEGORY)
    assert [hand_category(last) for last in WORST_RANK_OF_CATEGORY] == list(CATEGORIES)
    assert [hand_category(last + 1) for last in WORST_RANK_OF_CATEGORY[:-1]] == list(CATEGORIES[1:])
    assert hand_category(BEST_RANK) == "straight flush"


@pytest.mark.parametrize("outside", [-1, 0, 7463])
def test_category_of_no_rank(outside: int) -> None:
    with pytest.raises(ValueError, match=rf"rank {outside} is outside 1\.\.7462"):
        hand_category(outside)


@pytest.mark.parametrize("kind", [list, tuple, iter, np.array, lambda hand: [np.int16(card) for card in hand]])
def test_cards_may_come_in_any_collection(kind: Any) -> None:
    assert hand_rank(kind([0, 51, 47, 43, 39, 35, 1])) == 1


@pytest.mark.parametrize("hand", [[0.0, 1, 2, 3, 4], ["As", 1, 2, 3, 4], [None] * 5])
def test_cards_that_are_no_whole_numbers(hand: Any) -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        hand_rank(hand)


@pytest.mark.parametrize("width", [5, 6, 7])
def test_a_set_of_cards_ranks_as_its_list(width: int) -> None:
    rng = np.random.default_rng(width)
    for hand in (rng.permutation(DECK_SIZE)[:width].tolist() for _ in range(300)):
        assert hand_rank_of_set(sum(1 << card for card in hand)) == hand_rank(hand)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (0b1111, "a hand of 4 cards"),
        (0b11111111, "a hand of 8 cards"),
        (0, "a hand of 0 cards"),
        (1 << 52 | 0b1111, r"card set 0x1000000000000f has other bits than 0\.\.51"),
        (1 << 70 | 0b1111, "has other bits"),
        (-1, "has other bits"),
    ],
)
def test_bad_set(cards: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hand_rank_of_set(cards)


@pytest.mark.parametrize("cards", [31.0, "31", None, [0, 1, 2, 3, 4]])
def test_a_set_is_a_whole_number(cards: Any) -> None:
    assert hand_rank_of_set(np.int64(31)) == hand_rank([0, 1, 2, 3, 4])
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        hand_rank_of_set(cards)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([0, 1, 2, 3], "a hand of 4 cards"),
        (list(range(300)), "a hand of 300 cards"),
        ([], "a hand of 0 cards"),
        ([2**70, 1, 2, 3, 4], "is outside"),
        (list(range(8)), "a hand of 8 cards"),
        ([0, 1, 2, 3, 52], r"card id 52 is outside 0\.\.51"),
        ([-1, 1, 2, 3, 4], r"card id -1 is outside 0\.\.51"),
        ([0, 1, 2, 3, 4, NO_CARD], r"card id 255 is outside"),
        ([0, 51, 2, 51, 4], r"card id 51 \(As\) comes twice in \[0, 51, 2, 51, 4\]"),
    ],
)
def test_bad_hand(cards: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hand_rank(cards)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.uint64])
@pytest.mark.parametrize(
    ("hand", "message"),
    [
        ([0, 1, 2, 3, 52], r"card id 52 in hand 1 is outside 0\.\.51"),
        ([9, 1, 2, 3, 9], r"card id 9 \(4d\) in hand 1 comes twice"),
        ([48, 48, 48, 48, 48], r"card id 48 \(Ac\) in hand 1 comes twice"),
    ],
)
def test_bad_hand_in_a_batch(dtype: type[np.integer], hand: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hand_ranks(np.array([[0, 1, 2, 3, 4], hand], dtype))


@pytest.mark.parametrize("card", [-1, 255, 256, 300, -256])
def test_card_out_of_range_of_a_byte(card: int) -> None:
    with pytest.raises(ValueError, match=f"card id {card} in hand 0"):
        hand_ranks(np.array([[card, 1, 2, 3, 4]]))


@pytest.mark.parametrize("shape", [(5,), (3, 4), (3, 8), (2, 3, 5), (0,)])
def test_bad_shape_of_a_batch(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="cards have shape"):
        hand_ranks(np.zeros(shape, np.uint8))


def test_bad_type_of_a_batch() -> None:
    with pytest.raises(TypeError, match="float64"):
        hand_ranks(np.zeros((3, 5)))


def test_batches_of_any_layout() -> None:
    hands = np.array([card_ids("As Ks Qs Js Ts 2c 2d"), card_ids("7s 5s 4s 3s 2d Kd Qh")], np.uint8)
    expected = hand_ranks(hands)
    assert expected.dtype == np.uint16
    for layout in (np.asfortranarray(hands), np.repeat(hands, 2, axis=0)[::2], hands.astype(np.int32), hands.tolist()):
        np.testing.assert_array_equal(hand_ranks(layout), expected)
    hands.flags.writeable = False
    np.testing.assert_array_equal(hand_ranks(hands), expected)
    assert hand_ranks(np.zeros((0, 7), np.uint8)).shape == (0,)


def test_parts_of_a_hand_add_up() -> None:
    board, hole_cards = card_ids("2h 9c Kd Ks 4h"), card_ids("9d Ac")
    key = sum(int(CARD_KEYS[card]) for card in (*board, *hole_cards, NO_CARD))
    bits = sum(int(CARD_BITS[card]) for card in (*board, *hole_cards, NO_CARD))
    assert rank_of(key, bits) == hand_rank(board + hole_cards)


@dataclass
class Rebuilt:
    tables: rank_tables.Tables
    class_ranks: dict[poker_tables.Strength, int]


@pytest.fixture(scope="module")
def rebuilt() -> Rebuilt:
    return Rebuilt(poker_tables.build_rank_tables(), poker_tables.rank_classes())


def test_shipped_tables_are_those_computed_from_the_rules(rebuilt: Rebuilt) -> None:
    for name, shipped, computed in zip(rank_tables.Tables._fields, rank_tables.TABLES, rebuilt.tables, strict=True):
        assert shipped.dtype == computed.dtype
        np.testing.assert_array_equal(shipped, computed, err_msg=name)
    assert fingerprint(rebuilt.tables) == rank_tables.TABLE_SHA256


def test_strengths_fall_into_the_known_classes(rebuilt: Rebuilt) -> None:
    per_category = Counter(hand_category(found) for found in rebuilt.class_ranks.values())
    assert [per_category[name] for name in CATEGORIES] == [10, 156, 156, 1277, 10, 858, 858, 2860, 1277]


def test_other_tables_are_refused() -> None:
    with pytest.raises(ValueError, match=r"this version needs 0000.*: reinstall card-envs"):
        load_pinned(rank_tables.Tables, rank_tables.TABLE_FILE, "0" * 64)


def test_no_sum_leaves_the_table(rebuilt: Rebuilt) -> None:
    columns = 1 << (rank_tables.SUM_BITS - rank_tables.ROW_BITS)
    assert rebuilt.tables.row_offsets.min() >= 0
    assert rebuilt.tables.row_offsets.max() + columns <= len(rebuilt.tables.sum_ranks)


def test_sums_of_keys_are_distinct() -> None:
    sums, _ = poker_tables.ranks_by_sum(poker_tables.rank_classes())
    assert len(sums) == len(np.unique(sums)) == 6175 + 18_395 + 49_205
    assert sums.max() < 1 << rank_tables.SUM_BITS


@pytest.mark.slow
def test_rank_keys_are_those_the_search_finds() -> None:
    assert poker_tables.find_rank_keys() == rank_tables.RANK_KEYS
