"""Self-play PPO on one device, here the processor: the rollouts, credit, losses and results of the plain learner."""

from __future__ import annotations

import contextlib
import gc
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from card_baselines.agents.scripted.rule_player import find_script
from card_baselines.ppo.algorithm import PRESETS, make_callbacks
from card_baselines.ppo.config import Config, Schedules
from card_baselines.ppo.exploiters import train_exploiter
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.on_device.graphs import Replay
from card_baselines.ppo.on_device.learner import DevicePpo
from card_baselines.ppo.on_device.rollout import DeviceRollout
from card_baselines.ppo.ppo import Ppo
from card_baselines.ppo.rollout import Rollout
from card_baselines.runs.checkpoint import load_state, save_state
from card_baselines.runs.exploitability_meter import AVERAGE
from card_envs import make_game
from card_envs.agent import Agent, decisions_at, find_agent
from card_envs.game import IllegalActionError
from card_envs.games.holdem.actions import FOLD_ACTION
from card_envs.rng import derive_seed, random_unit, seeded_streams
from card_envs.vector import VectorTables
from tests.helpers import cuda_play
from tests.helpers.device_play import play
from tests.helpers.processes import run_python

CPU = torch.device("cpu")
TINY = Config(
    env="kuhn_poker-v0", num_tables=32, batch=256, minibatch=64, hidden=(16,), shared_layers=1, average=0.9,
    minutes=0.0, steps=3000, panel=("random",), evaluation_hands=100, final_hands=100, device="cpu",
)  # fmt: skip
POOL: dict[str, Any] = {"opponents": ("self", "random", "exploiter"), "mixed": 0.5, "exploiter_batches": 1}


def make_rollout(config: Config) -> DeviceRollout:
    torch.manual_seed(1)
    game = config.game()
    return DeviceRollout(config, game, ActorCritic.from_config(config, game), CPU)


# --- rollouts ---------------------------------------------------------------------------------------------------------


class SameNumbers:
    """A random generator that gives each table the numbers of its stream on the device."""

    def __init__(self, num_tables: int, seed: int) -> None:
        self._streams = seeded_streams(num_tables, derive_seed(seed, 79))

    def random(self, count: int) -> np.ndarray:
        return np.array([random_unit(self._streams[j]) for j in range(count)])


@pytest.mark.parametrize("env_id", ["limit_holdem-v0", "leduc_holdem-v0", "big2-v0"])
def test_rollouts_are_those_of_the_plain_learner_for_the_same_random_numbers(env_id: str) -> None:
    config = replace(TINY, env=env_id, num_tables=16, batch=1600, reward_scale=0.1, gamma=0.97)
    device = make_rollout(config)
    plain = Rollout(config, config.game())
    plain.tables.rng = SameNumbers(16, config.seed)
    finished = device.collect()
    found = 0
    for _ in range(device.num_steps):
        found += sum(plain._step(*forced) for forced in plain.tables.find_forced())
        found += plain._play_step(device._network)
    found += sum(plain._step(*forced) for forced in plain.tables.find_forced())
    assert finished == found > 0
    first = device._num_carried
    rows = slice(first, first + plain.buffer.size)
    columns = plain.buffer.columns
    actions = columns["legal"][np.arange(plain.buffer.size), columns["choice"][: plain.buffer.size]]
    decisions = device.decisions
    assert np.array_equal(decisions.field("action")[rows], actions)
    assert np.array_equal(device.observation[rows], columns["observation"][: plain.buffer.size])
    assert np.array_equal(decisions.field("is_finished")[rows] == 1, columns["is_finished"][: plain.buffer.size])
    for name in ("log_probability", "value", "advantage", "target"):
        is_known = np.ones(plain.buffer.size, bool)
        if name in ("advantage", "target"):
            is_known = columns["is_finished"][: plain.buffer.size]
        wanted = columns[name][: plain.buffer.size][is_known]
        assert np.allclose(decisions.field(name)[rows].numpy()[is_known], wanted, atol=1e-5), name


