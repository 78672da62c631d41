"""Threads: the same bytes for any number of them, the same errors, and a fork that lives."""

from __future__ import annotations

import gc
import os
import pickle
import threading
from typing import Any

import numpy as np
import pytest

from card_envs import IllegalActionError, make_vector
from card_envs.compiler.threads import Threads
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


def test_an_illegal_action_in_the_second_part_changes_no_table_of_the_first() -> None:
    tables = make_vector("limit_holdem-v0", 8, seed=0, num_threads=2)
    tables.reset()
    before = tables.tables.tobytes()
    actions = tables.sample_actions()
    actions[7] = 99
    with pytest.raises(IllegalActionError, match="table 7"):
        tables.step(actions)
    assert tables.tables.tobytes() == before


@pytest.mark.parametrize("num_threads", [0, -1, 1.5, True, "2"])
def test_numbers_of_threads_that_cannot_be_are_refused(num_threads: Any) -> None:
    with pytest.raises(ValueError, match="num_threads"):
        make_vector("kuhn_poker-v0", 4, num_threads=num_threads)


def test_copies_start_threads_of_their_own() -> None:
    _, tables = played("kuhn_poker-v0", 2)
    copy = pickle.loads(pickle.dumps(tables))
    actions = tables.sample_actions()
    assert np.array_equal(actions, copy.sample_actions())
    assert np.array_equal(tables.step(actions).observation, copy.step(actions).observation)


def test_what_a_thread_raises_is_raised_by_the_caller_and_nothing_is_stuck() -> None:
    threads = Threads(3, 9)

    def work(rows: Any) -> None:
        if 4 in rows:
            raise ValueError("the second part")
        seen.extend(rows)

    seen: list[int] = []
    for _ in range(2):
        with pytest.raises(ValueError, match="the second part"):
            threads.run(lambda: None, work, np.arange(9))
    assert sorted(seen) == [0, 0, 1, 1, 2, 2, 6, 6, 7, 7, 8, 8]


@pytest.mark.parametrize("num_threads", [1, 3])
def test_nobody_works_if_the_check_refuses_and_nothing_is_stuck(num_threads: int) -> None:
    threads, seen = Threads(num_threads, 9), list[int]()

    def refuse() -> None:
        raise ValueError("not these")

    for _ in range(2):
        with pytest.raises(ValueError, match="not these"):
            threads.run(refuse, seen.extend, np.arange(9))
    assert seen == []
    threads.run(lambda: None, seen.extend, np.arange(9))
    assert sorted(seen) == list(range(9))


def test_an_interrupt_at_any_moment_leaves_nothing_stuck() -> None:
    before, seen = set(threading.enumerate()), list[int]()
    threads = Threads(3, 9)

    def interrupt(*arrays: Any) -> None:
        raise KeyboardInterrupt

    for check, work in ((interrupt, seen.extend), (lambda: None, interrupt)):
        with pytest.raises(KeyboardInterrupt):
            threads.run(check, work, np.arange(9))
        threads.run(lambda: None, seen.extend, np.arange(9))
    assert sorted(seen) == sorted([*range(9)] * 2)
    del threads
    gc.collect()
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=60)
        assert not thread.is_alive()


@pytest.mark.parametrize(("num_threads", "num_tables"), [(2, 2), (3, 7), (2, 33), (2, 4096), (5, 100_000)])
def test_parts_are_all_tables_and_the_largest_is_the_callers(num_threads: int, num_tables: int) -> None:
    parts = Threads(num_threads, num_tables).parts
    assert [row for part in parts for row in range(num_tables)[part]] == list(range(num_tables))
    sizes = [part.stop - part.start for part in parts]
    assert sizes[0] >= max(sizes) - 1 and len(sizes) == num_threads


def test_threads_end_with_their_tables() -> None:
    before = set(threading.enumerate())
    _, tables = played("kuhn_poker-v0", 3)
    started = set(threading.enumerate()) - before
    assert len(started) == 2
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
