"""The cache of compiled kernels on disk.

A file holds one kernel for one set of argument types, so that processes that compile at the same time do not interfere.
Files are written atomically. They contain a checksum and the key of the kernel; a file that does not match is compiled
again. A full disk or a deleted folder costs time, but raises no error.

The key is made from the content of a kernel: its code, the code of the kernels that it calls, and the values of the
constants in them. Edits elsewhere in the package do not cause another compilation.

Numba's own cache is not used. Its key is the source file of the decorated function only, so that after an edit of a
function that a kernel *calls*, the old code keeps running. Its index and data files can contradict each other, and an
error while writing ends the program.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numba.core import caching, compiler, dispatcher, serialize

from card_envs.files import replace_file
from card_envs.kernel_cache.folder import SUFFIX

_LOGGER = logging.getLogger(__name__.partition(".")[0])
_FORMAT = b"numba kernel 5\n"
_DIGEST_BYTES = 32
_is_failure_reported = False


class KernelCache(caching._Cache):  # type: ignore[misc]  # Numba's types are partial
    """The compiled versions of one kernel, one file for each set of argument types.

    The folder is made again if it has been deleted. Whether a kernel releases the interpreter lock is the only option
    in which kernels differ.
    """

    def __init__(self, function: Callable[..., Any], folder: Path, releases_gil: bool) -> None:
        self._function = function
        self._releases_gil = releases_gil
        self._folder = folder
        self._stem = stem_of(function)
        self._is_enabled = True

    @property
    def cache_path(self) -> str:
        """The folder, for Numba."""
        return str(self._folder)

    def enable(self) -> None:
        """Read and write files again."""
        self._is_enabled = True

    def disable(self) -> None:
        """Neither read nor write until `enable`."""
        self._is_enabled = False

    def flush(self) -> None:
        """Delete all files of this kernel."""
        with contextlib.suppress(OSError):
            for path in self._folder.glob(f"{self._stem}-*{SUFFIX}"):
                path.unlink()

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature; None if there is no valid file for it."""
        if not self._is_enabled:
            return None
        target_context.refresh()  # as in Numba: the kernel may call functions that other packages have registered since
        key = self._key(signature, target_context.codegen())
        content = read_file(path_of(self._folder, self._stem, key))
        if content is None:
            return None
        stored_key, stored_signature, reduced = pickle.loads(content)
        if (stored_key, stored_signature) != (key, signature):
            return None
        return compiler.CompileResult._rebuild(target_context, *reduced)

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write a compiled kernel; the first failure is logged."""
        if not self._is_enabled or not result.library._object_caching_enabled:  # helpers have no machine code
            return
        if result.lifted or result.library.has_dynamic_globals:
            _LOGGER.warning(
                "%s is compiled by every process: it has a pointer, or an array of over a megabyte, as a constant",
                self._stem,
            )
            return
        key = self._key(signature, result.library.codegen)
        write_file(path_of(self._folder, self._stem, key), serialize.dumps((key, signature, result._reduce())))

    def _key(self, signature: Any, codegen: Any) -> str:
        """Return a text with everything that the machine code depends on beyond the name of the folder.

        Numba's names of types contain all details, such as the fields of a record with their types and offsets.
        """
        return key_of(self._function, repr(signature), f"nogil {self._releases_gil}", repr(codegen.magic_tuple()))


def stem_of(function: Callable[..., Any]) -> str:
    """Return the beginning of the names of a function's files."""
    return re.sub(r"[^\w.]+", "_", title_of(function))[-100:]


def path_of(folder: Path, stem: str, key: str) -> Path:
    """Return the file with a key."""
    return folder / f"{stem}-{hashlib.sha256(key.encode()).hexdigest()[:24]}{SUFFIX}"


def key_of(function: Callable[..., Any], *options: str) -> str:
    """Return a text with everything that the code of a function depends on beyond the name of the folder."""
    callees = (f"{title_of(each)} {_content_of(each)}" for each in _find_callees(function))
    return "\n".join([title_of(function), *options, *sorted(callees)])


