"""Hands of two cards by number."""

from __future__ import annotations

import numpy as np

from card_envs.poker.hands import HANDS, NUM_HANDS, hand_number


def test_every_hand_has_its_number_in_both_orders() -> None:
    assert NUM_HANDS == 1326
    for number, (low, high) in enumerate(HANDS.astype(np.int64)):
        assert hand_number(low, high) == hand_number(high, low) == number
