"""Self-play PPO: credit, what it learns, and what is left of a run that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.agents.learned.legal_logits import IMPOSSIBLE, legal_logits, list_legal, select_legal_logits
from card_baselines.ppo import fast_cpu, network, ppo, rollout
from card_baselines.ppo.algorithm import ALGORITHM, PRESETS, make_learner
from card_baselines.ppo.config import Config
from card_baselines.ppo.exploiters import exploiter_config, measure_winnings
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.ppo import Ppo
from card_baselines.ppo.rollout import SelfPlayTables
from card_baselines.ppo.rollout_buffer import RolloutBuffer, compute_gae
from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import STATE
from card_baselines.runs.exploitability_meter import AVERAGE, LATEST
from card_baselines.runs.learner import TrainingDivergedError
from card_baselines.runs.run import train
from card_envs import make_game
from card_envs.agent import action_probabilities, decisions_at, find_agent
from card_envs.games.holdem.actions import FIRST_RAISE_ACTION
from tests.helpers.bet_game import BET, bet_game

REPO = Path(__file__).parents[2]
TINY = Config(
    env="kuhn_poker-v0",
    num_tables=32,
    batch=256,
    minibatch=64,
    hidden=(16,),
    opponents=("self", "random"),
    mixed=0.3,
    average=0.9,
    minutes=0.0,
    steps=3000,
    panel=("random",),
    evaluation_hands=100,
    final_hands=100,
    device="cpu",  # whose kernels are tested here; `test_on_gpu` is about the other one
)


EXPLOITED: dict[str, Any] = {
    "opponents": ("self", "random", "exploiter"),
    "exploiter_updates": 3,
    "exploiter_batches": 1,
}


@pytest.fixture(autouse=True)
def small_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppo, "UPDATES_PER_PAST_SELF", 2)
    for module in (rollout, network):
        monkeypatch.setattr(module, "NUM_EXPLOITERS", 2)


def numbers(learner: Ppo) -> np.ndarray:
    """Return all parameters, those that learn and those that play."""
    parameters = [*learner.network.parameters(), *learner.playing.parameters()]
    return torch.cat([parameter.detach().flatten() for parameter in parameters]).numpy()


# --- logits of legal actions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("computed", [legal_logits, select_legal_logits])
@pytest.mark.parametrize("width", [7, 24])
def test_logits_and_gradients_are_those_of_the_whole_layer(width: int, computed: Any) -> None:
    generator = torch.Generator().manual_seed(0)
    masks = (torch.rand((9, 40), generator=generator) < 0.2).numpy().astype(np.int8)
    masks[:, 3] = 1
    legal = list_legal(masks, np.empty(9, np.int64))
    hidden = torch.randn((9, width), generator=generator, requires_grad=True)
    last = torch.nn.Linear(width, 40)
    gathered = computed(hidden, last, torch.from_numpy(legal))
    rows, columns = np.nonzero(legal >= 0)
    weights = torch.rand(len(rows), generator=generator)
    whole = last(hidden)[rows, legal[rows, columns].astype(int)]
    assert torch.allclose(gathered[rows, columns], whole, atol=1e-6)
    assert (gathered.detach().numpy()[legal < 0] == np.float32(IMPOSSIBLE)).all()
    wanted = torch.autograd.grad((whole * weights).sum(), [hidden, last.weight, last.bias])
    given = torch.autograd.grad((gathered[rows, columns] * weights).sum(), [hidden, last.weight, last.bias])
    for one, other in zip(wanted, given, strict=True):
        assert torch.allclose(one, other, atol=1e-5)


# --- credit -----------------------------------------------------------------------------------------------------------


def test_advantages_run_along_the_decisions_of_each_seat() -> None:
    """Seat 0 decides twice, seat 1 once in between; computed by hand with gamma 0.9 and lambda 0.5."""
    buffer = RolloutBuffer(make_game("kuhn_poker-v0"), 2)
    columns = {"observation": np.zeros((1, 25)), "choice": np.zeros(1), "log_probability": np.zeros(1)}
    for seat, value in ((0, 0.2), (1, 0.4), (0, 0.5)):
        legal = np.zeros((1, 2), np.int16)
        buffer.add(np.array([1]), np.array([seat]), legal, value=np.array([value]), **columns)
    buffer.add(np.array([0]), np.array([0]), np.zeros((1, 5), np.int16), value=np.array([7.0]), **columns)
    names = ("previous_step", "value", "advantage", "target", "is_finished")
    chains = [buffer.last_step, *(buffer.columns[name] for name in names)]
    assert compute_gae(np.array([1]), np.array([[2.0, -2.0]], np.float32), *chains, 0.9, 0.5) == 3
    last = 2.0 - 0.5
    first = 0.9 * 0.5 - 0.2 + 0.9 * 0.5 * last
    assert buffer.find_finished().tolist() == [0, 1, 2]
    assert np.allclose(buffer.columns["advantage"][:3], [first, -2.4, last])
    assert np.allclose(buffer.columns["target"][:3], [first + 0.2, -2.0, 2.0])
    buffer.discard_finished()
    assert buffer.size == 1 and buffer.columns["value"][0] == 7.0
    assert buffer.last_step.tolist() == [[0, -1], [-1, -1]]


@pytest.mark.parametrize("env_id", ["limit_holdem-v0", "big2-v0"])
def test_every_deal_is_credited_whole_and_sums_to_zero(env_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With gamma 1, lambda 1 and values of 0, the target of a decision is what its seat won."""
    game = make_game(env_id)
    config = replace(TINY, env=env_id, opponents=(), num_tables=16, reward_scale=1.0)
    monkeypatch.setattr(rollout, "GAE_LAMBDA", 1.0)
    learner = Ppo(config, game)
    torch.nn.init.zeros_(learner.network.value[-1].weight)
    for _ in range(2):
        finished = learner.rollout.collect(learner.network, 400)
        buffer = learner.rollout.buffer
        taken = buffer.find_finished()
        assert len(taken) == finished >= 400
        arrays = buffer.columns
        assert (arrays["legal"][taken, 1] >= 0).all()  # no forced decisions
        following = np.flatnonzero(arrays["previous_step"][: buffer.size] >= 0)
        following = np.intersect1d(following, taken)
        assert np.allclose(arrays["target"][following], arrays["target"][arrays["previous_step"][following]])
        buffer.discard_finished()
    assert buffer.size > 0  # decisions of unfinished deals wait