def _find_callees(function: Callable[..., Any]) -> set[Callable[..., Any]]:
    """Return a kernel and all compiled functions that it calls, directly or indirectly, as plain Python."""
    found, waiting = {function}, [function]
    while waiting:
        for value in _iterate_globals(waiting.pop()):
            if isinstance(value, dispatcher.Dispatcher) and value.py_func not in found:
                found.add(value.py_func)
                waiting.append(value.py_func)
    return found


@cache
def _content_of(function: Callable[..., Any]) -> str:
    """Return a hash of what Numba compiles into a function: its code and the values of its global names.

    Global numbers and arrays become constants of the machine code, so their values are hashed. For a class (such as an
    enumeration) and for a function that is not compiled, the source file is hashed too.
    """
    digest = hashlib.sha256(_code_content(function.__code__))
    digest.update(serialize.dumps(function.__defaults__))
    for value in _iterate_globals(function):
        if isinstance(value, ModuleType) or value is None:
            continue  # the attributes of modules follow
        if isinstance(value, dispatcher.Dispatcher):  # hashed separately; its identity matters here
            digest.update(f"{title_of(value.py_func)} {_code_content(value.py_func.__code__)!r}".encode())
        elif isinstance(value, np.ndarray):
            digest.update(f"{value.dtype} {value.shape}".encode() + np.ascontiguousarray(value).tobytes())
        elif callable(value):
            digest.update(_name_and_source(value).encode())
        else:
            digest.update(_try_pickle(value))
    return digest.hexdigest()


def title_of(function: Callable[..., Any]) -> str:
    """Return the module and the name of a function."""
    return f"{function.__module__}.{function.__qualname__}"


def _try_pickle(value: Any) -> bytes:
    try:
        return bytes(serialize.dumps(value))
    except Exception:  # a lock or an open file, which is no constant: an attribute has the same name
        return type(value).__qualname__.encode()


def _code_content(code: CodeType) -> bytes:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    constants = [
        sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant
        for constant in code.co_consts
        if not isinstance(constant, CodeType)
    ]
    own = code.co_code + repr((constants, code.co_names, code.co_varnames)).encode()
    return b"".join([own, *map(_code_content, inner)])


def _name_and_source(value: Any) -> str:
    """Return the name of a class or a plain function and a hash of its file.

    For objects of Python, NumPy and Numba the name suffices, because the folder is named after their versions.
    """
    module = str(getattr(value, "__module__", ""))
    name = f"{module}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    if module.partition(".")[0] in {"", "builtins", "math", "numpy", "numba"}:
        return name
    return f"{name} {_file_hash(str(getattr(sys.modules.get(module), '__file__', '')))}"


def _iterate_globals(function: Callable[..., Any]) -> Iterator[Any]:
    """Yield the values of the global names in a function, and the attributes of modules among them."""
    names = sorted(_names(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        yield value
        if isinstance(value, ModuleType):
            yield from (vars(value).get(attribute) for attribute in names)
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # an empty cell
            yield cell.cell_contents


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))  # comprehensions, for instance
    return set(code.co_names).union(*map(_names, inner))


@cache
def _file_hash(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:  # a function that was typed interactively
        return ""


def read_file(path: Path) -> bytes | None:
    """Return the content of a file of `write_file`; None if it is missing, unreadable or damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    start = len(_FORMAT) + _DIGEST_BYTES
    digest, content = data[len(_FORMAT) : start], data[start:]
    is_valid = data.startswith(_FORMAT) and hashlib.sha256(content).digest() == digest
    return content if is_valid else None


def write_file(path: Path, content: bytes) -> None:
    """Write content for `read_file` atomically; the first failure is logged."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)  # it may have been deleted
        with replace_file(path, survives_power_loss=False) as temporary:  # a damaged file is compiled again
            temporary.write_bytes(_FORMAT + hashlib.sha256(content).digest() + content)
    except OSError as error:
        _report_failure(path.parent, error)


def _report_failure(folder: Path, error: OSError) -> None:
    """Log once per process that kernels cannot be cached; not a warning, which may be made an error."""
    global _is_failure_reported
    if not _is_failure_reported:
        _is_failure_reported = True
        reason = error.strerror or error
        _LOGGER.warning(
            "compiled kernels cannot be cached in %s (%s): results are the same, but later runs compile again; "
            "free some space there or set NUMBA_CACHE_DIR to another folder",
            folder,
            reason,
        )
