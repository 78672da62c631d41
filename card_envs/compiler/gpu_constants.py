"""Where numba-cuda puts constant arrays: imported only where a GPU (or its simulator) is used."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def constants_in_global_memory() -> Iterator[None]:
    """Put constant arrays that are compiled meanwhile into the global memory of the GPU.

    Numba puts them into constant memory, of which there are 64 KB; the look-up tables of the poker evaluator take 217.
    Constant memory is also made for threads that all read the same place, and these read places of their own.
    """
    from numba.cuda.cudadrv import nvvm

    constant = nvvm.ADDRSPACE_CONSTANT
    nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_GLOBAL
    try:
        yield
    finally:
        nvvm.ADDRSPACE_CONSTANT = constant
