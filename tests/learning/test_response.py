"""Learned responses: near the exact best response where that is known, chosen by one match and judged by another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.agents.learned.mlp_policy import MlpAgent
from card_baselines.exploitability.learned import demonstrators, memory_target, search
from card_baselines.exploitability.learned.behavior_cloning import DemonstrationRecorder, clone_behavior
from card_baselines.exploitability.learned.candidates import CurvePoint, is_flat
from card_baselines.exploitability.learned.config import ResponseConfig
from card_baselines.exploitability.learned.demonstrators import LOCAL, find_best_demonstrator, list_demonstrators
from card_baselines.exploitability.learned.search import BUDGET, FLAT, SCRATCH, ResponseSearch, learn_response
from card_baselines.exploitability.local import exploit_locally
from card_baselines.exploitability.methods import ExploitSettings, Target, measure_exploitability
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config as PpoConfig
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.ppo import Ppo
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import RunFolder
from card_envs import make_game
from card_envs.agent import Agent, find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.match import play_match

RAISE = 2


def test_a_response_in_leduc_comes_near_the_exact_one_and_never_above(tmp_path: Path) -> None:
    game = make_game("leduc_holdem-v0")
    exact = exact_exploitability(game, find_agent("always_call", game), 1).exploitability
    config = ResponseConfig(
        env="leduc_holdem-v0", agent="always_call", minutes=0.08, hands=20_000, selection_hands=2_000,
        folder=str(tmp_path / "found"),
    )  # fmt: skip
    found = learn_response(config)
    won = found.result.agents[0]
    assert 0.6 * exact < won.mean and won.ci95[0] <= exact
    assert found.seconds < 60 * config.minutes + 2
    kept = json.loads((found.best.run.path / "evaluation.json").read_text())
    assert kept["exploitability"] == won.mean and kept["is_lower_bound"] and kept["stopped"] in (FLAT, BUDGET)
    assert {row["start"] for row in kept["starts"]} > {SCRATCH}, "and who wins most among the panel"
    assert {row["seed"] for row in kept["starts"]} == {0, 1}
    (itself,) = (row for row in kept["starts"] if row["start"].endswith(" itself"))
    assert itself["seconds"] == 0.0 and itself["mean"] < won.mean, "no demonstrator of the panel is the best response"
    again = play_match(game, [find_agent(str(found.best.run.path), game), find_agent("always_call", game)],
                       20_000, 0, duplicate=True)  # fmt: skip
    assert again.agents[0].mean == won.mean, "the folder plays the response that was judged"
    assert kept["run"] == str(found.best.run.path)
    trained = max(candidate.seconds for candidate in found.candidates)
    assert found.best.seconds == trained, "the last one trained longest"


def test_a_copy_of_a_network_has_the_larger_share(tmp_path: Path) -> None:
    settings = PpoConfig(env="kuhn_poker-v0", hidden=(8,), value_hidden=(8,), activation="tanh", batch=64)
    agent = RunFolder(tmp_path / "agent")
    agent.start(ALGORITHM.describe(settings))
    Ppo(settings, settings.game()).save_policy(agent)
    config = ResponseConfig(
        env="kuhn_poker-v0", agent=str(agent.path), minutes=0.03, hands=40, seeds=1, folder=str(tmp_path / "found")
    )
    search = ResponseSearch(config)
    search.bar = ProgressBar("", 1.0, enabled=False)
    search.begin()
    assert search.fine_tuned is not None and isinstance(search.target, MlpAgent)
    copied = search.fine_tuned.learner.network.policy.state_dict()
    assert copied.keys() == search.target.policy.state_dict().keys()
    for name, weights in search.target.policy.state_dict().items():
        assert torch.equal(copied[name], weights)
    search.run()
    assert search.fine_tuned.seconds > max(learner.seconds for learner in search.learners)
    assert search.fine_tuned in search.candidates() and search.best() in search.candidates()


def test_the_last_match_has_deals_by_which_nothing_was_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from card_baselines.exploitability.learned import candidates
    from card_envs.analysis.variance import control_variates

    seeds: list[int] = []

    def noting(game: Any, agents: Any, hands: int, seed: int, *others: Any, **named: Any) -> Any:
        seeds.append(seed)
        return play_match(game, agents, hands, seed, *others, **named)

    for module in (search, candidates, demonstrators, control_variates):
        monkeypatch.setattr(module, "play_match", noting)
    learn_response(
        ResponseConfig(
            env="kuhn_poker-v0", agent="always_call", minutes=0.005, hands=40, selection_hands=40, seed=5, seeds=1,
            folder=str(tmp_path / "found"),
        )
    )  # fmt: skip
    assert seeds[-1] == 5
    assert 5 not in seeds[:-1] and len(seeds) > 4


def test_a_curve_is_looked_at_when_something_was_learned(tmp_path: Path) -> None:
    """With a small budget, twelve looks would be an update or two apart, and any curve flat."""
    config = ResponseConfig(
        env="kuhn_poker-v0", agent="always_call", minutes=0.04, hands=40, seeds=1, folder=str(tmp_path / "found")
    )
    last = max(learn_response(config).candidates, key=lambda candidate: candidate.seconds)
    decisions = [row["decisions"] for row in last.run.metrics()]
    assert len(decisions) >= 2
    assert np.diff(decisions).min() >= 4 * 8192, "half of the eight updates that are meant: their speed varies"


def test_a_response_is_no_worse_than_its_best_demonstrator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demonstration takes more than the budget, so that no learner trains, and the demonstrator is the best."""
    game = make_game("limit_holdem-v0")
    monkeypatch.setattr(demonstrators, "list_demonstrators", lambda game, target: list_demonstrators(game, target)[-1:])
    config = ResponseConfig(
        env="limit_holdem-v0", agent="always_raise", minutes=0.001, seeds=1, hands=60, folder=str(tmp_path / "found")
    )
    found = learn_response(config)
    report, itself = found.as_json(), f"{LOCAL} itself"
    means = {row["start"]: row["mean"] for row in report["starts"]}
    assert set(means) == {SCRATCH, LOCAL, itself} and means[itself] == max(means.values())
    assert (report["start"], report["run"], found.result.names[0]) == (itself, None, f"{LOCAL} to always_raise")
    target = Target(
        env="limit_holdem-v0", settings={}, agent="always_raise", game=game, player=find_agent("always_raise", game)
    )  # fmt: skip
    alone = exploit_locally(target, ExploitSettings(hands=60, draws=1))
    assert report["exploitability"] == alone["exploitability"], "in the last match it plays as it does alone"
    assert json.loads((found.best.run.path / "evaluation.json").read_text())["start"] == itself


