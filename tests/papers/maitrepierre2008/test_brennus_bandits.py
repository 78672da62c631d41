"""Bandits over strategies, read off from sessions of single strategies: Maitrepierre et al. (2008), and one of ours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from card_baselines.papers.maitrepierre2008.arms import (
    mean_by_style,
    play_sessions,
    reorder_hands,
    run_bandit,
    simulate_bandit,
)
from card_baselines.papers.maitrepierre2008.bandit import Ucb
from card_baselines.papers.maitrepierre2008.brennus import Brennus
from card_baselines.papers.maitrepierre2008.correlated import CorrelatedBandit
from card_baselines.papers.maitrepierre2008.paper import render_table
from card_envs.games.holdem.presets import limit_holdem

GAME = limit_holdem()


def test_a_bandit_run_on_single_strategies_is_the_session_that_would_have_been_played() -> None:
    styles, hands, sessions = ("always_raise", "equity"), 20, 2
    arms = [Brennus(looseness=(share,), num_trees=5) for share in (0.0, 1.0)]
    rewards = np.stack([play_sessions(GAME, arm, styles, hands, sessions, seed=4) for arm in arms])
    both = Brennus(looseness=(0.0, 1.0), num_trees=5)
    played = play_sessions(GAME, both, styles, hands, sessions, seed=4)
    won, strategies = run_bandit(rewards, both.new_session)
    assert np.array_equal(won, played)
    assert strategies.tolist() == [list(both.session(table).played) for table in range(sessions)]
    assert {0, 1} == set(strategies.ravel().tolist())


def test_other_orders_keep_styles_and_the_button() -> None:
    hands = np.arange(40.0)[None, None]
    mixed = reorder_hands(hands, 2, np.random.default_rng(0))[0, 0]
    assert sorted(mixed.tolist()) == list(range(40))
    assert (mixed[:20] < 20).all()
    assert np.array_equal(mixed % 2, np.arange(40) % 2)
    assert not np.array_equal(mixed, np.arange(40))


def test_the_simulated_bandit_of_a_single_strategy_is_its_mean() -> None:
    rewards = np.random.default_rng(1).normal(size=(1, 3, 40))
    means = simulate_bandit(rewards, 2, lambda: Ucb(1), orders=3)
    assert means == pytest.approx(mean_by_style(rewards[0], 2))


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
    _, strategies = run_bandit(rewards, lambda: CorrelatedBandit((0.0, 1.0)))
    assert strategies[:, 100:200].mean() < 0.4
    assert strategies[:, 300:].mean() > 0.6


def test_settings_of_the_correlated_bandit_are_checked() -> None:
    for settings in ({"looseness": ()}, {"looseness": (0.0,), "memory": 0.0}, {"looseness": (0.0,), "bound": -1.0}):
        with pytest.raises(ValueError, match="at least one strategy"):
            CorrelatedBandit(**settings)  # type: ignore[arg-type]


def test_differences_are_those_of_the_same_sessions() -> None:
    common = {"table": 3, "ci95": [0.0, 2.0], "by_style": [{"mean": 1.0, "ci95": [0.0, 2.0]}] * 2, "sessions": 3}
    results = [
        {**common, "opponent": "brennus", "mean": 2.0, "by_session": [1.0, 2.0, 3.0]},
        {**common, "opponent": "vexbot_like", "mean": 1.5, "by_session": [0.5, 1.5, 2.5]},
    ]
    table = render_table({"results": results}, 3)
    assert table.header[-1] == "brennus less this"
    assert [row[-1] for row in table.rows] == ["", "+0.500 ± 0.000"]
