"""Sessions in an SQLite file: every deal, decision and result, written before anybody hears of it.

A process that is killed in the middle of a hand loses nothing: the next one plays the recorded decisions again.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from card_baselines.web.session import Place, Plan

_TABLES = """
CREATE TABLE IF NOT EXISTS session (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,       -- UTC
    is_open INTEGER NOT NULL,    -- 1 while it may go on
    env TEXT NOT NULL,
    settings TEXT NOT NULL,      -- JSON object
    places TEXT NOT NULL,        -- JSON list of {name, agent}; agent is null for people
    tokens TEXT NOT NULL,        -- JSON list of the places' tokens, null for agents
    seed INTEGER NOT NULL,
    block INTEGER NOT NULL,      -- deals after which they come again with seats exchanged, or 0
    secret TEXT NOT NULL         -- what the deals follow from besides the seed, in hexadecimal; empty: the seed alone
);
CREATE TABLE IF NOT EXISTS hand (
    session INTEGER NOT NULL REFERENCES session,
    number INTEGER NOT NULL,     -- from 0
    started TEXT NOT NULL,
    payoffs TEXT,                -- JSON list by place, chips or points; null until the hand is over
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


@dataclass(frozen=True)
class StoredSession:
    """A session as it is in the file."""

    id: int
    started: str
    is_open: bool
    plan: Plan
    tokens: tuple[str | None, ...]
    """Tokens of the places; None for agents."""


@dataclass(frozen=True)
class StoredHand:
    """A hand as it is in the file."""

    number: int
    actions: tuple[int, ...]
    payoffs: tuple[int, ...] | None
    """Chips or points by place, None while it is played."""


class Store:
    """The file of results; may be used by several threads."""

    def __init__(self, path: str | Path) -> None:
        """Open a file, or make one that only its owner can read: it holds the tokens of seats and secrets of deals."""
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch(mode=0o600)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
        try:
            self._db.execute("PRAGMA journal_mode = WAL")  # a commit costs no waiting for the disk ...
            self._db.execute("PRAGMA synchronous = NORMAL")  # ... and survives the end of the process all the same
            self._db.execute("PRAGMA trusted_schema = OFF")  # the file may be somebody else's
            self._db.executescript(_TABLES)
            self._add_secrets()
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{self.path} is not a file of results: {error}") from error

    def _add_secrets(self) -> None:
        """Give a file of an earlier version the column of secrets: its sessions have none."""
        columns = [name for _, name, *_ in self._db.execute("PRAGMA table_info(session)")]
        if "secret" not in columns:
            self._db.execute("ALTER TABLE session ADD COLUMN secret TEXT NOT NULL DEFAULT ''")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def add_session(self, plan: Plan, tokens: Sequence[str | None]) -> int:
        """Write a new session; return its id."""
        row = (
            _now(), 1, plan.env, json.dumps(dict(plan.settings)), json.dumps([asdict(place) for place in plan.places]),
            json.dumps(list(tokens)), plan.seed, plan.block, plan.secret.hex(),
        )  # fmt: skip
        with self._lock:
            names = "started, is_open, env, settings, places, tokens, seed, block, secret"
            added = self._db.execute(f"INSERT INTO session ({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            assert added.lastrowid is not None
            return added.lastrowid

    def close_session(self, session: int) -> None:
        """Note that a session is ended."""
        self._write("UPDATE session SET is_open = 0 WHERE id = ?", session)

    def add_hand(self, session: int, hand: int) -> None:
        """Note that a hand is dealt."""
        self._write("INSERT OR IGNORE INTO hand (session, number, started) VALUES (?, ?, ?)", session, hand, _now())

    def add_decision(self, session: int, hand: int, number: int, action: int, is_forfeit: bool = False) -> None:
        """Note a decision."""
        self._write("INSERT INTO decision VALUES (?, ?, ?, ?, ?)", session, hand, number, action, int(is_forfeit))

    def end_hand(self, session: int, hand: int, payoffs: Sequence[int]) -> None:
        """Note that a hand is over, and what each place won."""
        words = json.dumps(list(payoffs))
        self._write("UPDATE hand SET payoffs = ? WHERE session = ? AND number = ?", words, session, hand)

    def sessions(self) -> list[StoredSession]:
        """Return all sessions, the oldest first."""
        names = "id, started, is_open, env, settings, places, tokens, seed, block, secret"
        rows = self._read(f"SELECT {names} FROM session ORDER BY id")
        return [
            StoredSession(
                id=number,
                started=started,
                is_open=bool(is_open),
                plan=Plan(env, json.loads(settings), _places(places), seed, block, bytes.fromhex(secret)),
                tokens=tuple(json.loads(tokens)),
            )
            for number, started, is_open, env, settings, places, tokens, seed, block, secret in rows
        ]

    def hands(self, session: int, first: int = 0) -> list[StoredHand]:
        """Return the hands of a session in order, from number `first` on; the last may be unfinished."""
        actions: dict[int, list[int]] = {}
        asked = "SELECT hand, action FROM decision WHERE session = ? AND hand >= ? ORDER BY hand, number"
        for hand, action in self._read(asked, session, first):
            actions.setdefault(hand, []).append(action)
        asked = "SELECT number, payoffs FROM hand WHERE session = ? AND number >= ? ORDER BY number"
        return [
            StoredHand(number, tuple(actions.get(number, ())), payoffs and tuple(json.loads(payoffs)))
            for number, payoffs in self._read(asked, session, first)
        ]

    def _write(self, statement: str, *values: int | str) -> None:
        with self._lock:
            self._db.execute(statement, values)

    def _read(self, statement: str, *values: int) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(statement, values).fetchall()


def _places(words: str) -> tuple[Place, ...]:
    return tuple(Place(place["name"], place["agent"]) for place in json.loads(words))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
