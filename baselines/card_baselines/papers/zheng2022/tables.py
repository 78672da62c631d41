"""Zheng et al. (2022), Cheat'em: tables 1 to 3, where paper and code differ, the reward ideas, and strong rivals.

All numbers are in big blinds per hand of heads-up limit hold'em under `rules="rlcard"`, which the paper calls dollars.
A learner is trained against the rival that it then plays; with several seeds, the interval is over seeds, each with a
cheating sheet of its own. Tables 4 to 7 are not the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping

from card_baselines.papers.printed import Cell

PAPER_HANDS, PAPER_TRAINING, PAPER_SHEET = 10_000, 5000, 1_000_000
UNIT = "big blinds per hand"

CHEATEM, STATIC, TABLE, PPO, DQN = "cheatem", "static-cheatem", "table", "ppo", "dqn"
RAISE, RULE, RANDOM = "raise-rule", "rule", "random"
FIXED = {RAISE: "always_raise", RULE: "rlcard_rule", RANDOM: "random"}
"""Player that neither learns nor has a sheet -> name of our agent."""
LEARNERS = (CHEATEM, STATIC, PPO, DQN)

SHARES_TABLE, OPTIONS_TABLE, REWARDS_TABLE, STRONG_TABLE, ACTIONS_TABLE = 1, 4, 5, 6, 7
PAPER_TABLES = (2, 3)


def _cells(table: int, row: str, gains: Mapping[str, float]) -> list[Cell]:
    return [Cell(table, row, rival, gain) for rival, gain in gains.items()]


CELLS = (
    *_cells(2, CHEATEM, {TABLE: 0.198, PPO: 2.064, DQN: 2.667, RAISE: 2.377, RULE: 0.560, RANDOM: 2.020}),
    *_cells(2, TABLE, {PPO: 1.418, DQN: 1.442, RAISE: 1.446, RULE: 0.588, RANDOM: 1.735}),
    *_cells(2, PPO, {DQN: -0.030, RAISE: -0.035, RULE: 0.513, RANDOM: 2.837}),
    *_cells(2, DQN, {RAISE: -0.112, RULE: 0.558, RANDOM: 2.108}),
    *_cells(2, RAISE, {RULE: 0.349, RANDOM: 2.969}),
    *_cells(2, RULE, {RANDOM: -0.066}),
    *_cells(3, CHEATEM, {RULE: 0.560, RANDOM: 2.020, RAISE: 2.377}),
    *_cells(3, STATIC, {RULE: 0.486, RANDOM: 1.837, RAISE: 2.297}),
    *_cells(3, TABLE, {RULE: 0.588, RANDOM: 1.732, RAISE: 1.446}),
)
"""The upper half of table 2, whose lower half is its negative, and table 3."""

SHARES = {
    "three of a kind or better": ("seven cards", (0,), 2.87),
    "two pair": ("seven cards", (1,), 4.75),
    "one pair": ("seven cards", tuple(range(2, 15)), 42.26),
    "high card": ("seven cards", tuple(range(15, 20)), 50.12),
    "pocket pair": ("two cards", tuple(range(20, 33)), 5.9),
    "two cards without a pair": ("two cards", tuple(range(33, 45)), 94.1),
}
"""Table 1: card type -> (hands of which it is a share, its rows in a sheet, printed share in percent)."""

BAD_TYPES, GOOD_TYPES = "types without a positive value", "types with a positive value"
"""Rows of table 7 about sheets."""
ROWS = (CHEATEM, STATIC, TABLE, PPO, DQN, RAISE, RULE)


def hand_spread(row: str, rival: str) -> float:
    """Return the approximate standard deviation of a hand in big blinds. It is large where a player always raises."""
    return 14.0 if RAISE in (row, rival) else 4.0
