"""Checks that tables can be made on a GPU, before anything is allocated or compiled."""

from __future__ import annotations

from importlib.util import find_spec

from numba import config

from card_envs.compiler import COMPILED
from card_envs.extras import EXTRA_OF

SIMULATED = bool(config.ENABLE_CUDASIM)
"""True under NUMBA_ENABLE_CUDASIM=1: Numba's simulator runs the grid in plain Python, without a GPU."""


class CudaUnavailableError(RuntimeError):
    """Raised if tables cannot be made on a GPU; the message says what is missing."""


def require_device() -> None:
    """Raise a CudaUnavailableError unless a GPU (or the simulator) can run kernels."""
    if SIMULATED:
        if COMPILED:
            raise CudaUnavailableError("the simulator runs plain Python: set NUMBA_DISABLE_JIT=1 beside it")
        return
    if not COMPILED:
        raise CudaUnavailableError('device="cuda" needs compiled kernels: unset NUMBA_DISABLE_JIT')
    if find_spec("numba_cuda") is None:
        extra = EXTRA_OF["numba_cuda"]
        raise CudaUnavailableError(f"device=\"cuda\" needs numba-cuda: pip install 'card-envs[{extra}]'")
    from numba import cuda

    if not cuda.is_available():
        reason = " ".join(str(cuda.cuda_error() or "the driver finds no GPU").split())
        raise CudaUnavailableError(f'device="cuda" finds no usable GPU ({reason}): use device="cpu"')


def require_memory(num_tables: int, bytes_per_table: int) -> None:
    """Raise a CudaUnavailableError unless the GPU has enough free memory."""
    from numba import cuda

    free, needed = cuda.current_context().get_memory_info().free, num_tables * bytes_per_table
    if needed > free:
        raise CudaUnavailableError(
            f"{num_tables:,} tables need {needed / 2**20:,.0f} MiB of GPU memory, {free / 2**20:,.0f} MiB are free: "
            f"make at most {int(free // bytes_per_table):,} tables"
        )
