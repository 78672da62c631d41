"""Neural learners of equilibria: what they sample, and that they learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines import cli
from card_baselines.learning.memories import DecisionReservoir
from card_baselines.neural.advantage_network import MeanAdvantages
from card_baselines.neural.dream import estimate_advantages, play_lines
from card_baselines.neural.external_sampling import SampledDecisions, Samples, traverse
from card_baselines.runs.exploitability_meter import AVERAGE, LATEST
from card_baselines.runs.run import train
from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.analysis.exploitability.public_tree import PublicTree
from tests.helpers.tiny_runs import KUHN, SHORT, TINY, UNTRAINED, algorithm_of, tiny_config

LEARNERS = ("sd_cfr", "deep_cfr", "dream", "dream_network", "nfsp", "mmd", "tabular_mccfr")
FIVE_STATES: Any = SimpleNamespace(layout=SimpleNamespace(size=5, dtype=np.float32), num_actions=2)
"""What memories of advantages ask of a game."""
Sampler = Callable[[np.ndarray, np.ndarray], Samples]
"""Tables and traversers -> samples."""
every_learner = pytest.mark.parametrize("name", LEARNERS)


def tiny(name: str, **changes: Any) -> Any:
    return tiny_config(name, **{"steps": 1200} | changes)


# --- traversals -------------------------------------------------------------------------------------------------------


class Mixed:
    """A random strategy of a small game, and its counterfactual regrets, from the tree."""

    def __init__(self, env: str) -> None:
        self.game = make_game(env)
        tree = PublicTree(self.game)
        weights = (
            np.random.default_rng(0).random(tree.decisions.action_mask.shape) + 1e-3
        ) * tree.decisions.action_mask
        self.strategy = weights / weights.sum(axis=1, keepdims=True)
        self._state_of = {seen.tobytes(): state for state, seen in enumerate(tree.decisions.observation)}
        self.regrets = counterfactual_regrets(tree, self.strategy)

    def states(self, observation: np.ndarray) -> list[int]:
        return [self._state_of[seen.tobytes()] for seen in observation]

    def play(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return np.asarray(self.strategy[self.states(observation)])

    def mean_advantages(self, num_deals: int, sample: Sampler) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean over deals of the advantages (states, actions), and their standard errors."""
        sums, squares = np.zeros((2, *self.strategy.shape))
        for player in range(2):
            tables = self.game.seeded_tables(num_deals, player)
            self.game.deal_batch(tables, np.arange(len(tables)))
            first = tables["actor"].astype(np.int64)
            samples = sample(tables, first if player == 0 else 1 - first)
            own = samples.own
            states, advantage = self.states(own.observation), own.weight[:, None] * own.values
            np.add.at(sums, states, advantage)
            np.add.at(squares, states, advantage**2)
        return sums / num_deals, np.sqrt(squares) / num_deals  # standard errors, a little too large


@pytest.mark.parametrize("env", ["kuhn_poker-v0", pytest.param("leduc_holdem-v0", marks=pytest.mark.slow)])
def test_sampled_advantages_are_right_on_average(env: str) -> None:
    """Summed over deals, an information state's advantages are its counterfactual regrets, computed from the tree."""
    mixed, rng = Mixed(env), np.random.default_rng(0)
    found, errors = mixed.mean_advantages(
        60_000, lambda tables, traversers: traverse(mixed.game, tables, traversers, mixed.play, rng)
    )
    assert (np.abs(found - mixed.regrets) <= 5 * errors + 1e-9).all()
    assert np.corrcoef(found.ravel(), mixed.regrets.ravel())[0, 1] > 0.97


@pytest.mark.parametrize("env", ["kuhn_poker-v0", "leduc_holdem-v0"])
def test_advantages_of_single_lines_are_right_on_average_with_any_baseline(env: str) -> None:
    """The baseline here is noise that depends on cards and betting: it must not move the mean."""
    mixed, rng = Mixed(env), np.random.default_rng(0)
    noise = rng.normal(size=(2 * mixed.game.layout.size, mixed.game.num_actions))

    def sample(tables: np.ndarray, traversers: np.ndarray) -> Samples:
        steps = play_lines(mixed.game, tables, traversers, mixed.play, 0.5, rng)
        return estimate_advantages(steps, [np.sin(step.history @ noise) for step in steps])

    found, errors = mixed.mean_advantages(60_000, sample)
    visited = errors.any(axis=1)
    assert visited.mean() > 0.99
    assert (np.abs(found - mixed.regrets)[visited] <= 5 * errors[visited] + 1e-9).all()
    assert np.corrcoef(found.ravel(), mixed.regrets.ravel())[0, 1] > 0.95