def test_decisions_are_those_of_the_network_as_it_is_and_none_is_lost() -> None:
    config = replace(TINY, env="limit_holdem-v0", num_tables=25)
    learner = Ppo(config, config.game())
    buffer = learner.rollout.buffer
    for update in range(3):
        learner.update(0.0)
        waiting = buffer.size  # of unfinished deals: begun before the step of this update
        finished = learner.rollout.collect(learner.network, 500)
        batch = buffer.make_batch(torch.device("cpu"))
        assert len(batch) == finished >= 500, update
        assert learner.rollout.action_counts.sum() == buffer.size - waiting
        fresh = buffer.find_finished()
        taken = batch.minibatch(np.flatnonzero(fresh >= waiting))
        assert (fresh >= waiting).sum() > 300
        with torch.no_grad():
            logits, value = learner.network(taken["observation"].float(), taken["legal"])
        played = torch.log_softmax(logits, dim=1).gather(1, taken["choice"][:, None])[:, 0]
        assert torch.allclose(played, taken["log_probability"], atol=1e-5)
        assert torch.allclose(value, taken["value"], atol=1e-5)


def test_decisions_of_the_pool_are_not_learned_from() -> None:
    game = make_game("kuhn_poker-v0", num_players=3)
    learner = Ppo(replace(TINY, opponents=("random",), num_tables=64, mixed=1.0), game)
    learner.rollout.collect(learner.network, 3000)
    buffer = learner.rollout.buffer
    begun = buffer.columns["previous_step"][buffer.find_finished()] == -1
    decisions_per_deal = len(begun) / begun.sum()  # begun: once for each seat that the learner has and that decides
    assert 1.0 <= decisions_per_deal < 2.0
    assert ((learner.rollout.tables._players == 0).sum(axis=1) == 1).all()


