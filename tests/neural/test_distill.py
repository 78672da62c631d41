"""Distillation: the network becomes the teacher, and PPO goes on from its weights."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.neural import mmd
from card_baselines.neural.distill import ALGORITHM, Config, Distillation
from card_baselines.ppo.algorithm import ALGORITHM as PPO
from card_baselines.run_folder import RunFolder
from card_baselines.runs.run import train
from card_envs import make_game
from card_envs.agent import Agent, Decisions, decisions_at, find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from tests.helpers import tiny_runs
from tests.helpers.tiny_runs import UNTRAINED

KUHN = Config(teacher="cfr", opponents=("always_raise",), num_tables=64, hidden=(32,), **tiny_runs.KUHN)


@pytest.fixture(scope="module")
def distilled(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return train(ALGORITHM, replace(KUHN, steps=30_000), tmp_path_factory.mktemp("distilled") / "run", progress=False)


def test_the_network_plays_nearly_as_the_teacher(distilled: RunFolder) -> None:
    """An untrained player loses almost half a chip, the solved game 0.0001."""
    game = make_game("kuhn_poker-v0")
    assert exact_exploitability(game, find_agent(str(distilled.path), game)).exploitability < 0.15 * UNTRAINED
    assert distilled.metrics()[-1]["kl_from_teacher"] < 0.05


def test_ppo_and_its_magnet_begin_with_the_distilled_policy(distilled: RunFolder) -> None:
    config = mmd.Config(env="kuhn_poker-v0", hidden=(32,), shared_layers=1, activation="relu", device="cpu")
    for learner in (PPO.make_learner(config, config.game()), mmd.ALGORITHM.make_learner(config, config.game())):
        learner.start_from(distilled)
        wanted = find_agent(str(distilled.path), config.game()).policy.state_dict()
        assert all(torch.equal(tensor, wanted[name]) for name, tensor in learner.network.policy.state_dict().items())
    magnet = learner.magnet.policy.state_dict()
    assert all(torch.equal(tensor, wanted[name]) for name, tensor in magnet.items())


def test_a_teacher_without_probabilities_is_learned_from_its_actions(tmp_path: Path) -> None:
    config = replace(KUHN, teacher="always_raise", opponents=("always_call",), steps=30_000)
    run = train(ALGORITHM, config, tmp_path / "run", progress=False)
    assert run.metrics()[-1]["kl_from_teacher"] < 0.01


class Mixer(Agent):
    """Bets or calls in a quarter of its decisions, else checks or folds, and does not show its probabilities."""

    name = "mixer"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        lowest, highest = decisions.action_mask.argmax(axis=1), 2 - decisions.action_mask[:, ::-1].argmax(axis=1)
        return np.where(decisions.random_numbers < 0.25, highest, lowest).astype(np.int64)


class Cheater(Mixer):
    """Folds where checking is free."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.zeros(len(decisions), np.int64)


def test_of_a_teacher_that_mixes_the_probabilities_are_learned(tmp_path: Path) -> None:
    config = replace(KUHN, teacher=f"{__name__}:Mixer", opponents=("always_call",), steps=30_000)
    run = train(ALGORITHM, config, tmp_path / "run", progress=False)
    game = make_game("kuhn_poker-v0")
    tables, rows = game.seeded_tables(64, 0), np.arange(64)
    game.deal_batch(tables, rows)
    found = find_agent(str(run.path), game).probabilities(decisions_at(game, tables, rows, rows, np.full(64, 0.5)))
    assert found[:, 2] == pytest.approx(np.full(64, 0.25), abs=0.1)


def test_a_teacher_that_breaks_the_rules_is_refused() -> None:
    config = replace(KUHN, teacher=f"{__name__}:Cheater")
    with pytest.raises(ValueError, match="Cheater' took an illegal action"):
        Distillation(config, config.game()).update(0.0)


def test_teachers_that_remember_deals_are_refused() -> None:
    config = replace(KUHN, env="limit_holdem-v0", teacher="brennus")
    with pytest.raises(ValueError, match=r"teacher 'brennus' remembers deals"):
        Distillation(config, config.game())
