"""Zheng et al. (2022): which actions a player takes, and what a sheet says of good and bad card types."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("torch")

from card_baselines.papers.zheng2022.duel import make_paper_game
from card_baselines.papers.zheng2022.reproduction import measure_action_shares
from card_baselines.papers.zheng2022.sheet import Sheet
from card_envs.agent import find_agent


def test_shares_of_actions_are_those_of_the_first_agent() -> None:
    game = make_paper_game()
    calling, raising = find_agent("always_call", game), find_agent("always_raise", game)
    assert measure_action_shares([calling, raising], 40) == {"call": 1.0, "raise": 0.0, "fold": 0.0, "check": 0.0}
    shares = measure_action_shares([raising, calling], 40)
    assert shares["raise"] > 0.7 and shares["fold"] == shares["check"] == 0.0
    assert shares["call"] + shares["raise"] == 1.0  # after four raises it can only call


def test_types_of_a_sheet() -> None:
    values = np.zeros((45, 4))  # call, raise, fold, check
    values[0], values[1] = (-3, -2, -1, -4), (-1, -2, -3, -4)
    values[2], values[3], values[4] = (1, 2, -1, 0), (1, -2, -1, 0), (0, 0, 1, 0)
    assert Sheet(values).measure_types(are_good=False) == (0.5, 2)
    assert Sheet(values).measure_types(are_good=True) == (pytest.approx(1 / 3), 3)
    share, count = Sheet(np.ones((45, 4))).measure_types(are_good=False)
    assert math.isnan(share) and count == 0
