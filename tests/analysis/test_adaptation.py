"""Sessions against an opponent that changes its style: who plays when, and what is made of the rewards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from card_baselines.adaptation import Adaptation, SwitchingAgent, play_adaptation
from card_envs.agent import Agent, Decisions
from card_envs.games.holdem.presets import kuhn_poker, limit_holdem
from card_envs.match import Summary, play_match

FOLD, CALL = 0, 1


class Folds(Agent):
    """Folds wherever it can, and hears of its own deals alone."""

    def __init__(self) -> None:
        self.heard: list[int] = []

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return np.where(decisions.action_mask[:, FOLD] == 1, FOLD, CALL)

    def deal_starts(self, table_ids: Any) -> None:
        self.heard += table_ids.tolist()

    def deal_ends(self, table_ids: Any, payoffs: Any) -> None:
        assert len(table_ids) == len(payoffs)


class Calls(Folds):
    """Calls everything."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return np.full(len(decisions), CALL)


class Raises(Calls):
    """Raises wherever it can."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return np.where(decisions.action_mask[:, 2] == 1, 2, CALL)


def test_styles_take_turns_at_every_table() -> None:
    styles = Folds(), Calls()
    play_match(limit_holdem(), [Raises(), SwitchingAgent(styles, 3)], 24, seed=0, hands_per_table=12)
    assert all(sorted(style.heard) == sorted([0, 1] * 6) for style in styles)


def test_rewards_stand_by_session_and_hand() -> None:
    folds_first = play_adaptation(limit_holdem(), Raises(), [Folds(), Calls()], hands_per_style=4, sessions=5)
    assert folds_first.rewards.shape == (5, 8)
    assert folds_first.style_of_hand.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    against_folds = folds_first.rewards[:, :4]
    assert set(np.unique(against_folds)) == {0.5, 1.0}  # the blind of who folds, its own or the big one
    assert (np.abs(folds_first.rewards[:, 4:]) > 1).any()
    assert folds_first.by_style[0].mean == pytest.approx(against_folds.mean())


def test_regret_is_measured_against_the_best_fixed_response() -> None:
    found = play_adaptation(
        limit_holdem(), Folds(), [Folds(), Calls()], hands_per_style=20, sessions=10, responses=[Folds(), Raises()]
    )
    assert found.best_fixed[0].name == "raises"
    assert found.regret.mean == pytest.approx(
        np.mean([best.mean for best in found.best_fixed]) - found.rewards.mean(), abs=1e-9
    )


def curve(rewards: np.ndarray[Any, np.dtype[np.float64]]) -> Adaptation:
    styles, best = ("a", "b"), (Summary("x", 1.0, (1.0, 1.0), 0.0, 2),) * 2
    return Adaptation("agent", styles, rewards.shape[1] // 2, rewards, best, "bb")


def test_recovery_is_the_hand_from_which_it_wins_as_much_as_later() -> None:
    rewards = np.ones((20, 400))
    rewards[:, 200:280] = -1.0  # 80 hands after the switch it has learned
    hands, low, high = curve(rewards).recovery(1, window=20)
    assert (hands, low, high) == (80, 80, 80)
    assert curve(rewards).recovery(0, window=20)[0] == 0


def test_impossible_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="at least two windows long"):
        curve(np.ones((3, 40))).recovery(0, window=20)
    with pytest.raises(ValueError, match="two seats"):
        play_adaptation(limit_holdem(num_players=3), Folds(), [Calls()], sessions=1)
    with pytest.raises(ValueError, match="at least"):
        play_adaptation(kuhn_poker(), Folds(), [Calls()], sessions=0)
    with pytest.raises(ValueError, match="fixed responses"):
        _ = play_adaptation(kuhn_poker(), Folds(), [Calls()], hands_per_style=2, sessions=2).regret
