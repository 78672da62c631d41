"""The store of a league: one SQLite file to which rounds are added, and from which every analysis reads.

Rows are never changed or deleted: triggers refuse it. One process writes, any number of others read meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from card_baselines.league.ratings import Rating
from card_baselines.league.rounds import Earnings, RoundOutcome
from card_baselines.sqlite_checks import READ_ERRORS, check_tables, file_uri
from card_envs.damaged_files import DamagedFileError, explain_damage
from card_envs.match import Fault

VERSION = 2
"""Version of the tables in store.sql: a store of another version is refused."""

_SCHEMA = Path(__file__).with_name("store.sql").read_text(encoding="utf-8")
_CONDITIONS = {
    "members": "is_trainee IN (0, 1) AND learns IN (0, 1) AND generation >= 0",
    "rounds": "number >= 0",
    "outcomes": "hands >= 0 AND samples >= 0 AND seconds BETWEEN 0 AND 1e12",
    "earnings": "seats >= 1 AND abs(total) < 1e15 AND squares BETWEEN 0 AND 1e300",
    "faults": "decisions >= 0",
    "ratings": "abs(mu) < 1e9 AND sigma BETWEEN 0 AND 1e9",
}
"""Table -> what holds in all of its rows."""
_REASONS = {
    "full": "the disk is full: make room",
    "readonly": "nothing may be written there: change the rights of the folder",
    "unable to open": "the file cannot be opened: check the folder and its rights",
    "malformed": "the file is damaged: restore a copy",
    "not a database": "the file is no store of a league, or is damaged: restore a copy",
}


class LeagueError(ValueError):
    """Raised when a league cannot be read, written or run."""


@dataclass(frozen=True)
class Member:
    """A member of a league."""

    id: int
    name: str
    spec: str
    """Name of an agent (registered name, run folder, file), or of the class of a trainee."""
    is_trainee: bool
    """True for a student, and for a clone of one."""
    learns: bool
    """True for a student, which is trained."""
    parent: int | None
    """Student of which a clone was made."""
    generation: int
    """n for the n-th clone of a student, 0 for students and agents."""
    division: int | None
    """Division in which a student learns or a clone was made; None for agents."""
    folder: str | None
    """Folder with the files of a clone, relative to the folder of the league."""


@dataclass(frozen=True)
class DivisionRow:
    """A division in the store."""

    id: int
    name: str
    kind: str
    settings: dict[str, Any]


@dataclass(frozen=True)
class PlannedRound:
    """A round, played or not."""

    id: int
    number: int
    """Number within the division, from 0."""
    seed: int
    seating: tuple[int, ...]
    """Members in their order around the table."""
    students: tuple[int, ...]
    """Members that learn."""


class Store:
    """The file of a league, open for reading or for writing."""

    def __init__(self, path: Path, connection: sqlite3.Connection, writes: bool) -> None:
        """Use an open connection. `create` and `open` make stores."""
        self.path, self._db, self._writes = path, connection, writes

    @classmethod
    def create(cls, path: Path, meta: Mapping[str, Any]) -> Self:
        """Return a new store at `path`, where there must be none; `meta` is JSON about the league."""
        with _explain_errors(path):
            store = cls(path, _connect(path, True), True)
            with store.transaction():
                for statement in _SCHEMA.split(";"):
                    store._db.execute(statement)
                for (name,) in store.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
                    for change in ("UPDATE", "DELETE"):
                        refuse = "SELECT RAISE(ABORT, 'the store of a league is only added to')"
                        trigger = f"no_{change.lower()}_of_{name} BEFORE {change} ON {name} BEGIN {refuse}; END"
                        store._db.execute(f"CREATE TRIGGER {trigger}")
                store._db.execute(f"PRAGMA user_version = {VERSION}")
                store._insert("meta", [(key, json.dumps(value)) for key, value in meta.items()])
        return store

    @classmethod
    def open(cls, path: Path, writes: bool = False) -> Self:
        """Return the store at `path`; raise LeagueError if there is none, or it is of another version."""
        if not path.is_file():
            raise LeagueError(f"there is no league in {path.parent}: `card-envs league new {path.parent}` makes one")
        with _explain_errors(path):
            store = cls(path, _connect(path, writes), writes)
            (version,) = store._db.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                store.close()
                raise LeagueError(
                    f"{path} is a store of version {version}, this card-envs reads version {VERSION}: "
                    "use the card-envs that made it, or begin a new league"
                )
            try:
                check_tables(store._db, _SCHEMA, _CONDITIONS, path)
            except ValueError as error:
                store.close()
                raise LeagueError(f"{error}; restore a copy") from error
        return store

    def close(self) -> None:
        """Close the file. A writer moves everything from the write-ahead log into it."""
        if self._writes:
            with contextlib.suppress(sqlite3.DatabaseError):  # a full disk: the log stays, and is read
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything in the block, or nothing; raise LeagueError if it cannot be written."""
        with _explain_errors(self.path), self._db:  # which commits at the end of the block, or rolls back
            self._db.execute("BEGIN IMMEDIATE")
            yield

    def meta(self) -> dict[str, Any]:
        """Return the environment, settings and seed of the league."""
        with _explain_content(self.path):
            meta = {key: json.loads(value) for key, value in self.rows("SELECT key, value FROM meta")}
            if not isinstance(meta["env"], str) or not isinstance(meta["settings"], dict):
                raise ValueError("meta holds no environment with settings")
        return meta

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of an SQL query."""
        with _explain_errors(self.path):
            return self._db.execute(query, values).fetchall()

    # --- members and divisions ---

    def add_member(
        self, name: str, spec: str, *, is_trainee: bool, learns: bool, parent: int | None = None, generation: int = 0,
        division: int | None = None, folder: str | None = None,
    ) -> int:  # fmt: skip
        """Add a member with a name of its own within a transaction and return its id."""
        columns = (name, spec, is_trainee, learns, parent, generation, division, folder, _now())
        return self._insert("members", [(None, *columns)])

    def add_division(self, name: str, kind: str, settings: Mapping[str, Any]) -> int:
        """Add a division within a transaction and return its id; raise LeagueError if the name is taken."""
        if self.rows("SELECT 1 FROM divisions WHERE name = ?", name):
            raise LeagueError(f"a division is named {name!r} already: choose another name")
        return self._insert("divisions", [(None, name, kind, json.dumps(dict(settings)))])

    def add_entries(self, division: int, members: Iterable[int]) -> None:
        """Add members to a division, within a transaction."""
        self._insert("entries", [(division, member) for member in members])

    def members(self) -> dict[int, Member]:
        """Return the members by their ids."""
        query = "SELECT id, name, spec, is_trainee, learns, parent, generation, division, folder FROM members"
        rows = self.rows(f"{query} ORDER BY id")
        return {row[0]: Member(row[0], row[1], row[2], bool(row[3]), bool(row[4]), *row[5:9]) for row in rows}

    def divisions(self) -> dict[str, DivisionRow]:
        """Return the divisions by their names."""
        rows = self.rows("SELECT id, name, kind, settings FROM divisions ORDER BY id")
        with _explain_content(self.path):
            found = {name: DivisionRow(id, name, kind, json.loads(settings)) for id, name, kind, settings in rows}
            if not all(isinstance(row.settings, dict) for row in found.values()):
                raise ValueError("the settings of a division are no JSON object")
        return found

    def entries(self, division: int) -> tuple[int, ...]:
        """Return the members of a division; empty for one that plays all members of the league."""
        rows = self.rows("SELECT member FROM entries WHERE division = ? ORDER BY member", division)
        return tuple(member for (member,) in rows)

    def last_division(self) -> str | None:
        """Return the name of the division that played last; None if no round was played."""
        rows = self.rows(
            "SELECT d.name FROM outcomes o JOIN rounds r ON r.id = o.round JOIN divisions d ON d.id = r.division "
            "ORDER BY o.rowid DESC LIMIT 1"
        )
        return str(rows[0][0]) if rows else None

    # --- rounds ---

    def plan(
        self, division: int, number: int, seed: int, seating: tuple[int, ...], students: tuple[int, ...]
    ) -> PlannedRound:
        """Add a round that is to be played within a transaction, and return it."""
        row = (None, division, number, seed, json.dumps(seating), json.dumps(students))
        return PlannedRound(self._insert("rounds", [row]), number, seed, seating, students)

    def rounds(self, division: int | None = None, *, played: bool | None = None) -> list[PlannedRound]:
        """Return rounds in order: of all divisions or one; played ones (True), open ones (False) or both (None)."""
        state = {None: "", True: "AND o.round IS NOT NULL AND o.lost IS NULL", False: "AND o.round IS NULL"}[played]
        where = "1" if division is None else "r.division = ?"
        query = (
            "SELECT r.id, r.number, r.seed, r.seating, r.students FROM rounds r "
            f"LEFT JOIN outcomes o ON o.round = r.id WHERE {where} {state} ORDER BY r.id"
        )
        rows = self.rows(query, *([] if division is None else [division]))
        known = {id for (id,) in self.rows("SELECT id FROM members")}
        with _explain_content(self.path):
            return [
                PlannedRound(id, number, seed, _parse_ids(seating, known), _parse_ids(students, known))
                for id, number, seed, seating, students in rows
            ]

    def add_outcome(self, outcome: RoundOutcome, saved: Mapping[int, str], made_by: str) -> None:
        """Add the outcome of a round within a transaction; `saved` are the folders of its students' files."""
        round = outcome.round
        measures = json.dumps({str(member): dict(found) for member, found in outcome.measures.items()})
        row = (round, outcome.hands, outcome.samples, measures, outcome.seconds, _now(), made_by, outcome.lost)
        self._insert("outcomes", [row])
        earnings = outcome.earnings.items()
        self._insert("earnings", [(round, member, won.seats, won.total, won.squares) for member, won in earnings])
        faults = outcome.faults.items()
        self._insert("faults", [(round, member, fault.decisions, fault.first) for member, fault in faults])
        self._insert("saves", [(round, member, folder) for member, folder in saved.items()])

    def outcomes(self, *divisions: int) -> dict[int, RoundOutcome]:
        """Return hands, samples, earnings and the loss of the rounds of some divisions by their ids.

        They are in the order of divisions and of the numbers in them, which does not depend on who played them when.
        """
        query = (
            "SELECT r.id, o.hands, o.samples, o.lost, e.member, e.seats, e.total, e.squares FROM rounds r "
            "JOIN outcomes o ON o.round = r.id LEFT JOIN earnings e ON e.round = r.id "
            f"WHERE r.division IN ({', '.join('?' * len(divisions))}) ORDER BY r.division, r.number, e.member"
        )
        outcomes: dict[int, RoundOutcome] = {}
        earnings: dict[int, dict[int, Earnings]] = {}
        for round, hands, samples, lost, member, *won in self.rows(query, *divisions):
            mine = earnings.setdefault(round, {})
            outcomes.setdefault(round, RoundOutcome(round, hands, samples, mine, lost=lost))
            if member is not None:
                mine[member] = Earnings(*won)
        return outcomes

    def faults(self) -> list[tuple[int, Fault]]:
        """Return (round, fault) for all faults, in order."""
        query = "SELECT f.round, m.name, f.decisions, f.first FROM faults f JOIN members m ON m.id = f.member"
        return [(row[0], Fault(*row[1:])) for row in self.rows(f"{query} ORDER BY f.round, f.member")]

    def find_lost_rounds(self) -> list[tuple[int, str]]:
        """Return (round, reason) of the rounds that could not be played."""
        return [(row[0], row[1]) for row in self.rows("SELECT round, lost FROM outcomes WHERE lost IS NOT NULL")]

    def last_save(self, member: int, until: int | None = None) -> str | None:
        """Return the folder of a student's latest files (up to the round `until`), None if it has not learned yet."""
        query = "SELECT folder FROM saves WHERE member = ? AND round <= ? ORDER BY round DESC LIMIT 1"
        rows = self.rows(query, member, 2**62 if until is None else until)
        return str(rows[0][0]) if rows else None

    def add_ratings(self, round: int, ratings: Mapping[int, Rating]) -> None:
        """Add ratings of members after a round, in its division, within a transaction."""
        self._insert("ratings", [(round, member, each.mu, each.sigma) for member, each in ratings.items()])

    def ratings(self, division: int) -> list[tuple[int, int, float, float]]:
        """Return (number of the round, member, mu, sigma) of all ratings in a division, in order."""
        query = (
            "SELECT r.number, t.member, t.mu, t.sigma FROM ratings t JOIN rounds r ON r.id = t.round "
            "WHERE r.division = ? ORDER BY r.number, t.member"
        )
        return [(row[0], row[1], row[2], row[3]) for row in self.rows(query, division)]

    def _insert(self, table: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """Add rows to a table and return the id of the last one."""
        last = 0
        for row in rows:
            placeholders = ", ".join("?" * len(row))
            last = int(self._db.execute(f"INSERT INTO {table} VALUES ({placeholders})", row).lastrowid or 0)
        return last


def _parse_ids(text: str, known: Collection[int]) -> tuple[int, ...]:
    """Return ids of members that are stored as a JSON list. Other content is refused: ids become names of folders."""
    try:
        ids = json.loads(text)
        if all(type(each) is int and each in known for each in ids):
            return tuple(ids)
    except (ValueError, TypeError, RecursionError):
        pass
    raise ValueError(f"it holds {text!r} where the ids of members should be")


def _connect(path: Path, writes: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(file_uri(path, writes), uri=True, isolation_level=None, timeout=30.0)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")  # the file may be somebody else's, triggers and views included
    if writes:
        connection.execute("PRAGMA journal_mode = WAL")  # readers do not wait for the writer, nor it for them
        connection.execute("PRAGMA synchronous = FULL")
    return connection


@contextlib.contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the disk into a LeagueError."""
    try:
        yield
    except READ_ERRORS as error:
        reason = next((why for words, why in _REASONS.items() if words in str(error)), str(error))
        raise LeagueError(f"{path}: {reason}. The rounds stored so far are kept; go on with `league run`") from error


@contextlib.contextmanager
def _explain_content(path: Path) -> Iterator[None]:
    """Turn errors that the content of a damaged file causes into a LeagueError."""
    try:
        with explain_damage(path):
            yield
    except DamagedFileError as error:
        raise LeagueError(f"{error}; restore a copy") from error


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S")
