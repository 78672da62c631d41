"""Arrays in the memory of a device: PyTorch's tensors that kernels read and write as records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
        fields: Any = self.dtype.fields
        kind, offset = fields[name][:2]
        base = kind.base
        numbers = self.bytes.view(getattr(torch, base.name))
        start, size = offset // base.itemsize, max(1, int(np.prod(kind.shape)))
        return numbers[:, start : start + size] if kind.shape else numbers[:, start]

    def write(self, records: NDArray[Any]) -> None:
        """Copy records from the host, converted field by field if their layout differs."""
        converted = _convert(records, self.dtype)
        self.bytes.copy_(torch.from_numpy(converted.view(np.uint8).reshape(len(records), -1)))

    def read(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return copies on the host, in another layout of the same fields."""
        found = np.ascontiguousarray(self.bytes.cpu().numpy()).reshape(-1).view(self.dtype)
        return found.copy() if dtype == self.dtype else _convert(found, dtype)

    @property
    def array(self) -> Any:
        """The records as kernels take them."""
        return as_array(self.bytes, self.dtype)


def _convert(records: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    if records.dtype == dtype:
        return records
    from card_envs.cuda.tables import convert_records  # only a GPU has another layout

    return convert_records(records, dtype)


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


@dataclass(frozen=True)
class DeviceKernel:
    """A kernel over n rows: in a loop on a processor, in one thread for each row on a GPU."""

    loop: Callable[..., None]
    """Kernel that does all rows."""
    make_thread: Callable[[], Callable[..., None]]
    """Returns, always the same, the plain function with the same arguments that one thread of a GPU calls."""

    def __call__(self, device: torch.device, num_rows: int, *arguments: Any) -> None:
        """Run the kernel; on a GPU, on PyTorch's current stream, without waiting for it."""
        if device.type == "cpu":
            self.loop(*arguments)
            return
        from card_envs.cuda.grid import launch

        launch(self.make_thread(), num_rows, torch.cuda.current_stream(device).cuda_stream, *arguments)
