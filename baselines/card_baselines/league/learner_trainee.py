"""Learners of `card-envs train` as trainees: they learn from the hands of their rounds instead of their own tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.learned.mlp_policy import compute_probabilities
from card_baselines.kit.collector import Rows
from card_baselines.kit.learner import StateDictLearner
from card_baselines.league.trainee import Choices, Experience, Trainee
from card_baselines.learning.columns import NO_ROW
from card_baselines.runs.algorithm import Algorithm, require_algorithm
from card_envs.agent import Decisions, StochasticAgent
from card_envs.damaged_files import explain_damage
from card_envs.game import Game, check_actions
from card_envs.vector import VectorStep


class LearnerTrainee(StochasticAgent, Trainee):
    """A trainee that explores by the `act` of a `StateDictLearner`, and learns by its `learn`.

    As a teacher it plays the probabilities of the learner's network.

    Args:
        game: The game.
        seed: Seed of the learner.

    Raises:
        ValueError: If the learner of the algorithm plays its own tables only.
    """

    algorithm: ClassVar[Algorithm[Any]]
    """The algorithm of the learner, which has its default settings."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        learner = self.algorithm.make_learner(replace(self.algorithm.config(), seed=seed), game)
        if not isinstance(learner, StateDictLearner):
            raise ValueError(
                f"{self.algorithm.name} cannot learn in a league, since it plays its own tables only: "
                "take a learner that derives from card_baselines.kit.StateDictLearner"
            )
        self.name, self.learner = self.algorithm.name, learner

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return the probabilities of the learner's network, (n, num_actions)."""
        return compute_probabilities(self.learner.network, decisions.observation, decisions.action_mask)

    def explore(self, decisions: Decisions, rng: np.random.Generator) -> Choices:
        """Return the learner's actions, and its columns as notes."""
        nothing = np.zeros((len(decisions), decisions.game.num_seats), np.float32)
        step = VectorStep(
            decisions.observation, decisions.action_mask, decisions.seats, nothing, np.zeros(len(decisions), np.bool_)
        )
        actions, columns = self.learner.act(step)
        return Choices(check_actions(actions, len(decisions)), _join_columns(columns, len(decisions)))

    def learn(self, experience: Experience, rng: np.random.Generator) -> Mapping[str, float]:
        """Let the learner learn from the decisions once."""
        rows = _make_rows(experience, self.learner.collector.reward_scale)
        self.learner.num_steps += rows.num_rows
        return self.learner.learn_from(rows, 0.0)

    def save(self, folder: Path) -> None:
        """Write the checkpoint of the learner."""
        self.learner.save(folder / self.learner.checkpoint, {})

    @classmethod
    def load(cls, folder: Path, game: Game) -> Self:
        """Return the trainee in a folder; ValueError if its checkpoint is damaged or of another game."""
        trainee = cls(game)
        path = folder / trainee.learner.checkpoint
        with explain_damage(path):
            trainee.learner.load(path)
        return trainee


def make_trainee_class(found: object, spec: str) -> type[LearnerTrainee]:
    """Return the class of trainees whose learner is that of the algorithm that `spec` names; ValueError for others."""
    algorithm = require_algorithm(found, spec)
    return type(algorithm.name, (LearnerTrainee,), {"algorithm": algorithm})


def _join_columns(columns: Mapping[str, NDArray[Any]], num_rows: int) -> NDArray[Any] | None:
    """Return columns as one structured array (n,), None if there are none."""
    if not columns:
        return None
    fields = [(name, np.asarray(values).dtype, np.shape(values)[1:]) for name, values in columns.items()]
    if wrong := [name for name, values in columns.items() if np.shape(values)[:1] != (num_rows,)]:
        raise ValueError(f"act returned {wrong[0]} of shape {np.shape(columns[wrong[0]])}: {num_rows} rows are needed")
    notes = np.empty(num_rows, fields)
    for name, values in columns.items():
        notes[name] = values
    return notes


def _make_rows(experience: Experience, reward_scale: float) -> Rows:
    """Return the decisions of a round as a `Collector` returns them: a seat is paid after its last decision."""
    notes, is_last = experience.notes, experience.following == NO_ROW
    columns = {} if notes is None else {name: np.ascontiguousarray(notes[name]) for name in notes.dtype.fields or ()}
    return Rows({
        "observation": experience.observations, "action_mask": experience.action_masks, "action": experience.actions,
        "seat": experience.seats, "table": experience.hands, "deal": experience.hands,
        "reward": np.where(is_last, reward_scale * experience.rewards, 0.0).astype(np.float32),
        "next_row": experience.following, **columns,
    })  # fmt: skip
