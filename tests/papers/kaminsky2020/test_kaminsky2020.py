"""Kaminsky and Liebendörfer (2020): moves, values, what the students learn, and that they are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.league import Entrant, Experience, RoundTask, play_round, trainee_class
from card_baselines.league.rounds import Student, write_files
from card_baselines.papers.kaminsky2020 import players
from card_baselines.papers.kaminsky2020.players import (
    ALL,
    EIGHT,
    GaussianPolicy,
    Kaminsky2020Agent,
    Moves,
    PairValues,
    StateValues,
    best_moves,
    choose_desired_actions,
)
from card_baselines.papers.kaminsky2020.situation import ENV, SETTINGS, KaminskyRandom, choose_nearest, make_paper_game
from card_baselines.papers.kaminsky2020.students import (
    POLICY,
    KaminskyTrainee,
    Qlearn8,
    QlearnAll,
    QlearnAllBalanced,
    SacHigh,
    SacLow,
)
from card_baselines.registry import TRAINEES
from card_envs.agent import Agent, Decisions, decisions_at, find_agent
from card_envs.compiler import COMPILED
from card_envs.game import Game
from card_envs.games.holdem.actions import raise_to_of
from card_envs.games.holdem.presets import no_limit_holdem
from card_envs.match import play_match

OURS = sorted(name for name, place in TRAINEES.items() if "kaminsky2020" in place)
SMALL: dict[str, Any] = {"width": 32, "layers": 2, "dtype": "float32", "learning_rate": 0.01, "batch": 128}
needs_compiler = pytest.mark.skipif(not COMPILED, reason="thousands of hands, which take minutes as plain Python")


@pytest.fixture(scope="module")
def game() -> Game:
    return make_paper_game()


def dealt(game: Game, count: int, *actions: int) -> tuple[Any, Decisions]:
    """Return tables after the same actions, and the decisions there; their uniform numbers are spread evenly."""
    tables = game.seeded_tables(count, 1)
    rows = np.arange(count)
    game.deal_batch(tables, rows)
    for action in actions:
        for i in range(count):
            assert game.step(tables, i, action) >= 0
    return tables, decisions_at(game, tables, rows, rows, (rows + 0.5) / count)


# --- moves ---


def test_legal_moves_and_what_they_become(game: Game) -> None:
    _, decisions = dealt(game, 1, 11)  # raise to 10: the next to at least 18
    views = decisions.views
    assert np.flatnonzero(ALL.legal(views)[0]).tolist() == [0, *range(18, 201)]
    assert EIGHT.legal(views).all()
    for move, action in enumerate([1, 19, 19, 19, 33, 65, 101, 201]):  # 4, 8 and 16 become 18; id: amount + 1
        assert EIGHT.actions(views, np.array([move])).tolist() == [action]
    assert ALL.actions(views, np.array([-1])).tolist() == [0]


def test_without_a_raise_or_a_fold(game: Game) -> None:
    _, all_in = dealt(game, 1, 201)
    for moves in (ALL, EIGHT):
        assert np.flatnonzero(moves.legal(all_in.views)[0]).tolist() == [0]
        assert moves.actions(all_in.views, np.array([5])).tolist() == [1]
    _, free = dealt(game, 1, 1, 1, 1, 1, 1)  # the big blind, who owes nothing
    assert ALL.actions(free.views, np.array([-1])).tolist() == [1]
    values = np.full((1, len(ALL)), -0.9, np.float32)  # less than a fold, which is not legal, would be worth
    assert best_moves(values, ALL, free.views, scale=1000.0).tolist() == [0]


@pytest.mark.parametrize("menu", ["fchpa", "chips:20,50,120"])
def test_bet_menus_get_the_nearest_raise(menu: str) -> None:
    game = no_limit_holdem(6, bet_menu=menu, encoder="kaminsky404")
    _, decisions = dealt(game, 1)
    amounts = {"fchpa": {3: 4, 6: 7, 200: 200, 60: 7}, "chips:20,50,120": {3: 20, 34: 20, 36: 50, 200: 120}}[menu]
    for asked, expected in amounts.items():
        action = choose_nearest(decisions.views, np.array([2]), np.array([asked]))[0]
        t = dealt(game, 1)[0][0]
        assert raise_to_of(t, action) == expected, asked


def test_folding_is_worth_what_has_been_put_in(game: Game) -> None:
    _, decisions = dealt(game, 1, 11, 0, 0, 0, 0)  # the big blind has put in 2
    for worth, move in ((-0.0021, -1), (-0.0019, 0)):
        values = np.full((1, len(ALL)), -0.5, np.float32)
        values[0, 0] = worth
        assert best_moves(values, ALL, decisions.views, scale=1000.0).tolist() == [move]
    values[0, 3] = 0.9  # not legal
    assert best_moves(values, ALL, decisions.views, scale=1000.0).tolist() == [0]


def test_four_desires(game: Game) -> None:
    _, decisions = dealt(game, 4, 11)
    desires = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -1], [0, 0, 1, 0]], np.float32)
    assert choose_desired_actions(desires, decisions.views).tolist() == [
        0,
        1,
        19,
        110,
    ]  # 18 .. 200: 109 in the middle


def test_the_random_player(game: Game) -> None:
    _, decisions = dealt(game, 3000, 11)
    actions = KaminskyRandom().act(decisions, np.random.default_rng(0))
    assert [(actions == 0).sum(), (actions == 1).sum()] == [1000, 1000]
    raises = actions[actions > 1]
    assert set(raises.tolist()) == set(range(19, 202)) and np.bincount(raises)[19:].max() <= 6
    _, free = dealt(game, 300, 1, 1, 1, 1, 1)
    assert (KaminskyRandom().act(free, np.random.default_rng(0)) == 1).sum() == 200


# --- networks ---


def test_values_of_pairs_are_those_of_moves() -> None:
    torch.manual_seed(0)
    observation, moves = torch.rand(5, 404), torch.tensor([0, 3, 7, 1, 2])
    for network in (PairValues(404, 8, 16, 3), StateValues(404, 8, 16, 3)):
        assert torch.allclose(network(observation)[torch.arange(5), moves], network.evaluate_moves(observation, moves))
    sizes = [tuple(p.shape) for p in StateValues(404, 201).parameters() if p.dim() == 2]
    assert sizes == [(256, 404), (256, 256), (256, 256), (256, 256), (201, 256)]


def test_the_activation_rises_to_the_left() -> None:
    hidden = StateValues(1, 1, 1, 1).hidden[1]
    assert hidden(torch.tensor([-2.0, 3.0])).tolist() == pytest.approx([0.002, 3.0])


def test_densities_of_squashed_normals() -> None:
    policy = GaussianPolicy(3, 2, 8, 1)
    observation = torch.rand(1, 3)
    mean, log_std = policy(observation)
    normal = torch.distributions.Normal(mean, log_std.exp())
    for z in (-1.3, 0.0, 0.7):
        action, density = policy.sample(observation, torch.full((1, 1), z))
        raw = torch.atanh(action)
        expected = normal.log_prob(raw) - torch.log(1 - action**2)
        assert density.item() == pytest.approx(expected.item(), abs=1e-4)


def test_normals_are_normal_and_fixed() -> None:
    random_numbers = np.random.default_rng(0).random(4000)
    normals = np.empty((4000, 4))
    players.write_normals(random_numbers, normals)
    again = np.empty((1, 4))
    players.write_normals(random_numbers[:1], again)
    assert (again[0] == normals[0]).all()
    assert np.abs(normals.mean(axis=0)).max() < 0.06 and np.abs(normals.std(axis=0) - 1).max() < 0.05
    assert np.abs(np.corrcoef(normals.T) - np.eye(4)).max() < 0.06


# --- learning ---


def small(kind: type[KaminskyTrainee], **changes: Any) -> KaminskyTrainee:
    """Return a student with small networks."""
    settings = replace(kind.settings, **{**SMALL, **changes})
    made: KaminskyTrainee = type(kind.__name__, (kind,), {"settings": settings, "name": kind.name})(seed=3)
    return made


class HalfRaiser(Agent):
    """Goes all-in in half of its decisions and folds in the others: whoever has good cards should call."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        views = decisions.views
        raises = np.where(views["max_raise_to"] > 0, views["max_raise_to"] + 1, 1)
        return np.where(decisions.random_numbers < 0.5, raises, 1 - (views["legal"] & 1))


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("kind", [Qlearn8, QlearnAll])
def test_students_beat_a_player_that_is_easily_beaten(game: Game, kind: type[KaminskyTrainee]) -> None:
    student = small(kind)
    seat = Student(kind.name, student, np.random.default_rng(0))
    others = [HalfRaiser() for _ in range(5)]
    for number in range(25):
        play_match(game, [seat, *others], 1500, number)
    assert play_match(game, [student, *others], 10_000, 9).agents[0].ci95[0] > 0