def test_a_trembling_hand_reaches_positions_that_the_policy_avoids() -> None:
    """A policy that never bets in Kuhn poker meets bets by trembling only, and does not learn from the bets."""
    game = make_game("kuhn_poker-v0")
    to_call = game.layout.slices["to_call"]
    raised = FIRST_RAISE_ACTION
    facing_bets = []
    for tremble in (0.0, 0.2):
        learner = Ppo(replace(TINY, opponents=(), tremble=tremble), game)
        with torch.no_grad():
            learner.network.policy.layers[-1].bias[raised] -= 50.0
        learner.rollout.collect(learner.network, 4000)
        columns = learner.rollout.buffer.columns.used()
        chosen = columns["legal"][np.arange(len(columns["legal"])), columns["choice"]]
        assert raised not in chosen
        facing_bets.append((columns["observation"][:, to_call] > 0).mean())
    # A bet is half of the trembles at decisions without one; two such decisions come before the end of a deal.
    assert facing_bets[0] == 0.0 and 0.05 < facing_bets[1] < 0.15


def test_a_hand_that_only_trembles_is_refused() -> None:
    with pytest.raises(ValueError, match=r"tremble 1\.0 must be in 0 \.\. 0\.5"):
        replace(TINY, tremble=1.0)


# --- what it learns ---------------------------------------------------------------------------------------------------


def test_it_learns_to_bet() -> None:
    """The bet of seat 0 is paid when seat 1 ends the deal."""
    config = replace(TINY, learning_rate=(0.02,), reward_scale=1.0, opponents=(), entropy=(0.0,))
    learner = Ppo(config, bet_game())
    for _ in range(15):
        learner.update(0.5)
    actions = learner.rollout.action_counts
    assert actions[BET] / actions.sum() > 0.9


def test_average_play_in_kuhn_poker_approaches_the_solution() -> None:
    """Random play loses 11/24 = 0.458 chips per hand to a best response."""
    config = replace(PRESETS["kuhn"], num_tables=256, batch=1024, minibatch=256, minutes=0.0)
    learner = make_learner(config, config.game())
    assert learner.measure()[LATEST] == pytest.approx(11 / 24, abs=0.02)
    while learner.decisions < 60_000:
        learner.update(learner.decisions / 60_000)
    assert learner.measure()[AVERAGE] < 0.25


def test_a_penalty_keeps_the_policy_near_the_one_that_played() -> None:
    def moved(penalty: float) -> float:
        config = replace(TINY, learning_rate=(0.01,), epochs=8, kl_penalty=(penalty,), clip=(10.0,))
        return Ppo(config, config.game()).update(0.0)["kl"]

    assert 0 < moved(100.0) < 0.1 * moved(0.0)


# --- exploiters -------------------------------------------------------------------------------------------------------


def test_an_exploiter_has_one_seat_and_the_learner_all_others() -> None:
    game = make_game("kuhn_poker-v0", num_players=3)
    tables = SelfPlayTables(game, 300, 0, pool=("random", "exploiter"), mixed=1.0)
    alone = (tables._players == 0).sum(axis=1)
    assert set(alone.tolist()) == {1, 3}, "while there is no exploiter, the learner plays its deals with itself"
    networks = [Ppo(replace(TINY, seed=seed), TINY.game()).network for seed in range(3)]
    for each in networks:
        tables.add_exploiter(each)
    weights = [
        (kept.value[0].weight, wanted.value[0].weight)
        for kept, wanted in zip(tables.exploiters, networks[1:], strict=True)
    ]
    assert all(torch.equal(kept, wanted) for kept, wanted in weights), "the latest two are kept"
    tables.seat_players(tables.rows)
    seated = [tuple(sorted(seats)) for seats in tables._players.tolist()]
    assert set(seated) == {(0, 1, 1), (0, 0, 11), (0, 0, 12)}
    shares = [seated.count(seats) / 300 for seats in ((0, 1, 1), (0, 0, 11), (0, 0, 12))]
    assert np.allclose(shares, [0.5, 0.25, 0.25], atol=0.12)


