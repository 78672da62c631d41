"""A game that the packages do not know, behind every interface: nothing generic may need to know it."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray

from card_baselines.agents.panels import evaluation_panel
from card_baselines.exploitability.learned.demonstrations import list_demonstrators
from card_envs import make_game, make_vector
from card_envs.agent import Agent, Decisions, RandomAgent
from card_envs.envs import ENVS, make_env, make_raw_env
from card_envs.history import MatchFile, replay_paths
from card_envs.history.formats import load_recorded_hands
from card_envs.history.replay import RecordedHand
from card_envs.match import play_match
from card_envs.rendering.pictures import draw_table
from card_envs.statistics import make_play_counter
from card_wrappers.sb3 import CardVecEnv
from tests.helpers.shell import Shell
from tests.third_game import register

ENV = "dozen-v0"
PANEL = ("random", f"{__name__}:FirstLegal")


class FirstLegal(Agent):
    """Takes the first legal action."""

    name = "first_legal"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        return np.asarray(decisions.action_mask.argmax(axis=1), np.int64)


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    register()
    yield
    del ENVS[ENV]


@pytest.mark.skipif(not hasattr(pettingzoo, "aec_registry"), reason="PettingZoo has a registry since 1.27")
def test_pettingzoo_registry() -> None:
    assert str(pettingzoo.make("aec", f"card_envs/{ENV}")) == str(make_env(ENV))


def test_gymnasium() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(gymnasium.make("card_envs/Dozen-v0", illegal_action="random").unwrapped, skip_render_check=True)
    envs = gymnasium.make_vec("card_envs/Dozen-v0", num_envs=3)
    observations, _ = envs.reset(seed=1)
    assert (observations["action_mask"].sum(axis=1) > 0).all()


def test_the_batched_engine() -> None:
    tables = make_vector(ENV, 5, seed=3)
    tables.reset()
    ended = 0
    for _ in range(30):
        ended += int(tables.step(tables.sample_actions()).is_over.sum())
    assert ended == 5 * (30 // 12)


def test_stable_baselines3() -> None:
    pytest.importorskip("stable_baselines3")
    envs = CardVecEnv(make_game(ENV), 4, seed=1)
    envs.reset()
    for _ in range(20):
        masks = np.stack(envs.env_method("action_masks"))
        _, rewards, _, _ = envs.step(masks.argmax(axis=1))
        assert np.isfinite(rewards).all()


def test_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    import card_wrappers.openspiel  # noqa: F401

    game = pyspiel.load_game("card_envs_dozen(last_trick=3)")
    assert (game.num_players(), game.num_distinct_actions(), game.max_utility()) == (3, 12, 12.0)
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
    state, rng = game.new_initial_state(), np.random.default_rng(1)
    while not state.is_terminal():
        if not state.is_chance_node():
            seat = state.current_player()
            twin = state.resample_from_infostate(seat, rng.random)
            assert twin.information_state_string(seat) == state.information_state_string(seat)
        state.apply_action(int(rng.choice(state.legal_actions())))


def test_matches() -> None:
    game, agents = make_game(ENV, last_trick=2), [RandomAgent() for _ in range(3)]
    counter = make_play_counter(game)
    result = play_match(game, agents, 300, seed=1, duplicate=True, callbacks=[counter])
    assert (result.payoffs.sum(axis=1) == 0).all()
    assert (result.position_names, dict(result.units)) == (("first", "second", "third"), {"points/hand": 1.0})
    assert {len(agent) for agent in result.by_position} == {3}
    assert sum(agent[0].value or 0 for agent in counter.compute_statistics()) == pytest.approx(5.0)  # points a deal


def test_a_match_is_saved_and_replayed(tmp_path: Path) -> None:
    game, agents = make_game(ENV, last_trick=2), [RandomAgent() for _ in range(3)]
    for name in ("", "other.dozen"):
        with MatchFile(tmp_path / name, game, ["a", "b", "c"], seed=4) as file:
            play_match(game, agents, 50, seed=4, num_tables=16, callbacks=[file])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["dozen-seed4.dozen", "other.dozen"]
    for jobs in (1, 2):
        report = list(replay_paths(tmp_path, jobs=jobs).lines())
        assert report == ["matched: 100 exactly", "replayed 100 hands: 100 matched, 0 mismatched, 0 skipped"]
    lines = list(map(json.loads, (tmp_path / "other.dozen").read_text().splitlines()))
    for hand, line in zip(load_recorded_hands(tmp_path / "other.dozen"), lines, strict=True):
        if isinstance(hand, RecordedHand):
            assert hand.tables_after(len(hand.actions))["payoff"][0].tolist() == line["payoffs"]
            openers = {line["opener"]}  # the seat that opens at a new table
        else:
            assert "another seat opens" in hand
    assert {line["opener"] for line in lines} > openers
    first, *others = (tmp_path / "other.dozen").read_text().splitlines(keepends=True)
    wrong = json.loads(first)
    wrong["payoffs"][0] += 1
    (tmp_path / "wrong.dozen").write_text("".join([json.dumps(wrong) + "\n", *others]))
    assert [bad.source for bad in replay_paths(tmp_path).mismatched] == [f"{tmp_path / 'wrong.dozen'}:1"]
    with pytest.raises(ValueError, match=r"dozen cannot be written as .big2: use .dozen \(it is for Big 2\)"):
        MatchFile(tmp_path / "a.big2", game, ["a", "b", "c"], seed=4)


def test_text() -> None:
    env = make_raw_env(ENV, render_mode="ansi")
    env.reset(seed=3, options={"deck": range(12)})
    assert "player_0: holds 1 2 3 4, plays -" in str(env.render())
    with pytest.raises(ValueError, match="has no pictures"):
        draw_table(make_game(ENV), env.unwrapped._tables, None)


def test_the_commands_save_and_replay(shell: Shell, tmp_path: Path) -> None:
    match = ("match", ENV, "--agents", "random", "random", "random", "--hands", "30", "--seed", "1")
    said = shell.prints(*match, "--save", str(tmp_path / "a.dozen"))
    assert f"saved 30 hands in {tmp_path / 'a.dozen'}" in said
    assert "replayed 30 hands: 30 matched, 0 mismatched, 0 skipped" in shell.prints("replay", str(tmp_path))
    assert shell.prints("replay", str(tmp_path / "a.dozen"), "--show", "2").count("--> player_") == 12


def test_the_commands(shell: Shell) -> None:
    agents = ("--agents", "random", "random", "random")
    played = shell.reports("match", ENV, *agents, "--hands", "60", "--seed", "1")
    assert (played["unit"], played["hands"]) == ("points", 60)
    page = shell.prints("match", "--report", "--agent", "random", "--env", ENV, "--hands", "30")
    assert "v random" in page and "points" in page
    assert any(env["id"] == ENV and env["num_seats"] == 3 for env in shell.reports("envs"))


def test_a_game_may_name_the_panel_that_others_are_measured_against() -> None:
    game = make_game(ENV)
    assert evaluation_panel(game) == ("random",)
    own = dataclasses.replace(game, info=dataclasses.replace(game.info, evaluation_panel=PANEL))
    assert evaluation_panel(own) == PANEL
    assert [each.name for each in list_demonstrators(own, RandomAgent())] == list(PANEL)
