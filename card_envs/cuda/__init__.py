"""The batched engine on a GPU, from the same kernels: `make_vector(..., device="cuda")`."""

from __future__ import annotations

from card_envs.cuda.tables import CudaTables

__all__ = ["CudaTables"]
