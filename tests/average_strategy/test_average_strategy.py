"""Average strategies for games of any size: the reservoir is fair, and mixtures play what they say they play."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.agents.learned.mlp_policy import MlpPolicy
from card_baselines.average_strategy.average_network import AverageNetwork
from card_baselines.average_strategy.snapshots import SnapshotAgent, Snapshots, find_earlier_decisions, match_advantages
from card_baselines.exploitability.ranges import exploit_flop_holdem
from card_baselines.exploitability.target import ExploitSettings, Target
from card_baselines.learning.memories import Reservoir
from card_baselines.run_folder import CONFIG, RunFolder
from card_envs import make_game
from card_envs.agent import decisions_at
from card_envs.agent.probabilities import softmax
from card_envs.analysis.exploitability.average_strategy import AverageStrategy
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.analysis.exploitability.public_tree import PublicTree
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.match import play_match

KUHN, LEDUC = make_game("kuhn_poker-v0"), make_game("leduc_holdem-v0")
ROWS: dict[str, Any] = {"row": ((), np.int64)}
"""Columns of a reservoir."""


# --- reservoir --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [pytest.param(1, marks=pytest.mark.slow), 7, 100])
def test_every_row_stays_in_the_reservoir_with_the_same_probability(batch: int) -> None:
    rng, rounds, stream, capacity = np.random.default_rng(0), 3000, 100, 20
    kept = np.zeros(stream)
    for _ in range(rounds):
        reservoir = Reservoir(capacity, ROWS)
        for begin in range(0, stream, batch):
            reservoir.add(rng, row=np.arange(begin, min(stream, begin + batch)))
        rows = reservoir.column("row")
        assert len(np.unique(rows)) == len(rows) == capacity
        kept[rows] += 1
    deviations = (kept - rounds * capacity / stream) / np.sqrt(rounds * 0.2 * 0.8)
    assert np.abs(deviations).max() < 4.5
    assert 0.6 < deviations.std() < 1.4


def test_a_reservoir_goes_on_after_a_pause_as_if_there_had_been_none() -> None:
    def fill(pauses: bool) -> np.ndarray:
        rng, reservoir = np.random.default_rng(3), Reservoir(50, ROWS)
        for begin in range(0, 400, 40):
            reservoir.add(rng, row=np.arange(begin, begin + 40))
            if pauses:
                state = {name: array.copy() for name, array in reservoir.state_dict().items()}
                reservoir = Reservoir(50, ROWS)
                reservoir.load_state_dict(state)
        return reservoir.column("row").copy()

    np.testing.assert_array_equal(fill(True), fill(False))


def test_the_average_network_learns_the_weighted_mean_of_what_it_was_shown() -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    network = AverageNetwork(KUHN, (32,), 10_000, 5e-3, torch.device("cpu"))
    tree = PublicTree(KUHN)
    observation, mask = tree.decisions.observation, tree.decisions.action_mask
    first = mask / mask.sum(axis=1, keepdims=True)
    second = np.eye(mask.shape[1])[mask.argmax(axis=1)]
    for _ in range(20):
        network.reservoir.add_decisions(rng, observation, mask, first, weight=1.0)
        network.reservoir.add_decisions(rng, observation, mask, second, weight=3.0)
    network.fit(rng, 600, 64)
    np.testing.assert_allclose(
        network.policy.compute_probabilities(observation, mask), (first + 3 * second) / 4, atol=0.05
    )


# --- strategies that follow from outputs ------------------------------------------------------------------------------


def test_regret_matching_by_hand() -> None:
    advantages = np.array([[1.0, 3.0, 100.0], [-2.0, -1.0, 5.0], [0.0, 0.0, 0.0]])
    mask = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1]], np.int8)
    expected = [[0.25, 0.75, 0.0], [0.0, 1.0, 0.0], [1 / 3, 1 / 3, 1 / 3]]
    np.testing.assert_allclose(match_advantages(advantages, mask), expected)


def test_softmax_gives_illegal_actions_nothing() -> None:
    np.testing.assert_allclose(softmax(np.array([[0.0, 1000.0, 0.0]]), np.array([[1, 0, 1]], np.int8)), [[0.5, 0, 0.5]])


# --- mixtures ---------------------------------------------------------------------------------------------------------


def mixture(game: Game, folder: Path, weights: list[float], output: str = "logits") -> SnapshotAgent:
    """Return an agent that mixes random networks."""
    snapshots = Snapshots(100)
    for seed, weight in enumerate(weights):
        torch.manual_seed(seed)
        policy = MlpPolicy(game.layout.size, [8], game.num_actions, "relu")
        with torch.no_grad():
            policy.layers[-1].weight.mul_(8.0)  # type: ignore[operator]  # so that they differ much
        snapshots.add(policy, weight)
    run = RunFolder(folder)
    run.path.mkdir(exist_ok=True)
    run.write_json(
        CONFIG,
        {
            "agent": "snapshots", "game": game.name, "encoder": game.encoder.name, "num_seats": game.num_seats,
            "encoder_version": game.encoder.version, "num_actions": game.num_actions,
            "observation_size": game.layout.size, "hidden": [8], "activation": "relu", "output": output,
        },
    )  # fmt: skip
    snapshots.save(run)
    return SnapshotAgent(folder, game)


@pytest.mark.parametrize("game", [KUHN, LEDUC], ids=["kuhn", "leduc"])
@pytest.mark.parametrize("output", ["logits", "advantages"])
def test_probabilities_of_a_mixture_are_the_average_of_its_networks(game: Game, output: str, tmp_path: Path) -> None:
    agent = mixture(game, tmp_path, [1.0, 2.0, 5.0], output)
    tree = PublicTree(game)
    average = AverageStrategy(tree)
    for snapshot, weight in enumerate([1.0, 2.0, 5.0]):
        average.add(agent.play_component(snapshot, tree.decisions.observation, tree.decisions.action_mask), weight)
    shown = agent.probabilities(tree.decisions)
    reached = average._weights.sum(axis=1) > 0
    np.testing.assert_allclose(shown[reached], average.strategy()[reached], rtol=0, atol=1e-6)  # float32
    np.testing.assert_allclose(shown.sum(axis=1), 1.0)


def test_a_seat_that_draws_a_network_for_each_deal_plays_these_probabilities(tmp_path: Path) -> None:
    """At each information state of Kuhn poker, over all networks that can be drawn: exact, no sampling."""
    weights = np.array([1.0, 2.0, 5.0]) / 8.0
    agent = mixture(KUHN, tmp_path, weights.tolist())
    tree = PublicTree(KUHN)
    strategies = [agent.play_component(k, tree.decisions.observation, tree.decisions.action_mask) for k in range(3)]
    shown = agent.probabilities(tree.decisions)
    before = tree._before  # the seat's own last decision, as state * actions + action; -1 for none
    for state, action in product(range(len(shown)), range(shown.shape[1])):
        reach = np.array([1.0 if before[state] < 0 else strategy.ravel()[before[state]] for strategy in strategies])
        chance = sum(w * r * s[state, action] for w, r, s in zip(weights, reach, strategies, strict=True))
        # Networks compute in float32, whose last digits depend on the size of the batch.
        assert chance == pytest.approx(shown[state, action] * (weights @ reach), abs=1e-6)


@pytest.mark.parametrize("output", ["logits", "advantages"])
def test_exploitability_of_a_mixture_in_flop_holdem_is_that_of_its_probabilities(output: str, tmp_path: Path) -> None:
    """Street by street, as `exploit` asks a mixture, and state by state in the whole tree of a small deck."""
    game = holdem_game("seven_cards", replace(HoldemConfig.flop(max_raises=(1, 1)), num_suits=1, num_ranks=7))
    agent = mixture(game, tmp_path, [1.0, 2.0, 5.0], output)
    target = Target(env="flop_holdem-v0", settings={}, agent="mixture", game=game, player=agent)
    found = exploit_flop_holdem(target, ExploitSettings())
    expected = exact_exploitability(game, agent)
    assert found["best_responses"] == pytest.approx(expected.best_responses, abs=1e-5)  # float32
    assert expected.exploitability > 0.3


def test_networks_are_drawn_by_their_weights_once_per_deal_and_seat(tmp_path: Path) -> None:
    agent = mixture(KUHN, tmp_path, [1.0, 3.0])
    numbers = (np.arange(4000) + 0.5) / 4000
    drawn, rest = agent._draw(numbers)
    np.testing.assert_allclose(np.bincount(drawn) / len(drawn), [0.25, 0.75], atol=1e-3)
    for snapshot in (0, 1):  # what is left of the number is uniform again, whichever was drawn
        np.testing.assert_allclose(
            np.sort(rest[drawn == snapshot]), np.linspace(0, 1, (drawn == snapshot).sum()), atol=2e-3
        )
    tables = KUHN.seeded_tables(50, 0)
    rows = np.arange(50)
    KUHN.deal_batch(tables, rows)
    agent.deal_starts(rows)
    first = agent.act(decisions_at(KUHN, tables, rows, rows, np.linspace(0, 0.999, 50)), np.random.default_rng(0))
    kept = agent._drawn.copy()
    again = agent.act(decisions_at(KUHN, tables, rows, rows, np.full(50, 0.9)), np.random.default_rng(0))
    np.testing.assert_array_equal(agent._drawn, kept)
    assert first.shape == again.shape == (50,)
    agent.deal_starts(rows[:10])
    assert (agent._drawn[:10] == -1).all() and (agent._drawn[10:] == kept[10:]).all()


def test_a_mixture_wins_in_matches_what_its_probabilities_win(tmp_path: Path) -> None:
    agent = mixture(KUHN, tmp_path, [1.0, 1.0, 1.0])

    class Shown(SnapshotAgent):
        def act(self, decisions, rng):  # type: ignore[no-untyped-def]
            from card_envs.agent import choose

            return choose(self.probabilities(decisions), decisions.random_numbers)

    from card_envs.agent import find_agent

    other = find_agent("random", KUHN)
    drawn = play_match(KUHN, [agent, other], 40_000, 0).agents[0]
    mixed = play_match(KUHN, [Shown(tmp_path, KUHN), other], 40_000, 1).agents[0]
    error = np.hypot(drawn.standard_error, mixed.standard_error)
    assert abs(drawn.mean - mixed.mean) < 4 * error


def test_earlier_decisions_show_what_the_seat_saw(tmp_path: Path) -> None:
    """Each is a decision of the tree, with the same own card, that leads to the later one."""
    tree = PublicTree(LEDUC)
    state_of = {seen.tobytes(): state for state, seen in enumerate(tree.decisions.observation)}
    found = np.full(len(tree.decisions), -1)
    for rows, before, actions in find_earlier_decisions(tree.decisions):
        states = np.array([state_of[seen.tobytes()] for seen in before.observation])
        latest = found[rows] == -1  # parents come before theirs
        found[rows[latest]] = (states * LEDUC.num_actions + actions)[latest]
    np.testing.assert_array_equal(found, tree._before)


def test_too_many_snapshots_are_thinned_and_keep_their_weights() -> None:
    snapshots = Snapshots(8)
    policy = MlpPolicy(2, [2], 2, "relu")
    for iteration in range(1, 101):
        snapshots.add(policy, float(iteration))
    assert 4 <= len(snapshots) <= 8
    waiting = snapshots.state()["counts"][2]
    assert float(snapshots.tensors()["snapshot_weights"].sum() + waiting) == 5050


def test_mixtures_of_large_games_play_without_showing_probabilities(tmp_path: Path) -> None:
    game = make_game("no_limit_holdem-v0")
    agent = mixture(game, tmp_path, [1.0, 1.0])
    assert not agent.shows_probabilities
    tables, rows = game.seeded_tables(1, 0), np.arange(1)
    game.deal_batch(tables, rows)
    decisions = decisions_at(game, tables, rows, rows, np.full(1, 0.5), encoder=agent.find_encoder(game))
    with pytest.raises(ValueError, match="no heads-up limit game"):
        agent.probabilities(decisions)
    assert play_match(game, [agent, agent], 50, 0).hands == 50
