"""What tables on a GPU promise, on a GPU or in Numba's simulator, in which `test_cuda` runs these tests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from card_envs import IllegalActionError, make_vector
from card_envs.cuda import CudaTables, device, grid
from card_envs.cuda.device import CudaUnavailableError
from card_envs.envs import ENVS
from tests.helpers.cuda_play import on_cpu, on_host, play


def _has_device() -> bool:
    try:
        device.require_device()
    except CudaUnavailableError:
        return False
    return True


HAS_DEVICE = _has_device()
pytestmark = pytest.mark.skipif(not HAS_DEVICE, reason="needs a GPU, or NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1")
GAMES = pytest.mark.parametrize("env_id", ["kuhn_poker-v0", "leduc_holdem-v0", "big2-v0"])


def started(env_id: str, num_tables: int = 4) -> CudaTables:
    tables = make_vector(env_id, num_tables, seed=1, device="cuda")
    tables.reset()
    return tables


SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *((env_id, {}) for env_id in ENVS),
    ("no_limit_holdem-v0", {"num_players": 6, "stacks": [3, 20, 90, 200, 7, 50], "bet_menu": "integers"}),
    ("limit_holdem-v0", {"num_players": 10, "rules": "acpc"}),
    ("limit_holdem-v0", {"encoder": "equity"}),
    ("big2-v0", {"encoder": "clean"}),
]


@pytest.mark.slow
@pytest.mark.skipif(device.SIMULATED, reason="test_cuda plays fewer tables in the simulator")
@pytest.mark.parametrize(("env_id", "settings"), SETTINGS)
def test_every_game_has_the_bytes_of_the_processor(env_id: str, settings: dict[str, Any]) -> None:
    num_tables, steps = 1000, 200
    tables = make_vector(env_id, num_tables, seed=5, device="cuda", **settings)
    assert play(tables, steps) == on_cpu(env_id, settings, num_tables, steps)


@GAMES
def test_illegal_actions_refuse_the_whole_batch_and_name_the_first_table(env_id: str) -> None:
    tables, cpu = started(env_id), make_vector(env_id, 4, seed=1)
    cpu.reset()
    actions = on_host(tables.sample_actions()).copy()
    assert np.array_equal(actions, cpu.sample_actions())
    wrong = actions.copy()
    wrong[[1, 3]] = -1, 10**6
    before, shown = tables.tables.tobytes(), on_host(tables._last.step.observation).copy()
    with pytest.raises(IllegalActionError) as refused:
        tables.step(wrong)
    with pytest.raises(IllegalActionError) as refused_on_cpu:
        cpu.step(wrong)
    assert str(refused.value) == str(refused_on_cpu.value)
    assert str(refused.value).startswith("table 1: ")
    assert tables.tables.tobytes() == before
    assert np.array_equal(on_host(tables._last.step.observation), shown)
    after, expected = tables.step(actions), cpu.step(actions)  # the refusal leaves nothing behind
    for array, wanted in zip(after, expected, strict=True):
        assert on_host(array).tobytes() == wanted.tobytes()


def test_tables_of_equal_games_share_what_was_compiled() -> None:
    first, second, other = started("kuhn_poker-v0", 4), started("kuhn_poker-v0", 300), started("big2-v0")
    assert first._play._kernel is second._play._kernel
    assert first._play._kernel is not other._play._kernel
    small = make_vector("kuhn_poker-v0", 4, seed=1, device="cuda", encoder="bits", dtype="int8")
    assert small._play._kernel is not first._play._kernel, "observations of another type are another kernel"


def test_observations_come_in_the_type_that_was_asked_for() -> None:
    settings = {"encoder": "bits", "dtype": "int8"}
    shown = make_vector("kuhn_poker-v0", 4, seed=1, device="cuda", **settings).reset().observation
    expected = make_vector("kuhn_poker-v0", 4, seed=1, **settings).reset().observation
    assert on_host(shown).dtype == np.int8 and np.array_equal(on_host(shown), expected)


def test_the_arrays_of_a_step_hold_until_the_step_after_the_next() -> None:
    tables = started("leduc_holdem-v0")
    first = tables.step(tables.sample_actions())
    kept = [on_host(array).copy() for array in first]
    second = tables.step(tables.sample_actions())
    assert all(np.array_equal(on_host(array), old) for array, old in zip(first, kept, strict=True))
    assert second.observation is not first.observation


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(3, np.int64), r"shape \(3,\) and dtype int64: 4 integers are needed"),
        (np.zeros(4), "dtype float64: 4 integers are needed"),
    ],
)
def test_actions_that_are_none_are_refused(actions: Any, message: str) -> None:
    with pytest.raises(IllegalActionError, match=message):
        started("kuhn_poker-v0").step(actions)


def test_actions_on_the_gpu_must_be_int64() -> None:
    from numba import cuda

    tables = started("kuhn_poker-v0")
    with pytest.raises(IllegalActionError, match=r"dtype int32 on the GPU: 4 contiguous int64 are needed"):
        tables.step(cuda.to_device(np.zeros(4, np.int32)))
    tables.step(cuda.to_device(on_host(tables.sample_actions())))


def test_too_little_memory_is_said_before_anything_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba import cuda

    memory = SimpleNamespace(get_memory_info=lambda: SimpleNamespace(free=2**20, total=2**20))
    monkeypatch.setattr(cuda, "current_context", lambda: memory)
    with pytest.raises(CudaUnavailableError, match=r"100,000 tables need \d+ MiB .* 1 MiB are free: make at most \d+"):
        make_vector("kuhn_poker-v0", 100_000, device="cuda")


@pytest.mark.parametrize("num_tables", [0, -1, 2.5, True])
def test_the_number_of_tables_is_checked(num_tables: Any) -> None:
    with pytest.raises(ValueError, match="must be a whole number, at least 1"):
        make_vector("kuhn_poker-v0", num_tables, device="cuda")


def test_what_needs_a_deal_is_refused_before_reset() -> None:
    tables = make_vector("kuhn_poker-v0", 2, device="cuda")
    for method, *arguments in ((tables.step, np.ones(2, int)), (tables.sample_actions,), (tables.state,)):
        with pytest.raises(RuntimeError, match=rf"call reset\(\) before {method.__name__}\(\)"):
            method(*arguments)


def test_blinds_that_leave_nothing_to_decide_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "_MAX_DEALS", 3)
    tables = make_vector("no_limit_holdem-v0", 2, seed=0, device="cuda", stacks=1)
    with pytest.raises(RuntimeError, match="stacks are too small for the blinds"):
        tables.reset()


def test_a_seed_starts_all_streams_anew() -> None:
    tables = started("leduc_holdem-v0")
    first = on_host(tables.reset(seed=9).observation).copy()
    tables.step(tables.sample_actions())
    assert np.array_equal(on_host(tables.reset(seed=9).observation), first)
