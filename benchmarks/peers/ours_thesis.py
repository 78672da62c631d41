"""The thesis workload in this package: six seats, stacks 200, blinds 1 and 2, three callers and three random players.

The random players fold, call or raise to any legal amount, a third each; what they cannot do becomes a check or call.
Units are hands. Once through the kernels alone, and once as a match between agents, with results and intervals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.always_call import AlwaysCall
from card_baselines.papers.kaminsky2020.baselines import KaminskyRandom
from card_baselines.speed.stopwatch import Work
from card_envs.compiler import kernel
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.games.holdem.actions import INTEGERS_OFFSET
from card_envs.match import play_match
from card_envs.rng import random_below, seeded_streams

TABLES = 1024
STEPS = 20
HANDS = 2_000
FOLD, CALL = 0, 1


def thesis_game() -> Game:
    """Return the game; with this bet menu, an action id from 2 on is one more than the amount that is raised to."""
    return make_game("no_limit_holdem-v0", num_players=6, stacks=200, bet_menu="integers")


def kernels() -> Work:
    game = thesis_game()
    tables, streams = game.seeded_tables(TABLES, seed=0), seeded_streams(TABLES, 1)
    rows, actions = np.arange(TABLES), np.empty(TABLES, np.int64)
    rewards, is_over = np.empty((TABLES, game.num_seats), np.float32), np.empty(TABLES, np.uint8)
    game.deal_batch(tables, rows)

    def run() -> int:
        hands = 0
        for _ in range(STEPS):
            _choose(tables, streams, actions)
            game.step_batch(tables, rows, actions, rewards, is_over, True)
            hands += int(is_over.sum())
        return hands

    return run


@kernel
def _choose(tables: Any, streams: Any, actions: Any) -> None:
    """Write what callers (even seats) and random players (odd seats) do at each table."""
    for i in range(len(tables)):
        actions[i] = CALL
        table = tables[i]
        if table["actor"] % 2 == 0:
            continue
        third = random_below(streams[i], 3)
        low, high = np.int64(table["min_raise_to"]), np.int64(table["max_raise_to"])
        if third == 0 and table["legal"] & 1 != 0:
            actions[i] = FOLD
        elif third == 2 and low > 0:
            actions[i] = INTEGERS_OFFSET + low + np.int64(random_below(streams[i], high - low + 1))


def match() -> Work:
    game = thesis_game()
    agents = [AlwaysCall(), KaminskyRandom()] * 3

    def run() -> int:
        return play_match(game, agents, HANDS, seed=0).hands

    return run
