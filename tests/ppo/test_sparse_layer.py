"""The first layer on observations that are mostly zeros is the linear layer that it stands for."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.agents.learned.mlp_agent import MlpAgent, apply_to_parts
from card_baselines.ppo.fast_cpu import FastActorCritic, sparse_linear
from card_baselines.ppo.network import ActorCritic
from card_envs import make_game
from card_envs.agent import decisions_at, find_agent
from card_envs.analysis.exploitability.deals import HIDDEN_HANDS
from card_envs.analysis.exploitability.range_strategy import ObservationParts, RangeStrategy


@pytest.mark.parametrize("rows", [0, 1, 33])
def test_it_is_the_linear_layer_with_its_gradients(rows: int) -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    layer = torch.nn.Linear(20, 7)
    observation = torch.from_numpy((rng.normal(size=(rows, 20)) * (rng.random((rows, 20)) < 0.2)).astype(np.float32))
    weights_of_outputs = torch.from_numpy(rng.normal(size=(rows, 7)).astype(np.float32))
    found = []
    for output in (layer(observation), sparse_linear(observation, layer)):
        layer.zero_grad()
        (output * weights_of_outputs).sum().backward()
        assert layer.weight.grad is not None and layer.bias.grad is not None
        found.append((output.detach(), layer.weight.grad.clone(), layer.bias.grad.clone()))
    for dense, sparse in zip(*found, strict=True):
        torch.testing.assert_close(sparse, dense)


@pytest.mark.parametrize("shared_layers", [0, 1, 2])
def test_a_network_is_the_same_whichever_way_its_first_layers_are_computed(shared_layers: int) -> None:
    torch.manual_seed(0)
    dense = ActorCritic(30, (16, 8), 4, "relu", (8,), shared_layers)
    sparse = FastActorCritic(30, (16, 8), 4, "relu", (8,), shared_layers)
    sparse.load_state_dict(dense.state_dict())
    observation = (torch.rand(50, 30) < 0.1).float()
    legal = torch.tensor([[0, 1, 2, 3], [0, 2, -1, -1]] * 25, dtype=torch.int16)
    found = []
    for network in (sparse, dense):
        logits, value = network(observation, legal)
        (logits[legal >= 0].sum() + value.square().sum()).backward()
        found.append([logits.detach(), value.detach(), *(parameter.grad.clone() for parameter in network.parameters())])
    for sparse, dense in zip(*found, strict=True):
        torch.testing.assert_close(sparse, dense)


def test_parts_of_observations_give_what_whole_ones_give() -> None:
    """A network that is asked about a range adds up what its first layer makes of public and private numbers."""
    rng = np.random.default_rng(0)
    columns = np.array([0, 3, 4])
    public = rng.normal(size=(2, 7)).astype(np.float32)
    public[:, columns] = 0
    private = (rng.normal(size=(5, 3)) * (rng.random((5, 3)) < 0.5)).astype(np.float32)
    parts = ObservationParts(public, np.array([0, 0, 1, 1, 1]), private, columns)
    layer = torch.nn.Linear(7, 6)
    whole = layer(torch.from_numpy(parts.join())).detach()
    assert torch.allclose(apply_to_parts(parts, layer), whole, atol=1e-6)
    assert (parts.join()[:, columns] == private).all() and (parts.join()[2, 1] == public[1, 1]).all()


def test_a_network_answers_a_range_as_hand_by_hand() -> None:
    game = make_game("limit_holdem-v0")
    agent, hidden = find_agent("ppo_limit_hu", game), HIDDEN_HANDS.find(game)
    assert isinstance(agent, MlpAgent) and hidden is not None
    tables = game.seeded_tables(2, 1)
    game.deal_batch(tables, np.arange(2))
    tables["street"][1] = 2
    seats = tables["actor"].astype(np.int64)
    wanted = hidden.possible_hands(tables, 1 - seats) & (np.arange(hidden.num_hands) % 40 == 0)
    answers = RangeStrategy(game, agent, hidden).probabilities(tables, seats, wanted)
    rows, hands = np.nonzero(wanted)
    held = tables[rows]
    hidden.assign_hands(held, seats[rows], hands)
    plain = decisions_at(
        game, held, np.arange(len(rows)), rows, np.full(len(rows), 0.5), encoder=agent.find_encoder(game)
    )
    assert np.abs(answers[wanted] - agent.probabilities(plain)).max() < 1e-5
    assert answers[wanted].std(axis=0).max() > 0.1, "hands differ"