def test_a_demonstrator_that_thinks_for_long_plays_no_longer_than_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstrators, "list_demonstrators", lambda game, target: list_demonstrators(game, target)[-1:])
    monkeypatch.setattr(search, "_DEMONSTRATION_SHARE", 1.0)
    config = ResponseConfig(env="limit_holdem-v0", agent="always_raise", minutes=0.001, seeds=1, hands=100_000,
                            folder=str(tmp_path / "found"))  # fmt: skip
    assert learn_response(config).result.hands == 250, "as many as it demonstrated, which took all the time"


def points(*means: float, half_width: float = 1.0) -> list[CurvePoint]:
    return [CurvePoint(float(k), mean, half_width) for k, mean in enumerate(means)]


def test_a_curve_is_flat_when_the_latest_points_are_not_above_those_before() -> None:
    assert not is_flat(points(1, 1, 1, 1, 1)), "too short to say"
    assert is_flat(points(5, 5, 5, 5, 5, 5))
    assert is_flat(points(0, 9, 5, 5.1, 5, 5.2, 5, 5.1))
    assert not is_flat(points(0, 1, 2, 3, 4, 5))
    assert is_flat(points(0, 1, 2, 3, 4, 5, half_width=100)), "within chance"


def test_a_network_learns_what_is_demonstrated() -> None:
    game = make_game("leduc_holdem-v0")
    demonstrator, other = find_agent("always_raise", game), find_agent("random", game)
    recorder = DemonstrationRecorder(game)
    result = play_match(game, [demonstrator, other], 600, 0, callbacks=[recorder])
    demonstrated = recorder.demonstrations()
    assert (demonstrated.action == np.where(demonstrated.mask[:, RAISE] == 1, RAISE, 1)).all()
    assert len(demonstrated.action) >= 300
    assert demonstrated.observation.shape == (len(demonstrated.action), game.layout.size)
    assert set(demonstrated.reward.tolist()) <= set((result.payoffs[:, 0] / game.chips_per_reward).tolist())
    torch.manual_seed(0)
    network = ActorCritic(game.layout.size, (32,), game.num_actions, "relu", (32,))
    assert clone_behavior(network, demonstrated, reward_scale=0.1, seed=0) > 0.9
    with pytest.raises(ValueError, match="no decision was recorded"):
        DemonstrationRecorder(game).demonstrations()


