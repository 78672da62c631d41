"""Sessions in an SQLite file: every deal, decision and result, written before it is shown.

A process that is killed in the middle of a hand loses nothing: the next one replays the recorded decisions.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from card_baselines.sqlite_checks import READ_ERRORS, check_tables, file_uri, require_no_other_tables
from card_baselines.web.session import Plan, Player
from card_envs.damaged_files import DamagedFileError, explain_damage

_Statement = tuple[str, tuple[int | str, ...]]
"""A statement of SQL and its values."""

_TABLES = """
CREATE TABLE IF NOT EXISTS session (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,       -- UTC
    is_open INTEGER NOT NULL,    -- 1 while it may go on
    env TEXT NOT NULL,
    settings TEXT NOT NULL,      -- JSON object
    players TEXT NOT NULL,       -- JSON list of {name, agent}; agent is null for people
    tokens TEXT NOT NULL,        -- JSON list of the players' tokens, null for agents
    seed INTEGER NOT NULL,
    block INTEGER NOT NULL,      -- deals after which they are repeated with seats exchanged, or 0
    secret TEXT NOT NULL         -- secret that decides the deals with the seed, in hexadecimal; empty: the seed alone
);
CREATE TABLE IF NOT EXISTS hand (
    session INTEGER NOT NULL REFERENCES session,
    number INTEGER NOT NULL,     -- from 0
    started TEXT NOT NULL,
    payoffs TEXT,                -- JSON list by player, chips or points; null until the hand is over
    PRIMARY KEY (session, number)
);
CREATE TABLE IF NOT EXISTS decision (
    session INTEGER NOT NULL REFERENCES session,
    hand INTEGER NOT NULL,
    number INTEGER NOT NULL,     -- from 0
    action INTEGER NOT NULL,
    is_forfeit INTEGER NOT NULL, -- 1 if an agent failed and the first legal action was taken
    PRIMARY KEY (session, hand, number)
);
"""
_CONDITIONS = {
    "session": "is_open IN (0, 1) AND block BETWEEN 0 AND 1000000",
    "hand": "number BETWEEN 0 AND 1000000000000",
    "decision": "hand >= 0 AND number >= 0 AND is_forfeit IN (0, 1)",
}
"""Table -> what holds in all of its rows."""


@dataclass(frozen=True)
class StoredSession:
    """A session in the file."""

    id: int
    started: str
    is_open: bool
    plan: Plan
    tokens: tuple[str | None, ...]
    """Tokens of the players; None for agents."""


@dataclass(frozen=True)
class StoredHand:
    """A hand in the file."""

    number: int
    actions: tuple[int, ...]
    payoffs: tuple[int, ...] | None
    """Chips or points by player, None while the hand is played."""


class StoreError(ValueError):
    """Raised if the file cannot be written, for example because the disk is full; nothing is written then."""


class Store:
    """The file of results. Several threads may use it."""

    def __init__(self, path: str | Path, writes: bool = True) -> None:
        """Open a file, or make one that only its owner can read: it holds the tokens of seats and secrets of deals.

        Args:
            path: The file.
            writes: False to read a file, which may lie where nobody can write.

        Raises:
            ValueError: The file is not a file of results, or was written by another version.
        """
        self.path = Path(path)
        if self.path.is_dir():
            raise ValueError(f"{self.path} is a folder: name the file of results in it")
        if writes:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(file_uri(self.path, writes), uri=True, check_same_thread=False, isolation_level=None)
        try:
            require_no_other_tables(self._db, _TABLES, self.path)  # before anything is written to another's file
            self._db.execute("PRAGMA trusted_schema = OFF")  # the file may be somebody else's
            if writes:
                self._db.execute("PRAGMA journal_mode = WAL")  # a commit costs no waiting for the disk ...
                self._db.execute("PRAGMA synchronous = NORMAL")  # ... and survives the end of the process all the same
                self._db.executescript(_TABLES)
            check_tables(self._db, _TABLES, _CONDITIONS, self.path)
        except (*READ_ERRORS, DamagedFileError) as error:
            self._db.close()
            raise ValueError(
                f"{self.path} is not a file of results of this version: {error}; name another file, or move it away"
            ) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def add_session(self, plan: Plan, tokens: Sequence[str | None]) -> int:
        """Write a new session and return its id."""
        players = [asdict(player) for player in plan.players]
        row = (
            _now(), 1, plan.env, json.dumps(dict(plan.settings)), json.dumps(players), json.dumps(list(tokens)),
            plan.seed, plan.block, plan.secret.hex(),
        )  # fmt: skip
        names = "started, is_open, env, settings, players, tokens, seed, block, secret"
        return self._write_all([(f"INSERT INTO session ({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)])

    def close_session(self, session: int) -> None:
        """Write that a session is over."""
        self._write_all([("UPDATE session SET is_open = 0 WHERE id = ?", (session,))])

    def add_hand(self, session: int, hand: int, payoffs: Sequence[int] | None = None) -> None:
        """Write that a hand is dealt, and its payoffs by player if that ends it."""
        insert = "INSERT OR IGNORE INTO hand (session, number, started) VALUES (?, ?, ?)"
        self._write_all([(insert, (session, hand, _now())), *_payoffs_of(session, hand, payoffs)])

    def add_decision(
        self, session: int, hand: int, number: int, action: int, is_forfeit: bool = False,
        payoffs: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        """Write a decision, and the payoffs by player if it ends the hand."""
        insert = "INSERT INTO decision VALUES (?, ?, ?, ?, ?)"
        values = (session, hand, number, action, int(is_forfeit))
        self._write_all([(insert, values), *_payoffs_of(session, hand, payoffs)])

    def sessions(self) -> list[StoredSession]:
        """Return all sessions, the oldest first; damaged ones are left out with a warning."""
        names = "id, started, is_open, env, settings, players, tokens, seed, block, secret"
        rows = self._read(f"SELECT {names} FROM session ORDER BY id")
        found = []
        for row in rows:
            try:
                with explain_damage(self.path):
                    found.append(_parse_session(row))
            except ValueError as error:
                warnings.warn(f"session {row[0]} is left out: {error}", RuntimeWarning, stacklevel=2)
        return found

    def hands(self, session: int, first: int = 0) -> list[StoredHand]:
        """Return the hands of a session in order, from number `first` on; the last may be unfinished.

        Raises:
            ValueError: If the payoffs of a hand are damaged.
        """
        actions: dict[int, list[int]] = {}
        asked = "SELECT hand, action FROM decision WHERE session = ? AND hand >= ? ORDER BY hand, number"
        for hand, action in self._read(asked, session, first):
            actions.setdefault(hand, []).append(action)
        asked = "SELECT number, payoffs FROM hand WHERE session = ? AND number >= ? ORDER BY number"
        with explain_damage(self.path):
            return [
                StoredHand(number, tuple(actions.get(number, ())), payoffs and _parse_payoffs(number, payoffs))
                for number, payoffs in self._read(asked, session, first)
            ]

    def _write_all(self, statements: Sequence[_Statement]) -> int:
        """Execute all statements or, if one fails, none; return the id of the last row that was added."""
        with self._lock:
            try:
                self._db.execute("BEGIN")
                for statement, values in statements:
                    added = self._db.execute(statement, values)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise StoreError(f"{self.path} cannot be written: {error}") from error
            return added.lastrowid or 0

    def _read(self, statement: str, *values: int) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._db.execute(statement, values).fetchall()
            except READ_ERRORS as error:
                raise ValueError(f"{self.path} cannot be read: {error}; restore a copy") from error


def _parse_session(row: tuple[Any, ...]) -> StoredSession:
    """Return the session in a row of `session`; ValueError, or an error of Python, if its JSON is damaged."""
    number, started, is_open, env, settings, players, tokens, seed, block, secret = row
    plan = Plan(env, json.loads(settings), _parse_players(players), seed, block, bytes.fromhex(secret))
    listed = json.loads(tokens)
    if not isinstance(plan.settings, dict) or not isinstance(listed, list) or len(listed) < plan.num_players:
        raise ValueError("its settings or tokens are damaged")
    if not all(token is None or isinstance(token, str) for token in listed):
        raise ValueError("its tokens are damaged")
    return StoredSession(number, started, bool(is_open), plan, tuple(listed))


def _parse_players(words: str) -> tuple[Player, ...]:
    players = tuple(Player(entry["name"], entry["agent"]) for entry in json.loads(words))
    if not players or not all(isinstance(each.name, str) and isinstance(each.agent, str | None) for each in players):
        raise ValueError("its players are damaged")
    return players


def _parse_payoffs(hand: int, words: str) -> tuple[int, ...]:
    payoffs = json.loads(words)
    if not isinstance(payoffs, list) or not all(type(each) is int and abs(each) < 2**31 for each in payoffs):
        raise ValueError(f"the payoffs of hand {hand} are damaged")
    return tuple(payoffs)


def _payoffs_of(session: int, hand: int, payoffs: Sequence[int] | None) -> list[_Statement]:
    """Return the statement that writes the payoffs of a hand; none for None."""
    update = "UPDATE hand SET payoffs = ? WHERE session = ? AND number = ?"
    return [] if payoffs is None else [(update, (json.dumps(list(payoffs)), session, hand))]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
