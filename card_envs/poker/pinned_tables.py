"""Files of lookup tables. The module that computes a table holds the hash of its file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

Tables = TypeVar("Tables", bound=NamedTuple)


def load_pinned(kind: type[Tables], file: Path, sha256: str, builder: str) -> Tables:
    """Return the tables in a file that `write_pinned` wrote; ValueError if their hash is not `sha256`.

    Args:
        kind: Named tuple with a field for each table.
        file: The file.
        sha256: Expected `fingerprint`.
        builder: Name of the module that computes the tables, for the message of the error.
    """
    with np.load(file, allow_pickle=False) as arrays:
        tables = kind(*(arrays[name] for name in kind._fields))
    if (found := fingerprint(tables)) != sha256:
        raise ValueError(
            f"{file} holds tables {found}, this version needs {sha256}: reinstall card-envs, "
            f"or after a change of the builder run `python -m {builder}` and update TABLE_SHA256"
        )
    return tables


def write_pinned(file: Path, tables: NamedTuple) -> None:
    """Write tables to a file, and print the line of source code with their hash."""
    np.savez_compressed(file, allow_pickle=False, **tables._asdict())
    print(f'TABLE_SHA256 = "{fingerprint(tables)}"')


def fingerprint(tables: NamedTuple) -> str:
    """Return the SHA-256 hash, in hexadecimal digits, of the names, dtypes, shapes and contents of tables."""
    digest = hashlib.sha256()
    for name, table in tables._asdict().items():
        digest.update(f"{name} {table.dtype.name} {table.shape}".encode())
        digest.update(table.astype(table.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