def test_decisions_of_unfinished_deals_wait_for_the_next_rollout() -> None:
    """With lambda 1 and values of 0, the target of a decision is what its seat won: whole deals sum to zero."""
    config = replace(TINY, env="limit_holdem-v0", num_tables=64, batch=128, reward_scale=1.0)
    device = make_rollout(config)
    torch.nn.init.zeros_(device._network.value[-1].weight)
    device.tables.settings.field("gae_lambda")[:] = 1.0
    device._num_carried = 4  # too few: rows are added
    device._allocate_rows()
    seen = waiting = 0
    for _ in range(40):
        finished = device.collect()
        rows = device.find_finished()
        assert len(rows) == finished
        targets = device.decisions.field("target")[rows]
        assert bool((targets == targets.round(decimals=1)).all())
        recorded = int(device.decisions.field("is_recorded").sum())
        assert recorded == waiting + device.num_steps * 64
        device._discard_finished()
        waiting = int(device.decisions.field("is_recorded").sum())
        assert waiting == recorded - finished
        seen += finished
    assert device._num_carried > 4
    assert seen + waiting == 40 * device.num_steps * 64


def test_graphs_are_recorded_again_when_rows_have_new_addresses() -> None:
    config = replace(TINY, env="big2-v0", num_tables=8, batch=64, minibatch=16)
    learner = DevicePpo(config, config.game())
    learner.rollout._num_carried = 4
    learner.rollout._allocate_rows()
    recorded, allocations = learner.replay, learner.rollout.num_allocations
    for _ in range(5):
        learner.update(0.0)
    assert learner.rollout.num_allocations > allocations, "more decisions wait than there are rows at first"
    assert learner.replay is not recorded, "its graph would read the earlier rows"


def test_a_rollout_waits_for_nothing_and_copies_nothing_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    device = make_rollout(replace(TINY, **POOL))
    device.tables.add_past_self(device._network)
    device.collect()

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("this would wait for a GPU")

    for name in ("item", "tolist", "cpu", "nonzero", "__bool__", "__int__", "__float__"):
        monkeypatch.setattr(torch.Tensor, name, refuse)
    device.play_steps()


def test_the_same_rollouts_in_plain_python_and_in_the_simulator_of_a_gpu() -> None:
    arguments = ("kuhn_poker-v0", 4, 6)
    expected = play(*arguments)
    for environment in (cuda_play.SIMULATOR, cuda_play.SIMULATOR | {"WITHOUT_GRID": "1"}):
        process = run_python("-m", "tests.helpers.device_play", *map(str, arguments), **environment)
        assert process.returncode == 0, process.stderr[-3000:]
        assert process.stdout.strip() == expected


def test_nothing_is_freed_while_a_graph_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Mock)
    monkeypatch.setattr(torch.cuda, "synchronize", Mock())
    monkeypatch.setattr(torch.cuda, "graph", lambda graph: contextlib.nullcontext())
    collects = list[bool]()
    replay = Replay(lambda: collects.append(gc.isenabled()), torch.device("cuda"))
    monkeypatch.setattr(replay, "_call_beside", lambda: None)
    for _ in range(4):
        replay()
    assert collects == [False]
    assert gc.isenabled()


def test_the_first_update_imports_no_compiler() -> None:
    program = (
        "import sys; from card_baselines.ppo.config import Config; from card_baselines.ppo.ppo import Ppo;"
        "from card_baselines.ppo.on_device.learner import DevicePpo;"
        "config = Config(env='kuhn_poker-v0', num_tables=8, batch=64, minibatch=32, device='cpu');"
        "[learner(config, config.game()).update(0.0) for learner in (Ppo, DevicePpo)];"
        "print({'torch._dynamo', 'sympy'} & set(sys.modules))"
    )
    process = run_python("-c", program)
    assert process.stdout.strip() == "set()", process.stdout + process.stderr[-3000:]


# --- pools ------------------------------------------------------------------------------------------------------------


