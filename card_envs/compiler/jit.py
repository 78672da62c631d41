"""`kernel`: compile a function with Numba and keep its machine code on disk."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from numba import config as numba_config

_kernel_class: Any = None
_reason = ""
try:
    from card_envs.compiler.dispatcher import Kernel

    _kernel_class = Kernel
except (ImportError, AttributeError) as error:  # a version of Numba whose private classes are others
    _reason = str(error)

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = not numba_config.DISABLE_JIT
"""False under NUMBA_DISABLE_JIT=1, when kernels are plain Python functions."""

_OPTIONS = {
    "boundscheck": None,  # as NUMBA_BOUNDSCHECK says
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # nobody calls kernels from C, and each wrapper costs compile time
}
_is_fallback_reported = False


def kernel(function: Function) -> Function:
    """Compile a function that releases the interpreter lock and does not raise on division by zero.

    Kernels take record arrays (or records) and numbers, check nothing and never raise; the Python layer above
    validates. Machine code is kept on disk and is compiled again after an edit of the function, of any kernel that it
    calls, or of a constant in them. With NUMBA_DISABLE_JIT=1 the same source runs as plain Python.

    Args:
        function: A plain Python function in the subset of the language that Numba compiles.

    Returns:
        The compiled function, to be used as a decorator. It compiles at the first call with new argument types.

    Example:
        >>> from card_envs.compiler import kernel
        >>> @kernel
        ... def double(number):
        ...     return 2 * number
        >>> double(21)
        42
    """
    return _compile_lazily(function, releases_gil=True)


def short_kernel(function: Function) -> Function:
    """Compile a function as `kernel` does, but keep the interpreter lock while it runs.

    Meant for functions of some nanoseconds that Python calls in a loop: releasing the lock costs 30 ns more.
    """
    return _compile_lazily(function, releases_gil=False)


def _compile_lazily(function: Function, releases_gil: bool) -> Function:
    if not COMPILED:
        return np.errstate(over="ignore")(function)  # random streams wrap around modulo 2**64, compiled or not
    options = {**_OPTIONS, "nogil": releases_gil}
    if _kernel_class is None:
        _report_fallback()
        return numba.njit(**options)(function)  # type: ignore[no-any-return]
    compiled = _kernel_class(function, targetoptions={"nopython": True, **options})
    compiled.enable_caching()
    return compiled  # type: ignore[no-any-return]


def _report_fallback() -> None:
    """Warn once a process that kernels are compiled by plain Numba; in a log, as a warning may be made an error."""
    global _is_fallback_reported
    if not _is_fallback_reported:
        _is_fallback_reported = True
        logging.getLogger("card_envs").warning(
            "card_envs cannot keep compiled kernels with Numba %s (%s): results are the same, every process compiles "
            "anew and takes longer; install a version of Numba that card_envs asks for",
            numba.__version__,
            _reason,
        )


def entry_point(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """Compile a kernel for one set of argument types and return it without Numba's choice among types.

    That choice costs more than a short kernel does, but it also checks types: arguments of other types than the
    examples crash the process. So this is for callers that make all arguments themselves.

    Args:
        function: A kernel, or a plain function, which is returned as it is.
        examples: Arguments of exactly the types of later calls.
    """
    if not COMPILED or not hasattr(function, "compile"):  # or plain Python, as in an encoder of a user
        return function
    compiled: Callable[..., Any] = function.compile(tuple(numba.typeof(example) for example in examples))
    return compiled