def test_a_learned_baseline_takes_noise_away() -> None:
    mixed, errors = Mixed("kuhn_poker-v0"), {}
    for steps in (0, 30):
        config = tiny("dream", traversals=2000, baseline_steps=steps, baseline_replay=50_000, hidden=(32, 32))
        learner = algorithm_of("dream").make_learner(config, mixed.game)
        learner.network.strategy = mixed.play  # type: ignore[method-assign]
        for _ in range(20):
            mixed.game.deal_batch(learner.tables, np.arange(len(learner.tables)))
            learner.traverse(learner.tables["actor"].astype(np.int64))
        found, deviation = mixed.mean_advantages(2000, partial(replay_lines, learner))
        assert (np.abs(found - mixed.regrets) <= 5 * deviation + 1e-9).all()
        errors[steps] = deviation.mean()
    assert errors[30] < 0.7 * errors[0]


def replay_lines(learner: Any, tables: np.ndarray, traversers: np.ndarray) -> Samples:
    learner.tables = tables
    return learner.traverse(traversers)  # type: ignore[no-any-return]


def counterfactual_regrets(tree: PublicTree, strategy: np.ndarray) -> np.ndarray:
    """Return the regrets (states, actions) at all states, weighted by what cards and the other seat make likely."""
    regrets = np.zeros_like(strategy)

    def values(node: Any, reach: np.ndarray) -> np.ndarray:
        """Return values (deals, seats); `reach` (seats, deals) is each seat's own probability to come here."""
        if not node.children:
            return node.rewards
        chances = node.probabilities(strategy)
        below = []
        for chance, child in zip(chances, node.children, strict=True):
            further = reach.copy()
            further[node.seat] *= chance
            below.append(values(child, further))
        expected = sum(chance[:, None] * value for chance, value in zip(chances, below, strict=True))
        weight = reach[1 - node.seat] / tree.num_deals
        for action, value in zip(node.actions, below, strict=True):
            np.add.at(regrets, (node.states, action), weight * (value - expected)[:, node.seat])
        return np.asarray(expected)

    values(tree.root, np.ones((2, tree.num_deals)))
    return regrets


def test_traversals_do_not_change_the_tables() -> None:
    game = make_game("leduc_holdem-v0")
    tables = game.seeded_tables(20, 0)
    game.deal_batch(tables, np.arange(len(tables)))
    before = tables.copy()
    traverse(game, tables, np.zeros(20, np.int64), lambda seen, mask: mask / mask.sum(axis=1, keepdims=True),
             np.random.default_rng(0))  # fmt: skip
    assert before.tobytes() == tables.tobytes()


# --- memories ---------------------------------------------------------------------------------------------------------


CPU = torch.device("cpu")


def decisions_of(states: np.ndarray, advantage: np.ndarray) -> SampledDecisions:
    return SampledDecisions(
        np.eye(5, dtype=np.float32)[states], np.ones((len(states), 2), np.int8), advantage, np.ones(len(states))
    )


def test_mean_advantages_are_weighted_means() -> None:
    rng, memory = np.random.default_rng(0), MeanAdvantages(10, FIVE_STATES)
    states, advantage = rng.integers(0, 5, 60), rng.normal(size=(60, 2))
    for iteration in range(3):
        part = slice(20 * iteration, 20 * iteration + 20)
        memory.add_decisions(rng, *decisions_of(states[part], advantage[part]), scale=iteration + 1.0)
    weights = np.repeat([1.0, 2.0, 3.0], 20)
    found = {name: tensor.numpy() for name, tensor in memory.sample(rng, 200, CPU).items()}
    for state in range(5):
        rows, own = found["observation"][:, state] == 1, states == state
        mean = np.average(advantage[own], axis=0, weights=weights[own])
        np.testing.assert_allclose(found["advantage"][rows], np.tile(mean, (rows.sum(), 1)), atol=1e-6)


def test_too_many_information_states_are_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"more than 3 information states.*--no-merge-samples"):
        MeanAdvantages(3, FIVE_STATES).add_decisions(
            np.random.default_rng(0), *decisions_of(np.arange(5), np.zeros((5, 2))), scale=1.0
        )


