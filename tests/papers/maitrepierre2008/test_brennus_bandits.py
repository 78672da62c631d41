"""The bandit of ours over the strategies of Brennus."""

from __future__ import annotations

import math

import numpy as np
import pytest

from card_baselines.papers.maitrepierre2008.bandit import CorrelatedBandit, GrowingUcb


def test_the_correlated_bandit_learns_of_neighbours() -> None:
    bandit = CorrelatedBandit((0.0, 0.25, 1.0))
    for _ in range(30):
        bandit.learn(0, -3.0)
    first, near, far = bandit.means
    assert first < -1.5 and near < -1.0 < far, "what one wins tells most of those beside it"
    assert bandit.bounds[0] < bandit.bounds[1] < bandit.bounds[2]
    assert bandit.choose() == 2


def test_the_correlated_bandit_without_memory_loss_has_the_posterior_of_one_strategy_by_hand() -> None:
    bandit = CorrelatedBandit((0.0,), memory=1.0)
    rewards = [1.0, 5.0, -2.0, 0.0]
    for reward in rewards:
        bandit.learn(0, reward)
    noise = (4 * np.var(rewards) + 10 * 6.0**2) / 14
    prior = 2.0**2 + 0.3**2
    assert bandit.noise == pytest.approx(noise)
    assert bandit.means[0] == pytest.approx(1.0 * prior / (prior + noise / 4))
    assert bandit.bounds[0] == pytest.approx(0.5 * math.sqrt(1 / (1 / prior + 4 / noise)))


def test_the_correlated_bandit_follows_a_change_within_a_session() -> None:
    rng = np.random.default_rng(0)
    rewards = rng.normal(0.0, 4.0, (2, 20, 400))
    rewards[0, :, :200] += 2.0
    rewards[1, :, 200:] += 2.0
    bandits = [CorrelatedBandit((0.0, 1.0)) for _ in range(20)]
    for session, bandit in enumerate(bandits):
        for hand in range(400):
            strategy = bandit.choose()
            bandit.learn(strategy, float(rewards[strategy, session, hand]))
    strategies = np.array([bandit.played for bandit in bandits])
    assert strategies[:, 100:200].mean() < 0.4
    assert strategies[:, 300:].mean() > 0.6


def test_settings_of_the_correlated_bandit_are_checked() -> None:
    for settings in ({"looseness": ()}, {"looseness": (0.0,), "memory": 0.0}, {"looseness": (0.0,), "bound": -1.0}):
        with pytest.raises(ValueError, match="at least one strategy"):
            CorrelatedBandit(**settings)  # type: ignore[arg-type]


def test_strategies_join_one_by_one() -> None:
    """With a growing bandit only the first plays at first; the others are tried as soon as they have joined."""
    bandit, rng = GrowingUcb(3, added_every=20), np.random.default_rng(0)
    for _ in range(70):
        bandit.learn(strategy := bandit.choose(), float(rng.normal(strategy)))
    assert set(bandit.played[:20]) == {0}
    assert bandit.played[20:22] == [1, 1] and set(bandit.played[:40]) == {0, 1}
    assert bandit.played[40:42] == [2, 2]
