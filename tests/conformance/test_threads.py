"""Threads: the same bytes for any number of them, the same errors, and a fork that lives."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import threading
from typing import Any

import numpy as np
import pytest

from card_envs import make_vector
from card_envs.envs import ENVS
from card_envs.vector import VectorTables


def played(env_id: str, num_threads: int, num_tables: int = 33) -> tuple[list[Any], VectorTables]:
    tables = make_vector(env_id, num_tables, seed=5, num_threads=num_threads)
    return [tables.reset(), *(tables.step(tables.sample_actions()) for _ in range(60))], tables


@pytest.mark.parametrize("env_id", ENVS)
@pytest.mark.parametrize("num_threads", [2, 3])
def test_threads_change_no_byte(env_id: str, num_threads: int) -> None:
    alone, one = played(env_id, 1)
    together, many = played(env_id, num_threads)
    assert one.tables.tobytes() == many.tables.tobytes()
    for left, right in zip(alone, together, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


def test_more_threads_than_tables_are_allowed() -> None:
    batches, _ = played("kuhn_poker-v0", 4, num_tables=2)
    assert len(batches[-1].seats) == 2


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("table", [0, 8])
def test_what_a_thread_raises_is_raised_by_step_and_nothing_is_stuck(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException], table: int
) -> None:
    tables = make_vector("kuhn_poker-v0", 9, seed=0, num_threads=3)
    tables.reset()
    step_part = VectorTables._step_part

    def fail(self: VectorTables, rows: Any, *arrays: Any) -> None:
        step_part(self, rows, *arrays)
        if table in rows:
            raise error("at this table")

    for _ in range(2):
        actions = tables.sample_actions()
        monkeypatch.setattr(VectorTables, "_step_part", fail)
        with pytest.raises(error, match="at this table"):
            tables.step(actions)
        monkeypatch.undo()
        tables.step(tables.sample_actions())


@pytest.mark.parametrize(("num_threads", "num_tables"), [(2, 2), (3, 7), (2, 33), (2, 4096), (5, 100_000)])
def test_parts_are_all_tables(num_threads: int, num_tables: int) -> None:
    parts = make_vector("kuhn_poker-v0", num_tables, num_threads=num_threads)._parts
    assert [row for part in parts for row in range(num_tables)[part]] == list(range(num_tables))
    sizes = [part.stop - part.start for part in parts]
    assert max(sizes) - min(sizes) <= 1 and len(sizes) == num_threads


@pytest.mark.parametrize("num_threads", [0, -1, 1.5, True, "2"])
def test_numbers_of_threads_that_cannot_be_are_refused(num_threads: Any) -> None:
    with pytest.raises(ValueError, match="num_threads"):
        make_vector("kuhn_poker-v0", 4, num_threads=num_threads)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda tables: pickle.loads(pickle.dumps(tables))])
@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_copy_plays_on_by_itself(copied: Any, num_threads: int) -> None:
    _, tables = played("kuhn_poker-v0", num_threads)
    other = copied(tables)
    actions = tables.sample_actions()
    assert np.array_equal(actions, other.sample_actions())
    for one, its_copy in zip(tables.step(actions), other.step(actions), strict=True):
        assert np.array_equal(one, its_copy) and not np.shares_memory(one, its_copy)
    before = tables.tables.tobytes()
    other.step(other.sample_actions())
    assert tables.tables.tobytes() == before


def test_threads_end_with_their_tables() -> None:
    before = set(threading.enumerate())
    _, tables = played("kuhn_poker-v0", 3)
    started = set(threading.enumerate()) - before
    assert 1 <= len(started) <= 2  # a pool starts a thread only if none is idle
    del tables
    gc.collect()
    for thread in started:
        thread.join(timeout=60)
        assert not thread.is_alive()


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_fork_after_use_lives_and_plays_on() -> None:
    _, tables = played("kuhn_poker-v0", 2)
    child = os.fork()
    if child == 0:  # an exception would run the rest of the test suite a second time
        try:
            tables.step(tables.sample_actions())
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
