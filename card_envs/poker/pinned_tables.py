"""Files of lookup tables. The module that loads a table holds the hash of its file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

Tables = TypeVar("Tables", bound=NamedTuple)


def load_pinned(kind: type[Tables], file: Path, sha256: str) -> Tables:
    """Return the tables in a file as a named tuple of a kind; ValueError unless their `fingerprint` is `sha256`."""
    with np.load(file, allow_pickle=False) as arrays:
        tables = kind(*(arrays[name] for name in kind._fields))
    if (found := fingerprint(tables)) != sha256:
        raise ValueError(
            f"{file} holds tables {found}, this version needs {sha256}: reinstall card-envs, "
            "or after a change of the builder run `python -m tests.helpers.poker_tables` and update TABLE_SHA256"
        )
    return tables


def fingerprint(tables: NamedTuple) -> str:
    """Return the SHA-256 hash, in hexadecimal digits, of the names, dtypes, shapes and contents of tables."""
    digest = hashlib.sha256()
    for name, table in tables._asdict().items():
        digest.update(f"{name} {table.dtype.name} {table.shape}".encode())
        digest.update(table.astype(table.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