def lesson(game: Game, notes: Any, chips: Any) -> Experience:
    """Return hands of one decision each, all in the same situation, which pay so many chips."""
    count = len(notes)
    nothing, hands = np.zeros(count, np.int64), np.arange(count)
    observations, masks = np.ones((count, 404), np.float32), np.ones((count, 202), np.int8)
    return Experience(game, observations, masks, nothing, notes, hands, nothing, chips / 2, count)


@pytest.mark.parametrize(("kind", "best"), [(Qlearn8, 3), (QlearnAll, 60)])
def test_values_become_what_moves_pay(game: Game, kind: type[KaminskyTrainee], best: int) -> None:
    """The move `best` pays 500 chips, its neighbours less; folds would pay most, but are not learned."""
    student, rng = small(kind), np.random.default_rng(0)
    span = len(EIGHT if kind is Qlearn8 else ALL)
    for _ in range(12):
        moves = rng.integers(-1, span, 2048)
        pays = np.where(moves < 0, 900.0, 500 - 2000 * np.abs(moves - best) / span)
        student.learn(lesson(game, moves, pays), rng)
    values = student.networks[POLICY](torch.ones(1, 404))[0].detach().numpy()
    assert abs(int(values.argmax()) - best) <= span // 10
    assert values[best] == pytest.approx(0.5, abs=0.12)


