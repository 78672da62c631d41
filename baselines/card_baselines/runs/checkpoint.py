"""Checkpoints: one file with all that a run needs to continue, arrays as safetensors and the rest as JSON.

Loading a checkpoint never executes code from the file.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load, save_file

STATE = "state.safetensors"

_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Errors of a disk that is full, used up by the user's quota or a limit, damaged or read-only."""

Array = TypeVar("Array")


def save_state(path: Path, tensors: dict[str, torch.Tensor], extra: Mapping[str, Any]) -> None:
    """Write tensors, and `extra`, which must be JSON."""
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path, {"facts": json.dumps(extra)})


def load_state(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Return the tensors and the `extra` of a file of `save_state`; raises ValueError for any other file.

    The file is opened once, since a run may replace it at any time.
    """
    content = path.read_bytes()
    try:
        return load(content), json.loads(_metadata(content)["facts"])
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a checkpoint of this program: {error}") from error


def find_write_error(error: OSError | SafetensorError) -> str | None:
    """Return why a file could not be written, such as "No space left on device"; None for other errors."""
    number = error.errno if isinstance(error, OSError) else None
    if number is None and (found := re.search(r"\(os error (\d+)\)", str(error))):  # the words of safetensors
        number = int(found[1])
    return os.strerror(number) if number in _WRITE_ERRORS else None


def _metadata(content: bytes) -> dict[str, str]:
    """Return the metadata of a safetensors file, whose header is eight bytes of length followed by JSON."""
    header: dict[str, Any] = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    metadata: dict[str, str] = header["__metadata__"]
    return metadata


def strip_prefix(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the entries whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def join_parts(parts: Mapping[str, Mapping[str, Any]]) -> dict[str, torch.Tensor]:
    """Return the tensors or arrays of all parts as tensors named "part.name"; `strip_prefix` is the inverse."""
    return {
        f"{part}.{name}": tensor if isinstance(tensor, torch.Tensor) else torch.from_numpy(np.asarray(tensor))
        for part, named in parts.items()
        for name, tensor in named.items()
    }


def to_arrays(tensors: Mapping[str, torch.Tensor]) -> dict[str, NDArray[Any]]:
    """Return tensors as arrays."""
    return {name: np.asarray(tensor.numpy()) for name, tensor in tensors.items()}


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """Return Adam's running means and step counts, named "parameter index.name"."""
    return {
        f"{number}.{name}": value
        for number, state in optimiser.state_dict()["state"].items()
        for name, value in state.items()
    }


def load_optimiser(optimiser: torch.optim.Optimizer, tensors: dict[str, torch.Tensor]) -> None:
    """Restore the state that `optimiser_tensors` returned."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = tensor
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