def test_an_exploiter_wins_from_the_policy_that_it_was_trained_against() -> None:
    """Of a policy that plays at random, a best response in Kuhn poker wins 11/24 = 0.458 chips a hand."""
    config = replace(
        TINY, **EXPLOITED | {"exploiter_batches": 20}, num_tables=1024, batch=4096, evaluation_hands=20_000
    )
    learner = make_learner(replace(config, average=0.0, learning_rate=(1e-9,)), config.game())
    measures = learner.update(0.0)
    assert learner.decisions > 20 * 4096, "its decisions count"
    assert 0.3 < measures["exploiter"] < 11 / 24 + measures["exploiter half_width"] < 0.5
    again = measure_winnings(config.game(), learner.rollout.tables.exploiters[0], learner.network, 20_000, seed=5)
    assert again["exploiter"] == pytest.approx(measures["exploiter"], abs=0.06)


def test_exploiters_are_trained_at_intervals() -> None:
    learner = make_learner(replace(TINY, **EXPLOITED | {"exploiter_batches": 1}), TINY.game())
    found = [("exploiter" in learner.update(0.0), len(learner.rollout.tables.exploiters)) for _ in range(7)]
    assert found == [(True, 1), (False, 1), (False, 1), (True, 2), (False, 2), (False, 2), (True, 2)]


@pytest.mark.parametrize(("seconds", "wanted"), [((0.3, 0.1), True), ((0.11, 0.1), False), ((0.1, 0.5), False)])
def test_auto_takes_bfloat16_where_it_is_measured_to_be_faster(
    seconds: tuple[float, float], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_cpu, "_measure_seconds", lambda network, observation, fast: seconds[fast])
    learner = fast_cpu.FastPpo(replace(TINY, fast_cpu="auto"), TINY.game())
    assert isinstance(learner.network, fast_cpu.FastActorCritic) and learner.network.uses_bfloat16 is wanted


def test_the_measurement_of_bfloat16_takes_times() -> None:
    assert isinstance(fast_cpu.bfloat16_is_faster(50, (32, 16), 64), bool)


def test_gpus_and_those_who_ask_for_it_get_plain_pytorch() -> None:
    for config, device in ((TINY, torch.device("meta")), (replace(TINY, fast_cpu="off"), torch.device("cpu"))):
        learner = fast_cpu.FastPpo(config, TINY.game())
        learner.device = device
        assert type(learner.make_network()) is ActorCritic


# --- interruptions ----------------------------------------------------------------------------------------------------


def test_a_continued_run_keeps_the_precision_that_auto_chose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(TINY, fast_cpu="auto", opponents=("self", "exploiter"), exploiter_batches=1)
    monkeypatch.setattr(fast_cpu, "bfloat16_is_faster", lambda *_: False)
    begun = make_learner(config, config.game())
    for _ in range(2):
        begun.update(0.0)
    begun.save(tmp_path / STATE, {})
    monkeypatch.setattr(fast_cpu, "bfloat16_is_faster", lambda *_: True)
    continued = make_learner(config, config.game())
    assert continued.network.uses_bfloat16
    continued.load(tmp_path / STATE)
    assert len(continued.networks()) > 3
    assert not any(network.uses_bfloat16 for network in continued.networks())


def test_exploiters_have_the_activation_of_the_policy() -> None:
    learner = Ppo(replace(TINY, activation="tanh"), TINY.game())
    assert exploiter_config(learner).activation == "tanh"