def test_the_best_demonstrator_wins_most() -> None:
    game = make_game("leduc_holdem-v0")
    target = find_agent("random", game)
    won = {
        name: play_match(game, [find_agent(name, game), target], 8_000, 3, duplicate=True).agents[0].mean
        for name in game.info.panel
    }
    best = find_best_demonstrator(game, target, 5.0, 1)
    assert best is not None and best.demonstrator.name == max(won, key=lambda name: won[name])
    assert best.hands == 8_000 and best.mean == pytest.approx(won[best.demonstrator.name], abs=0.3)


def test_heads_up_the_local_best_response_demonstrates_too() -> None:
    limit, leduc = make_game("limit_holdem-v0"), make_game("leduc_holdem-v0")
    assert LOCAL in [demonstrator.name for demonstrator in list_demonstrators(limit, find_agent("chen", limit))]
    assert LOCAL not in [demonstrator.name for demonstrator in list_demonstrators(leduc, find_agent("random", leduc))]


def test_learners_see_what_hands_are_worth_where_an_encoder_says_so() -> None:
    def settings(env: str, *given: str) -> tuple[str, ...]:
        return ResponseConfig(env=env, agent="random", settings=given).learner_settings()

    assert settings("limit_holdem-v0") == ("encoder=equity",)
    assert settings("limit_holdem-v0", "encoder=default") == ("encoder=default",)
    assert settings("leduc_holdem-v0") == settings("big2-v0") == ()


def test_agents_with_a_memory_are_met_by_maskable_ppo(monkeypatch: pytest.MonkeyPatch) -> None:
    class Remembering(Agent):
        def act(self, decisions: Any, rng: Any) -> Any:
            raise AssertionError("nobody asks it here")

        def deal_starts(self, table_ids: Any) -> None:
            """Remember."""

    game, asked = make_game("kuhn_poker-v0"), []
    target = Target(env="kuhn_poker-v0", settings={}, agent="someone", game=game, player=Remembering())
    monkeypatch.setattr(memory_target, "respond_to_memory", lambda *given: asked.append(given) or {})
    report = measure_exploitability(target, "learned", ExploitSettings(minutes=1.0, hands=7))
    assert report == {"method": "learned", "minutes": 1.0}
    config = ResponseConfig(env="kuhn_poker-v0", agent="someone", minutes=1.0, hands=7)
    assert asked == [(config, game)]


@pytest.mark.parametrize(("wrong", "message"), [({"minutes": 0.0}, "minutes 0.0"), ({"seeds": 0}, "seeds 0")])
def test_wrong_settings_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ResponseConfig(env="kuhn_poker-v0", agent="random", **wrong)


@pytest.mark.slow
def test_95_percent_of_what_can_be_won_from_a_caller(tmp_path: Path) -> None:
    """The optimum is 1,163 mbb a hand (Johanson et al. 2011)."""
    config = ResponseConfig(env="limit_holdem-v0", agent="always_call", minutes=3.0, folder=str(tmp_path / "found"))
    won = learn_response(config).result.agents[0]
    assert won.mean >= 0.95 * 1.163
    assert won.ci95[0] <= 1.163
