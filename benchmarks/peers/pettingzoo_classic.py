"""PettingZoo's classic hold'em (which RLCard plays inside), through the same AEC loop as ours."""

from __future__ import annotations

import warnings
from typing import Any

from pettingzoo.classic import texas_holdem_no_limit_v6, texas_holdem_v4

from card_baselines.speed.paths import aec_loop
from card_baselines.speed.stopwatch import Work

warnings.filterwarnings("ignore", ".*precision lowered by casting")  # said of the spaces that these games make

GAMES: dict[str, tuple[Any, int]] = {
    "limit2": (texas_holdem_v4, 2),
    "nl2": (texas_holdem_no_limit_v6, 2),
    "nl6": (texas_holdem_no_limit_v6, 6),
}


def env(name: str) -> Work:
    module, num_players = GAMES[name]
    return aec_loop(module.env(num_players=num_players))


def raw_env(name: str) -> Work:
    module, num_players = GAMES[name]
    return aec_loop(module.raw_env(num_players=num_players))
