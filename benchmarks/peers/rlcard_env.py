"""RLCard's own loop: env.step gives the next state, whose legal actions are a dictionary."""

from __future__ import annotations

import random

import rlcard

from card_baselines.speed.paths import DECISIONS
from card_baselines.speed.stopwatch import Work

GAMES = {"limit2": ("limit-holdem", 2), "nl2": ("no-limit-holdem", 2), "nl6": ("no-limit-holdem", 6)}


def step_loop(name: str) -> Work:
    game, num_players = GAMES[name]
    env = rlcard.make(game, {"seed": 0, "game_num_players": num_players})
    state, _ = env.reset()

    def run() -> int:
        nonlocal state
        for _ in range(DECISIONS):
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(random.random() * len(legal))])
            if env.is_over():
                env.get_payoffs()
                state, _ = env.reset()
        return DECISIONS

    return run
