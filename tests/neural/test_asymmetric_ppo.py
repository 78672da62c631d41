"""PPO whose critic sees all hands: what the critic and the prediction of cards see, and that the policy does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.agents.learned.mlp_agent import MlpAgent
from card_baselines.neural.asymmetric_ppo import (
    ALGORITHM,
    HIDDEN_SIZE,
    PRESETS,
    AsymmetricActorCritic,
    AsymmetricPpo,
    Config,
    card_loss,
    list_hidden_hands,
    show_hidden_hands,
    uniform_card_loss,
)
from card_baselines.run_folder import RunFolder
from card_baselines.runs.run import start_folder, train
from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.games.big2.state import NUM_SEATS
from card_envs.observation import mask_records, observation_records
from tests.helpers.big2_deals import Deal

BIG2 = make_game("big2-v0")
TINY: dict[str, Any] = {
    "num_tables": 16, "batch": 256, "minibatch": 64, "hidden": (32, 16), "critic_hidden": (32,), "minutes": 0.0,
    "steps": 1500, "panel": ("random",), "evaluation_hands": 40, "final_hands": 40, "evaluation_seconds": 1e9,
    "fast_cpu": "float32", "average": 0.0,
}  # fmt: skip


def tiny(**changes: Any) -> Config:
    return replace(PRESETS["asymmetric_big2"], **TINY | changes)


def rollout_rows(learner: AsymmetricPpo, num_decisions: int = 500) -> tuple[torch.Tensor, torch.Tensor]:
    """Return observations and legal actions of finished deals."""
    learner.rollout.collect(learner.network, num_decisions)
    batch = learner.rollout.buffer.make_batch(learner.device)
    columns = batch.minibatch(np.arange(len(batch)))
    return columns["observation"].float(), columns["legal"]


def test_hidden_hands_are_those_of_the_next_seats() -> None:
    deal = Deal("3D 4C", "5H", "6S", "7D")
    seat = deal.actor  # who follows the seat that was dealt 3D
    shown = list_hidden_hands(deal.tables, np.zeros(1, np.int64)).reshape(NUM_SEATS - 1, 52)
    for k in range(3):
        other = (seat + 1 + k) % NUM_SEATS
        assert [deal_name(int(card)) for card in np.flatnonzero(shown[k])] == deal.hand(other)
    game = show_hidden_hands(deal.game)
    assert game.layout.size == deal.game.layout.size + HIDDEN_SIZE
    assert [block.name for block in game.layout.blocks][-1] == "hidden_hands"


def deal_name(order: int) -> str:
    return "3456789TJQKA2"[order // 4] + "DCHS"[order % 4]


def test_the_critic_sees_hidden_hands_and_the_policy_does_not() -> None:
    learner = AsymmetricPpo(tiny(), BIG2)
    observation, legal = rollout_rows(learner)
    other = observation.clone()
    other[:, -HIDDEN_SIZE:] = observation.roll(1, dims=0)[:, -HIDDEN_SIZE:]
    with torch.no_grad():
        (logits, value), (same, changed) = learner.network(observation, legal), learner.network(other, legal)
    assert torch.equal(logits, same)
    assert (value - changed).abs().mean() > 1e-3


def test_observations_begin_as_those_of_the_policy_that_plays() -> None:
    plain, shown = BIG2.seeded_tables(8, 3), show_hidden_hands(BIG2)
    BIG2.deal_batch(plain, np.arange(8))
    rows = np.arange(8)
    masks = np.zeros((8, BIG2.num_actions), np.int8)
    own, whole = np.zeros((8, BIG2.layout.size), np.int8), np.zeros((8, shown.layout.size), np.int8)
    BIG2.encoder.observe_batch(plain, rows, observation_records(own), mask_records(masks))
    shown.encoder.observe_batch(plain, rows, observation_records(whole), mask_records(masks))
    assert (whole[:, : BIG2.layout.size] == own).all()
    assert (whole[:, BIG2.layout.size :].sum(axis=1) == 38).all()  # 3D has been played


def test_losses_of_predicted_cards() -> None:
    hands = torch.zeros(1, 3, 52)
    hands[0, 0, :6], hands[0, 1, 6:9], hands[0, 2, 9:12] = 1.0, 1.0, 1.0
    flat = hands.view(1, -1)
    assert float(card_loss(torch.zeros(1, HIDDEN_SIZE), flat)) == pytest.approx(np.log(3))
    assert float(card_loss(50.0 * flat, flat)) == pytest.approx(0.0, abs=1e-6)
    assert float(uniform_card_loss(flat)) == pytest.approx(-(0.5 * np.log(0.5) + 0.5 * np.log(0.25)))
    shares = torch.log(torch.tensor([0.5, 0.25, 0.25])).view(1, 3, 1).expand(1, 3, 52).reshape(1, -1)
    assert float(card_loss(shares, flat)) == pytest.approx(float(uniform_card_loss(flat)))


def test_a_run_leaves_an_ordinary_policy(tmp_path: Path) -> None:
    run = train(ALGORITHM, tiny(card_prediction=0.1), tmp_path / "run", progress=False)
    assert isinstance(find_agent(str(run.path), BIG2), MlpAgent)


def test_it_begins_with_the_policy_of_a_trained_agent_and_a_critic_that_learns_first() -> None:
    config = tiny(hidden=(512, 256))
    learner = AsymmetricPpo(config, BIG2)
    learner.start_from(RunFolder(start_folder("ppo_big2")))
    before = [parameter.clone() for parameter in learner.network.policy.parameters()]
    value = [parameter.clone() for parameter in learner.network.value.parameters()]
    learner.update(0.0)
    assert all(map(torch.equal, before, learner.network.policy.parameters()))
    assert not any(map(torch.equal, value, learner.network.value.parameters()))


@pytest.mark.slow
def test_the_critic_explains_more_than_one_that_sees_its_own_hand() -> None:
    """After the same updates against the same policy, all else equal: hidden hands are worth seeing."""
    losses = {}
    for sees_all in (True, False):
        learner = AsymmetricPpo(tiny(batch=2048, minibatch=256, critic_hidden=(64,), learning_rate=(3e-3,)), BIG2)
        learner.value_updates = 100
        if not sees_all:
            first = cast(torch.nn.Linear, cast(AsymmetricActorCritic, learner.network).value[0])
            first.weight.data[:, -HIDDEN_SIZE:] = 0.0
            blind = torch.ones_like(first.weight)
            blind[:, -HIDDEN_SIZE:] = 0.0
            first.weight.register_hook(lambda gradient, blind=blind: gradient * blind)  # type: ignore[no-untyped-call]
        losses[sees_all] = [learner.update(0.0)["value_loss"] for _ in range(25)][-1]
    assert losses[True] < losses[False]


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"shared_layers": 1}, "shared_layers 1 must be 0"),
        ({"opponents": ("exploiter",)}, "exploiters learn by plain PPO"),
        ({"fast_cpu": "auto"}, "fast_cpu 'auto' must be float32"),
        ({"card_prediction": -1.0}, "card_prediction -1.0 must be at least 0"),
    ],
)
def test_settings_that_do_not_fit_are_refused(changes: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        tiny(**changes)


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="asymmetric_ppo learns Big 2, not"):
        AsymmetricPpo(tiny(env="kuhn_poker-v0"), make_game("kuhn_poker-v0"))