def test_a_reservoir_of_advantages_gives_back_what_was_added() -> None:
    rng, memory = np.random.default_rng(0), DecisionReservoir(10, FIVE_STATES, "advantage")
    memory.add_decisions(rng, *decisions_of(np.arange(5), np.arange(10.0).reshape(5, 2)), scale=2.0)
    found = memory.sample(rng, 30)
    np.testing.assert_array_equal(found["advantage"][:, 0] / 2, found["observation"].argmax(axis=1))
    assert (found["weight"] == 2.0).all()


# --- runs -------------------------------------------------------------------------------------------------------------


@every_learner
def test_a_run_leaves_an_agent_less_exploitable_than_an_untrained_one(name: str, tmp_path: Path) -> None:
    longer = {"sd_cfr": 8_000, "deep_cfr": 8_000, "dream": 24_000, "dream_network": 24_000, "nfsp": 110_000,
              "mmd": 60_000, "tabular_mccfr": 4_000}  # fmt: skip
    found = algorithm_of(name)
    chosen = {key: value for key, value in TINY[name].items() if key == "average"}
    config = replace(found.presets["kuhn"], **KUHN | chosen | {"steps": longer[name]})
    run = train(found, config, tmp_path / "run", progress=False)
    column = LATEST if name == "mmd" else AVERAGE
    last = run.metrics()[-1][column]
    assert last < 0.5 * UNTRAINED
    game = make_game("kuhn_poker-v0")
    agent = find_agent(str(run.path), game)
    assert exact_exploitability(game, agent).exploitability == pytest.approx(last, abs=1e-4)


@pytest.mark.parametrize("name", ["sd_cfr", "nfsp"])
def test_run_folders_play_in_matches(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(algorithm_of(name), tiny(name), tmp_path / "run", progress=False)
    words = ["match", "kuhn_poker-v0", "--agents", str(tmp_path / "run"), "random", "--hands", "200", "--json"]
    assert cli.main(words) == 0
    assert '"hands": 200' in capsys.readouterr().out


@pytest.mark.parametrize("name", ["sd_cfr", "dream", "tabular_mccfr"])
def test_games_with_more_players_are_refused(name: str) -> None:
    config = replace(algorithm_of(name).config(), env="limit_holdem-v0", env_args=("num_players=3",))
    with pytest.raises(ValueError, match=r"this algorithm is for two players, .* has 3 seats"):
        algorithm_of(name).make_learner(config, config.game())


@pytest.mark.parametrize("name", ["sd_cfr", "nfsp"])
def test_exploitability_is_refused_where_it_cannot_be_computed(name: str) -> None:
    config = replace(algorithm_of(name).config(), env="limit_holdem-v0", exploitability=True)
    with pytest.raises(ValueError, match="no run can measure its exploitability here"):
        algorithm_of(name).make_learner(config, config.game())


def test_sd_cfr_trains_in_games_of_any_size(tmp_path: Path) -> None:
    """Limit hold'em: a reservoir of samples, and a mixture that shows its probabilities."""
    config = replace(
        algorithm_of("sd_cfr").config(), **SHORT, minutes=0.0, steps=100, traversals=4, train_steps=2, minibatch=32,
        hidden=(8,),
    )  # fmt: skip
    run = train(algorithm_of("sd_cfr"), config, tmp_path / "run", progress=False)
    agent = find_agent(str(run.path), config.game())
    assert agent.shows_probabilities


def test_the_magnet_is_the_policy_of_a_while_ago() -> None:
    config = tiny("mmd", magnet_decisions=500, magnet=0.5)
    learner = algorithm_of("mmd").make_learner(config, config.game())
    begin = {name: tensor.clone() for name, tensor in learner.network.state_dict().items()}
    assert learner.update(0.0)["kl_from_magnet"] > 0
    assert all(torch.equal(begin[name], tensor) for name, tensor in learner.magnet.state_dict().items())
    learner.update(0.0)
    latest = learner.network.state_dict()
    assert all(torch.equal(latest[name], tensor) for name, tensor in learner.magnet.state_dict().items())


def test_a_strong_magnet_holds_the_policy() -> None:
    divergence = {}
    for weight in (0.0, 50.0):
        config = tiny("mmd", magnet=weight, magnet_decisions=10**9)
        learner = algorithm_of("mmd").make_learner(config, config.game())
        divergence[weight] = [learner.update(0.0)["kl_from_magnet"] for _ in range(6)][-1]
    assert divergence[50.0] < 0.2 * divergence[0.0]
