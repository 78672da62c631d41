"""Encoders that the package does not know: given as an object, or found at module:NAME or file.py:NAME."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from card_baselines.runs.run import train
from card_baselines.sb3 import maskable_ppo
from card_envs import limit_holdem_v0, make_game, make_vector
from card_envs.agent import Agent, Decisions, RandomAgent, find_agent
from card_envs.games.holdem.actions import write_mask
from card_envs.match import play_match
from card_envs.observation import Block, Encoder, Layout

LAYOUT = Layout((Block("hole_cards", 52, "cards", private=True), Block("pot", 1, "chips", high=400)))


def observe(tables: Any, i: int, seat: int, observations: Any, masks: Any) -> None:
    t, o = tables[i], observations[0]
    o.values[:] = 0
    for k in range(2):
        o.values[t.deck[2 * seat + k]] = 1
    o.values[52] = t.pot
    write_mask(t, seat, masks[0])


def observe_batch(tables: Any, rows: Any, observations: Any, masks: Any) -> None:
    for j, row in enumerate(rows):
        observe(tables, row, tables[row].actor, observations[j : j + 1], masks[j : j + 1])


MINE = Encoder("mine", 1, lambda config: LAYOUT, observe, observe_batch, lambda config, seen: LAYOUT.split(seen))
LOCATION = f"{__name__}:MINE"


class PotReader(Agent):
    encoder = MINE

    def __init__(self) -> None:
        self.pots: set[float] = set()

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        assert decisions.observation.shape[1] == 53
        self.pots.update(decisions.observation[:, 52].tolist())
        return np.ones(len(decisions), np.int64)


def test_environments_observe_through_it() -> None:
    env = limit_holdem_v0.raw_env(encoder=MINE)
    env.reset(seed=1)
    assert env.last()[0]["observation"].tolist().count(1.0) == 2 and env.last()[0]["observation"][52] == 3
    assert make_vector("limit_holdem-v0", 4, seed=1, encoder=MINE).reset().observation.shape == (4, 53)
    single = gymnasium.make("card_envs/LimitHoldem-v0", encoder=MINE)
    assert single.reset(seed=1)[0]["observation"].shape == (53,)


def test_agents_observe_through_it() -> None:
    reader = PotReader()
    play_match(make_game("limit_holdem-v0"), [reader, reader], 4, seed=1)
    assert 3.0 in reader.pots


def test_a_game_with_it_can_be_copied_and_named() -> None:
    game = make_game("limit_holdem-v0", encoder=MINE)
    assert pickle.loads(pickle.dumps(game)).encoder is MINE
    assert copy.deepcopy(game) is game
    assert make_game("limit_holdem-v0", encoder=LOCATION).encoder is MINE


def test_an_encoder_in_a_file_is_named_by_its_path_and_found_by_other_processes(tmp_path: Path) -> None:
    file = tmp_path / "my_encoders.py"
    file.write_text(Path(__file__).read_text())
    encoder = make_game("limit_holdem-v0", encoder=f"{file}:MINE").encoder
    assert encoder.name == "mine" and encoder is not MINE
    assert encoder.__reduce__()[1] == (f"{file}:MINE",)
    assert pickle.loads(pickle.dumps(encoder)) is encoder


def test_what_is_missing_is_said() -> None:
    with pytest.raises(ValueError, match="an Encoder of your own, module:NAME or file"):
        make_game("limit_holdem-v0", encoder="mine")
    with pytest.raises(ValueError, match="cannot be found"):
        make_game("limit_holdem-v0", encoder="no_such_module:MINE")
    with pytest.raises(ValueError, match="cannot be found: there is no file"):
        make_game("limit_holdem-v0", encoder="no_such_file.py:MINE")
    with pytest.raises(ValueError, match="is a int, not an Encoder"):
        make_game("limit_holdem-v0", encoder="card_envs.cards:DECK_SIZE")


def test_a_run_that_was_trained_through_it_plays_where_the_game_has_it(tmp_path: Path) -> None:
    config = maskable_ppo.Config(
        env_args=(f"encoder={LOCATION}",), opponents=("random",), panel=("random",), minutes=0.0, steps=64,
        num_tables=4, steps_per_update=8, hidden=(8,), minibatch=16, evaluation_hands=20, final_hands=20,
    )  # fmt: skip
    run = train(maskable_ppo.ALGORITHM, config, tmp_path)  # it is measured as it learns
    agent = find_agent(str(run.path), make_game("limit_holdem-v0", encoder=MINE))
    assert agent.encoder is MINE
    assert play_match(make_game("limit_holdem-v0"), [agent, RandomAgent()], 4, seed=1).hands == 4
    with pytest.raises(ValueError, match="encoder 'mine' is not known"):
        find_agent(str(run.path), make_game("limit_holdem-v0"))
