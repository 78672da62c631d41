"""Arrays in the memory of a device: PyTorch's tensors that kernels read and write as records."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray


class Records:
    """N records on a device, as bytes in a tensor; kernels get them as an array of records."""

    def __init__(self, dtype: np.dtype[Any], count: int, device: torch.device) -> None:
        """Allocate records of zeros."""
        self.dtype = dtype
        self.bytes = torch.zeros((count, dtype.itemsize), dtype=torch.uint8, device=device)

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.bytes)

    def field(self, name: str) -> torch.Tensor:
        """Return a field of numbers of four or eight bytes, (N,) or (N, its shape), sharing memory."""
        kind, offset = (self.dtype.fields or {})[name][:2]
        base = kind.base
        numbers = self.bytes.view(getattr(torch, base.name))
        start, size = offset // base.itemsize, max(1, int(np.prod(kind.shape)))
        return numbers[:, start : start + size] if kind.shape else numbers[:, start]

    def write(self, records: NDArray[Any]) -> None:
        """Copy records from the host, converted field by field if their layout differs."""
        converted = np.zeros(len(records), self.dtype)
        for name in self.dtype.names or ():
            converted[name] = records[name]
        self.bytes.copy_(torch.from_numpy(converted.view(np.uint8).reshape(len(records), -1)))

    def read(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return copies on the host, in another layout of the same fields."""
        found = np.ascontiguousarray(self.bytes.cpu().numpy()).reshape(-1).view(self.dtype)
        if dtype == self.dtype:
            return found.copy()
        converted = np.zeros(len(found), dtype)
        for name in dtype.names or ():
            converted[name] = found[name]
        return converted

    @property
    def array(self) -> Any:
        """The records as kernels take them."""
        return as_array(self.bytes, self.dtype)


def as_array(tensor: torch.Tensor, dtype: np.dtype[Any] | None = None) -> Any:
    """Return a tensor as kernels take it, sharing memory; with a dtype, its rows as records of that type."""
    if tensor.device.type == "cpu":
        array = tensor.numpy()
        return array if dtype is None else np.ndarray(len(array), dtype, array)
    from numba import cuda

    array = cuda.as_cuda_array(tensor)
    return array if dtype is None else array.view(dtype).reshape(len(tensor))


def row_records(tensor: torch.Tensor, field: str) -> Any:
    """Return the rows of a tensor (R, size) as records with one field, sharing memory."""
    base = np.dtype(str(tensor.dtype).removeprefix("torch."))
    dtype = np.dtype([(field, base, (tensor.shape[1],))], align=tensor.device.type != "cpu")
    return as_array(tensor, np.dtype((np.record, dtype)))


class TableLoop:
    """Calls a kernel for each of N tables: in a loop on a processor, in one thread each on a GPU."""

    def __init__(self, one: Callable[..., None], all_tables: Callable[..., None], device: torch.device) -> None:
        """Take the kernel of one table, whose first argument is its number, and that of all tables."""
        self._one, self._all, self._device = one, all_tables, device

    def __call__(self, num_tables: int, *arguments: Any) -> None:
        """Run the kernel; on a GPU, on PyTorch's current stream, without waiting for it."""
        if self._device.type == "cpu":
            self._all(*arguments)
            return
        from card_envs.cuda.grid import launch

        launch(_thread(self._one), num_tables, torch.cuda.current_stream(self._device).cuda_stream, *arguments)


@cache
def _thread(one: Any) -> Callable[..., None]:
    """Return the function of a thread of a grid: the kernel for the table with the number of the thread."""
    from numba import cuda

    def table_thread(
        work: Any, base: Any, tables: Any, seatings: Any, decisions: Any, settings: Any, rows: Any, numbers: Any,
        actions: Any, rewards: Any, is_over: Any, logits: Any, values: Any, frozen_logits: Any, observations: Any,
        masks: Any,
    ) -> None:  # fmt: skip
        j = cuda.grid(1)
        if j < rows.shape[0]:
            one(
                j, work, base, tables, seatings, decisions, settings, rows, numbers, actions, rewards, is_over, logits,
                values, frozen_logits, observations, masks,
            )  # fmt: skip

    return table_thread
