"""Agents and learners compute their networks where they are told to.

PyTorch's device "meta" stands in for a GPU: it knows shapes and no numbers, and refuses operations with tensors of the
CPU. An agent that moves its network and everything it feeds it fails there only when the result is to be copied back.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from card_baselines import cli
from card_baselines.agents.learned.mlp_policy import save_policy
from card_baselines.agents.learned.recurrent_policy import RecurrentAgent, RecurrentPolicy
from card_baselines.ppo import ppo
from card_baselines.ppo.config import Config, Schedules
from card_baselines.ppo.rollout_buffer import LOSS_COLUMNS, Batch
from card_envs.agent import find_agent
from card_envs.envs import make_game
from card_envs.match import AgentError, play_match

LEARNED = "card_baselines.agents.learned"
PAPERS = "card_baselines.papers"
COPIED_BACK = "Cannot copy out of meta tensor"
AGENTS = [
    ("ppo_limit_hu", f"{LEARNED}.mlp_agent", 2),
    ("shi2022_dual_apu", f"{PAPERS}.shi2022.networks", 6),
    ("zheng2022_ppo", f"{PAPERS}.zheng2022.networks", 2),
    ("zheng2022_cheatem", f"{PAPERS}.zheng2022.networks", 2),
]


@pytest.mark.parametrize(("name", "module", "seats"), AGENTS)
def test_networks_are_computed_on_the_device(
    name: str, module: str, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_game("limit_holdem-v0", num_players=seats)
    asked: list[str] = []

    def meta(wanted: str) -> torch.device:
        asked.append(wanted)
        return torch.device("meta")

    monkeypatch.setattr(import_module(module), "find_device", meta)
    agent = find_agent(name, game, device="cuda:1")
    assert set(asked) == {"cuda:1"}
    with pytest.raises(AgentError, match=COPIED_BACK):
        play_match(game, [agent, *others(game, seats)], 4, 0)


def others(game: Any, seats: int) -> list[Any]:
    return [find_agent("always_call", game) for _ in range(seats - 1)]


def test_a_learner_plays_and_computes_its_loss_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppo, "find_device", lambda wanted: torch.device("meta"))
    config = Config(num_tables=8, batch=16, minibatch=16, device="cuda")
    learner = ppo.Ppo(config, config.game())
    with pytest.raises(NotImplementedError, match=COPIED_BACK):
        learner.rollout.collect(learner.network, 16)
    kept = learner.rollout.buffer.columns
    kept.resize(20)
    columns = {name: kept[name] for name in LOSS_COLUMNS}
    minibatch = Batch(columns, learner.device).minibatch(np.arange(3, 15))
    loss, measures = learner.compute_loss(minibatch, Schedules.from_config(config, 0.5))
    assert {loss.device.type, *(measure.device.type for measure in measures.values())} == {"meta"}
    loss.backward()
    assert all(parameter.grad is not None for parameter in learner.network.parameters())


def test_a_recurrent_agent_keeps_its_memory_on_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("leduc_holdem-v0")
    sizes = {"observation_size": game.layout.size, "num_actions": game.num_actions, "memory": 8, "hidden": [8]}
    config: dict[str, Any] = {
        "agent": "recurrent", "game": game.name, "num_seats": 2, "encoder": game.encoder.name,
        "encoder_version": game.encoder.version, "activation": "tanh", **sizes,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    save_policy(RecurrentPolicy.from_config(config), tmp_path / "policy.safetensors")
    on_cpu = RecurrentAgent(tmp_path, game)
    assert play_match(game, [on_cpu, *others(game, 2)], 4, 0).hands == 4
    module = sys.modules[RecurrentAgent.__module__]
    monkeypatch.setattr(module, "find_device", lambda wanted: torch.device("meta"))
    with pytest.raises(AgentError, match=COPIED_BACK):
        play_match(game, [RecurrentAgent(tmp_path, game, "cuda"), *others(game, 2)], 4, 0)


def test_auto_is_the_cpu_where_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    game = make_game("limit_holdem-v0", num_players=2)
    agents = [find_agent("ppo_limit_hu", game, device) for device in ("auto", "cpu")]
    means = [play_match(game, [agent, *others(game, 2)], 50, 0).agents[0].mean for agent in agents]
    assert means[0] == means[1]


@pytest.mark.parametrize("command", [["match"], ["play"]])
def test_a_missing_gpu_is_named(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    agents = ["ppo_limit_hu", "random"] if command == ["match"] else ["ppo_limit_hu"]
    words = [*command, "limit_holdem-v0", "--agents", *agents, "--hands", "2", "--device", "cuda"]
    assert cli.main(words) == 2
    printed = capsys.readouterr()
    assert "device 'cuda' is not there: PyTorch sees 0 GPUs; choose auto or cpu" in " ".join(printed.err.split())


def test_an_unknown_device_is_named() -> None:
    with pytest.raises(ValueError, match="device 'gpu' is not known: choose auto, cpu, cuda or cuda:N"):
        find_agent("ppo_limit_hu", make_game("limit_holdem-v0", num_players=2), "gpu")
