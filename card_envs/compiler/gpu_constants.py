"""Placement of constant arrays by numba-cuda; imported only if a GPU or its simulator is used."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


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
