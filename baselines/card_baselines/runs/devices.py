"""Between the processor, where tables are played, and the device that computes networks.

On a GPU, arrays travel through pinned memory and nobody waits for them: the processor plays while they are copied and
while networks are computed. PyTorch keeps pinned memory for the next copies, and uses none again before its copy is
done. Where the device is the processor, nothing is copied.
"""

from __future__ import annotations

from typing import Any

import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.devices import find_device as find_device


def sent(array: NDArray[Any], device: torch.device) -> torch.Tensor:
    """Return the array as a tensor on the device, perhaps still on its way; on the processor it is the same memory."""
    tensor = torch.from_numpy(array)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


class Coming:
    """Tensors on their way from their device to the processor."""

    def __init__(self, *tensors: torch.Tensor) -> None:
        """Ask for them, without waiting for what computes them."""
        self._tensors = [tensor.to("cpu", non_blocking=tensor.is_cuda) for tensor in tensors]
        self._there = torch.cuda.Event() if tensors[0].is_cuda else None  # type: ignore[no-untyped-call]
        if self._there:
            self._there.record(torch.cuda.current_stream(tensors[0].device))

    def arrays(self) -> list[NDArray[Any]]:
        """Return them when they are there."""
        if self._there:
            self._there.synchronize()
        return [tensor.numpy() for tensor in self._tensors]
