"""Linear layers and their activations by oneDNN, which comes with PyTorch, in float32 on CPUs.

PyTorch multiplies float32 matrices with MKL, which uses AVX2 where Intel did not make the processor. On processors of
AMD with AVX-512, oneDNN takes half of the time, and sets negative numbers to zero on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import torch

_MIN_ROWS = 32
"""Number of rows from which on the call of oneDNN costs less than it saves."""


def apply_layers(layers: Sequence[torch.nn.Module], inputs: torch.Tensor) -> torch.Tensor:
    """Return the output (n, width) of layers, which is that of `torch.nn.Sequential` up to rounding."""
    if not _is_onednn_faster() or inputs.device.type != "cpu" or len(inputs) < _MIN_ROWS:
        return torch.nn.Sequential(*layers)(inputs)  # type: ignore[no-any-return]
    is_rectified = False
    for layer, following in zip_longest(layers, layers[1:]):
        if isinstance(layer, torch.nn.Linear):
            is_rectified = isinstance(following, torch.nn.ReLU)
            inputs = _Linear.apply(inputs, layer.weight, layer.bias, is_rectified)  # type: ignore[no-untyped-call]
        elif not is_rectified:
            inputs = layer(inputs)
        else:
            is_rectified = False
    return inputs


def _is_onednn_faster() -> bool:
    return hasattr(torch.ops.mkldnn, "_linear_pointwise") and torch.cpu._is_avx512_supported()


def _multiply(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, activation: str) -> torch.Tensor:
    """Return activation(inputs @ weight.T + bias); `activation` is "none" or "relu"."""
    product: torch.Tensor = torch.ops.mkldnn._linear_pointwise(inputs, weight, bias, activation, [], "")
    return product


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, is_rectified: bool
    ) -> torch.Tensor:
        output = _multiply(inputs, weight, bias, "relu" if is_rectified else "none")
        ctx.save_for_backward(inputs, weight, output)
        ctx.is_rectified = is_rectified
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        inputs, weight, output = ctx.saved_tensors
        gradient = gradients[0]
        if ctx.is_rectified:
            gradient = torch.ops.aten.threshold_backward(gradient, output, 0)
        grad_inputs = _multiply(gradient, weight.t(), None, "none") if ctx.needs_input_grad[0] else None
        return grad_inputs, _multiply(gradient.t(), inputs.t(), None, "none"), gradient.sum(dim=0), None
