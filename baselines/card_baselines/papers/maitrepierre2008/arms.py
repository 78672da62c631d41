"""Sessions of single strategies, from which those of bandits are computed.

Neither a strategy nor an opponent like always_raise has memory. So the result of a hand depends only on the strategy
that plays it: the deal and the random numbers of decisions are fixed by the seed. The winnings of a bandit are hence
computed from the sessions of its strategies on the same deals, hand by hand, without playing again.

The order of the hands against one style does not matter either, as long as the button alternates: all orders are
equally likely. The mean over many orders reduces the variance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from card_baselines.adaptation import play_adaptation
from card_baselines.papers.maitrepierre2008.bandit import Bandit
from card_envs.agent import Agent, find_agent
from card_envs.game import Game
from card_envs.typing import Floats

BATCH = 10
"""Number of sessions that are played at a time, and kept."""


def play_sessions(game: Game, agent: Agent, styles: Sequence[str], hands: int, sessions: int, seed: int) -> Floats:
    """Return the winnings of an agent, (sessions, hands), in small bets; the opponent plays each style equally long."""
    found = play_adaptation(
        game, agent, [find_agent(style, game) for style in styles],
        hands_per_style=hands // len(styles), sessions=sessions, seed=seed,
    )  # fmt: skip
    return found.rewards


def run_bandit(rewards: Floats, new_bandit: Callable[[], Bandit]) -> tuple[Floats, NDArray[np.int64]]:
    """Return the winnings and the strategies of a bandit, both (sessions, hands).

    Args:
        rewards: (strategies, sessions, hands) winnings of single strategies on the same deals.
        new_bandit: Called for the bandit of each session.
    """
    _, sessions, hands = rewards.shape
    won, played = np.empty((sessions, hands)), np.empty((sessions, hands), np.int64)
    for session in range(sessions):
        bandit = new_bandit()
        for hand in range(hands):
            played[session, hand] = strategy = bandit.choose()
            won[session, hand] = rewards[strategy, session, hand]
            bandit.learn(strategy, float(won[session, hand]))
    return won, played


def reorder_hands(rewards: Floats, num_styles: int, rng: np.random.Generator) -> Floats:
    """Return rewards (..., hands) with the hands of each style in another order; the button still alternates."""
    hands = rewards.shape[-1]
    order = np.arange(hands)
    for style in range(num_styles):
        start, end = style * hands // num_styles, (style + 1) * hands // num_styles
        for parity in range(2):
            order[start + parity : end : 2] = rng.permutation(order[start + parity : end : 2])
    return rewards[..., order]


def simulate_bandit(rewards: Floats, num_styles: int, new_bandit: Callable[[], Bandit], orders: int) -> Floats:
    """Return the winnings of a bandit per hand against each style, (sessions, styles): means over `orders` orders."""
    rng = np.random.default_rng(0)
    total = np.zeros((rewards.shape[1], num_styles))
    for _ in range(orders):
        won, _ = run_bandit(reorder_hands(rewards, num_styles, rng), new_bandit)
        total += mean_by_style(won, num_styles)
    return total / orders


def mean_by_style(won: Floats, num_styles: int) -> Floats:
    """Return the means (sessions, styles) of winnings (sessions, hands)."""
    return np.asarray(won.reshape(len(won), num_styles, -1).mean(axis=2))
