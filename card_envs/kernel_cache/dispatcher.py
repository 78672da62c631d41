"""Numba's dispatcher, extended by a cache on disk, late linking of helpers, and unique symbols.

The classes here derive from private classes of Numba. `pyproject.toml` lists the versions that they support, and `jit`
falls back to `numba.njit` if this module cannot be imported.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import codegen, compiler, dispatcher, errors, registry, sigutils
from numba.core.compiler_lock import global_compiler_lock

from card_envs.kernel_cache.files import KernelCache
from card_envs.kernel_cache.folder import cache_folder


class Kernel(registry.CPUDispatcher):  # type: ignore[misc]  # Numba's types are partial
    """A compiled function like those of `numba.njit`, with its own cache, symbols and progress messages."""

    def __init__(
        self,
        py_func: Callable[..., Any],
        locals: dict[str, Any] | None = None,
        targetoptions: dict[str, Any] | None = None,
        pipeline_class: type = compiler.Compiler,
    ) -> None:  # Numba passes these names when a kernel is unpickled
        super().__init__(py_func, locals or {}, targetoptions, pipeline_class)  # Numba 0.61 takes no None
        self._compiler = _KernelCompiler(
            py_func, self.targetdescr, self.targetoptions, self.locals, pipeline_class
        )  # fmt: skip
        self._helper_types: set[tuple[Any, ...]] = set()  # types for which only other kernels can call it

    def compile(self, sig: Any) -> Any:
        """Return the version for a signature; a version that only kernels can call is compiled again for Python."""
        from card_envs.kernel_cache.progress import progress  # not needed without the compiler

        with global_compiler_lock:
            types = tuple(sigutils.normalize_signature(sig)[0])
            if progress.depth == 0 and types in self._helper_types:
                self._helper_types.remove(types)
                del self.overloads[types]
            return super().compile(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Compile for the types of a call from Python; TypeError, naming all arguments, if that is not possible."""
        try:
            return super()._compile_for_args(*args, **kws)
        except errors.NumbaError as error:
            given = zip(inspect.signature(self.py_func).parameters, args, strict=False)
            raise TypeError(
                f"{self.py_func.__name__} cannot be compiled for "
                f"{', '.join(f'{name}: {_describe(value)}' for name, value in given)}: pass arrays of tables, records "
                "and whole numbers; the reason of Numba stands above"
            ) from error

    def add_overload(self, result: Any) -> None:
        """Add a compiled version; one of a helper cannot be called from Python."""
        if not isinstance(result.library, _HelperLibrary):
            super().add_overload(result)
            return
        types = tuple(result.signature.args)
        self._helper_types.add(types)
        self.overloads[types] = result

    def enable_caching(self) -> None:
        """Cache compiled versions on disk, if the function is defined in a file and there is a writable folder."""
        folder = cache_folder(self.py_func.__module__.partition(".")[0])
        if folder is not None and Path(self.py_func.__code__.co_filename).is_file():
            self._cache = KernelCache(self.py_func, folder, self.targetoptions["nogil"])


def _describe(value: Any) -> str:
    """Return an argument as a few words: the shape of an array, and what any other value is."""
    kind = type(value).__name__
    return f"{kind} of shape {value.shape}" if isinstance(value, np.ndarray) else f"{value!r:.60} ({kind})"


class _KernelCompiler(dispatcher._FunctionCompiler):  # type: ignore[misc, name-defined]  # Numba's types are partial
    """Numba's compiler of one function. Numba calls it, under its global lock, if no compiled version was found."""

    def compile(self, args: Any, return_type: Any) -> Any:
        """Return the function compiled for argument types; the kernels that it calls are compiled within this call."""
        from card_envs.kernel_cache.progress import progress

        with progress.report_function(), _use_unique_symbols(self.targetdescr.target_context), _pause_collector():
            return super().compile(args, return_type)

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        """Compile the function that Python called to machine code, and functions that it calls as `_HelperLibrary`."""
        from card_envs.kernel_cache.progress import progress

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
            result = result._replace(entry_point=object())  # Numba looks the function up under this object
            context.insert_user_function(result.entry_point, result.fndesc, [library])
        return result


@contextlib.contextmanager
def _pause_collector() -> Iterator[None]:
    """Disable the garbage collector inside the block: Numba makes millions of objects, most of which stay.

    Looking through them again and again takes a tenth of the time of compiling.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# --- helpers --------------------------------------------------------------------------------------------------------


class _HelperLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]  # Numba's types are partial
    """The code of a kernel that only other kernels call: not optimised, not compiled to machine code, not cached.

    It is optimised and compiled as a part of each kernel that Python calls. Numba would do that for every function
    together with all its callees: in a chain of ten functions, the last one ten times. That took half of the time of
    compiling.
    """

    def finalize(self) -> None:
        """Do not optimise the code: callers link it."""
        self._finalized = True


class _KernelLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]  # Numba's types are partial
    """The code of a kernel that Python calls, linked with all its helpers."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        """Link the helpers, optimise, and compile to machine code."""
        self._linking_libraries = _sort_callers_first(self._linking_libraries)
        super().finalize()

    def _verify_declare_only_symbols(self) -> None:
        """Raise RuntimeError for functions that are called but not linked: the process would crash."""
        declared = [str(function.name) for function in self._final_module.functions if function.is_declaration]
        missing = [name for name in declared if name.startswith("_Z")]  # not functions of C
        if missing:
            raise RuntimeError(f"{self.name}: functions are called but not linked: {', '.join(missing)}")


def _sort_callers_first(libraries: Sequence[Any]) -> list[Any]:
    """Return libraries and, recursively, those that their helpers link, once each, callers before callees.

    LLVM links only the functions of a library that earlier libraries call.
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


# --- symbols --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TaggedMangler:
    """Numba's mangler of symbol names, with a tag at the end of each name."""

    plain: Callable[..., str]
    tag: str

    def __call__(self, name: str, types: Sequence[Any], *, abi_tags: Sequence[str] = (), uid: int | None = None) -> str:
        return self.plain(name, types, abi_tags=(*abi_tags, self.tag), uid=uid)


@contextlib.contextmanager
def _use_unique_symbols(context: Any) -> Iterator[None]:
    """Give the symbols that are compiled within the block names that no other compilation, in any process, uses.

    Numba distinguishes functions with the same name by counters: each function has a number, and a record type appears
    in the name of a function not with its fields but with the number that it got when the process first used it
    (`numba.types.Record.mangling_args`). Such names are unique within one process only, but compiled code on disk keeps
    them: two processes that use records of different sizes can give `step_rows` for one record and `step_rows` for
    another the same name, and a process that loads both gets the code of one of them for both. It then reads fields
    at wrong offsets (`tests/compiler/test_numba.py` shows this with plain Numba).

    Therefore names get a random tag, drawn for every compilation (not per process: forked processes would share it).
    All functions that are compiled within one compilation share the tag, because callers and callees must agree on
    names. Unlike a hash of the record's fields, it also distinguishes everything else that Numba numbers: functions
    made by other functions, Numba's own helpers, records inside other types. Functions of other packages keep their
    names: the tag is used only while Numba's lock is held for a kernel.
    """
    plain, replaced = context.mangler, vars(context).get("mangler")
    if isinstance(plain, _TaggedMangler):
        yield
        return
    context.mangler = _TaggedMangler(plain, secrets.token_hex(8))
    try:
        yield
    finally:
        del context.mangler  # uncovers the method of the class
        if replaced is not None:
            context.mangler = replaced
