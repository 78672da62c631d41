"""The Big 2 agent that plays its lowest cards first."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.compiler import kernel
from card_envs.games.big2.actions import ACTION_POSITIONS, ACTION_SIZE, NUM_ACTIONS, PASS
from card_envs.games.big2.config import is_big2
from card_envs.games.big2.state import HAND_SIZE


@kernel
def lowest_play(t: Any, random_number: Any, setting: Any) -> Any:
    """Return the legal play whose highest card is lowest, then the lowest id, which has the lowest other cards."""
    lowest, best = np.int64(HAND_SIZE * NUM_ACTIONS), np.int64(PASS)
    for k in range(t.num_legal):
        action = np.int64(t.legal[k])
        if action != PASS:
            rank = np.int64(ACTION_POSITIONS[action, ACTION_SIZE[action] - 1]) * NUM_ACTIONS + action
            if rank < lowest:
                lowest, best = rank, action
    return best


class Big2Lowest(RulePlayer):
    """Takes the legal play whose highest card is lowest, so it leads its lowest single card; passes only if forced.

    Of several plays with the same highest card it takes the one whose other cards are lower.
    """

    name = "big2_lowest"
    choose_rows = rule_kernel(lowest_play)
    plays = staticmethod(is_big2)
