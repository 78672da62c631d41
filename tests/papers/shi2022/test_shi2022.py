"""Shi et al. (2022): networks that read the betting step by step or at once, boards, memory, updates, small runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from card_baselines.papers.shi2022 import training as train_shi2022  # noqa: E402
from card_baselines.papers.shi2022.config import Config  # noqa: E402
from card_baselines.papers.shi2022.learner import Replay  # noqa: E402
from card_baselines.papers.shi2022.networks import HISTORIES, Shi2022Agent, TableHistories, actor_size, make_actor  # noqa: E402
from card_baselines.papers.shi2022.paper import divide_by_board, judge  # noqa: E402
from card_baselines.papers.shi2022.rollout import Rollout, Trajectories, deal_tables  # noqa: E402
from card_baselines.papers.shi2022.training import Training  # noqa: E402
from card_baselines.runs.learner import TrainingDivergedError  # noqa: E402
from card_baselines.runs.run import train  # noqa: E402
from card_envs.agent import Decisions  # noqa: E402
from card_envs.envs import make_game  # noqa: E402
from card_envs.match import play_match  # noqa: E402

GAME = make_game("limit_holdem-v0", num_players=6, encoder="shi2022")
TINY = Config(
    history="fc", episodes=4, num_tables=6, updates=2, batch_hands=6, warm_up=1, replay=2000, agent_period=1,
    update_period=2, hidden=16, memory=8, evaluation_episodes=4, evaluation_hands=12, panel=("chen",),
    final_hands=12,
)  # fmt: skip
NETWORKS = {"history": "lstm", "hidden": 16, "memory": 8, "hand_features": True}


def round_of(num_tables: int, learners: list[int | None], *, seed: int = 1) -> tuple[Any, Rollout]:
    torch.manual_seed(seed)
    tables = deal_tables(GAME, num_tables, seed, number=0)
    size = actor_size(GAME.layout, hand_features=True)
    rng = np.random.default_rng(seed)
    boards = Rollout(
        GAME, tables, [make_actor(GAME, NETWORKS)], [0] * 6, learners,
        fixed_size=size, exploration=0.5, rng=rng,
    )  # fmt: skip
    return tables, boards


# --- networks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", HISTORIES)
def test_the_betting_read_at_once_and_step_by_step_is_the_same(kind: str) -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    history = HISTORIES[kind](361, 8)
    tokens = rng.integers(1, 361, (5, 30))
    memories = TableHistories(history, 5)
    for _ in range(12):  # each time another part of the tables, some decisions further on
        rows = rng.permutation(5)[:3]
        lengths = memories._lengths[rows] + rng.integers(0, 3, 3)
        shown = np.where(np.arange(30) < lengths[:, None], tokens[rows], 0)
        hand, length = torch.from_numpy(rows), torch.from_numpy(lengths)
        with torch.inference_mode():
            at_once = history.encode_first(torch.from_numpy(tokens), hand, length)
            assert torch.allclose(memories.read(rows, shown), at_once, atol=1e-6)
            if kind != "none":
                assert at_once.std() > 0


@pytest.mark.parametrize("kind", HISTORIES)
def test_before_the_first_decision_nothing_has_to_be_read(kind: str) -> None:
    history = HISTORIES[kind](361, 8)
    empty = torch.zeros((2, 0), dtype=torch.int64)
    known = history.encode_first(empty, torch.tensor([0, 1, 1]), torch.zeros(3, dtype=torch.int64))
    assert torch.equal(known, history.read(torch.zeros(3, history.state_size)))


# --- boards -----------------------------------------------------------------------------------------------------------


def test_every_seat_has_the_button_once_in_six_hands() -> None:
    assert sorted(deal_tables(GAME, 12, 0, 3)["button"][:6].tolist()) == list(range(6))
    assert not np.array_equal(deal_tables(GAME, 6, 0, 3)["deck"], deal_tables(GAME, 6, 0, 4)["deck"])


def test_rewards_of_a_seat_add_up_to_what_it_won() -> None:
    tables, boards = round_of(60, [0, 1, 2, 3, 4, 5])
    for seat, lesson in enumerate(boards.play()):
        ends = np.cumsum(lesson.counts)
        won = np.add.reduceat(lesson.rows["share"] - lesson.rows["cost"], np.append(0, ends[:-1]))
        asked = np.flatnonzero([seat in asked_seats(tables, i) for i in range(60)])
        position = (seat - tables["button"][asked] - 1) % 6
        blinds = np.where(position == 0, 1, np.where(position == 1, 2, 0))
        assert won.tolist() == (tables["payoff"][asked, seat] + blinds).tolist()


def asked_seats(tables: Any, i: int) -> set[int]:
    """Return the seats of table i that had a decision: all but a big blind that everybody left the pot to."""
    t = tables[i]
    big_blind = (int(t.button) + 2) % 6
    folded_to = t.in_hand == 1 << big_blind and t.pot == 3 and t.street == 0
    return set(range(6)) - ({big_blind} if folded_to else set())


def test_rows_of_a_hand_follow_each_other_and_the_last_is_done() -> None:
    _, boards = round_of(60, [0, None, None, 0, None, None])
    (lesson,) = boards.play()
    assert lesson.rows["action"].min() >= 0
    begin = 0
    for number, count in enumerate(lesson.counts):
        rows = {name: column[begin : begin + count] for name, column in lesson.rows.items()}
        assert rows["done"].tolist() == [False] * (count - 1) + [True]
        assert (np.diff(rows["length"]) > 0).all()
        assert (lesson.tokens[number] > 0).sum() >= rows["length"][-1]
        assert (rows["mask"][np.arange(count), rows["action"]] == 1).all()
        own = np.flatnonzero(rows["fixed"][0, :52])
        position = int(rows["fixed"][0, 108:114].argmax())
        assert sorted(lesson.holes[number, 2 * position : 2 * position + 2].tolist()) == own.tolist()
        assert rows["percentiles"][0, position] == rows["fixed"][0, 149]
        begin += count


# --- memory and updates -----------------------------------------------------------------------------------------------


def test_a_full_replay_forgets_whole_hands_and_keeps_the_latest() -> None:
    replay = Replay(400, 99, 6, actor_size(GAME.layout, hand_features=True), 3)
    lessons: list[Trajectories] = []
    for seed in range(8):
        _, boards = round_of(12, [0] * 6, seed=seed)
        lessons += boards.play()
        replay.add(lessons[-1])
    assert replay.rows.num_added > 400
    known = {hand_key(lesson, number) for lesson in lessons for number in range(len(lesson.counts))}
    batch = replay.sample(200, np.random.default_rng(0))
    counts = np.bincount(batch["hand"].numpy())
    begin = 0
    seen = set()
    for hand, count in enumerate(counts):
        rows = slice(begin, begin + count)
        assert batch["done"][rows].tolist() == [False] * (count - 1) + [True]
        assert batch["next"][rows].tolist()[:-1] == list(range(begin + 1, begin + count))
        seen.add((tuple(batch["holes"][hand].tolist()), tuple(batch["length"][rows].tolist())))
        begin += count
    assert seen <= known
    assert hand_key(lessons[0], 0) not in seen


def hand_key(lesson: Trajectories, number: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    begin = int(lesson.counts[:number].sum())
    rows = slice(begin, begin + int(lesson.counts[number]))
    return tuple(lesson.holes[number].tolist()), tuple(lesson.rows["length"][rows].tolist())


@pytest.mark.parametrize(("reward", "expected"), [("net", 6.0), ("printed", 62.0)])
def test_rewards_in_small_bets(reward: Any, expected: float, tmp_path: Path) -> None:
    config = replace(TINY, reward=reward, value_scale=1.0)
    learner = Training(config, GAME).learners[0]
    batch = {"share": torch.tensor([0.0, 16.0]), "cost": torch.tensor([2.0, 4.0])}  # chips; a small bet is two
    assert learner.rewards(batch).tolist() == [-1.0, expected]


def test_the_critic_learns_what_hands_are_worth_and_the_actor_waits(tmp_path: Path) -> None:
    config = replace(TINY, warm_up=60, batch_hands=32, learning_rate_critic=5e-3)
    training = Training(config, GAME)
    learner = training.learners[0]
    _, boards = round_of(120, [0] * 6)
    learner.replay.add(boards.play()[0])
    before = [parameter.clone() for parameter in learner.actor.parameters()]
    losses = [learner.update(np.random.default_rng(0))["critic_loss"] for _ in range(60)]  # the same hands every time
    assert losses[-1] < 0.5 * losses[0]
    assert all(torch.equal(old, new) for old, new in zip(before, learner.actor.parameters(), strict=True))
    learner.update(np.random.default_rng(0))
    assert not all(torch.equal(old, new) for old, new in zip(before, learner.actor.parameters(), strict=True))


# --- whole runs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("algorithm", "updates"),
    [("apu", [2, 2, 0, 0, 0, 0]), ("apu-ctrl", [4] * 6), ("dual-apu", [4]), ("dual-apu-ctrl", [4])],
)
def test_who_learns(algorithm: Any, updates: list[int], tmp_path: Path) -> None:
    training = Training(replace(TINY, algorithm=algorithm), GAME)
    for _ in range(2):
        training.update(0.0)
    assert [learner.updates for learner in training.learners] == updates  # APU: a round is a period


def test_dual_apu_plays_against_a_copy_that_is_renewed(tmp_path: Path) -> None:
    training = Training(replace(TINY, warm_up=0), GAME)
    online, copy = training.learners[0].actor, training.copy
    assert copy is not None
    same = []
    for _ in range(4):
        training.update(0.0)
        same.append(all(map(torch.equal, online.parameters(), copy.parameters())))
    assert same == [False, True, False, True]  # every two episodes, which are two rounds


def test_learning_rates_and_entropy_fall_along_a_line(tmp_path: Path) -> None:
    training = Training(replace(TINY, final_share=0.2, warm_up=0), GAME)
    learner = training.learners[0]
    rates = []
    for _ in range(4):
        training.update(0.0)
        rates += [learner._actor_optimiser.param_groups[0]["lr"], learner._critic_optimiser.param_groups[0]["lr"]]
    expected = [rate * share for share in (1.0, 0.8, 0.6, 0.4) for rate in (3e-4, 1e-3)]
    assert rates == pytest.approx(expected)


@pytest.mark.parametrize(("algorithm", "history"), [("apu", "fc"), ("dual-apu", "lstm"), ("dual-apu-ctrl", "none")])
def test_a_run_leaves_an_agent_that_plays_and_forgets_nothing(algorithm: Any, history: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    config = replace(TINY, algorithm=algorithm, history=history)
    run = train(train_shi2022.ALGORITHM, config, folder)
    rows = run.metrics()
    assert [row["episodes"] for row in rows] == [4]
    assert {"critic_loss", "actor_loss", "entropy", "folds", "v chen"} <= set(rows[0])
    evaluation = json.loads((folder / "evaluation.json").read_text())
    assert [(match["opponent"], match["hands"]) for match in evaluation["matches"]] == [("chen", 12)]
    assert evaluation["cost"]["episodes"] == 4
    before = (folder / "policy.safetensors").read_bytes()
    train(train_shi2022.ALGORITHM, config, folder)  # finished: nothing happens
    assert (folder / "policy.safetensors").read_bytes() == before

    checked = Checked(folder, GAME)
    result = play_match(GAME, [checked] * 6, hands=12, seed=4)
    assert checked.decisions > 60
    assert result.payoffs.sum() == 0


class Checked(Shi2022Agent):
    """Compares what it knows, kept from decision to decision, with what it reads from the beginning of a hand."""

    decisions = 0

    def probabilities(self, decisions: Decisions) -> Any:
        kept = super().probabilities(decisions)
        memories, self._histories = self._histories, []
        fresh = super().probabilities(decisions)
        self._histories = memories
        assert np.allclose(kept, fresh, atol=1e-5)
        assert np.allclose(kept.sum(axis=1), 1)
        self.decisions += len(decisions)
        return kept


def test_a_loss_that_is_no_number_stops_the_run(tmp_path: Path, monkeypatch: Any) -> None:
    def poisoned(training: Training, learner: Any = Training._make_learner) -> Any:
        made = learner(training)
        torch.nn.init.constant_(made.critic.head[2].bias, float("nan"))
        return made

    monkeypatch.setattr(Training, "_make_learner", poisoned)
    with pytest.raises(TrainingDivergedError, match=r"update 0 gave critic loss nan.*The last checkpoint is kept"):
        train(train_shi2022.ALGORITHM, TINY, tmp_path / "run")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"num_tables": 10}, "multiple of 6"), ({"episodes": 0}, "episodes 0"), ({"value_scale": 0}, "value_scale 0")],
)
def test_wrong_settings_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(TINY, **wrong)


# --- two readings of the paper's numbers ------------------------------------------------------------------------------


def test_a_number_per_board_is_judged_as_a_sixth() -> None:
    seeds = [{"ours": {"mean": mean}} for mean in (0.20, 0.21, 0.22)]
    result = {"opponent": "chen", "paper": 1.2, "noise_of_paper": 0.01, "seeds": seeds}
    assert divide_by_board(result) == pytest.approx(0.2)
    assert judge(result, []).items() >= {"verdict": "differs", "verdict_per_board": "agrees"}.items()
    assert judge(result | {"paper": 6.0}, [])["verdict_per_board"] == "differs"
    assert judge(result | {"seeds": seeds[:1]}, [])["verdict_per_board"] == "undecided"
    assert judge(result | {"opponent": "mcts"}, [])["verdict"] == "stand-in"
