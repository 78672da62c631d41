"""Qlearn-8 and Qlearn-All: values that are trained towards the payoff of the hand (sections 2.2.2, 3.4.2, eq. 3.5).

The value of folding is minus the chips put in; it is neither learned nor explored. With probability epsilon another
move is played, each legal one with the same probability.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.league import Choices, Experience
from card_baselines.papers.kaminsky2020.networks import PairValues, StateValues
from card_baselines.papers.kaminsky2020.players import best_moves, compute_values, find_moves
from card_baselines.papers.kaminsky2020.situation import Situations
from card_baselines.papers.kaminsky2020.trainee import POLICY, KaminskyTrainee, Settings
from card_envs.agent import Decisions, choose

EPSILON = 0.1
"""Probability of a random move."""
_FOLD = -1


class Qlearn(KaminskyTrainee):
    """A Q-learner; `settings.kind` decides which moves it has."""

    def rates(self) -> dict[str, float]:
        """Return the learning rate of the only network."""
        return {POLICY: self.settings.learning_rate}

    def explore(self, decisions: Decisions, rng: np.random.Generator) -> Choices:
        """Return the best moves, but random ones in some decisions; the notes are the moves."""
        config: dict[str, Any] = self.config()
        moves, situations = find_moves(config), Situations.from_decisions(decisions)
        values = compute_values(self.played, decisions)
        chosen = best_moves(values, moves, situations, config["reward_scale"])
        explores = np.flatnonzero(decisions.random_numbers < EPSILON)
        if len(explores):
            legal = moves.legal(situations)[explores]
            chosen[explores] = choose(legal, decisions.random_numbers[explores] / EPSILON)
        return Choices(moves.actions(situations, chosen), chosen)

    def learn_batch(self, experience: Experience, rows: NDArray[np.int64]) -> dict[str, torch.Tensor]:
        """Update the values of the played moves towards the payoff of the hand; folds are not learned."""
        network = self.networks[POLICY]
        assert isinstance(network, StateValues | PairValues) and experience.notes is not None
        rows = rows[experience.notes[rows] != _FOLD]
        observation = torch.from_numpy(experience.observations[rows])
        moves = torch.from_numpy(experience.notes[rows])
        chips = experience.rewards[rows] * experience.game.chips_per_reward
        target = torch.from_numpy((chips / self.settings.reward_scale).astype(np.float32))
        error = network.evaluate_moves(observation, moves).float() - target
        return {"loss": self.update(POLICY, (error**2).mean())}


class Qlearn8(Qlearn):
    """Calls, or raises to one of seven amounts; the move is an input of the network."""

    name = "qlearn_8"
    settings: ClassVar[Settings] = Settings("qlearn_8")


class QlearnAll(Qlearn):
    """Calls, or raises to any amount up to 200; one pass of the network gives all values."""

    name = "qlearn_all"
    settings: ClassVar[Settings] = Settings("qlearn_all")
