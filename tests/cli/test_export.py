"""`card-envs agents --export`: the ONNX file plays as the agent does, and says what it was trained for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import onnxruntime
import torch

from card_baselines.agents.learned.mlp_agent import MlpAgent
from card_baselines.agents.learned.mlp_policy import MlpPolicy, save_policy
from card_baselines.run_folder import CONFIG, WEIGHTS
from card_envs import make_game
from card_envs.agent import Decisions, find_agent
from card_envs.match import play_match
from tests.helpers.shell import Shell

EXPORT = ("agents", "--export", "--agent")
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("ppo_limit_hu", "limit_holdem-v0", {}),
    ("ppo_no_limit_six_max", "no_limit_holdem-v0", {"num_players": 6}),
    ("ppo_big2", "big2-v0", {}),
]


class Comparing(MlpAgent):
    """Plays the agent, and asks the ONNX file the same."""

    def __init__(self, agent: Any, file: Path) -> None:
        self.__dict__ |= vars(agent)
        self.network = onnxruntime.InferenceSession(str(file))
        self.asked = 0

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        observation = np.asarray(decisions.observation, np.float32)
        inputs = {"observation": observation, "action_mask": decisions.action_mask}
        [logits] = self.network.run(["logits"], inputs)
        shown = torch.softmax(torch.from_numpy(logits).double(), dim=1).numpy()
        np.testing.assert_allclose(shown, self.probabilities(decisions), atol=1e-5)
        assert (logits[decisions.action_mask == 0] == np.float32(-1e9)).all()
        self.asked += len(decisions)
        return super().act(decisions, rng)


@pytest.mark.parametrize(("name", "env", "settings"), CASES)
def test_the_file_plays_as_the_agent_does(
    name: str, env: str, settings: dict[str, Any], tmp_path: Path, shell: Shell
) -> None:
    file = tmp_path / "agent.onnx"
    assert f"wrote {name} to {file}" in shell.prints(*EXPORT, name, "--onnx", str(file))
    assert [path.name for path in tmp_path.iterdir()] == ["agent.onnx"]
    game = make_game(env, **settings)
    comparing = Comparing(find_agent(name, game), file)
    play_match(game, [comparing] * game.num_seats, hands=20, seed=0)
    assert comparing.asked > 50


def test_the_file_says_what_it_was_trained_for(tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "agent.onnx"
    report = shell.reports(*EXPORT, "ppo_limit_six_max:greedy", "--onnx", str(file))
    meta = onnxruntime.InferenceSession(str(file)).get_modelmeta()
    about = meta.custom_metadata_map
    assert report == {"file": str(file), **about}
    encoder = make_game("limit_holdem-v0", num_players=6).encoder
    assert (about["encoder"], int(about["encoder_version"])) == (encoder.name, encoder.version)
    assert (about["env"], about["settings"]) == ("limit_holdem-v0", '["num_players=6"]')
    assert (about["chooses"], about["num_seats"]) == ("greedy", "6")
    assert "limit_holdem-v0 num_players=6 for 6 seats" in meta.graph_description
    about = shell.reports(*EXPORT, "ppo_limit_hu", "--onnx", str(file))
    assert (about["encoder"], about["settings"]) == ("equity", "[]"), "the encoder stands for itself"


def run_folder(folder: Path, **changes: Any) -> None:
    game = make_game("kuhn_poker-v0")
    policy = MlpPolicy(game.layout.size, [4], game.num_actions)
    config = {
        "agent": "mlp", "algorithm": "none", "env": "kuhn_poker-v0", "env_args": [], "game": game.name,
        "encoder": game.encoder.name, "encoder_version": game.encoder.version, "num_seats": game.num_seats,
        "num_actions": game.num_actions, "observation_size": game.layout.size, "hidden": [4], "activation": "tanh",
    }  # fmt: skip
    save_policy(policy, folder / WEIGHTS)
    (folder / CONFIG).write_text(json.dumps(config | changes))


def test_a_run_folder_is_exported(tmp_path: Path, shell: Shell) -> None:
    run_folder(tmp_path)
    shell.prints(*EXPORT, str(tmp_path), "--onnx", str(tmp_path / "mine.onnx"))
    game = make_game("kuhn_poker-v0")
    comparing = Comparing(find_agent(str(tmp_path), game), tmp_path / "mine.onnx")
    play_match(game, [comparing] * 2, hands=50, seed=0)
    assert comparing.asked > 50


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"encoder_version": 99}, "was trained for encoder_version 99, this match has"),
        ({"agent": "recurrent"}, "is no fully connected network, but 'recurrent'"),
    ],
)
def test_what_cannot_be_exported_is_refused(
    changes: dict[str, Any], message: str, tmp_path: Path, shell: Shell
) -> None:
    run_folder(tmp_path, **changes)
    assert message in shell.refuses(*EXPORT, str(tmp_path), "--onnx", str(tmp_path / "mine.onnx"))
    assert not (tmp_path / "mine.onnx").exists()


def test_agents_without_a_network_are_refused(tmp_path: Path, shell: Shell) -> None:
    error = shell.refuses(*EXPORT, "always_call", "--onnx", str(tmp_path / "mine.onnx"))
    assert "agent 'always_call' has no trained network: choose a run folder or one of [" in error
