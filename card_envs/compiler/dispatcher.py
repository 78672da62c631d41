"""The dispatcher of kernels: Numba's own with a cache, helpers that are linked late, and unique symbols.

The classes here derive from private classes of Numba. `pyproject.toml` names the versions that they fit, and `jit`
falls back to `numba.njit` where this module cannot be imported.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numba.core import codegen, compiler, dispatcher, registry, sigutils
from numba.core.compiler_lock import global_compiler_lock

from card_envs.compiler.cache_folder import cache_folder
from card_envs.compiler.kernel_cache import KernelCache
from card_envs.compiler.progress import progress


class Kernel(registry.CPUDispatcher):  # type: ignore[misc]  # Numba's types are partial
    """A compiled function, as `numba.njit` makes it, with a cache, symbols and progress messages of its own."""

    def __init__(
        self,
        py_func: Callable[..., Any],
        locals: dict[str, Any] | None = None,
        targetoptions: dict[str, Any] | None = None,
        pipeline_class: type = compiler.Compiler,
    ) -> None:  # Numba calls this by name where a kernel is unpickled
        super().__init__(py_func, locals or {}, targetoptions, pipeline_class)  # Numba 0.61 takes no None
        self._compiler = _KernelCompiler(
            py_func, self.targetdescr, self.targetoptions, self.locals, pipeline_class
        )  # fmt: skip
        self._helper_types: set[tuple[Any, ...]] = set()  # argument types for which only other kernels can call it

    def compile(self, sig: Any) -> Any:
        """Return the version for a signature; one that only kernels can call becomes one that Python can call too."""
        with global_compiler_lock:
            types = tuple(sigutils.normalize_signature(sig)[0])
            if progress.depth == 0 and types in self._helper_types:
                self._helper_types.remove(types)
                del self.overloads[types]
            return super().compile(sig)

    def add_overload(self, result: Any) -> None:
        """Add a compiled version, and offer it to Python unless it is a helper's."""
        if not isinstance(result.library, _HelperLibrary):
            super().add_overload(result)
            return
        types = tuple(result.signature.args)
        self._helper_types.add(types)
        self.overloads[types] = result

    def enable_caching(self) -> None:
        """Keep compiled versions on disk, where the function stands in a file and a folder can be written."""
        folder = cache_folder(self.py_func.__module__.partition(".")[0])
        if folder is not None and Path(self.py_func.__code__.co_filename).is_file():
            self._cache = KernelCache(self.py_func, folder, self.targetoptions["nogil"])


class _KernelCompiler(dispatcher._FunctionCompiler):  # type: ignore[misc, name-defined]  # Numba's types are partial
    """Numba's compiler of one function, called when nothing compiled was found, under Numba's global lock."""

    def compile(self, args: Any, return_type: Any) -> Any:
        """Return the function compiled for argument types; kernels that it calls are compiled inside this call."""
        with progress.report_function(), _use_unique_symbols(self.targetdescr.target_context):
            return super().compile(args, return_type)

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        """Compile in full what Python called, and as a `_HelperLibrary` what that calls."""
        context, is_helper = self.targetdescr.target_context, progress.depth > 1
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        library = (_HelperLibrary if is_helper else _KernelLibrary)(context.codegen(), self.py_func.__qualname__)
        if is_helper:
            flags.no_compile = flags.no_cpython_wrapper = True
        else:
            library.enable_object_caching()
        result = compiler.compile_extra(
            self.targetdescr.typing_context, context, self.py_func, args, return_type, flags, self.locals, library,
            self.pipeline_class,
        )  # fmt: skip
        if is_helper:
            result = result._replace(entry_point=object())  # a name under which Numba finds it
            context.insert_user_function(result.entry_point, result.fndesc, [library])
        return result


# --- helpers --------------------------------------------------------------------------------------------------------


class _HelperLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]  # Numba's types are partial
    """The code of a kernel that only other kernels call: neither optimised nor made into machine code, nor kept.

    Both happens in the kernel that Python calls, to all that it calls at once. Numba does both to every function, each
    time with all that it calls: in a chain of ten functions the last one ten times. That was half of the time that
    compiling a game took.
    """

    def finalize(self) -> None:
        """Leave the code as it is; callers link it."""
        self._finalized = True


class _KernelLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]  # Numba's types are partial
    """The code of a kernel that Python calls, with that of all helpers below it."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        """Link the helpers, then optimise all and make it machine code."""
        self._linking_libraries = _sort_callers_first(self._linking_libraries)
        super().finalize()

    def _verify_declare_only_symbols(self) -> None:
        """Raise RuntimeError for functions that are called and were not linked: the process would jump anywhere."""
        missing = [function.name for function in self._final_module.functions if _is_missing(function)]
        if missing:
            raise RuntimeError(f"{self.name}: functions are called and were not linked: {', '.join(missing)}")


def _sort_callers_first(libraries: Sequence[Any]) -> list[Any]:
    """Return libraries and those that helpers among them link, once each, each before all that it calls.

    LLVM links of a library what is called by those that it linked before, and drops the rest.
    """
    found: list[Any] = []
    seen = set()

    def visit(library: Any) -> None:
        if library in seen:
            return
        seen.add(library)
        if isinstance(library, _HelperLibrary):
            for called in library._linking_libraries:
                visit(called)
        found.append(library)

    for library in libraries:
        visit(library)
    return found[::-1]


def _is_missing(function: Any) -> bool:
    return bool(function.is_declaration) and str(function.name).startswith("_Z")  # not those of C


# --- symbols --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TaggedMangler:
    """Numba's names for machine code, each with a tag at the end."""

    plain: Callable[..., str]
    tag: str

    def __call__(self, name: str, types: Sequence[Any], *, abi_tags: Sequence[str] = (), uid: int | None = None) -> str:
        return self.plain(name, types, abi_tags=(*abi_tags, self.tag), uid=uid)


@contextlib.contextmanager
def _use_unique_symbols(context: Any) -> Iterator[None]:
    """Give all machine code that is made meanwhile names that no other compilation, in any process, gives.

    Numba tells functions of one name apart by counters: each function has a number, and a record type stands in the
    name of a function not with its fields but with the number that it got when the process first met it
    (`numba.types.Record.mangling_args`). Such names are unique in one process only. Compiled code keeps its names on
    disk, though: two processes that play tables of different sizes can give `step_rows` for one record and `step_rows`
    for another the same name, and a process that loads both gets the code of one of them for both. It then reads the
    fields of a table where there are none (`tests/compiler/test_numba.py` shows it with plain Numba).

    So names get a random tag, drawn anew for every compilation (not every process: forked ones would share it).
    Everything that is compiled inside shares it, as functions that call each other must agree on their names. Unlike
    a hash of the record's fields it also keeps apart what Numba numbers for other reasons: functions that a factory
    makes, Numba's own helpers, records inside of other types. Other people's functions are named as ever: the tag is
    there only while Numba's lock is held for a kernel.
    """
    plain, replaced = context.mangler, vars(context).get("mangler")
    if isinstance(plain, _TaggedMangler):
        yield
        return
    context.mangler = _TaggedMangler(plain, secrets.token_hex(8))
    try:
        yield
    finally:
        del context.mangler  # the method of the class shows again
        if replaced is not None:
            context.mangler = replaced
