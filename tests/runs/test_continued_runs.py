"""An interrupted run of any learner goes on as if it had not been, to the last number of its checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from card_baselines.ppo import network, ppo, rollout
from card_baselines.ppo.on_device.learner import DevicePpo
from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import STATE, load_state
from card_baselines.runs.learner import Learner
from card_baselines.runs.run import train
from card_envs.game import Game
from tests.helpers.tiny_runs import algorithm_of, tiny_config


@dataclass(frozen=True)
class Case:
    """A learner, and how often it learns before and after the interruption."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    updates: int = 2
    make: Callable[[Any, Game], Learner] | None = None
    """Makes another learner than that of the algorithm."""


EXPLOITED = {"opponents": ("self", "random", "exploiter"), "exploiter_updates": 3, "exploiter_batches": 1}
CASES = {
    **{name: Case(name) for name in ("sd_cfr", "deep_cfr", "dream", "dream_network", "nfsp", "mmd", "tabular_mccfr")},
    "distill": Case("distill"),
    "expert_iteration": Case("expert_iteration", {"memory": 150}),  # filled after two updates
    "shi2022, apu": Case("shi2022", {"algorithm": "apu", "history": "fc", "warm_up": 0}),
    "shi2022, dual-apu": Case("shi2022", {"algorithm": "dual-apu", "history": "lstm", "warm_up": 0}),
    "asymmetric_ppo": Case("asymmetric_ppo", {"card_prediction": 0.1}),
    "self_play_ppo": Case("self_play_ppo", {"average_strategy": "exact"}, updates=5),
    "self_play_ppo, exploiters": Case("self_play_ppo", {"average_strategy": "exact", **EXPLOITED}, updates=5),
    "self_play_ppo, on a device": Case("self_play_ppo", EXPLOITED, updates=5, make=DevicePpo),
    "self_play_ppo, snapshots": Case("self_play_ppo", {"env": "kuhn_poker-v0", "average_strategy": "snapshots"}),
}
UNWRITTEN = {"rollout.buffer.advantage", "rollout.buffer.target", "rollout.waiting.decisions"}
"""What PPO writes when a deal ends, and records with it; of unfinished deals there is what was there before."""


@pytest.fixture(autouse=True)
def small_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let PPO have past selves and several exploiters within few updates."""
    monkeypatch.setattr(ppo, "UPDATES_PER_PAST_SELF", 2)
    for module in (rollout, network):
        monkeypatch.setattr(module, "NUM_EXPLOITERS", 2)


def begin(case: Case, start: RunFolder | None) -> Any:
    config = tiny_config(case.name, **case.settings, **({"start_from": str(start.path)} if start else {}))
    learner = (case.make or algorithm_of(case.name).make_learner)(config, config.game())
    if start:
        learner.start_from(start)
    return learner


@pytest.mark.parametrize("name", CASES)
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(name: str, tmp_path: Path) -> None:
    case, start = CASES[name], None
    if case.name == "expert_iteration":
        start = train(algorithm_of("distill"), tiny_config("distill", steps=500), tmp_path / "start", progress=False)
    whole, first, second = (begin(case, start) for _ in range(3))
    for update in range(case.updates):
        assert whole.update(0.05 * update) == first.update(0.05 * update)
    for learner in (whole, first):
        learner.measure()
    first.save(tmp_path / STATE, {"seconds": 12.5})
    assert second.load(tmp_path / STATE)["seconds"] == 12.5
    for update in range(case.updates):
        assert whole.update(0.5 + 0.05 * update) == second.update(0.5 + 0.05 * update)
    assert whole.measure() == second.measure() and whole.num_steps == second.num_steps > 0
    whole.save(tmp_path / "whole", {})
    second.save(tmp_path / "second", {})
    (tensors, facts), (others, other_facts) = load_state(tmp_path / "whole"), load_state(tmp_path / "second")
    assert facts == other_facts and tensors.keys() == others.keys()
    for key in tensors.keys() - UNWRITTEN:
        assert torch.equal(tensors[key], others[key]), key
