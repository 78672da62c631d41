"""Leagues: they go on after anything, and depend on nothing but their seed."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from card_baselines.league import League, LeagueError, RoundOutcome
from card_baselines.league.pools import InProcess, Processes, worker_environment
from card_baselines.league.store import Store
from card_baselines.run_folder import RunFolder

LEARNER = f"{Path(__file__).with_name('learner.py')}:Learner"
KUHN = "kuhn_poker-v0"


def small_league(folder: Path, student: str = LEARNER, **settings: object) -> League:
    league = League.new(folder, KUHN, seed=3)
    league.add_division("climb", "climbing", students=[student], teachers=["random", "always_call"],
                        **{"hands": 100, "clone_every": 4, **settings})  # fmt: skip
    league.add_division("final", "direct", hands=100)
    return league


def everything(league: League) -> list[list[tuple[object, ...]]]:
    """What the store holds, times and machines aside."""
    queries = [
        "SELECT id, name, parent, generation, division, folder FROM members",
        "SELECT * FROM rounds",
        "SELECT * FROM earnings",
        "SELECT * FROM ratings",
        "SELECT round, hands, samples, measures, lost FROM outcomes ORDER BY round",
        "SELECT * FROM saves",
    ]
    return [league.store.rows(query) for query in queries]


def test_students_learn_and_leave_clones(tmp_path: Path) -> None:
    with small_league(tmp_path / "league") as league:
        heard = []
        league.run({"climb": 9}, progress=lambda *told: heard.append(told[:2]))
        assert heard == [("climb", number) for number in range(1, 10)]
        members = list(league.members.values())
        assert [(member.name, member.generation) for member in members] == [
            ("random", 0), ("always_call", 0), ("climb.Learner", 0), ("climb.Learner/1", 1), ("climb.Learner/2", 2),
        ]  # fmt: skip
        student, clone = members[2], members[4]
        assert student.learns and not clone.learns and clone.parent == student.id
        folder = league.store.last_save(student.id)
        assert folder is not None and (tmp_path / "league" / folder / "values.json").exists()
        assert len(list((tmp_path / "league" / "students" / str(student.id)).iterdir())) == 2, "older ones are removed"
        assert set(league.ratings("climb")) >= {student.id}
        assert league.run({"final": 10}) == {"final": 10}
        played = league.store.rounds(league.division("final").id, played=True)
        assert len({frozenset(each.seating) for each in played}) == 6, "four members that do not learn"


def test_a_league_that_stops_and_goes_on_is_the_same(tmp_path: Path) -> None:
    with small_league(tmp_path / "one") as one, small_league(tmp_path / "two") as two:
        one.run({"climb": 6})
        one.run({"final": 3})
        for rounds in (2, 4, 6):
            two.run({"climb": rounds})
        two.run({"final": 3})
        assert everything(one) == everything(two)


KILLED = """
import os, signal, sys
from card_baselines.league import League
from card_baselines.league.rounds import play_round
from card_baselines.league import pools

class Dies(pools.InProcess):
    def next(self):
        outcome = super().next()
        if outcome.round == int(sys.argv[2]):
            (league.folder / "about-to-die").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return outcome

