"""The folder of compiled kernels: the first of several candidates that is writable or holds kernels.

All virtual environments and checkouts of a user share one folder: files are named after all that their code depends on.
A read-only folder, as in the image of a container, is read; kernels that it lacks are compiled in memory, and so are
all of them if there is no candidate (no home folder, read-only installation, full disk).
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

SUFFIX = ".nbc"
"""Suffix of the files of kernels."""
_PACKAGE = Path(__file__).resolve().parents[1]
_MAX_FOLDERS = 8
"""Maximum number of folders per package, one for each combination of versions. Older ones are deleted."""
_MAX_FILES = 6000
"""Maximum number of files per folder; a package of some hundred kernels needs a few hundred."""


@cache
def cache_folder(root_package: str) -> Path | None:
    """Return the folder for the compiled kernels of a package, writable or filled, or None if there is none.

    The folder is named after the versions of the compiler. The oldest such folders are deleted, unless they are in a
    folder that the user named.

    Args:
        root_package: Name of the package.
    """
    prefix = f"kernels-{re.sub(r'[^A-Za-z0-9_]', '_', root_package)}-"
    for base, is_own in _candidate_folders():
        folder = base / f"{prefix}{_versions_hash()}"
        if is_writable(folder):
            if is_own:
                _delete_old_folders(base, prefix, keep=folder)
                _delete_old_files(folder)
            return folder
        if _holds_kernels(folder):
            return folder
    return None


def _candidate_folders() -> Iterator[tuple[Path, bool]]:
    """Yield the candidates, each with True if only this package uses it, in the order in which they are tried."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"]), False
    with contextlib.suppress(RuntimeError):  # raised by home() if there is no home folder
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / _PACKAGE.name, True
    yield _PACKAGE / "__pycache__", True


def _versions_hash() -> str:
    """Return a hash of what machine code depends on besides its source and the processor."""
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__, numba_config.BOUNDSCHECK)
    return hashlib.sha256(repr(versions).encode()).hexdigest()[:16]


def is_writable(folder: Path) -> bool:
    """Return True if files can be written to a folder, which is made if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)  # marks it as used: the least recently used is deleted first
    except OSError:
        return False
    return True


def _holds_kernels(folder: Path) -> bool:
    try:
        return any(folder.glob(f"*{SUFFIX}"))
    except OSError:
        return False


def _delete_old_folders(base: Path, prefix: str, keep: Path) -> None:
    """Delete all but the most recently used folders of a package."""
    pattern = re.compile(rf"{prefix}[0-9a-f]{{16}}")
    with contextlib.suppress(OSError):
        folders = [path for path in base.iterdir() if pattern.fullmatch(path.name)]
        folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in folders[_MAX_FOLDERS:]:
            if path != keep:
                shutil.rmtree(path, ignore_errors=True)


def _delete_old_files(folder: Path) -> None:
    """Delete the least recently used kernels if there are too many."""
    with contextlib.suppress(OSError):
        files = list(folder.glob(f"*{SUFFIX}"))
        if len(files) > _MAX_FILES:
            files.sort(key=lambda path: path.stat().st_mtime)
            for path in files[: len(files) - _MAX_FILES // 2]:
                path.unlink(missing_ok=True)
