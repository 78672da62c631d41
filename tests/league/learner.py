"""A trainee for tests: it remembers, for every observation it has seen, what each action brought on average."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from card_baselines.league import Choices, Experience, Trainee


class Learner(Trainee):
    name = "learner"

    def __init__(self, game, seed=0):
        self.num_actions = game.num_actions
        self.sums: dict[str, list[float]] = {}
        self.counts: dict[str, list[int]] = {}
        self.rounds = 0

    def act(self, decisions, rng):
        rows = zip(map(key_of, decisions.observation), decisions.action_mask, strict=True)
        return np.array([np.argmax(np.where(mask == 1, self.values(key), -np.inf)) for key, mask in rows])

    def explore(self, decisions, rng):
        actions = self.act(decisions, rng)
        tries = rng.random((len(actions), self.num_actions)) * decisions.action_mask
        explores = rng.random(len(actions)) < 0.5
        return Choices(np.where(explores, tries.argmax(axis=1), actions), explores)

    def learn(self, experience: Experience, rng):
        for observation, action, reward in zip(
            experience.observations, experience.actions, experience.rewards, strict=True
        ):
            key = key_of(observation)
            self.sums.setdefault(key, [0.0] * self.num_actions)[action] += float(reward)
            self.counts.setdefault(key, [0] * self.num_actions)[action] += 1
        self.rounds += 1
        return {"known": float(len(self.sums)), "mean": float(experience.rewards.mean())}

    def values(self, key):
        if key not in self.sums:
            return np.zeros(self.num_actions)
        return np.array(self.sums[key]) / np.maximum(self.counts[key], 1)

    def save(self, folder: Path):
        (folder / "values.json").write_text(json.dumps([self.rounds, self.sums, self.counts]))

    @classmethod
    def load(cls, folder, game):
        learner = cls(game)
        learner.rounds, learner.sums, learner.counts = json.loads((folder / "values.json").read_text())
        return learner


class FailsAtFirst(Learner):
    """Raises in its first decision of a round."""

    def explore(self, decisions, rng):
        if 0 in decisions.table_ids:
            raise RuntimeError("not at table 0")
        return super().explore(decisions, rng)


class CannotLearn(Learner):
    def learn(self, experience, rng):
        raise RuntimeError("forgot how")


class Illegal(Learner):
    def explore(self, decisions, rng):
        actions = self.act(decisions, rng)
        return Choices(np.where(decisions.table_ids == 3, 99, actions))


def key_of(observation):
    return "".join(f"{number:g}," for number in observation)
