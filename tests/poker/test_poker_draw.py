"""Drawing cards that are not used yet: never a used one, all others equally often, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.cards import DECK_SIZE
from card_envs.poker.draw import draw_unused_card, hash_to_unused_card
from card_envs.poker.equity import share_of_deal
from card_envs.poker.starting_hands import STARTING_EQUITIES, starting_hand
from card_envs.rng import seeded_streams

USED = sum(1 << card for card in range(DECK_SIZE) if card % 13 != 4)
LEFT = [4, 17, 30, 43]
DRAWS = 4000
SEEDS = np.random.default_rng(0).integers(2**63, size=DRAWS, dtype=np.uint64)


def draws(of_a_stream: bool) -> list[int]:
    stream = seeded_streams(1, 3)[0]
    if of_a_stream:
        return [int(draw_unused_card(stream, USED)) for _ in range(DRAWS)]
    return [int(hash_to_unused_card(USED, seed)) for seed in SEEDS]


@pytest.mark.parametrize("of_a_stream", [True, False])
def test_unused_cards_come_equally_often_and_no_others(of_a_stream: bool) -> None:
    cards, counts = np.unique(draws(of_a_stream), return_counts=True)
    assert cards.tolist() == LEFT
    assert np.abs(counts - DRAWS / 4).max() < 5 * np.sqrt(DRAWS * 3 / 16)
    assert draws(of_a_stream) == draws(of_a_stream)


def test_sampled_equities_are_near_the_exact_ones() -> None:
    first, second = 51, 44  # As Kc
    used = np.int64(1) << first | np.int64(1) << second
    shares = [share_of_deal(first, second, np.int64(0), np.int64(0), used, 5, np.int64(1), seed) for seed in SEEDS]
    assert np.mean(shares) == pytest.approx(STARTING_EQUITIES[starting_hand(first, second)], abs=0.035)