def test_a_policy_learns_which_number_pays(game: Game) -> None:
    """A hand pays by the first of the four numbers: its mean rises above the others'."""
    student, rng = small(SacLow, policy_rate=0.003), np.random.default_rng(0)
    for _ in range(6):
        notes = rng.uniform(-1, 1, (1024, 4)).astype(np.float32)
        student.learn(lesson(game, notes, notes[:, 0] * 400.0), rng)
    mean = student.networks[POLICY](torch.ones(1, 404))[0][0].detach().numpy()
    assert mean[0] > 0.5 and mean[0] > mean[1:].max() + 0.5


@needs_compiler
def test_folds_teach_nothing_and_a_tenth_of_decisions_explores(game: Game) -> None:
    student = small(QlearnAll)
    _, decisions = dealt(game, 2000, 11)
    chosen, notes = student.explore(decisions, np.random.default_rng(0))
    played = student.act(decisions, np.random.default_rng(0))
    assert (
        notes is not None and (chosen[notes == -1] == 0).all() and (chosen[notes >= 0] == notes[notes >= 0] + 1).all()
    )
    explored = decisions.random_numbers < 0.1
    assert (chosen[~explored] == played[~explored]).all()
    assert (chosen[explored] != 0).all() and len(set(chosen[explored].tolist())) > 100


@needs_compiler
def test_calls_are_explored_as_often_as_all_raises_with_balance(game: Game) -> None:
    _, decisions = dealt(game, 8000, 11)
    explored = decisions.random_numbers < 0.1
    shares = {}
    for kind in (QlearnAll, QlearnAllBalanced):
        chosen, _ = small(kind).explore(decisions, np.random.default_rng(0))
        shares[kind] = float((chosen[explored] == 1).mean())
    assert shares[QlearnAll] < 0.05
    assert abs(shares[QlearnAllBalanced] - 0.5) < 5 * 0.5 / np.sqrt(explored.sum())


