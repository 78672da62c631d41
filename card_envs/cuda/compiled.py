"""Kernels of a GPU as machine code, kept on disk as the kernels of the processor are, and launched on any stream.

numba-cuda compiles a function to NVIDIA's assembly language, the driver translates that for the GPU that is there. Both
take up to a minute for a large game; reading the machine code takes milliseconds.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import pickle
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numba
import numpy as np
from numba import cuda

from card_envs.kernel_cache.files import key_of, path_of, read_file, stem_of, write_file
from card_envs.kernel_cache.folder import cache_folder

_ENTRY = re.compile(r"^\s*\.visible\s+\.entry\s+(\w+)", re.MULTILINE)
_LOGGER = logging.getLogger("card_envs")


class CompiledKernel:
    """The machine code of a function for one set of argument types, loaded into the current context."""

    def __init__(self, module: Any, function: Any) -> None:
        """Keep the module of the driver as long as its function."""
        self._module, self._function = module, function

    def launch(self, num_blocks: int, num_threads: int, stream: int, values: list[Any], types: list[Any]) -> None:
        """Start the grid on a stream of the driver, without waiting for it."""
        from cuda.bindings import driver

        grid, block = (num_blocks, 1, 1), (num_threads, 1, 1)
        parameters = (tuple(values), tuple(types))
        _check(driver.cuLaunchKernel(self._function, *grid, *block, 0, driver.CUstream(stream), parameters, 0))


@cache
def load_kernel(function: Callable[..., None], types: tuple[Any, ...]) -> CompiledKernel:
    """Return a function as machine code for the current GPU: from disk, or compiled for Numba's types of its arguments.

    It is a plain function that reads the number of its thread with `cuda.grid`.
    """
    from cuda.bindings import driver

    name, code = _load_code(function, types, cuda.get_current_device().compute_capability)
    module = _check(driver.cuModuleLoadData(code))
    return CompiledKernel(module, _check(driver.cuModuleGetFunction(module, name.encode())))


def _load_code(function: Callable[..., None], types: tuple[Any, ...], capability: tuple[int, int]) -> tuple[str, bytes]:
    """Return the name of the entry of a function and its machine code: from disk, or compiled."""
    from importlib.metadata import version

    key = key_of(function, repr(types), f"cuda {capability} {version('numba-cuda')}")
    folder = cache_folder(function.__module__.partition(".")[0])
    path = None if folder is None else path_of(folder, stem_of(function), key)
    content = None if path is None else read_file(path)
    stored_key, stored = ("", ("", b"")) if content is None else pickle.loads(content)
    if stored_key == key:
        return stored
    _LOGGER.warning("card_envs compiles %r for the GPU: 10 to 60 seconds (cached)", function.__name__)
    found = _compile(function, types, capability)
    if path is not None:
        write_file(path, pickle.dumps((key, found)))
    return found


def _compile(function: Callable[..., None], types: tuple[Any, ...], capability: tuple[int, int]) -> tuple[str, bytes]:
    """Return the name of the entry of a function, and its machine code."""
    with constants_in_global_memory():
        text, _ = cuda.compile(
            function, numba.types.void(*types), device=False, cc=capability, output="ptx", abi="numba"
        )
    source = text.encode() if isinstance(text, str) else bytes(text)
    (name,) = _ENTRY.findall(source.decode())
    return name, _assemble(source)


@contextlib.contextmanager
def constants_in_global_memory() -> Iterator[None]:
    """Put the constant arrays of code that is compiled within the block into the global memory of the GPU.

    Numba puts them into constant memory, which has 64 KB; the lookup tables of the poker evaluator need 217 KB.
    Constant memory is also slow if threads read different addresses, as they do here.
    """
    from numba.cuda.cudadrv import nvvm

    constant = nvvm.ADDRSPACE_CONSTANT
    nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_GLOBAL
    try:
        yield
    finally:
        nvvm.ADDRSPACE_CONSTANT = constant


def _assemble(source: bytes) -> bytes:
    """Return the machine code that the driver makes from assembly language for the current GPU."""
    from cuda.bindings import driver

    state = _check(driver.cuLinkCreate(0, [], []))
    try:
        kind = driver.CUjitInputType.CU_JIT_INPUT_PTX
        _check(driver.cuLinkAddData(state, kind, source, len(source), b"kernel", 0, [], []))
        address, size = _check(driver.cuLinkComplete(state))
        return ctypes.string_at(address, size)
    finally:
        driver.cuLinkDestroy(state)


def pack_arguments(arguments: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """Return arrays on the GPU and numbers as Numba lays them out for a kernel, and their types for the driver."""
    values: list[Any] = []
    types: list[Any] = []
    for argument in arguments:
        if isinstance(argument, int | np.integer):
            values.append(int(argument))
            types.append(ctypes.c_int64)
        elif isinstance(argument, float | np.floating):
            values.append(float(argument))
            types.append(ctypes.c_double)
        else:
            sizes = [argument.size, argument.dtype.itemsize]
            address = argument.device_ctypes_pointer.value or 0
            numbers = [*argument.shape, *argument.strides]
            values += [0, 0, *sizes, address, *numbers]
            types += [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 2 + [ctypes.c_void_p] + [ctypes.c_int64] * len(numbers)
    return values, types


def type_of(argument: Any) -> Any:
    """Return Numba's type of an argument of `pack_arguments`."""
    if isinstance(argument, int | np.integer):
        return numba.types.int64
    if isinstance(argument, float | np.floating):
        return numba.types.float64
    return numba.typeof(argument)


def _check(found: tuple[Any, ...]) -> Any:
    """Return what a function of the driver returns after its error code; RuntimeError for an error."""
    from cuda.bindings import driver

    error, *values = found
    if error != driver.CUresult.CUDA_SUCCESS:
        _, text = driver.cuGetErrorString(error)
        raise RuntimeError(f"the driver of the GPU: {(text or b'').decode() or error}")
    return values[0] if len(values) == 1 else tuple(values)
