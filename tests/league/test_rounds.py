"""A round: who sits where, what a student is told, what comes of members that fail."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from card_baselines.league import Entrant, Experience, RoundTask, play_round, trainee_class
from card_baselines.league.rounds import Student, make_trainee, save_to_files
from card_envs import make_game
from card_envs.agent import RandomAgent
from card_envs.match import play_match

LEARNER = f"{Path(__file__).with_name('learner.py')}:Learner"
KUHN = "kuhn_poker-v0"


def entrant(member: int, spec: str = LEARNER, **more) -> Entrant:
    return Entrant(member, f"member{member}", spec, is_trainee=spec != "random", **more)


def task(*entrants: Entrant, **more) -> RoundTask:
    seating = tuple(each.member for each in entrants)
    common = {"round": 1, "env": KUHN, "settings": {}, "hands": 200, "seed": 5}
    return RoundTask(**{**common, "entrants": entrants, "seating": seating, **more})


def test_a_student_learns_and_its_state_travels() -> None:
    first = play_round(pickle.loads(pickle.dumps(task(entrant(1, learns=True), entrant(2, "random")))))
    assert list(first.learned) == [1] and first.measures[1]["known"] > 0 and not first.faults
    again = entrant(1, learns=True, files=first.learned[1])
    second = play_round(task(again, entrant(2, "random"), seed=6, hands_at_once=50))
    learner = make_trainee(LEARNER, second.learned[1], make_game(KUHN), 0)
    assert learner.rounds == 1 + 4, "once in the first round, after every 50 hands of the second"
    assert sum(map(sum, learner.counts.values())) > 2 * 150, "about one decision a hand"


def test_learning_beats_a_random_player() -> None:
    student = entrant(1, learns=True)
    for seed in range(3):
        outcome = play_round(task(student, entrant(2, "random"), seed=seed, hands=1000))
        student = replace(student, files=outcome.learned[1])
    teacher = replace(student, learns=False)
    outcome = play_round(task(teacher, entrant(2, "random"), seed=9, hands=2000))
    won = outcome.earnings[1]
    error = np.sqrt(won.squares) / outcome.samples
    assert won.total / outcome.samples > 3 * error and outcome.learned == {}


def test_the_same_task_has_the_same_outcome() -> None:
    outcomes = [play_round(task(entrant(1, learns=True), entrant(2, "random"))) for _ in range(2)]
    assert outcomes[0].learned == outcomes[1].learned and outcomes[0].earnings == outcomes[1].earnings


def test_earnings_are_those_of_all_seats_of_a_member() -> None:
    members = entrant(1, "random"), entrant(2, "random")
    round_of_six = task(*members, env="no_limit_holdem-v0", settings={"num_players": 6}, seating=(1, 2, 2, 2, 1, 2))
    outcome = play_round(round_of_six)
    one, two = outcome.earnings[1], outcome.earnings[2]
    assert (one.seats, two.seats) == (2, 4) and one.total == -two.total != 0
    assert one.squares == two.squares > 0, "what one wins the other loses, in every hand"


def test_duplicate_deals_are_the_samples() -> None:
    outcome = play_round(task(entrant(1, "random"), entrant(2, "random"), duplicate=True))
    assert (outcome.hands, outcome.samples) == (200, 100)


@pytest.mark.parametrize(
    ("kind", "decisions", "words"),
    [
        ("FailsAtFirst", 1, "not at table 0"),
        ("Illegal", 1, "chose an illegal action"),
        ("CannotLearn", 0, "forgot how"),
        ("Missing", 100, "has no class 'Missing'"),
    ],
)
def test_a_member_that_fails_forfeits_and_stays_what_it_was(kind: str, decisions: int, words: str) -> None:
    failing = entrant(1, LEARNER.replace(":Learner", f":{kind}"), learns=True)
    outcome = play_round(task(failing, entrant(2, "random")))
    fault = outcome.faults[1]
    assert fault.decisions >= decisions and words in fault.first and "member1" in fault.first
    if decisions:
        assert "table" in fault.first and "seed 5" in fault.first
    assert outcome.hands == 200 and outcome.learned == {} and outcome.earnings[1].total == -outcome.earnings[2].total


def test_decisions_follow_each_other_within_a_hand() -> None:
    hands, seats = np.array([0, 1, 0, 0, 1]), np.array([0, 0, 1, 0, 0])
    blank = np.zeros((5, 1))
    experience = Experience(
        make_game(KUHN), blank, blank.astype(np.int8), np.zeros(5, np.int64), None, hands, seats, np.zeros(5), 2
    )
    assert experience.following.tolist() == [3, 4, -1, -1, -1]


def test_experience_is_what_happened() -> None:
    seen: list[Experience] = []
    game = make_game(KUHN)

    class Watching(trainee_class(LEARNER)):
        def learn(self, experience, rng):
            seen.append(experience)
            return {}

    student = Student("student", Watching(game), np.random.default_rng(0))
    result = play_match(game, [student, RandomAgent()], 300, 4, num_tables=100)
    assert len(seen) == 3
    for number, experience in enumerate(seen):
        payoffs = result.payoffs[100 * number + experience.hands, 0] / game.chips_per_reward
        assert np.array_equal(experience.rewards, payoffs)
        assert ((experience.hands + experience.seats) % 2 == 0).all(), "the first agent sits at seat hand % 2"
        assert experience.action_masks[np.arange(len(experience)), experience.actions].all()
        assert experience.notes.dtype == bool and len(experience.notes) == len(experience)
        assert (experience.following >= 0).any()


@pytest.mark.parametrize(
    ("spec", "words"),
    [("lerner", "trainee 'lerner' is not known"), ("nowhere:Agent", "no module"), (f"{__file__}:Nobody", "no class"),
     ("card_baselines.agents.scripted.simple:AlwaysCall", "is no trainee")],
)  # fmt: skip
def test_what_is_no_trainee_is_refused(spec: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        trainee_class(spec)


def test_files_are_kept_with_their_folders(tmp_path: Path) -> None:
    def save(folder: Path) -> None:
        (folder / "deep").mkdir()
        (folder / "deep" / "weights.bin").write_bytes(b"\x00\x01")

    assert save_to_files(save) == {"deep/weights.bin": b"\x00\x01"}
