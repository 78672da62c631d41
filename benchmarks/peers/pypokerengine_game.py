"""PyPokerEngine: start_poker, one hand a game, so that all start with full stacks."""

from __future__ import annotations

import random
from typing import Any

from pypokerengine.api.game import setup_config, start_poker
from pypokerengine.players import BasePokerPlayer

from card_baselines.speed.stopwatch import Work


class Caller(BasePokerPlayer):
    """Checks and calls."""

    def declare_action(self, valid_actions: Any, hole_card: Any, round_state: Any) -> tuple[str, int]:
        """Return the action and its amount."""
        return "call", valid_actions[1]["amount"]

    def _ignore(self, *message: Any) -> None: ...

    receive_game_start_message = receive_round_start_message = receive_street_start_message = _ignore
    receive_game_update_message = receive_round_result_message = _ignore


class Thirds(Caller):
    """Folds, calls or raises by any amount, a third each."""

    def declare_action(self, valid_actions: Any, hole_card: Any, round_state: Any) -> tuple[str, int]:
        """Return the action and its amount."""
        draw, amount = random.random(), valid_actions[2]["amount"]
        if draw < 1 / 3:
            return "fold", 0
        if draw < 2 / 3 or amount["min"] < 0:
            return "call", valid_actions[1]["amount"]
        return "raise", random.randint(int(amount["min"]), int(amount["max"]))


def _config(first_caller: int) -> Any:
    config = setup_config(max_round=1, initial_stack=200, small_blind_amount=1)
    for seat in range(6):
        config.register_player(f"player {seat}", Caller() if seat % 2 == first_caller else Thirds())
    return config


def thesis() -> Work:
    """Three callers and three random players, stacks 200, blinds 1 and 2; units are hands."""
    configs = [_config(first_caller) for first_caller in (0, 1)]

    def run() -> int:
        for config in configs:
            start_poker(config, verbose=0)
        return len(configs)

    return run
