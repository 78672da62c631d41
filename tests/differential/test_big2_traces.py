"""Sixty games of random play, recorded in the environment of Charlesworth (2018): equal at every decision."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from card_envs.games.big2.actions import NUM_ACTIONS
from tests.helpers.big2_deals import Deal

TRACES = np.load(Path(__file__).parents[1] / "data" / "big2_sample_traces.npz")
MASKS = np.unpackbits(TRACES["mask"], axis=1)[:, :NUM_ACTIONS]
OBSERVATIONS = np.unpackbits(TRACES["obs"], axis=1)[:, :412]


@pytest.mark.parametrize("game", range(len(TRACES["hands"])))
def test_a_recorded_game_is_replayed_bit_for_bit(game: int) -> None:
    deal = Deal()
    deal.set_orders(TRACES["hands"][game].astype(int) - 1)
    assert deal.t.opener == TRACES["first"][game]
    start, end = int(TRACES["start"][game]), int(TRACES["start"][game + 1])
    for decision in range(start, end):
        assert not deal.t.payoff.any()
        assert deal.actor == TRACES["player"][decision]
        deal.observe()
        np.testing.assert_array_equal(deal.mask[0], MASKS[decision])
        np.testing.assert_array_equal(deal.observation[0], OBSERVATIONS[decision])
        deal.act(int(TRACES["action"][decision]))
    assert deal.t.is_over
    assert deal.t.payoff.tolist() == TRACES["rewards"][game].tolist()
    assert deal.t.num_decisions == TRACES["turns"][game] == end - start
