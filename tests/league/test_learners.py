"""A learner of `card-envs train` as a student of a league: it gets the rows that a collector would return."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from card_baselines.league import Entrant, RoundTask, play_round, trainee_class
from card_baselines.league.learner_trainee import LearnerTrainee
from card_baselines.league.rounds import Student, make_trainee
from card_envs import make_game
from card_envs.agent import RandomAgent
from card_envs.match import play_match

SPEC = f"{Path(__file__).with_name('reinforce.py')}:ALGORITHM"
KUHN = "kuhn_poker-v0"
STUDENT = Entrant(1, "student", SPEC, is_trainee=True, learns=True)
RANDOM = Entrant(2, "random", "random", is_trainee=False)


def play(student: Entrant, seed: int, hands: int = 1000):
    common = {"round": 1, "env": KUHN, "settings": {}, "hands": hands, "seed": seed}
    return play_round(RoundTask(entrants=(student, RANDOM), seating=(1, 2), **common))


def test_a_learner_gets_the_rows_of_its_hands():
    game = make_game(KUHN)
    trainee = make_trainee(SPEC, None, game, seed=3)
    student = Student("student", trainee, np.random.default_rng(0))
    result = play_match(game, [student, RandomAgent()], hands=400, seed=1)
    [rows] = trainee.learner.seen
    assert rows.num_rows == trainee.learner.num_steps > 400
    following = rows["next_row"]
    first = np.setdiff1d(np.arange(rows.num_rows), following)
    assert (following[following >= 0] > np.flatnonzero(following >= 0)).all()
    for name in ("deal", "seat"):
        np.testing.assert_array_equal(rows[name][following[following >= 0]], rows[name][following >= 0])
    assert len(np.unique(rows["deal"][first])) == len(first), "one first decision in a hand"
    assert rows["reward"][following >= 0].any() == 0
    assert rows.returns()[first].sum() == pytest.approx(0.5 * result.agents[0].mean * 400), (
        "scaled, as by the collector"
    )
    np.testing.assert_array_equal(rows["seats"], rows["seat"])  # a column of `act`
    assert rows["log_policy"].shape == (rows.num_rows, game.num_actions)
    np.testing.assert_allclose(np.exp(rows["log_policy"]).sum(axis=1), 1, atol=1e-6)


def test_a_learner_learns_from_round_to_round_and_its_state_travels():
    student = STUDENT
    for seed in range(12):
        outcome = play(student, seed)
        assert not outcome.faults and outcome.measures[1]["fraction"] == 0.0
        student = replace(student, files=outcome.learned[1])
    assert make_trainee(SPEC, student.files, make_game(KUHN), 0).learner.num_steps > 12 * 1000
    outcome = play(replace(student, learns=False), seed=99, hands=4000)
    won = outcome.earnings[1]
    assert won.total / outcome.samples > 3 * np.sqrt(won.squares) / outcome.samples and outcome.learned == {}


def test_the_same_round_has_the_same_outcome():
    one, two = (play(STUDENT, 5) for _ in range(2))
    assert one.learned == two.learned and one.earnings == two.earnings


def test_a_clone_plays_the_probabilities_of_the_network():
    game = make_game(KUHN)
    agent = trainee_class(SPEC)(game, seed=1)
    assert isinstance(agent, LearnerTrainee) and agent.name == "reinforce"
    result = play_match(game, [agent, agent], hands=50, seed=0)
    assert result.hands == 50


def test_learners_with_tables_of_their_own_and_other_objects_are_refused():
    with pytest.raises(ValueError, match="self_play_ppo cannot learn in a league, since it plays its own tables only"):
        make_trainee("card_baselines.ppo.algorithm:ALGORITHM", None, make_game(KUHN), 0)
    with pytest.raises(ValueError, match="is no algorithm"):
        trainee_class("card_baselines.ppo.presets:BEST_RESPONSE")
