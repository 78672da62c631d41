"""Checks of SQLite files that somebody else may have written: SQLite keeps any value in a column of any type."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from card_envs.damaged_files import DamagedFileError

_TYPES = {"INTEGER": ("integer",), "TEXT": ("text",), "REAL": ("real", "integer"), "BLOB": ("blob",)}
"""Declared type -> results of SQL's `typeof` for its values."""


READ_ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)
"""Errors of statements on a damaged file; `sqlite3` raises the second for a message that quotes bytes of a schema."""


def file_uri(path: Path, writes: bool) -> str:
    """Return the address of a file for `sqlite3.connect(..., uri=True)`.

    A file in a folder without write permission has no log beside it unless somebody writes it, and is then read as one
    that does not change: SQLite would make a log in order to read.
    """
    address = path.resolve().as_uri()
    if writes:
        return f"{address}?mode=rwc"
    has_log = path.with_name(f"{path.name}-wal").exists()
    is_fixed = not has_log and not os.access(path.resolve().parent, os.W_OK)
    return f"{address}?mode=ro{'&immutable=1' if is_fixed else ''}"


_Tables = dict[str, list[tuple[Any, ...]]]
"""Name of a table -> its columns, as SQLite describes them."""


def _list_tables(database: sqlite3.Connection) -> _Tables:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    names = [name for (name,) in database.execute(query).fetchall()]
    return {name: database.execute("SELECT * FROM pragma_table_info(?)", (name,)).fetchall() for name in names}


def _list_expected_tables(schema: str) -> _Tables:
    with closing(sqlite3.connect(":memory:")) as example:
        example.executescript(schema)
        return _list_tables(example)


def require_no_other_tables(database: sqlite3.Connection, schema: str, path: object) -> None:
    """Raise a DamagedFileError if a file has a table that `schema` does not make: it is another program's."""
    expected = _list_expected_tables(schema)
    for name, columns in _list_tables(database).items():
        if expected.get(name) != columns:
            raise DamagedFileError(f"{path}: table {name!r} is not one that this version writes")


def check_tables(database: sqlite3.Connection, schema: str, conditions: Mapping[str, str], path: object) -> None:
    """Raise a DamagedFileError, naming table and row, unless a file has the tables of a schema and values that fit.

    Args:
        database: The open file.
        schema: SQL that makes the tables.
        conditions: Table -> further condition in SQL that holds in all rows.
        path: Name of the file, for messages.
    """
    found = _list_tables(database)
    for name, columns in _list_expected_tables(schema).items():
        if found.get(name) != columns:
            raise DamagedFileError(f"{path}: table {name} has other columns than this version writes")
        if rows := database.execute(f"PRAGMA foreign_key_check({name})").fetchall():
            raise DamagedFileError(f"{path} is damaged: row {rows[0][1]} of {name} refers to nothing in {rows[0][2]}")
        fits = [_fits(column, kind, is_required or is_key) for _, column, kind, is_required, _, is_key in columns]
        condition = " AND ".join([*fits, conditions.get(name, "1")])
        if wrong := database.execute(f"SELECT rowid FROM {name} WHERE NOT ({condition}) LIMIT 1").fetchone():
            raise DamagedFileError(f"{path} is damaged: row {wrong[0]} of {name} has values that do not belong there")


def _fits(column: str, declared: str, is_required: bool) -> str:
    """Return the condition in SQL that a value has the declared type of its column."""
    types = [*_TYPES[declared], *([] if is_required else ["null"])]
    return f"typeof({column}) IN ({', '.join(repr(each) for each in types)})"