def test_seeds_fix_everything() -> None:
    def trained(seed: int) -> np.ndarray:
        learner = Ppo(replace(TINY, seed=seed), TINY.game())
        for _ in range(4):
            learner.update(0.0)
        return numbers(learner)

    assert np.array_equal(trained(1), trained(1))
    assert not np.array_equal(trained(1), trained(2))


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on(tmp_path: Path) -> None:
    """kill -9 in the middle; the same command then continues from the last checkpoint, and the folder is whole."""
    run = tmp_path / "run"
    roots = os.pathsep.join(str(REPO / root) for root in ("", "wrappers", "baselines"))
    options = "--minutes 0 --steps 80000 --epochs 1 --num-tables 32 --batch 256 --minibatch 64 --hidden 16"
    quick = "--evaluation-seconds 0.2 --evaluation-hands 100 --final-hands 100 --panel random"
    command = [sys.executable, "-m", "card_baselines.cli.main", "train", "self_play_ppo", "--env", "kuhn_poker-v0"]
    command += [*options.split(), *quick.split(), "--folder", str(run)]
    environment = os.environ | {"PYTHONPATH": roots}
    process = subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 300
    while not (run / "metrics.csv").exists() and time.monotonic() < until:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    learner = Ppo(Config(**_settings_in(run)), make_game("kuhn_poker-v0"))
    learner.load(run / STATE)
    assert 0 < learner.decisions < 80_000
    subprocess.run(command, env=environment, cwd=tmp_path, check=True, stderr=subprocess.DEVNULL, timeout=300)
    evaluation = json.loads((run / "evaluation.json").read_text())
    assert evaluation["cost"]["decisions"] >= 80_000
    decisions = [row["decisions"] for row in RunFolder(run).metrics()]
    assert decisions == sorted(set(decisions)) and decisions[0] >= 256


def _settings_in(run: Path) -> dict[str, Any]:
    kept = json.loads((run / "config.json").read_text())
    names = set(Config.__dataclass_fields__) & set(kept)
    return {name: tuple(kept[name]) if isinstance(kept[name], list) else kept[name] for name in names}


# --- what a run leaves, and what it refuses ---------------------------------------------------------------------------


def test_a_run_leaves_a_folder_that_plays(tmp_path: Path) -> None:
    run = train(ALGORITHM, replace(TINY, evaluation_seconds=0.1), tmp_path / "run")
    names = {path.name for path in run.path.iterdir()}
    assert names == {
        "config.json",
        "curve.png",
        "evaluation.json",
        "frozen",
        "metrics.csv",
        "policy.safetensors",
        "state.safetensors",
    }
    opponents = [match["opponent"] for match in json.loads((run.path / "evaluation.json").read_text())["matches"]]
    assert opponents == ["random", "after_1_of_4", "after_2_of_4", "after_3_of_4"]
    row = run.metrics()[-1]
    assert row["decisions"] >= 3000
    assert sum(row[f"action {action}"] for action in range(3)) == pytest.approx(1.0, abs=1e-5)
    assert {"commit", "packages"} <= set(run.config()["made_of"])


def test_what_exploiters_win_is_logged_and_drawn(tmp_path: Path) -> None:
    train(ALGORITHM, replace(TINY, **EXPLOITED, evaluation_seconds=0.0, steps=6_000), tmp_path)
    rows = RunFolder(tmp_path).metrics()
    joined = [number for number, row in enumerate(rows) if "exploiter" in row]
    assert joined == [number for number in range(len(rows)) if number % 3 == 0] and len(joined) > 1
    assert all("exploiter half_width" in row for row in rows[::3])
    assert (tmp_path / "exploiters.png").exists()


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = Ppo.update

    def break_the_third(learner: Ppo, fraction: float) -> dict[str, float]:
        if learner.updates == 2:
            torch.nn.init.constant_(learner.network.value[-1].bias, torch.nan)
        return update(learner, fraction)

    monkeypatch.setattr(Ppo, "update", break_the_third)
    with pytest.raises(TrainingDivergedError, match=r"update 3, epoch 1, minibatch 1: the loss is nan.*checkpoint"):
        train(replace(ALGORITHM, checkpoint_seconds=0.0), replace(TINY, evaluation_seconds=100.0), tmp_path)
    learner = Ppo(TINY, TINY.game())
    learner.load(tmp_path / STATE)
    assert learner.updates == 2 and np.isfinite(numbers(learner)).all()
    find_agent(str(tmp_path), TINY.game())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"env": "leduc_holdem-v0"}, "holds a run with env = 'kuhn_poker-v0', not 'leduc_holdem-v0'"),
        ({"hidden": (8,)}, r"holds a run with hidden = \[16\], not \[8\]"),
    ],
)
def test_a_folder_with_another_run_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    RunFolder(tmp_path).start(ALGORITHM.describe(TINY))
    with pytest.raises(ValueError, match=message):
        train(ALGORITHM, replace(TINY, **change), tmp_path)


