"""Averages of strategies in small games, their exploitability along a training run, and the agent that plays them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.agents.learned.tabular_policy import STRATEGY, save_strategy
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.network import ActorCritic
from card_baselines.run_folder import RunFolder
from card_baselines.runs.exploitability_meter import AVERAGE, LATEST, ExploitabilityMeter
from card_baselines.runs.run import train
from card_envs import make_game
from card_envs.agent import RandomAgent, find_agent
from card_envs.analysis.exploitability.average_strategy import AverageStrategy
from card_envs.analysis.exploitability.best_response import exact_exploitability, strategy_of
from card_envs.analysis.exploitability.public_tree import PublicTree
from card_envs.match import play_match
from tests.learning.self_play_games import PlayedGame
from tests.learning.test_self_play import TINY

FOLD, CALL, RAISE = 0, 1, 2


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def any_network(game, seed: int) -> ActorCritic:
    """Return a network that plays anything but uniformly."""
    torch.manual_seed(seed)
    network = ActorCritic(game.layout.size, (16,), game.num_actions)
    torch.nn.init.normal_(network.policy.layers[-1].weight, std=2.0)
    return network


@pytest.mark.parametrize("env_id", ["kuhn_poker-v0", "leduc_holdem-v0"])
def test_averages_are_as_exploitable_as_the_tabular_solver_says(env_id: str) -> None:
    game = make_game(env_id)
    meter, played = ExploitabilityMeter(game), PlayedGame(game)
    for seed, weight in ((0, 1.0), (1, 2.0), (2, 0.5)):
        network = any_network(game, seed)
        meter.on_update(SimpleNamespace(network=network, updates=weight))
        played.add(network, weight)
        latest = PlayedGame(game)
        latest.add(network)
        measured = meter.measure(SimpleNamespace(playing=network))
        assert measured[LATEST] == pytest.approx(latest.exploitability(), abs=1e-6)
        assert measured[AVERAGE] == pytest.approx(played.exploitability(), abs=1e-6)
    assert measured[LATEST] != pytest.approx(measured[AVERAGE], abs=0.1)


def test_a_strategy_that_does_not_lead_to_a_state_has_no_say_there() -> None:
    """Kuhn poker: one strategy opens with a raise; the other calls, and folds to a raise. Three quarters are the first.

    The first player faces a raise only after having called, so there the average folds always.
    """
    tree = PublicTree(make_game("kuhn_poker-v0"))
    mask, views = tree.decisions.action_mask, tree.decisions.views
    opens = views["num_decisions"] == 0
    raises, folds = (np.zeros(mask.shape) for _ in range(2))
    raises[np.arange(len(mask)), np.where(mask[:, RAISE] == 1, RAISE, CALL)] = 1.0
    folds[np.arange(len(mask)), np.where(mask[:, FOLD] == 1, FOLD, CALL)] = 1.0
    average = AverageStrategy(tree)
    average.add(raises, 3.0)
    average.add(folds, 1.0)
    strategy = average.strategy()
    assert np.allclose(strategy[opens], [0, 0.25, 0.75])
    again = views["num_decisions"] == 2
    assert again.sum() == 3 and np.allclose(strategy[again], [1, 0, 0])
    second = views["num_decisions"] == 1
    assert np.allclose(strategy[second & (mask[:, FOLD] == 1)], [0.25, 0.75, 0])
    assert np.allclose(strategy[second & (mask[:, FOLD] == 0)], [0, 0.25, 0.75])


def test_an_average_of_nothing_is_uniform_and_of_one_is_that_one() -> None:
    tree = PublicTree(make_game("leduc_holdem-v0"))
    average, uniform = AverageStrategy(tree), strategy_of(RandomAgent(), tree)
    assert np.array_equal(average.strategy(), uniform)
    average.add(uniform, 0.1)
    assert np.allclose(average.strategy(), uniform, atol=1e-15)
    with pytest.raises(ValueError, match=r"over \(936, 3\) states and actions, kuhn_poker .* has \(12, 3\)"):
        AverageStrategy(PublicTree(make_game("kuhn_poker-v0"))).restore(average.state())


def test_a_run_keeps_its_average_as_an_agent(tmp_path: Path) -> None:
    run = train(ALGORITHM, replace(TINY, exploitability=True, evaluation_seconds=0.1, folder=str(tmp_path)))
    assert (tmp_path / "exploitability.png").exists()
    evaluation, row = json.loads((tmp_path / "evaluation.json").read_text()), run.metrics()[-1]
    game = make_game("kuhn_poker-v0")
    for name, folder in ((LATEST, tmp_path), (AVERAGE, tmp_path / "average")):
        agent = find_agent(str(folder), game)
        assert exact_exploitability(game, agent).exploitability == pytest.approx(evaluation[name], abs=1e-6)
        assert row[name] == pytest.approx(evaluation[name], rel=1e-5)
        first = play_match(game, [agent, RandomAgent()], 200, 0)
        assert first.deal_means.tolist() == play_match(game, [agent, RandomAgent()], 200, 0).deal_means.tolist()
    assert evaluation[LATEST] != pytest.approx(evaluation[AVERAGE], abs=1e-3)


def test_runs_in_large_games_cannot_measure_it(tmp_path: Path) -> None:
    for env_id, message in (("limit_holdem-v0", "deals, exact best responses go through 50,000"), ("big2-v0", "big2")):
        config = replace(TINY, env=env_id, exploitability=True, folder=str(tmp_path / "run"))
        with pytest.raises(ValueError, match=f"no run can measure its exploitability here: .*{message}"):
            train(ALGORITHM, config)
        assert not (tmp_path / "run").exists()


def test_tables_of_other_settings_are_refused(tmp_path: Path) -> None:
    game = make_game("kuhn_poker-v0")
    tree, folder = PublicTree(game), RunFolder(tmp_path)
    seen, uniform = tree.decisions.observation, strategy_of(RandomAgent(), tree)
    folder.start({**ALGORITHM.describe(TINY), "agent": "card_baselines.agents.learned.tabular_policy:TabularAgent"})
    save_strategy(folder, seen, uniform)
    assert np.array_equal(find_agent(str(tmp_path), game).probabilities(tree.decisions), uniform)
    with pytest.raises(ValueError, match="was trained for num_seats 2, this match has 3"):
        find_agent(str(tmp_path), make_game("kuhn_poker-v0", num_players=3))
    save_strategy(folder, seen[1:], uniform[1:])
    with pytest.raises(ValueError, match=r"has no row for what it sees: .* other settings of kuhn_poker"):
        find_agent(str(tmp_path), game).probabilities(tree.decisions)
    (tmp_path / STRATEGY).unlink()
    with pytest.raises(ValueError, match="have the same observation"):
        save_strategy(folder, np.zeros_like(seen), uniform)
    assert not (tmp_path / STRATEGY).exists()