def test_each_player_of_the_pool_has_its_tables() -> None:
    config = replace(TINY, env="limit_holdem-v0", num_tables=100, **POOL | {"mixed": 0.6})
    device = make_rollout(config)
    assert np.bincount(device.tables.kinds).tolist() == [40, 20, 20, 20]
    assert device.tables.learner_share == pytest.approx(0.4 + 0.6 / 2)
    device.collect()
    is_learner = device._seatings.field("is_learner").numpy()
    assert (is_learner[:80] == 1).all(), "no past self and no exploiter exists yet"
    assert (is_learner[80:].sum(axis=1) == 1).all()
    device.tables.add_past_self(device._network)
    device.tables.add_exploiter(device._network)
    for _ in range(20):
        device.collect()
    is_learner = device._seatings.field("is_learner").numpy()
    assert (is_learner[:40] == 1).all() and (is_learner[40:].sum(axis=1) == 1).all()
    assert len(np.unique(is_learner[40:, 0])) == 2, "the seat is drawn for every deal"


def test_frozen_networks_play_their_own_weights() -> None:
    config = replace(TINY, env="leduc_holdem-v0", num_tables=64, opponents=("self",), mixed=1.0)
    device = make_rollout(config)
    networks = [ActorCritic.from_config(config, device.game) for _ in range(9)]
    for network in networks:
        torch.nn.init.normal_(network.policy.layers[-1].weight)
        device.tables.add_past_self(network)
    observation = torch.rand((64, device.game.layout.size))
    found = device.tables.logits(observation)
    for place, network in enumerate(networks[1:]):
        tables = slice(8 * place, 8 * place + 8)
        assert torch.allclose(found[tables], network.policy(observation[tables]), atol=1e-5)


@pytest.mark.parametrize("env_id", ["limit_holdem-v0", "no_limit_holdem-v0"])
@pytest.mark.parametrize(
    "name",
    [
        "always_call",
        "always_raise",
        "loose_passive",
        "tight_aggressive",
        "chen_loose",
        "position_ranges",
        "equity",
        "rlcard_rule",
    ],
)
def test_scripts_play_as_the_agents_do_from_whole_records(env_id: str, name: str) -> None:
    """Hidden cards are in the records that a script gets: it must not look at them."""
    game = make_game(env_id, num_players=6)
    agent, tables = find_agent(name, game), VectorTables(game, 200, seed=3)
    script = find_script(agent, game)
    tables.reset()
    rows, rng = np.arange(200), np.random.default_rng(0)
    streams = seeded_streams(200, 0)
    for _ in range(12):
        numbers, actions = rng.random(200), np.zeros(200, np.int64)
        decisions = decisions_at(game, tables.tables, rows, rows, numbers)
        for j in range(200):
            one = slice(j, j + 1)
            script(tables.tables[one], streams[one], numbers[one], actions[one])
        assert np.array_equal(actions, agent.act(decisions, rng))
        tables.step(tables.sample_actions())


def test_agents_that_need_the_processor_are_refused_by_name() -> None:
    class Own(Agent):
        name = "own"

        def act(self, decisions: Any, rng: Any) -> Any:
            return np.zeros(len(decisions), np.int64)

    assert find_script(Own(), make_game("leduc_holdem-v0")) is None
    config = replace(TINY, env="big2-v0", opponents=("random", "big2_greedy"), mixed=0.5)
    with pytest.raises(
        ValueError, match=r"\['big2_greedy'\] play on the processor only: leave them out of --opponents"
    ):
        make_rollout(config)


def test_an_illegal_action_names_the_table_and_the_reason() -> None:
    device = make_rollout(replace(TINY, num_tables=4, batch=64))
    device.collect()
    device.mask[:, :] = 1  # the network may now draw what is not legal
    last = device._num_carried + device.num_steps * 4
    device.mask[last:, :] = 0
    device.mask[last:, -1] = 1
    tables = device._records.read(device._host_record)
    legal = [device.game.legal_actions(tables, j) for j in range(4)]
    wrong = [j for j in range(4) if device.game.num_actions - 1 not in legal[j]]
    assert wrong, "the last action is legal everywhere: take another seed"
    with pytest.raises(IllegalActionError, match=rf"table {wrong[0]}, "):
        device.collect()