def test_an_agent_shows_the_probabilities_that_it_plays_with(tmp_path: Path) -> None:
    game = make_game("big2-v0")
    run = train(ALGORITHM, replace(TINY, env="big2-v0", opponents=(), steps=300), tmp_path)
    agent = find_agent(str(run.path), game)
    tables = game.seeded_tables(500, 3)
    rows = np.arange(500)
    game.deal_batch(tables, rows)
    decisions = decisions_at(game, tables, rows, rows, np.linspace(0, 0.999, 500))
    shown = action_probabilities(agent, decisions)  # checks that they are those of legal actions, 1 in all
    assert (shown[rows, agent.act(decisions, np.random.default_rng(0))] > 0).all()
    hidden = agent.policy(torch.from_numpy(decisions.observation).float()).detach().double().numpy()
    odds = np.exp(hidden) * decisions.action_mask
    assert np.allclose(shown, odds / odds.sum(axis=1, keepdims=True), atol=1e-6)


def test_budgets_may_grow(tmp_path: Path) -> None:
    train(ALGORITHM, replace(TINY, steps=600), tmp_path)
    train(ALGORITHM, replace(TINY, steps=1200), tmp_path)
    assert json.loads((tmp_path / "evaluation.json").read_text())["cost"]["decisions"] >= 1200
    assert RunFolder(tmp_path).config()["steps"] == 1200


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"cannot write the run folder .*file/run: Not a directory"):
        train(ALGORITHM, TINY, tmp_path / "file" / "run")


def test_checkpoints_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / STATE).write_bytes(b"no checkpoint")
    with pytest.raises(ValueError, match="is not a checkpoint of this program"):
        Ppo(TINY, TINY.game()).load(tmp_path / STATE)
    Ppo(TINY, TINY.game()).save(tmp_path / STATE, {})
    other = replace(TINY, num_tables=16)
    with pytest.raises(ValueError, match="tables of another version"):
        Ppo(other, other.game()).load(tmp_path / STATE)


def test_agents_of_another_environment_are_refused(tmp_path: Path) -> None:
    run = train(ALGORITHM, replace(TINY, steps=300), tmp_path)
    with pytest.raises(ValueError, match="was trained for num_seats 2, this match has 3"):
        find_agent(str(run.path), make_game("kuhn_poker-v0", num_players=3))
    changed = run.config() | {"encoder_version": 99}
    run.write_json("config.json", changed)
    with pytest.raises(ValueError, match="was trained for encoder_version 99, this match has 1"):
        find_agent(str(run.path), TINY.game())


@pytest.mark.parametrize("location", ["evil.py:A", "card_baselines.py:A", "card_baselines:x.py:A", "os:A", "", 3])
def test_run_folders_cannot_name_code_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: object
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("evil.py", "card_baselines.py", "card_baselines:x.py"):
        Path(name).write_text("raise SystemExit('code from a run folder ran')")
    (tmp_path / "config.json").write_text(json.dumps({"agent": location}))
    with pytest.raises(ValueError, match="or the location of a registered agent"):
        find_agent(str(tmp_path), make_game("kuhn_poker-v0"))
