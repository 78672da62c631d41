"""Percentiles of hands: counts known from combinatorics, equities that others enumerated, rebuilding the tables."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest

from card_envs.cards import card_ids
from card_envs.compiler import COMPILED
from card_envs.poker import percentiles
from card_envs.poker.percentiles import PERCENTILES
from card_envs.poker.pinned_tables import fingerprint
from card_envs.poker.ranks import WORST_RANK, WORST_RANK_OF_CATEGORY
from card_envs.poker.starting_hands import (
    STARTING_EQUITIES,
    STARTING_PERCENTILES,
    starting_hand,
)
from card_envs.poker_hands import hand_ranks
from tests.helpers.equities import hand_percentile, starting_hand_equity
from tests.helpers.poker_tables import build_percentile_tables, count_ranks

# Straight flushes .. high cards among all hands of five and of seven cards, as in books on poker odds.
FIVE_CARDS = (40, 624, 3744, 5108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540)
SEVEN_CARDS = (41_584, 224_848, 3_473_184, 4_047_644, 6_180_020, 6_461_620, 31_433_400, 58_627_800, 23_294_460)


def test_every_hand_is_counted() -> None:
    counts = percentiles.TABLES.hand_counts
    assert counts.sum(axis=1).tolist() == [comb(52, 5), comb(52, 6), comb(52, 7)]
    for row, known in ((0, FIVE_CARDS), (2, SEVEN_CARDS)):
        bounds = pairwise((0, *WORST_RANK_OF_CATEGORY))
        assert tuple(int(counts[row, low + 1 : high + 1].sum()) for low, high in bounds) == known


def test_percentiles_rise_from_the_worst_hand_to_one() -> None:
    assert (np.diff(PERCENTILES[:, 1:]) <= 0).all()
    assert PERCENTILES[:, 1].tolist() == [1, 1, 1]
    assert hand_percentile(card_ids("7s 5h 4c 3d 2s")) == pytest.approx(1020 / comb(52, 5))
    assert hand_percentile(card_ids("As Kh Qc Jd 9s")) == pytest.approx(1_302_540 / comb(52, 5))
    assert PERCENTILES[2, WORST_RANK] == 0  # seven cards always hold something better than 7-5-4-3-2


@pytest.mark.parametrize(
    ("names", "equity"),  # exact values of jazbo.com/poker/huholdem.html
    [
        ("As Ad", 0.8520371),
        ("Ks Kd", 0.8239568),
        ("9s 9d", 0.7205725),
        ("As Ks", 0.6704463),
        ("Ks 5d", 0.5331397),
        ("9s 6s", 0.4742829),
        ("8s 5d", 0.4142753),
        ("8s 2s", 0.4027163),
    ],
)
def test_equities_are_those_of_an_independent_enumeration(names: str, equity: float) -> None:
    assert starting_hand_equity(card_ids(names)) == pytest.approx(equity, abs=5e-8)


def test_equities_of_all_starting_hands_add_up_to_half_the_pot() -> None:
    hands = [starting_hand(a, b) for a, b in combinations(range(52), 2)]
    assert sorted(set(hands)) == list(range(169))
    assert STARTING_EQUITIES[hands].mean() == pytest.approx(0.5, abs=1e-12)


def test_starting_hands_are_ordered_by_equity_and_counted_by_cards() -> None:
    by_equity = np.argsort(STARTING_EQUITIES)
    assert (np.diff(STARTING_PERCENTILES[by_equity]) >= 0).all()
    assert hand_percentile(card_ids("2c 3d")) == pytest.approx(12 / 1326)
    assert hand_percentile(card_ids("Ac Ad")) == 1
    assert hand_percentile(card_ids("Kc Kd")) == pytest.approx(1 - 6 / 1326)
    assert hand_percentile(card_ids("Kd Kc")) == hand_percentile(card_ids("Ks Kh"))
    assert hand_percentile(card_ids("Ac Kc")) > hand_percentile(card_ids("Ac Kd"))


def test_five_card_hands_count_the_same_again() -> None:
    if not COMPILED:
        pytest.skip("2.6 million hands in plain Python take minutes")
    counts = np.zeros(WORST_RANK + 1, np.int64)
    count_ranks(counts, np.arange(5))
    assert np.array_equal(counts, percentiles.TABLES.hand_counts[0])


@pytest.mark.slow
def test_the_builder_makes_the_shipped_tables() -> None:
    if not COMPILED:
        pytest.skip("the builder needs compiled kernels")
    assert fingerprint(build_percentile_tables()) == percentiles.TABLE_SHA256


def test_an_equity_agrees_with_random_boards() -> None:
    rng, mine = np.random.default_rng(1), np.array(card_ids("Th 9h"))
    others = np.setdiff1d(np.arange(52), mine)
    dealt = others[
        rng.random((50_000, len(others))).argpartition(7, axis=1)[:, :7]
    ]  # five on the board, two to the other
    own = hand_ranks(np.column_stack([np.tile(mine, (len(dealt), 1)), dealt[:, :5]]))
    other = hand_ranks(dealt)
    equity = np.mean(own < other) + np.mean(own == other) / 2
    assert equity == pytest.approx(starting_hand_equity(mine), abs=4 * 0.5 / np.sqrt(len(dealt)))