# --- learning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clip_value", [False, True])
@pytest.mark.parametrize("normalise", [False, True])
def test_the_kernel_of_the_loss_has_the_gradients_of_autograd(normalise: bool, clip_value: bool) -> None:
    config = replace(
        TINY, env="limit_holdem-v0", normalise=normalise, clip_value=clip_value, entropy=(0.05,), kl_penalty=(0.5,),
        clip=(0.1,),
    )  # fmt: skip
    learner = DevicePpo(config, config.game())
    learner.collect()
    learner._set_schedules(Schedules.from_config(config, 0.5))
    with torch.no_grad():
        for parameter in learner.parameters:
            parameter.add_(0.1 * torch.randn_like(parameter))  # so that ratios leave the range
    rows = learner.rollout.find_finished()[:100]
    found = []
    for compute in (learner.differentiate, learner.add_gradients):
        learner.optimiser.zero_grad()
        loss, measures = compute(rows)
        gradient = torch.cat([parameter.grad.flatten() for parameter in learner.parameters])
        found.append((float(loss), {name: float(value) for name, value in measures.items()}, gradient))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-4)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-3, abs=1e-6)
    assert float(found[0][2].abs().max()) > 1e-3
    assert torch.allclose(found[0][2], found[1][2], rtol=1e-3, atol=1e-6)


def test_it_learns_kuhn_poker() -> None:
    """Uniformly random play loses 11/24 = 0.458 chips a hand to a best response; the plain learner's comes to 0.09."""
    config = replace(PRESETS["kuhn"], num_tables=256, batch=1024, minibatch=256, minutes=0.0, device="cpu")
    learner = DevicePpo(config, config.game(), make_callbacks(config, config.game()))
    while learner.decisions < 100_000:
        learner.update(learner.decisions / 100_000)
    assert learner.measure()[AVERAGE] < 0.15


def test_an_exploiter_of_a_device_wins_from_a_policy_that_always_folds() -> None:
    config = replace(TINY, env="leduc_holdem-v0", **POOL | {"exploiter_batches": 60})
    learner = DevicePpo(config, config.game(), make_callbacks(config, config.game()))
    with torch.no_grad():
        learner.playing.policy.layers[-1].bias[FOLD_ACTION] = 20.0
    exploiter = train_exploiter(learner)
    mean, half_width = exploiter.measure_winnings(5_000)
    assert 0.2 + half_width < mean < 1.0, "a fold costs the ante of one chip; the exploiter began as a copy"
    assert len(exploiter.rollout.tables.past_selves) == 1, "its only opponent stays the policy"


@pytest.mark.parametrize(("before", "after"), [(DevicePpo, Ppo), (Ppo, DevicePpo)])
def test_a_run_goes_on_on_the_other_device(before: type[Ppo], after: type[Ppo], tmp_path: Path) -> None:
    config = replace(TINY, env="leduc_holdem-v0", **POOL)
    learner = before(config, config.game())
    learner.update(0.0)
    learner.rollout.tables.add_past_self(learner.network)
    learner.save(tmp_path / "state", {})
    other = after(config, config.game())
    other.load(tmp_path / "state")
    assert (other.decisions, other.updates) == (learner.decisions, learner.updates)
    assert torch.equal(other.parameters[0], learner.parameters[0])
    assert len(other.rollout.tables.past_selves) == 1
    other.update(0.5)
    assert other.decisions > learner.decisions


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("rollout.seatings", lambda values: values.fill_(255), "seatings"),
        ("rollout.waiting.decisions", lambda values: values.fill_(77), "waiting"),
        ("rollout.tables", lambda values: values.fill_(77), "tables"),
        ("rollout.scratch.is_learners", lambda values: values.resize_(3), "is_learners"),
    ],
)
def test_damaged_checkpoints_are_refused(name: str, damage: Any, message: str, tmp_path: Path) -> None:
    config = replace(TINY, env="leduc_holdem-v0")
    learner = DevicePpo(config, config.game())
    learner.update(0.0)
    learner.save(tmp_path / "state", {})
    tensors, progress = load_state(tmp_path / "state")
    damage(tensors[name])
    save_state(tmp_path / "state", tensors, progress)
    with pytest.raises(ValueError, match=message):
        DevicePpo(config, config.game()).load(tmp_path / "state")
