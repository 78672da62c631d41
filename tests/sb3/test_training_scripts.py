"""The training scripts on Stable-Baselines3: masks everywhere, folders that play, resume; and the shipped agents."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch

import card_baselines
from card_baselines.agents.learned.recurrent_policy import RecurrentAgent
from card_baselines.registry import ALGORITHMS
from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import STATE, collect_parts
from card_baselines.runs.run import train
from card_baselines.sb3 import maskable_dqn, maskable_ppo, recurrent_ppo
from card_baselines.sb3.mask_at_end import MaskAtEnd
from card_envs import make_game
from card_envs.agent import decisions_at, find_agent
from card_envs.match import play_match
from card_envs.vector import VectorTables
from card_wrappers.sb3 import CardVecEnv
from tests.helpers.bet_game import BET, bet_game

SCRIPTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "maskable_ppo": (maskable_ppo, {"steps_per_update": 8, "minibatch": 64}),
    "maskable_dqn": (maskable_dqn, {"minibatch": 32, "learning_starts": 100, "buffer_size": 1000}),
    "recurrent_ppo": (recurrent_ppo, {"steps_per_update": 8, "minibatch": 64, "memory": 8}),
}
every_script = pytest.mark.parametrize("name", SCRIPTS)


def tiny(name: str, **changes: Any) -> Any:
    script, settings = SCRIPTS[name]
    return script.Config(
        env="leduc_holdem-v0",
        opponents=("self", "random"),
        panel=("random",),
        minutes=0.0,
        steps=400,
        num_tables=8,
        hidden=(8,),
        evaluation_seconds=5.0,
        evaluation_hands=50,
        final_hands=50,
        **settings,
        **changes,
    )


@every_script
def test_a_run_leaves_a_folder_that_plays_and_goes_on(name: str, tmp_path: Path) -> None:
    script, _ = SCRIPTS[name]
    config = tiny(name)
    run = train(script.ALGORITHM, config, tmp_path)
    assert {"config.json", "metrics.csv", "evaluation.json", STATE, "policy.safetensors", "curve.png"} <= {
        path.name for path in run.path.iterdir()
    }
    assert RunFolder(tmp_path).metrics()[-1]["decisions"] >= 400
    train(script.ALGORITHM, replace(config, steps=800), tmp_path)
    decisions = [row["decisions"] for row in RunFolder(tmp_path).metrics()]
    assert decisions[-1] >= 800 and decisions == sorted(decisions)
    game = make_game("leduc_holdem-v0")
    agent = find_agent(str(tmp_path), game)
    first = play_match(game, [agent, find_agent("random", game)], 200, 3)
    second = play_match(game, [agent, find_agent("random", game)], 200, 3, num_tables=32)
    assert np.array_equal(first.payoffs, second.payoffs)  # nothing is remembered from deal to deal
    with pytest.raises(ValueError, match="was trained for"):
        find_agent(str(tmp_path), make_game("big2-v0"))


@every_script
def test_a_continued_run_deals_other_hands(name: str, tmp_path: Path) -> None:
    config, game = tiny(name), make_game("leduc_holdem-v0")

    make_learner = SCRIPTS[name][0].ALGORITHM.make_learner
    learner = make_learner(config, game)
    learner.update(0.0)
    learner.save(tmp_path / STATE, {})
    continued = [make_learner(config, game) for _ in range(2)]
    for each in continued:
        each.load(tmp_path / STATE)
    new, first, second = (each.model.env.reset() for each in (make_learner(config, game), *continued))
    assert np.array_equal(first, second) and not np.array_equal(first, new)


@every_script
def test_a_continued_run_goes_on_where_it_was(name: str, tmp_path: Path) -> None:
    config, game = tiny(name), make_game("leduc_holdem-v0")
    whole, second, begun = (SCRIPTS[name][0].ALGORITHM.make_learner(config, game) for _ in range(3))
    whole.update(0.0)
    whole.save(tmp_path / STATE, {"seconds": 12.5})
    assert second.load(tmp_path / STATE) == {"seconds": 12.5}
    begun.start_from(RunFolder(tmp_path))
    for counter in ("num_timesteps", "_n_updates", "_n_calls"):
        assert getattr(second.model, counter, None) == getattr(whole.model, counter, None), counter
    assert second.num_steps > 0 == begun.num_steps
    kept, found, first = (collect_parts(learner.parts) for learner in (whole, second, begun))
    assert kept.keys() == found.keys() and any(name.startswith("adam.") for name in kept)
    for key, tensor in kept.items():
        assert torch.equal(found[key], tensor), key
        assert not key.startswith("policy.") or torch.equal(first[key], tensor), key


@every_script
def test_a_run_of_an_earlier_version_is_refused(name: str, tmp_path: Path) -> None:
    config, algorithm = tiny(name), SCRIPTS[name][0].ALGORITHM
    train(algorithm, config, tmp_path / "run", progress=False)
    (tmp_path / "run" / STATE).rename(tmp_path / "run" / "model.zip")
    with pytest.raises(ValueError, match=r"has policy\.safetensors but no state\.safetensors: .* an earlier version"):
        train(algorithm, replace(config, steps=800), tmp_path / "run", progress=False)
    with pytest.raises(ValueError, match=r"run has no state\.safetensors: it must be a run"):
        train(algorithm, replace(config, start_from=str(tmp_path / "run")), tmp_path / "next", progress=False)


def test_all_actions_of_dqn_are_legal_and_so_is_the_bootstrap() -> None:
    game = make_game("limit_holdem-v0")
    tables = MaskAtEnd(CardVecEnv(game, 16, "random", seed=0))
    config = tiny("maskable_dqn")
    settings = maskable_dqn.MaskableDqnLearner.model_settings(replace(config, env="limit_holdem-v0"))
    model = maskable_dqn.MaskableDQN(env=tables, seed=0, gamma=1.0, device="cpu", **settings)
    model.learn(2000)  # the tables raise at the first illegal action
    batch = model.replay_buffer.sample(256)
    values = model.q_net_target(batch.next_observations)
    masks = batch.next_observations[:, -game.num_actions :]
    going_on = batch.dones[:, 0] == 0
    assert masks.any(dim=1).all() and going_on.any() and not going_on.all()
    best = values.argmax(dim=1)
    assert masks[going_on, best[going_on]].all()
    assert torch.isfinite((1 - batch.dones[:, 0]) * values.max(dim=1).values).all()


@pytest.mark.parametrize("name", ["maskable_dqn", "recurrent_ppo"])
def test_they_learn_to_bet(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    script, _ = SCRIPTS[name]
    changes = {"steps_per_update": 8, "minibatch": 64} if name == "recurrent_ppo" else {}
    config = replace(tiny(name), **changes)
    monkeypatch.setattr(script.Config, "game", lambda config: bet_game())
    tables = MaskAtEnd(CardVecEnv(bet_game(), 16, "random", seed=0))
    learner = script.ALGORITHM.make_learner
    settings = learner.model_settings(config) | {"gamma": 1.0, "learning_rate": 0.01, "device": "cpu"}
    model = learner.model_class(env=tables, seed=0, **settings)
    model.learn(3000)
    for seat in (0, 1):
        observation = np.array([[seat == 0, seat == 1, 1, 1]], np.float32)
        actions = [int(model.predict(observation, deterministic=True)[0][0]) for _ in range(3)]
        assert actions == [BET] * 3, seat


def test_the_memory_of_a_recurrent_agent_is_that_of_one_seat_in_one_deal(tmp_path: Path) -> None:
    """The agent's probabilities are those of SB3's policy fed with the same decisions."""
    config, game = tiny("recurrent_ppo"), make_game("leduc_holdem-v0")
    train(recurrent_ppo.ALGORITHM, config, tmp_path)
    agent, learner = RecurrentAgent(tmp_path, game), recurrent_ppo.RecurrentPpoLearner(config, game)
    learner.load(tmp_path / STATE)
    model = learner.model
    observation = torch.rand((1, agent.policy.lstm.input_size))
    ending = torch.ones((1, 3))
    mine = theirs = (torch.zeros((1, 1, 8)), torch.zeros((1, 1, 8)))
    for _ in range(3):
        with torch.no_grad():
            logits, mine = agent.policy(observation, mine)
            seen = torch.cat((observation, ending), dim=1)
            distribution, theirs = model.policy.get_distribution(seen, theirs, torch.zeros(1))
        assert torch.allclose(torch.log_softmax(logits, dim=1), distribution.distribution.logits, atol=1e-5)


def test_a_recurrent_agent_takes_the_likeliest_action_if_asked(tmp_path: Path) -> None:
    train(recurrent_ppo.ALGORITHM, tiny("recurrent_ppo"), tmp_path)
    game = make_game("leduc_holdem-v0")
    tables = VectorTables(game, 64, 0)
    tables.reset()
    rows = np.arange(64)
    drawn = {"": set[bytes](), ":greedy": set[bytes]()}
    for choice, seen in drawn.items():
        for uniform in (0.05, 0.5, 0.95):
            agent = find_agent(f"{tmp_path}{choice}", game)
            decisions = decisions_at(
                game, tables.tables, rows, rows, np.full(64, uniform), encoder=agent.find_encoder(game)
            )
            seen.add(agent.act(decisions, np.random.default_rng(0)).tobytes())
    assert len(drawn[":greedy"]) == 1 < len(drawn[""])


ONE_GAME = dict.fromkeys(("shi2022", "mccfr", "public_chance_cfr"), "limit_holdem-v0") | dict.fromkeys(
    ("menu_cfr", "multiplayer_mccfr"), "no_limit_holdem-v0"
)
"""Algorithms that are made for one game."""


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_dry_run_prints_the_settings_and_writes_nothing(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from card_baselines import cli

    monkeypatch.chdir(tmp_path)
    env, words = (ONE_GAME[algorithm], []) if algorithm in ONE_GAME else ("kuhn_poker-v0", ["--env", "kuhn_poker-v0"])
    assert cli.main(["train", algorithm, *words, "--seed", "5", "--dry-run"]) == 0
    settings = json.loads(capsys.readouterr().out)
    assert settings["seed"] == 5 and settings.get("env", env) == env
    assert not list(tmp_path.iterdir())


def test_presets_change_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    from card_baselines import cli

    words = ["train", "self_play_ppo", "--preset", "charlesworth2018", "--epochs", "7", "--dry-run"]
    assert cli.main(words) == 0
    settings = json.loads(capsys.readouterr().out)
    assert (settings["env"], settings["gamma"], settings["epochs"]) == ("big2-v0", 0.995, 7)
    assert cli.main(["train", "self_play_ppo", "--env", "big2-v0", "--dry-run"]) == 0
    assert json.loads(capsys.readouterr().out)["hidden"] == [512, 256]
    assert cli.main(["train", "self_play_ppo", "--preset", "charlesworth"]) == 2
    assert "did you mean 'charlesworth2018'" in capsys.readouterr().err


PRETRAINED = {
    folder.name: folder for folder in Path(card_baselines.__file__).parent.rglob("pretrained/*") if folder.is_dir()
}
SHIPPED = sorted(name for name, folder in PRETRAINED.items() if (folder / "evaluation.json").exists())
"""Those that a training run left behind; the learners of a paper's tables are measured in its report."""


@pytest.mark.parametrize("name", sorted(PRETRAINED))
def test_what_is_shipped_says_which_commit_made_it(name: str) -> None:
    config = json.loads((PRETRAINED[name] / "config.json").read_text())
    assert config.get("made_of", config)["commit"]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_agents_play_and_say_where_they_come_from(name: str) -> None:
    config = json.loads((PRETRAINED[name] / "config.json").read_text())
    assert config["made_of"]["commit"] and config["algorithm"] in {"self_play_ppo", "mmd", "dual-apu", "distill"}
    matches = json.loads((PRETRAINED[name] / "evaluation.json").read_text())["matches"]
    assert all(match["ci95"][0] <= match["mean"] <= match["ci95"][1] for match in matches)
    assert sum(path.stat().st_size for path in (PRETRAINED[name]).iterdir()) < 4_000_000
    game = make_game(config["env"], **({} if config["env"] == "big2-v0" else {"num_players": config["num_seats"]}))
    agents = [find_agent(name, game), *[find_agent("random", game)] * (game.num_seats - 1)]
    hands = 20_000 if config["env"] == "no_limit_holdem-v0" else 2000  # whole stacks are lost there
    assert play_match(game, agents, hands, seed=1).agents[0].ci95[0] > 0
