"""Look-up tables that ship as a file: pinned by a hash that stands in the source of the module that computes them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

Tables = TypeVar("Tables", bound=NamedTuple)


def load_pinned(kind: type[Tables], file: Path, sha256: str, builder: str) -> Tables:
    """Return the tables of `write_pinned`; ValueError, which names the module that builds them, if they changed."""
    with np.load(file, allow_pickle=False) as arrays:
        tables = kind(*(arrays[name] for name in kind._fields))
    if (found := fingerprint(tables)) != sha256:
        raise ValueError(
            f"{file} holds tables {found}, this version needs {sha256}: reinstall card-envs, "
            f"or after a change of the builder run `python -m {builder}` and update TABLE_SHA256"
        )
    return tables


def write_pinned(file: Path, tables: NamedTuple) -> None:
    """Write the tables, and print the line of source that pins them."""
    np.savez_compressed(file, allow_pickle=False, **tables._asdict())
    print(f'TABLE_SHA256 = "{fingerprint(tables)}"')


def fingerprint(tables: NamedTuple) -> str:
    """Return the SHA-256 of names, types, shapes and contents of the tables, as hexadecimal digits."""
    digest = hashlib.sha256()
    for name, table in tables._asdict().items():
        digest.update(f"{name} {table.dtype.name} {table.shape}".encode())
        digest.update(table.astype(table.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