league = League.open(sys.argv[1], allow=[sys.argv[3]])
league.run({"climb": 6}, Dies())
"""


def test_kill_9_loses_the_last_round_at_most(tmp_path: Path) -> None:
    with small_league(tmp_path / "killed") as killed, small_league(tmp_path / "whole") as whole:
        command = [sys.executable, "-c", KILLED, str(killed.folder), "5", LEARNER]
        died = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ)
        assert died.returncode == -signal.SIGKILL, died.stderr
        assert (killed.folder / "about-to-die").exists()
        assert len(killed.store.rounds(played=True)) == 4 and len(killed.store.rounds(played=False)) == 1
        killed.run({"climb": 6})
        whole.run({"climb": 6})
        assert everything(killed) == everything(whole)


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with small_league(tmp_path / "full") as full, small_league(tmp_path / "whole") as whole:
        full.run({"climb": 3})
        before = everything(full)
        connected = sqlite3.connect

        class Small(sqlite3.Connection):
            def execute(self, statement, *values):  # type: ignore[override]
                if statement == "BEGIN IMMEDIATE":
                    super().execute("PRAGMA max_page_count = 1")  # SQLite: not below what the file has
                return super().execute(statement, *values)

        with monkeypatch.context() as patched:
            patched.setattr(sqlite3, "connect", lambda *words, **more: connected(*words, **more, factory=Small))
            with pytest.raises(LeagueError, match="the disk is full: make room"):
                full.run({"climb": 60})
        kept = everything(full)
        assert [rows[: len(start)] for rows, start in zip(kept, before, strict=True)] == before
        rounds = len(full.store.rounds(played=True))
        full.run({"climb": rounds + 2})
        whole.run({"climb": rounds + 2})
        assert everything(full) == everything(whole)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with small_league(tmp_path / "league") as league:
        (league.folder / "students").write_text("in the way")
        with pytest.raises(LeagueError, match="cannot be written: Not a directory"):
            league.run({"climb": 2})
        (league.folder / "students").unlink()
        assert league.run({"climb": 2}) == {"climb": 2}


def test_a_disk_without_room_for_the_lock_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def full(path: Path) -> Iterator[None]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield

    with small_league(tmp_path / "league") as league, monkeypatch.context() as patched:
        patched.setattr("card_baselines.league.league.hold_lock", full)
        with pytest.raises(LeagueError, match="cannot be written: No space left on device"):
            league.run({"climb": 1})


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    small_league(tmp_path / "league").store.close()
    path = tmp_path / "league" / "league.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    with pytest.raises(LeagueError, match="version 7, this card-envs reads version 2: use the card-envs that made it"):
        League.open(tmp_path / "league")
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(LeagueError, match="no store of a league"):
        League.open(tmp_path / "league")


def test_nothing_in_a_store_is_changed(tmp_path: Path) -> None:
    with small_league(tmp_path / "league") as league:
        league.run({"climb": 1})
        store = Store.open(league.store.path, writes=True)
        for statement in ("UPDATE earnings SET total = 0", "DELETE FROM rounds"):
            with pytest.raises(LeagueError, match="only added to"), store.transaction():
                store.rows(statement)
        store.close()


def test_two_processes_on_one_league(tmp_path: Path) -> None:
    with small_league(tmp_path / "league") as league, RunFolder(league.folder).lock():
        with pytest.raises(LeagueError, match=rf"in use by process {os.getpid()} on .*: wait until it ends"):
            league.run({"climb": 1})
        assert league.ratings("climb") == {}, "reading goes on"


@pytest.mark.parametrize("kind", ["FailsAtFirst", "CannotLearn", "Missing"])
def test_the_league_goes_on_with_a_member_that_fails(tmp_path: Path, kind: str) -> None:
    spec = LEARNER.replace(":Learner", f":{kind}")
    with League.new(tmp_path / "league", KUHN) as league:
        if kind == "Missing":
            with pytest.raises(ValueError, match="no class 'Missing'"):
                league.add_division("train", "random", students=[spec], teachers=["random"])
            return
        league.add_division("train", "random", students=[spec], teachers=["random"], hands=50, clone_every=2)
        assert league.run({"train": 4}) == {"train": 4}
        faults = league.store.faults()
        assert [round for round, _ in faults] == [1, 2, 3, 4]
        assert all("seed" in fault.first and fault.agent == f"train.{kind}" for _, fault in faults)
        assert [member.generation for member in league.members.values()] == [0, 0, 1, 2]


def test_all_members_are_evaluated_when_training_ends(tmp_path: Path) -> None:
    class Two(InProcess):
        capacity = 2

    with small_league(tmp_path / "one") as one, small_league(tmp_path / "two") as two:
        one.run({"climb": 4})
        one.run({"final": 3})
        assert two.run({"climb": 4, "final": 3}, Two()) == {"climb": 4, "final": 3}
        assert everything(two) == everything(one)


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    with small_league(tmp_path / "many") as many, small_league(tmp_path / "one") as one:
        one.run({"climb": 4})
        one.run({"final": 6})
        pool = Processes(2)

        def kill_once(division: str, rounds: int, outcome: RoundOutcome) -> None:
            assert outcome.lost is None
            if rounds == 2:
                os.kill(pool.process_ids[0], signal.SIGKILL)

        with pool:
            before = pool.process_ids
            many.run({"climb": 4}, pool, kill_once)
            many.run({"final": 6}, pool, kill_once)
            assert set(pool.process_ids) != set(before)
        assert sorted(everything(many)[2]) == sorted(everything(one)[2]), "whoever plays, and in whatever order"
        assert everything(many)[3] == everything(one)[3]


OWNER = """
import time
from card_baselines.league.pools import Processes

