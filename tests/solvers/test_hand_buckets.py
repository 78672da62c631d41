"""Ranked hands of a board, boards up to suits, and buckets of hands: against slow computations of the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_baselines.solvers.buckets.clustering import grow_centres, histograms, k_means
from card_baselines.solvers.buckets.lookup import BucketFinder
from card_baselines.solvers.buckets.suit_isomorphism import canonical_boards
from card_baselines.solvers.hands import (
    RANKED,
    BoardHands,
    rank_hands,
    sum_folds,
    sum_folds_by_column,
    sum_showdowns,
    sum_showdowns_by_column,
)
from card_baselines.solvers.train import MENU_CFR, MULTIPLAYER_MCCFR, PUBLIC_CHANCE_CFR
from card_envs import make_game
from card_envs.cards import DECK_SIZE, card_ids
from card_envs.compiler import COMPILED
from card_envs.poker.hands import HANDS, NUM_HANDS
from card_envs.poker_hands import hand_rank
from tests.helpers.hand_buckets import pairs_of, some_buckets

needs_speed = pytest.mark.skipif(not COMPILED, reason="goes over many boards, which takes minutes as plain Python")

BOARD = np.array(card_ids("2c 7h 7d Jc Qh"), np.int64)
FLUSH_BOARDS = [
    np.array(card_ids(cards), np.int64)
    for cards in ("2c 7c 7d Jc Qh", "2c 7c Ac Jc Qh", "2c 7c Ac Jc Qc", "5s 6s 7s 8s 2d")
]
"""Three, four and five cards of a suit; straight flushes."""


def ranked_on(board: NDArray[np.int64]) -> Any:
    ranked = np.zeros(1, RANKED)
    rank_hands(board, ranked[0])
    return ranked[0]


def test_hands_of_a_board_stand_in_order() -> None:
    ranked = ranked_on(BOARD)
    num = int(ranked.num_hands)
    assert num == 47 * 46 // 2
    hands = HANDS[ranked.number[:num]].tolist()
    assert [hand_rank([*BOARD.tolist(), *hand]) for hand in hands[::40]] == ranked.rank[:num:40].tolist()
    assert (np.diff(ranked.rank[:num]) <= 0).all()
    assert np.array_equal(hands, np.stack([ranked.first[:num], ranked.second[:num]], axis=1))
    assert BoardHands(BOARD, np.arange(DECK_SIZE)).numbers.tolist() == ranked.number[:num].tolist()
    listed = BoardHands(BOARD[:0], np.setdiff1d(np.arange(DECK_SIZE), BOARD))
    assert listed.numbers.tolist() == sorted(ranked.number[:num].tolist())
    assert (listed.ranked.end[:num] == num).all(), "no hand is better than another one"


def test_sums_over_hands_are_those_of_all_pairs() -> None:
    ranked = ranked_on(BOARD)
    num = int(ranked.num_hands)
    weights, factors = np.random.default_rng(0).random((NUM_HANDS, 3)), np.array([1.0, -2.0, 3.0])
    pairs = dict(zip(("folds", "showdowns"), pairs_of(ranked), strict=True))
    for name, one, several in (
        ("folds", sum_folds, sum_folds_by_column),
        ("showdowns", sum_showdowns, sum_showdowns_by_column),
    ):
        values, sums = np.zeros_like(weights), np.zeros((DECK_SIZE + 1, 3))
        several(ranked, num, weights, factors, sums, values)
        assert values[:num] == pytest.approx(pairs[name] @ weights[:num] * factors), name
        for column, factor in enumerate(factors):
            alone = np.zeros(NUM_HANDS)
            weight = weights[:, column].copy()
            one(ranked, num, weight, factor, np.zeros(DECK_SIZE), alone)
            assert alone[:num] == pytest.approx(values[:num, column]), name


def test_numbers_of_buckets_fit_their_tables() -> None:
    some_buckets(256)
    with pytest.raises(ValueError, match="width 257 is larger than 256"):
        some_buckets(257)
    for algorithm in (PUBLIC_CHANCE_CFR, MENU_CFR, MULTIPLAYER_MCCFR):
        assert algorithm.config(width=256).width == 256
        with pytest.raises(ValueError, match=r"width 257 must be in 2 \.\. 256"):
            algorithm.config(width=257)


def test_flops_are_of_1755_kinds() -> None:
    kinds = canonical_boards(3)
    assert len(kinds.boards) == 1755
    assert kinds.counts.sum() == len(kinds.class_of) == 22_100
    assert sorted(set(kinds.counts.tolist())) == [4, 12, 24]


@pytest.mark.slow
def test_turn_boards_are_of_16432_kinds() -> None:
    kinds = canonical_boards(4)
    assert len(kinds.boards) == 16_432
    assert kinds.counts.sum() == 270_725


@needs_speed
@pytest.mark.parametrize(
    ("street", "board"), [*((street, BOARD) for street in range(4)), *((2, board) for board in FLUSH_BOARDS)]
)
def test_a_hand_is_in_one_bucket_alone_and_among_others(street: int, board: NDArray[np.int64]) -> None:
    """One hand is compared with all others one by one; many on a board by sums over sorted hands."""
    game, finder = make_game("limit_holdem-v0"), BucketFinder(some_buckets())
    tables = game.seeded_tables(60, 0)
    for i in range(len(tables)):
        game.deal(tables, i)
    ranked = ranked_on(board)
    tables["actor"], tables["street"], tables["deck"][:, 4:9] = 0, street, board
    hands = HANDS[ranked.number[:1080:18]]
    tables["deck"][:, :2] = hands
    together = finder.find(tables)
    assert together.tolist() == [int(finder.find(tables[i : i + 1])[0]) for i in range(len(tables))]
    number = ranked.number[:1080:18]
    assert together.tolist() == finder.hands_on(board[: (0, 3, 4, 5)[street]])[number].tolist()
    assert len(set(together.tolist())) > 3


@needs_speed
@pytest.mark.parametrize("cards", [3, 4, 5])
def test_names_of_suits_do_not_change_the_bucket(cards: int) -> None:
    """Other than on flops, whose table here is random, features alone decide."""
    finder, suits = BucketFinder(some_buckets()), np.array([2, 0, 3, 1])
    renamed = BOARD // 4 * 4 + suits[BOARD % 4]
    other = HANDS.astype(np.int64) // 4 * 4 + suits[HANDS % 4]
    number = {tuple(hand): n for n, hand in enumerate(HANDS.tolist())}
    places = np.array([number[tuple(sorted(hand))] for hand in other.tolist()])
    mine, theirs = finder.hands_on(BOARD[:cards]), finder.hands_on(renamed[:cards])[places]
    possible = ~np.isin(HANDS, BOARD[:cards]).any(axis=1)
    assert np.array_equal(mine[possible], theirs[possible])


@needs_speed
def test_histograms_count_every_river() -> None:
    counts = histograms(np.array([card_ids("As Ah Ks 2d")], np.int64))[0]
    number = {tuple(hand): n for n, hand in enumerate(HANDS.tolist())}
    aces = counts[number[tuple(sorted(card_ids("Ac Ad")))]]
    assert aces.sum() == 46
    assert aces[-1] == 46  # four aces lose to nothing but a straight flush, which nobody can hold here often
    assert counts[number[tuple(sorted(card_ids("As 3c")))]].sum() == 0


def test_clusters_are_found() -> None:
    rng = np.random.default_rng(0)
    points = (np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], 50, axis=0) + rng.normal(0, 0.1, (150, 2))).astype("f4")
    centres = k_means(points, 3, np.random.default_rng(2))
    distances = ((points[:, None] - centres) ** 2).sum(axis=2).min(axis=1)
    assert distances.mean() < 0.1
    assert grow_centres(points, 2, rng).shape == (3, 2, 2)
