"""The folder in which compiled kernels are kept: the first of several candidates that can be written.

Where none can (read-only installation, no home, full disk), kernels are compiled in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba import config as numba_config

_PACKAGE = Path(__file__).resolve().parents[1]
_KEPT_FOLDERS = 4  # of one package: enough for two checkouts and their bounds-checked builds; older ones are deleted
_MOST_FILES = 6000  # of one folder; all games at all sizes are a few hundred


@cache
def cache_folder(root_package: str) -> Path | None:
    """Return the writable folder for compiled kernels of `root_package`, or None where there is none.

    It is named after the versions of what compiles. In folders that belong to this package the oldest of them are
    deleted; in one that the user names, nothing is.
    """
    prefix = f"kernels-{re.sub(r'[^A-Za-z0-9_]', '_', root_package)}-"
    for base, is_ours in _candidate_folders():
        folder = base / f"{prefix}{_versions_hash()}"
        if _is_writable(folder):
            if is_ours:
                _delete_old_folders(base, prefix, keep=folder)
                _delete_old_files(folder)
            return folder
    return None


def _candidate_folders() -> Iterator[tuple[Path, bool]]:
    """Yield folders in the order in which they are tried, each with whether it is this package's alone."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"]), False
    yield _PACKAGE / "__pycache__", True
    with contextlib.suppress(RuntimeError):  # raised by home() where the system knows no home folder
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "card_envs", True


def _versions_hash() -> str:
    """Return a hash of all that machine code depends on besides what is compiled and the processor."""
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__, numba_config.BOUNDSCHECK)
    return hashlib.sha256(repr(versions).encode()).hexdigest()[:16]


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)  # marks it as used, so that it is not the first to be deleted
    except OSError:
        return False
    return True


def _delete_old_folders(base: Path, prefix: str, keep: Path) -> None:
    """Delete all but the last used folders of a package."""
    pattern = re.compile(rf"{prefix}[0-9a-f]{{16}}")
    with contextlib.suppress(OSError):
        folders = [path for path in base.iterdir() if pattern.fullmatch(path.name)]
        folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in folders[_KEPT_FOLDERS:]:
            if path != keep:
                shutil.rmtree(path, ignore_errors=True)


def _delete_old_files(folder: Path) -> None:
    """Keep the last used kernels alone where edits have left many behind."""
    with contextlib.suppress(OSError):
        files = list(folder.glob("*.nbc"))
        if len(files) > _MOST_FILES:
            files.sort(key=lambda path: path.stat().st_mtime)
            for path in files[: len(files) - _MOST_FILES // 2]:
                path.unlink(missing_ok=True)
