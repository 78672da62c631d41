"""`kernel`: compile a function with Numba and cache it on disk, safely.

Numba's own cache key is the source file of the decorated function alone: an edit in a function that it *calls* goes
unnoticed and the old rules keep running. Here every cache folder is named after a hash of all sources of the package,
so any edit starts a fresh one. Where no folder can be written (read-only installation, no home), kernels are compiled
in memory and importing still works.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
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
from numba.core import event as numba_event

if sys.platform != "win32":
    import fcntl

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
    if folder is not None:
        _save_one_at_a_time(compiled, folder / "lock")
    return compiled


def _save_one_at_a_time(compiled: Any, lock: Path) -> None:
    """Let one process at a time file what it compiled.

    Numba reads its index, picks a free file name and writes both: two processes that compile one kernel for different
    tables at once would pick the same name, and later runs would load machine code for other types.
    """
    save = compiled._cache.save_overload

    def save_under_lock(signature: Any, result: Any) -> None:
        with _locked(lock):
            save(signature, result)

    compiled._cache.save_overload = save_under_lock


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path`; without effect on Windows, which has no such locks."""
    if sys.platform == "win32":
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)  # a newer version of the package may have deleted old caches
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file ends the lock


class _Announcement(numba_event.Listener):  # type: ignore[misc]  # Numba's types are partial
    """Logs one line when a process first compiles a kernel, which can take long; loading compiled ones is silent."""

    is_made = False

    def on_start(self, event: Any) -> None:
        """Say so, once."""
        module = str(getattr(event.data["dispatcher"].py_func, "__module__", ""))
        if self.is_made or not module.startswith(_PACKAGE.name):
            return
        self.is_made = True
        outlook = "kept for later runs" if cache_folder(_PACKAGE.name) else "not kept: no folder can be written"
        logging.getLogger(_PACKAGE.name).warning("card_envs compiles its kernels, some seconds a game (%s)", outlook)

    def on_end(self, event: Any) -> None:
        """Say nothing."""


def entry_point(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """Return a kernel compiled for arguments of exactly the types of `examples`, without Numba's choice among types.

    That choice costs more than a short kernel does. It is also what checks types: others than those of the examples
    crash, so this is for callers that make all arguments themselves.
    """
    if not COMPILED:
        return function
    compiled: Callable[..., Any] = function.compile(tuple(numba.typeof(example) for example in examples))  # type: ignore[attr-defined]
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


if COMPILED:
    numba_event.register("numba:compile", _Announcement())
