"""Damaged copies of files: random changes of bytes, of JSON and of the rows of SQLite."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

ODD_VALUES = (
    None, True, -1, 0, 1, 3, 999_999_999, 2**31, 2**63, 2**70, -(2**63), 0.5, -1e308, 1e308, "", "x", "0", "../x", [],
    [1], [None], {}, {"a": 1}, [[]],
)  # fmt: skip
"""Values in place of those of a JSON file."""
_ODD_CELLS = (
    None, -1, 0, 1, 2, 7, 2**31, 2**62, 0.5, -1e300, 1e300, "", "x", "1", "[]", "{}", "null", "[1, 2]", b"", b"\xff",
)  # fmt: skip
"""Values in place of those in SQLite."""


def damage_bytes(content: bytes, rng: random.Random) -> bytes:
    """Return bytes of which some are changed, cut off, doubled or inserted."""
    found, kind = bytearray(content), rng.randrange(4)
    place = rng.randrange(max(1, len(found)))
    if kind == 0:
        for _ in range(rng.choice((1, 3, 40))):
            if found:
                found[rng.randrange(len(found))] = rng.randrange(256)
    elif kind == 1:
        del found[place:]
    elif kind == 2:
        found[place:place] = found[place : place + rng.randrange(1, 100)]
    else:
        found[place:place] = rng.randbytes(rng.randrange(1, 30))
    return bytes(found)


def damage_json(value: Any, rng: random.Random) -> Any:
    """Return a copy of JSON in which one entry, at any depth, is replaced, removed, renamed or moved."""
    whole = [copy.deepcopy(value)]
    places: list[tuple[Any, Any]] = []

    def visit(container: Any, key: Any) -> None:
        places.append((container, key))
        child = container[key]
        for inner in range(len(child)) if isinstance(child, list) else child if isinstance(child, dict) else ():
            visit(child, inner)

    visit(whole, 0)
    container, key = rng.choice(places)
    kind = rng.randrange(5)
    if kind == 0 and container is not whole:
        del container[key]
    elif kind == 1 and isinstance(container, dict):
        container["other"] = container.pop(key)
    elif kind == 2:
        other, place = rng.choice(places)
        container[key] = copy.deepcopy(other[place])
    else:
        container[key] = rng.choice(ODD_VALUES)
    return whole[0]


def damage_json_text(text: str, rng: random.Random) -> str:
    """Return the text of a JSON file with damage to its entries, or sometimes to its bytes."""
    if rng.random() < 0.2:
        return damage_bytes(text.encode(), rng).decode("latin-1")
    return json.dumps(damage_json(json.loads(text), rng))


def open_sqlite(path: Path) -> sqlite3.Connection:
    """Open a file of SQLite without its triggers, which refuse changes."""
    database = sqlite3.connect(path)
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        database.execute(f"DROP TRIGGER {name}")
    return database


def damage_sqlite(path: Path, rng: random.Random) -> None:
    """Change one value, row or column of a file of SQLite, or some of its bytes."""
    if rng.random() < 0.15:
        path.write_bytes(damage_bytes(path.read_bytes(), rng))
        return
    database = open_sqlite(path)
    tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    counted = [(name, database.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for (name,) in sorted(tables)]
    table, count = rng.choice([(name, count) for name, count in counted if count])
    columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    column, row = rng.choice(columns), rng.randrange(count)
    where = f"rowid = (SELECT rowid FROM {table} LIMIT 1 OFFSET {row})"
    kind = rng.randrange(12)
    if kind == 0:
        _try(lambda: database.execute(f"DELETE FROM {table} WHERE {where}"))
    elif kind == 1:
        _try(lambda: database.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO other"))
    elif kind == 2:
        database.execute(f"PRAGMA user_version = {rng.randrange(9)}")
    else:
        (before,) = database.execute(f"SELECT {column} FROM {table} WHERE {where}").fetchone()
        value: Any = rng.choice(_ODD_CELLS)
        if isinstance(before, str) and rng.random() < 0.7:
            try:
                value = json.dumps(damage_json(json.loads(before), rng))
            except ValueError:
                value = before[::-1]
        elif isinstance(before, bytes) and before and rng.random() < 0.7:
            value = damage_bytes(before, rng)
        _try(lambda: database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,)))
    database.commit()
    database.close()


def _try(change: Callable[[], object]) -> None:
    """Make a change that the file may refuse: then the copy is not damaged, which is a case too."""
    with contextlib.suppress(sqlite3.DatabaseError):
        change()
