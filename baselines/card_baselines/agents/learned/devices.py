"""PyTorch devices by name: "auto", "cpu", "cuda" or "cuda:1"."""

from __future__ import annotations

import os

import torch


def find_device(name: str) -> torch.device:
    """Return a device: for "auto" a GPU if there is one, for "cuda" the GPU of this process (`LOCAL_RANK`).

    Raises ValueError for unknown names, and for a GPU that this machine does not have.
    """
    if name == "auto":
        return find_device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ValueError(f"device {name!r} is not known: choose auto, cpu, cuda or cuda:N") from error
    if device.type not in ("cpu", "cuda"):
        raise ValueError(f"device {name!r} is not supported: choose auto, cpu, cuda or cuda:N")
    if device.type == "cpu":
        return device
    count = torch.cuda.device_count()
    index = device.index if device.index is not None else int(os.environ.get("LOCAL_RANK", 0)) % max(1, count)
    if index >= count:
        raise ValueError(f"device {name!r} is not there: PyTorch sees {count} GPUs; choose auto or cpu")
    return torch.device("cuda", index)
