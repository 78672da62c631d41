"""A linear layer on observations in parts: the part that all hands of a range share is multiplied once."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from card_envs.analysis.exploitability.range_strategy import ObservationParts
from card_envs.compiler import kernel


@torch.inference_mode()
def apply_to_parts(parts: ObservationParts, layer: torch.nn.Linear) -> torch.Tensor:
    """Return `layer(parts.join())`, (n, width), up to rounding; shared public rows are multiplied once."""
    public: torch.Tensor = layer(torch.from_numpy(np.asarray(parts.public, np.float32)))
    columns = layer.weight[:, torch.from_numpy(parts.columns)].t().contiguous()
    output = torch.empty(len(parts.private), public.shape[1])
    private = np.asarray(parts.private, np.float32)
    write_sums_of_parts(private, columns.numpy(), public.numpy(), parts.public_of, output.numpy())
    return output


@kernel
def write_sums_of_parts(private: Any, columns: Any, public: Any, public_of: Any, output: Any) -> None:
    """Write public[public_of] (n, width) plus the matrix product of `private` (n, k) and `columns` (k, width)."""
    width = output.shape[1]
    for i in range(private.shape[0]):
        begin = public_of[i]
        for j in range(width):
            output[i, j] = public[begin, j]
        for k in range(private.shape[1]):
            number = private[i, k]
            if number != 0:
                for j in range(width):
                    output[i, j] += number * columns[k, j]
