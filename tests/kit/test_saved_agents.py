"""Trained models become agents: the folder of a script plays what the script trained."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from card_baselines.kit import print_matches, rllib_network, save_onnx_agent, save_table_agent
from card_envs import make_game
from card_envs.agent import decisions_at, find_agent


def decisions_of(game, count=64):
    tables, rows = game.seeded_tables(count, 0), np.arange(count)
    game.deal_batch(tables, rows)
    return decisions_at(game, tables, rows, rows, np.random.default_rng(0).random(count))


@pytest.mark.parametrize("env", ["leduc_holdem-v0", "big2-v0"])
def test_a_saved_network_plays_its_probabilities(env, tmp_path):
    game, torch_seed = make_game(env), 0
    torch.manual_seed(torch_seed)
    network = torch.nn.Sequential(
        torch.nn.Linear(game.layout.size, 16), torch.nn.Tanh(), torch.nn.Linear(16, game.num_actions)
    )
    agent = find_agent(str(save_onnx_agent(tmp_path / "mine", network, game)), game)
    decisions = decisions_of(game)
    legal = torch.from_numpy(decisions.action_mask) == 1
    with torch.no_grad():
        logits = network(torch.from_numpy(np.asarray(decisions.observation, np.float32))).double()
    expected = torch.softmax(logits.masked_fill(~legal, -torch.inf), dim=1).numpy()
    np.testing.assert_allclose(agent.probabilities(decisions), expected, atol=1e-6)
    assert agent.name == "mine"
    greedy = find_agent(f"{tmp_path / 'mine'}:greedy", game)
    np.testing.assert_array_equal(greedy.act(decisions, np.random.default_rng(0)), expected.argmax(axis=1))


class RLlibModule(torch.nn.Module):
    """A module of the shape of RLlib's: its encoder returns nested dictionaries, its value is not needed."""

    def __init__(self, size, num_actions):
        super().__init__()
        self.layer, self.pi, self.vf = torch.nn.Linear(size, 8), torch.nn.Linear(8, num_actions), torch.nn.Linear(8, 1)

    def encoder(self, batch):
        return {"encoder_out": {"actor": torch.tanh(self.layer(batch["obs"]))}}


def test_a_module_of_rllib_plays_its_logits(tmp_path):
    game = make_game("leduc_holdem-v0")
    module = RLlibModule(game.layout.size, game.num_actions)
    agent = find_agent(str(save_onnx_agent(tmp_path / "theirs", rllib_network(module), game)), game)
    decisions = decisions_of(game)
    with torch.no_grad():
        logits = module.pi(module.encoder({"obs": torch.from_numpy(decisions.observation)})["encoder_out"]["actor"])
    legal = torch.from_numpy(decisions.action_mask) == 1
    expected = torch.softmax(logits.double().masked_fill(~legal, -torch.inf), dim=1).numpy()
    np.testing.assert_allclose(agent.probabilities(decisions), expected, atol=1e-6)


def test_saving_leaves_the_network_as_it_was(tmp_path):
    network = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Dropout())
    game = make_game("kuhn_poker-v0")
    network = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Linear(game.layout.size, game.num_actions)).train()
    save_onnx_agent(tmp_path / "a", network, game)
    assert network.training


def test_another_game_is_refused(tmp_path):
    game = make_game("leduc_holdem-v0")
    save_onnx_agent(tmp_path / "a", torch.nn.Linear(game.layout.size, game.num_actions), game)
    with pytest.raises(ValueError, match="was trained for"):
        find_agent(str(tmp_path / "a"), make_game("limit_holdem-v0"))


def test_a_damaged_model_is_refused(tmp_path):
    game = make_game("leduc_holdem-v0")
    folder = save_onnx_agent(tmp_path / "a", torch.nn.Linear(game.layout.size, game.num_actions), game)
    (folder / "policy.onnx").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"policy\.onnx is no network"):
        find_agent(str(folder), game)


def test_a_network_of_another_size_is_refused(tmp_path):
    game = make_game("leduc_holdem-v0")
    folder = save_onnx_agent(tmp_path / "a", torch.nn.Linear(game.layout.size, game.num_actions + 1), game)
    with pytest.raises(ValueError, match="other sizes"):
        find_agent(str(folder), game)


def test_a_table_plays_its_rows(tmp_path, capsys):
    from card_envs.analysis.exploitability.public_tree import PublicTree

    game = make_game("kuhn_poker-v0")
    tree = PublicTree(game)
    strategy = np.zeros(tree.decisions.action_mask.shape)
    strategy[np.arange(len(strategy)), tree.decisions.action_mask.argmax(axis=1)] = 1.0
    folder = save_table_agent(tmp_path / "first_legal", game, tree.decisions.observation, strategy)
    agent = find_agent(str(folder), game)
    decisions = decisions_of(game)
    np.testing.assert_array_equal(agent.act(decisions, np.random.default_rng(0)), decisions.action_mask.argmax(axis=1))
    results = print_matches(game, agent, ["random"], hands=100)
    assert results["random"].names == ("first_legal", "random")
    assert "first_legal against" in capsys.readouterr().out
    assert json.loads((folder / "config.json").read_text())["agent"] == "tabular"
