"""Expert iteration: the network learns what the search does, held to where it began."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import numpy as np
import torch

from card_baselines.neural import distill
from card_baselines.neural.expert_iteration import ALGORITHM, PRESETS, Config, ExpertIteration
from card_baselines.run_folder import RunFolder
from card_baselines.runs.run import train
from card_envs.agent import Agent, find_agent
from card_envs.match import play_match
from tests.helpers.tiny_runs import KUHN

TINY: dict[str, Any] = {**KUHN, "num_tables": 32, "hidden": (32,), "minibatch": 64, "memory": 4000}


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A network that always calls."""
    config = distill.Config(
        teacher="always_call", opponents=("random",), num_tables=64, hidden=(32,), steps=40_000, **KUHN,
    )  # fmt: skip
    return train(distill.ALGORITHM, config, tmp_path_factory.mktemp("caller") / "run", progress=False)


def config_of(start: RunFolder, **changes: Any) -> Config:
    return Config(**{"start_from": str(start.path), "teacher": "always_raise", **TINY, **changes})


@pytest.mark.parametrize(("anchor", "is_learned"), [(0.0, True), (0.95, False)])
def test_the_network_learns_what_the_search_does_unless_it_is_anchored(
    caller: RunFolder, tmp_path: Path, anchor: float, is_learned: bool
) -> None:
    config = config_of(caller, anchor=anchor, steps=4000, learning_rate=(1e-2, 1e-3))
    run = train(ALGORITHM, config, tmp_path / "run", progress=False)
    last = run.metrics()[-1]
    assert (last["agrees"] > 0.95) == is_learned
    assert last["anchor_agrees"] < 0.5
    game = config.game()
    learned, wanted = find_agent(str(run.path), game), find_agent("always_raise" if is_learned else "always_call", game)
    results = [play_match(game, [player, find_agent("cfr", game)], 2000, seed=1) for player in (learned, wanted)]
    assert np.abs(results[0].payoffs - results[1].payoffs).mean() < 0.3


def test_it_begins_with_the_policy_that_it_is_anchored_to(caller: RunFolder) -> None:
    config = config_of(caller, device="cpu")
    learner = ExpertIteration(config, config.game())
    learner.start_from(caller)
    wanted = find_agent(str(caller.path), config.game()).policy.state_dict()
    for network in (learner.network, learner.anchor):
        assert all(torch.equal(tensor, wanted[name]) for name, tensor in network.policy.state_dict().items())
    before = {name: tensor.clone() for name, tensor in learner.anchor.policy.state_dict().items()}
    learner.update(0.0)
    assert all(torch.equal(tensor, before[name]) for name, tensor in learner.anchor.policy.state_dict().items())
    assert not torch.equal(learner.network.policy.layers[0].weight, learner.anchor.policy.layers[0].weight)


def test_only_decisions_with_a_choice_are_searched() -> None:
    config = replace(PRESETS["big2"], **{**TINY, "env": "big2-v0", "hidden": (512, 256), "teacher": "big2_greedy"})
    learner = ExpertIteration(config, config.game())
    learner.update(0.0)
    assert learner.decisions == learner.memory.num_added == 8 * 32
    masks = np.unpackbits(learner.memory.column("mask"), axis=1, count=1695)
    assert (masks.sum(axis=1) > 1).all()
    assert masks[np.arange(len(masks)), learner.memory.column("action")].all()


def test_wrong_settings_are_refused() -> None:
    config = Config(env="kuhn_poker-v0", teacher="cfr")
    with pytest.raises(ValueError, match="start_from '' must name the network"):
        ExpertIteration(config, config.game())
    with pytest.raises(ValueError, match="anchor"):
        Config(start_from="ppo_big2", anchor=1.5)
    with pytest.raises(ValueError, match="must be empty and 0: the network plays all seats"):
        Config(start_from="ppo_big2", opponents=("random",), mixed=0.5)


class Illegal(Agent):
    """Takes an action that does not exist in a position."""

    def act(self, decisions: Any, rng: np.random.Generator) -> Any:
        return np.argmin(decisions.action_mask, axis=1)


def test_an_illegal_action_of_the_search_is_named(caller: RunFolder) -> None:
    config = config_of(caller, env="leduc_holdem-v0", teacher="tests.neural.test_expert_iteration:Illegal")
    learner = ExpertIteration(config, config.game())
    with pytest.raises(ValueError, match="took an illegal action"):
        for _ in range(20):
            learner.update(0.0)
