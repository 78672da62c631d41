"""Zheng et al. (2022), Cheat'em: networks side by side, losses, learners, trained players, table player's results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from card_baselines.papers.zheng2022.cheatem import (  # noqa: E402
    PERIOD,
    CheatemAgent,
    CheatemLearners,
    compute_loss,
    make_modification_network,
    mix_policies,
)
from card_baselines.papers.zheng2022.dqn import DqnLearners  # noqa: E402
from card_baselines.papers.zheng2022.duel import Duels, Learners, make_paper_game  # noqa: E402
from card_baselines.papers.zheng2022.networks import NetworkAgent, make_network, to_actions  # noqa: E402
from card_baselines.papers.zheng2022.ppo import DECISIONS, PpoLearners  # noqa: E402
from card_baselines.papers.zheng2022.reproduction import measure_action_shares  # noqa: E402
from card_baselines.papers.zheng2022.sheet import SHEET_FILE, load_sheet  # noqa: E402
from card_baselines.papers.zheng2022.situation import CALL, CHECK, FOLD, RAISE  # noqa: E402
from card_baselines.papers.zheng2022.stacks import Stack, make_networks  # noqa: E402
from card_baselines.papers.zheng2022.table_player import TablePlayer  # noqa: E402
from card_envs.agent import Agent, Decisions, decisions_at, find_agent  # noqa: E402
from card_envs.compiler import COMPILED  # noqa: E402
from card_envs.envs import make_game  # noqa: E402
from card_envs.match import play_match  # noqa: E402

GAME = make_paper_game()
needs_speed = pytest.mark.skipif(not COMPILED, reason="thousands of hands, which take hours as plain Python")


# --- networks side by side --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["modification", "ppo", "dqn"])
def test_a_stack_learns_as_its_networks_would_alone(kind: str) -> None:
    torch.manual_seed(0)
    make = make_modification_network if kind == "modification" else lambda: make_network(kind)
    networks = [network.double() for network in make_networks(make, [1, 2, 3])]
    stack = Stack(networks, 1e-3)
    alone = [torch.optim.Adam(network.parameters(), lr=1e-3) for network in networks]
    size = 1 if kind == "modification" else 72
    for step in range(15):
        x, y = torch.randn(3, 12, size).double(), torch.randn(3, 12, 4).double()
        active = np.array([True, True, step % 2 == 0])  # the third learns every other time
        stack.step(lambda flat, x=x, y=y: ((stack(x, flat, training=True) - y) ** 2).mean(dim=(1, 2)), active)
        for k in np.flatnonzero(active):
            networks[k].train()
            alone[k].zero_grad()
            ((networks[k](x[k]) - y[k]) ** 2).mean().backward()
            alone[k].step()
    x = torch.randn(3, 5, size).double()
    for k, network in enumerate(networks):
        expected = network.eval()(x[k])
        assert torch.allclose(stack(x)[k], expected, atol=1e-5)
        assert torch.allclose(stack.network(k)(x[k]), expected, atol=1e-5)


def test_a_part_of_a_stack_is_put_back() -> None:
    stack = Stack(make_networks(lambda: make_network("ppo"), [1, 2, 3]), 1e-2)
    before, rows, x = stack.flat.clone(), np.array([0, 2]), torch.randn(2, 4, 72)
    part = stack.part(rows)
    part.step(lambda flat: part(x, flat).square().sum(dim=(1, 2)))
    assert torch.equal(stack.flat, before)
    stack.write(rows, part)
    assert torch.equal(stack.flat[1], before[1])
    assert torch.equal(stack.flat[[0, 2]], part.flat) and not torch.equal(stack.flat[0], before[0])


# --- loss -------------------------------------------------------------------------------------------------------------

LOGITS = torch.tensor([[[1.0, -1.0, 0.5, 0.0], [0.0, 2.0, 0.0, -1.0]]])
VALUES = torch.tensor([[[0.5, 1.0, -1.5, 0.0], [1.0, 0.0, 0.0, -1.0]]])
PLAYED, WON = torch.tensor([[RAISE, CHECK]]), torch.tensor([[2.0, -1.0]])


def softmax(x: np.ndarray) -> np.ndarray:
    weights = np.exp(x)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def test_the_loss_by_hand() -> None:
    z = LOGITS[0].numpy() * 0.01
    c, columns, rewards = VALUES[0].numpy(), [RAISE, CHECK], [2.0, -1.0]
    mixture = softmax(z) * softmax(c)
    mixture /= mixture.sum(axis=1, keepdims=True)
    near = np.abs(softmax(c) - mixture).mean()
    gain = 0.0
    for b in range(2):  # the second term stands inside a sum over four actions
        gain += sum(mixture[b, a] * c[b, a] + 0.1 * rewards[b] * z[b, columns[b]] for a in range(4))
    found = compute_loss(LOGITS, VALUES, PLAYED, WON)
    assert found.shape == (1,)
    assert float(found[0]) == pytest.approx(near - 0.1 * gain, abs=1e-6)


def test_an_indifferent_network_leaves_the_sheets_policy() -> None:
    policy = torch.softmax(VALUES, dim=-1)
    assert torch.allclose(mix_policies(torch.zeros(1, 2, 4), policy), policy)


# --- learners ---------------------------------------------------------------------------------------------------------


def made(kind: str, seeds: list[int]) -> Learners:
    if kind == "cheatem":
        return CheatemLearners(seeds)
    return PpoLearners(seeds) if kind == "ppo" else DqnLearners(seeds)


def trained(kind: str, rivals: list[Agent], hands: int, seed: int = 5) -> tuple[Learners, Duels]:
    learners = made(kind, list(range(len(rivals))))
    duels = Duels(learners, rivals, len(rivals), seed)
    duels.play(hands)
    return learners, duels


def probabilities(agent: Agent) -> np.ndarray:
    tables = GAME.seeded_tables(50, 1)
    GAME.deal_batch(tables, np.arange(50))
    rows = np.arange(50)
    return np.asarray(
        agent.probabilities(decisions_at(GAME, tables, rows, rows, np.full(50, 0.3), encoder=agent.find_encoder(GAME)))
    )


@needs_speed
@pytest.mark.parametrize("kind", ["cheatem", "ppo", "dqn"])
def test_training_is_repeated_saved_and_played(kind: str, tmp_path: Path) -> None:
    rivals = [find_agent("random", GAME), find_agent("always_raise", GAME)]
    learners, duels = trained(kind, rivals, 60)
    again, _ = trained(kind, rivals, 60)
    assert duels.hands.tolist() == [60, 60]
    for table in (0, 1):
        agent = learners.make_player(table)
        shown = probabilities(agent)
        assert shown.sum(axis=1) == pytest.approx(1.0)
        assert probabilities(again.make_player(table)) == pytest.approx(shown)
        agent.save(tmp_path / str(table), rival="whoever", seed=table)
        loaded = find_agent(str(tmp_path / str(table)), GAME)
        assert probabilities(loaded) == pytest.approx(shown)
        assert play_match(GAME, [loaded, rivals[table]], 40, seed=1).hands == 40
    assert not np.allclose(probabilities(learners.make_player(0)), probabilities(learners.make_player(1)))


@needs_speed
def test_two_kinds_learn_from_each_other() -> None:
    cheatem, ppo = CheatemLearners([1, 2]), PpoLearners([1, 2])
    start = probabilities(ppo.make_player(0))
    duels = Duels(cheatem, ppo, 2, seed=3)
    duels.play(60)
    assert duels.hands.tolist() == [60, 60]
    assert not np.allclose(probabilities(ppo.make_player(0)), start)


@needs_speed
def test_static_cheatem_keeps_its_sheet_and_cheatem_does_not() -> None:
    rival = [find_agent("random", GAME)]
    for updates in (True, False):
        learners = CheatemLearners([0], updates_sheet=updates)
        Duels(learners, rival, 1, seed=1).play(30)
        before, after = load_sheet(SHEET_FILE).standardise().values, learners.make_player(0).sheet.values
        assert np.array_equal(before, after) != updates
        assert np.abs(before - after).max() < 0.05


@needs_speed
def test_the_network_is_trained_every_fifty_decisions_once_all_memories_are_full() -> None:
    learners = CheatemLearners([0])
    Duels(learners, [find_agent("random", GAME)], 1, seed=1).play(800)
    assert learners._decisions[0] > 4 * 48
    most = (learners._decisions[0] - 4 * 48) // PERIOD + 1
    assert 0 < learners.trainings[0] <= most


@needs_speed
def test_the_rivals_last_action_of_a_hand_is_not_counted() -> None:
    learners = CheatemLearners([0])
    Duels(learners, [find_agent("random", GAME)], 1, seed=1).play(40)
    seen = learners.make_player(0).rival["seen"][0]
    assert seen[FOLD] == 0 and seen[CALL] > 5


def test_illegal_columns_become_checks_or_folds() -> None:
    legal = np.array([[1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 0]], np.uint8)
    assert to_actions(np.array([CHECK, CALL, RAISE]), legal).tolist() == [0, 1, 0]
    assert to_actions(np.array([CALL, RAISE, FOLD]), legal).tolist() == [1, 2, 0]


@needs_speed
def test_ppo_learns_to_raise_against_a_rival_that_always_folds() -> None:
    # what a raise wins is known at once: the rival's blind; folding loses the own one
    class Folder(Agent):
        def act(self, decisions: Decisions, rng: np.random.Generator) -> np.ndarray:
            return np.zeros(len(decisions), np.int64)

    ppo = PpoLearners([0, 1])
    before = probabilities(ppo.make_player(0))[:, 0].mean()
    Duels(ppo, [Folder(), Folder()], 2, seed=1).play(20 * DECISIONS)
    assert probabilities(ppo.make_player(0))[:, 0].mean() < before


# --- players ----------------------------------------------------------------------------------------------------------


@needs_speed
@pytest.mark.parametrize(
    ("rival", "low", "high"), [("rlcard_rule", 0.45, 0.70), ("random", 1.7, 2.05), ("always_raise", 1.0, 1.9)]
)
def test_the_table_player_wins_what_a_retrained_sheet_should(rival: str, low: float, high: float) -> None:
    agents = [find_agent("zheng2022_table", GAME), find_agent(rival, GAME)]
    won = play_match(GAME, agents, 40_000, seed=3, duplicate=True).agents[0]
    assert low - 3 * won.standard_error < won.mean < high + 3 * won.standard_error


@needs_speed
def test_a_softmax_plays_far_worse_than_the_best_action() -> None:
    rival = find_agent("always_raise", GAME)
    gains = [
        play_match(GAME, [find_agent(name, GAME), rival], 10_000, seed=3, duplicate=True).agents[0]
        for name in ("zheng2022_table", "zheng2022_table_softmax")
    ]
    assert gains[0].ci95[0] > 1.0 and gains[1].ci95[1] < -0.8


@needs_speed
@pytest.mark.parametrize("name", ["cheatem", "static_cheatem", "ppo", "dqn"])
def test_trained_players_play_by_name(name: str) -> None:
    agent = find_agent(f"zheng2022_{name}", GAME)
    assert agent.name == f"zheng2022_{name}"
    assert play_match(GAME, [agent, find_agent("random", GAME)], 4000, seed=1).agents[0].ci95[0] > 0.5


def test_players_of_the_paper_refuse_other_games() -> None:
    assert TablePlayer().can_play(GAME)
    assert not TablePlayer().can_play(make_game("limit_holdem-v0", num_players=6))
    assert not TablePlayer().can_play(make_game("no_limit_holdem-v0"))
    with pytest.raises(ValueError, match="cannot play"):
        find_agent("zheng2022_table", make_game("leduc_holdem-v0"))


def test_a_saved_cheatem_names_its_kind(tmp_path: Path) -> None:
    CheatemLearners([0]).make_player(0).save(tmp_path / "run", seed=0)
    assert isinstance(find_agent(str(tmp_path / "run"), GAME), CheatemAgent)
    description = {"agent": "zheng2022_network", "network": "dqn"}
    NetworkAgent.from_state(description, make_network("dqn").state_dict()).save(tmp_path / "other")
    assert isinstance(find_agent(str(tmp_path / "other"), GAME), NetworkAgent)


@pytest.mark.parametrize(("name", "raises"), [("zheng2022_ppo", 0.13), ("zheng2022_dqn", 0.56)])
def test_the_learners_that_come_trained_play_several_actions(name: str, raises: float) -> None:
    """The introduction says that PPO only raises and DQN only calls; ours against Rule, the rival of their training."""
    game = make_paper_game()
    shares = measure_action_shares([find_agent(name, game), find_agent("rlcard_rule", game)], hands=600, seed=1)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["raise"] == pytest.approx(raises, abs=0.05) and shares["call"] > 0.3
