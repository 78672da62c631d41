"""`kernel`: compile a function with Numba and cache it on disk, safely.

Numba's own cache key is the source file of the decorated function alone: an edit in a function that it *calls* goes
unnoticed and the old rules keep running. Here every cache folder is named after a hash of all sources of the package,
so any edit starts a fresh one. Where no folder can be written (read-only installation, no home), kernels are compiled
in memory and importing still works.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import config as numba_config

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = not numba_config.DISABLE_JIT
"""False under NUMBA_DISABLE_JIT=1, when kernels are plain Python functions."""

_PACKAGE = Path(__file__).resolve().parent
_KEPT_CACHES = 4  # enough for two checkouts and their bounds-checked builds; older ones are deleted


def kernel(function: Function) -> Function:
    """Return `function` compiled without the interpreter lock and without exceptions on division by zero.

    Kernels take record arrays (or records) and numbers, check nothing and never raise; the Python layer above
    validates. With NUMBA_DISABLE_JIT=1 the same source runs as plain Python.
    """
    if not COMPILED:
        return np.errstate(over="ignore")(function)  # random streams wrap around modulo 2**64, compiled or not
    folder = cache_folder(function.__module__.partition(".")[0])
    with _numba_cache_dir(folder):
        compiled: Function = numba.njit(
            cache=folder is not None,
            error_model="numpy",
            nogil=True,
            no_cfunc_wrapper=True,  # nobody calls kernels from C, and each wrapper costs compile time
        )(function)
    return compiled


@cache
def cache_folder(root_package: str) -> Path | None:
    """Return the writable folder for compiled kernels of `root_package`, or None where there is none."""
    name = f"kernels-{_fingerprint(root_package)}"
    for base in _candidate_folders():
        folder = base / name
        if _is_writable(folder):
            _delete_old_caches(base, keep=folder)
            return folder
    return None


def _candidate_folders() -> Iterator[Path]:
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"])
    yield _PACKAGE / "__pycache__"
    with contextlib.suppress(RuntimeError):  # raised by home() where the system knows no home folder
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "card_envs"


def _fingerprint(root_package: str) -> str:
    """Return a hash of everything that the machine code of a package depends on and that Numba does not look at."""
    digest = hashlib.sha256()
    digest.update(f"{sys.version} {numba.__version__} {np.__version__} {numba_config.BOUNDSCHECK}".encode())
    roots = {_PACKAGE}
    module = sys.modules.get(root_package)
    if module is not None and getattr(module, "__file__", None):
        roots.add(Path(str(module.__file__)).resolve().parent)
    for root in sorted(roots):
        for path in sorted(root.rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _delete_old_caches(base: Path, keep: Path) -> None:
    with contextlib.suppress(OSError):
        caches = sorted(base.glob("kernels-*"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in caches[_KEPT_CACHES:]:
            if path != keep:
                shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _numba_cache_dir(folder: Path | None) -> Iterator[None]:
    """Point Numba's cache at `folder` while a function is being decorated; other packages keep theirs."""
    before = numba_config.CACHE_DIR
    if folder is not None:
        numba_config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba_config.CACHE_DIR = before