@needs_compiler
def test_soft_targets(game: Game) -> None:
    """A last decision is worth what the hand paid, an earlier one what follows plus the entropy's bonus."""
    student = small(SacHigh)
    kept: list[Any] = []
    student.learn_batch = lambda experience, rows: kept.append((experience, rows)) or {"loss": torch.zeros(())}  # type: ignore[method-assign, func-returns-value, assignment]
    seat = Student("s", student, np.random.default_rng(0))
    play_match(game, [seat, *[find_agent("always_call", game)] * 5], 200, 0)
    experience = kept[0][0]
    last = experience.following < 0
    rows = np.arange(len(experience))
    targets = student._targets(experience, rows)  # type: ignore[attr-defined]
    paid = experience.rewards * 2 / 1000
    assert last.any() and not last.all()
    for target in targets:
        assert target.numpy()[last] == pytest.approx(paid[last])
        assert not np.allclose(target.numpy()[~last], paid[~last], atol=1e-3)


# --- keeping ---


@needs_compiler
@pytest.mark.parametrize("name", OURS)
def test_rounds_of_the_league(name: str, game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A student that is written after a round and read again learns on as one that stays; its clone plays like it."""
    kind: Any = trainee_class(name)
    monkeypatch.setattr(kind, "settings", replace(kind.settings, **SMALL))
    call = Entrant(2, "caller", "always_call")
    task = RoundTask(
        1, ENV, SETTINGS, (Entrant(1, name, name, is_trainee=True, learns=True), call), (1, 2, 2, 2, 2, 2), 300, 5
    )
    outcome = play_round(task)
    assert not outcome.faults and set(outcome.learned[1]) == {"config.json", "state.safetensors"}
    again = replace(task, entrants=(replace(task.entrants[0], files=outcome.learned[1]), call))
    one, other = play_round(again), play_round(again)
    assert one.learned[1] == other.learned[1] != outcome.learned[1]

    write_files(outcome.learned[1], tmp_path / "student")
    student = kind.load(tmp_path / "student", game)
    assert student.rounds == 1
    (tmp_path / "clone").mkdir()
    student.save_policy(tmp_path / "clone")
    config = json.loads((tmp_path / "clone" / "config.json").read_text())
    assert (config["agent"], config["rounds"]) == ("kaminsky2020", 1)
    clone, agent = kind.load(tmp_path / "clone", game), find_agent(str(tmp_path / "clone"), game)
    _, decisions = dealt(game, 500, 11)
    played = [player.act(decisions, np.random.default_rng(0)) for player in (student, clone, agent)]
    assert (played[1] == played[2]).all() and (played[0] == played[1]).mean() > 0.98  # half precision


def test_networks_that_diverge_are_reported(game: Game) -> None:
    student = small(QlearnAll)
    for parameter in student.networks[POLICY].parameters():
        parameter.data.fill_(float("nan"))
    seat = Student("s", student, np.random.default_rng(0))
    with pytest.raises(Exception, match="round 1 of qlearn_all: the losses are"):
        play_match(game, [seat, *[find_agent("always_call", game)] * 5], 20, 0)


def test_types_of_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "native_bfloat16", lambda: True)
    assert [players.find_dtype(name) for name in ("auto", "float32")] == [torch.bfloat16, torch.float32]
    with pytest.raises(ValueError, match="dtype 'half' is not known: choose auto, float32 or bfloat16"):
        players.find_dtype("half")


def test_moves_are_those_of_the_paper() -> None:
    assert isinstance(EIGHT, Moves) and len(EIGHT) == 8 and len(ALL) == 201
    assert Kaminsky2020Agent.encoder == "kaminsky404"


@needs_compiler
@pytest.mark.parametrize("name", ["kaminsky_qlearn8", "kaminsky_qlearn_all", "kaminsky_sac_low", "kaminsky_sac_high"])
def test_players_that_come_with_the_package(name: str, game: Game) -> None:
    for other in (game, no_limit_holdem(6)):
        agent = find_agent(name, other)
        assert agent.name == name
        assert play_match(other, [agent, *[find_agent("always_call", other)] * 5], 60, 1).hands == 60
    with pytest.raises(ValueError, match=name):
        find_agent(name, no_limit_holdem(6, stacks=300))