if __name__ == "__main__":
    print(Processes(1).process_ids[0], flush=True)
    time.sleep(600)
"""


@pytest.mark.slow
def test_workers_end_with_their_owner_even_if_it_is_killed(tmp_path: Path) -> None:
    (tmp_path / "owner.py").write_text(OWNER)
    command = [sys.executable, str(tmp_path / "owner.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as owner:
        assert owner.stdout is not None
        worker = int(owner.stdout.readline())
        os.kill(worker, 0)
        owner.kill()
    for _ in range(100):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail(f"worker {worker} still lives")


@pytest.mark.slow
def test_a_script_without_a_main_guard_is_told_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT.format(folder=str(tmp_path / "league"), learner=LEARNER))
    command = [sys.executable, str(tmp_path / "script.py")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ)
    assert ended.returncode == 1 and "a worker process ended before it could begin" in ended.stderr


SCRIPT = """
from card_baselines.league import League
from card_baselines.league.pools import Processes

with League.new({folder!r}, "kuhn_poker-v0") as league, Processes(1) as pool:
    league.add_division("climb", "climbing", students=[{learner!r}], teachers=["random"], hands=10)
    league.run({{"climb": 1}}, pool)
"""


def test_a_round_that_brings_down_every_worker_is_given_up(tmp_path: Path) -> None:
    class Dying:
        capacity = 1

        def __init__(self) -> None:
            self.rounds: list[int] = []

        def submit(self, task) -> None:
            self.rounds.append(task.round)

        def next(self) -> RoundOutcome:
            return RoundOutcome(self.rounds.pop(0), lost="3 workers died while they played it")

        def __enter__(self):
            return self

        def __exit__(self, *error: object) -> None:
            pass

    with small_league(tmp_path / "league") as league:
        assert league.run({"climb": 2}, Dying()) == {"climb": 2}
        assert [why for _, why in league.store.find_lost_rounds()] == ["3 workers died while they played it"] * 2
        assert league.run({"climb": 4}) == {"climb": 4}
        assert len(league.store.rounds(played=True)) == 2


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("kind 'climb' is not known", {"name": "x", "kind": "climb"}),
        ("needs at least one student and one teacher", {"name": "x", "kind": "random", "teachers": ["random"]}),
        ("takes no students", {"name": "x", "kind": "direct", "students": [LEARNER]}),
        ("'nobody' is not known", {"name": "x", "kind": "random", "students": ["nobody"], "teachers": ["chen"]}),
        ("agent 'nobody' is not known", {"name": "x", "kind": "direct", "teachers": ["nobody"]}),
        ("division is named 'climb' already", {"name": "climb", "kind": "direct"}),
    ],
)  # fmt: skip
def test_divisions_that_cannot_be_are_refused(tmp_path: Path, words: str, asked: dict[str, object]) -> None:
    with small_league(tmp_path / "league") as league:
        before = everything(league)
        with pytest.raises(ValueError, match=words):
            league.add_division(**asked)
        assert everything(league) == before


def test_leagues_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LeagueError, match="there is no league in"):
        League.open(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(LeagueError, match="is not empty"):
        League.new(tmp_path, KUHN)
    with pytest.raises(ValueError, match="has no setting 'seats'"):
        League.new(tmp_path / "new", KUHN, seats=4)
    with small_league(tmp_path / "league") as league:
        with pytest.raises(LeagueError, match="division 'clmb' is not known: there is climb, final"):
            league.run({"clmb": 1})
        with pytest.raises(LeagueError, match="1 members that do not learn"):
            league.add_division("alone", "direct", teachers=["random"])
            league.run({"alone": 1})


def test_workers_have_one_thread_and_small_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.setenv("LRU_CACHE_CAPACITY", "500")
    monkeypatch.delenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", raising=False)
    names = "OMP_NUM_THREADS", "LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
    with worker_environment():
        assert [os.environ.get(name) for name in names] == ["1", "500", "64"], "what somebody chose stays"
    assert [os.environ.get(name) for name in names] == ["4", "500", None]
