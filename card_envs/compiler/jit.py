"""`kernel`: compile a function with Numba and keep its machine code on disk."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numba
import numpy as np
from numba import config as numba_config

_kernel_class: Any = None
_reason = ""
try:
    from card_envs.kernel_cache.dispatcher import Kernel

    _kernel_class = Kernel
except (ImportError, AttributeError) as error:  # a version of Numba with other private classes
    _reason = str(error)

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = not numba_config.DISABLE_JIT
"""False under NUMBA_DISABLE_JIT=1, when kernels are plain Python functions."""

_OPTIONS = {
    "boundscheck": None,  # set by NUMBA_BOUNDSCHECK
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # kernels are not called from C, and a wrapper costs compile time
}


def kernel(function: Function) -> Function:
    """Compile a function with Numba. It releases the interpreter lock and does not raise on division by zero.

    Kernels take record arrays, records and numbers, check nothing and never raise; their callers in Python validate.
    Machine code is cached on disk, and compiled again after an edit of the function, of a kernel that it calls, or of a
    constant in them. With NUMBA_DISABLE_JIT=1 the same source runs as plain Python.

    Args:
        function: A Python function in the subset of the language that Numba compiles.

    Returns:
        The compiled function. It is compiled at the first call with new argument types.

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
    """Compile a function as `kernel` does, but do not release the interpreter lock.

    For functions of some nanoseconds that Python calls in a loop: releasing the lock takes 30 ns.
    """
    return _compile_lazily(function, releases_gil=False)


def _compile_lazily(function: Function, releases_gil: bool) -> Function:
    if not COMPILED:
        return np.errstate(over="ignore")(function)  # random streams overflow on purpose
    options = {**_OPTIONS, "nogil": releases_gil}
    if _kernel_class is None:
        _report_fallback()
        return numba.njit(**options)(function)  # type: ignore[no-any-return]
    compiled = _kernel_class(function, targetoptions={"nopython": True, **options})
    compiled.enable_caching()
    return compiled  # type: ignore[no-any-return]


@cache
def _report_fallback() -> None:
    """Log once per process that kernels are compiled by plain Numba; not a warning, which may be made an error."""
    logging.getLogger("card_envs").warning(
        "card_envs cannot cache compiled kernels with Numba %s (%s): results are the same, but every process compiles "
        "them again; install a version of Numba that card_envs supports",
        numba.__version__,
        _reason,
    )


def entry_point(function: Callable[..., Any], *examples: Any) -> Callable[..., Any]:
    """Compile a kernel for one set of argument types and return that version, without Numba's dispatch on types.

    The dispatch takes longer than a short kernel, but it also checks types: arguments of other types crash the process.
    Use this function only where you make all arguments yourself.

    Args:
        function: A kernel, or a plain function, which is returned unchanged.
        examples: Arguments with exactly the types of later calls.
    """
    if not COMPILED or not hasattr(function, "compile"):  # plain Python, such as an encoder of a user
        return function
    compiled: Callable[..., Any] = function.compile(tuple(numba.typeof(example) for example in examples))
    return compiled
