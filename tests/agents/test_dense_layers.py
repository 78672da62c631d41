"""Layers by oneDNN: the outputs and gradients of `torch.nn.Sequential`, up to rounding."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from card_baselines.agents.learned.dense_layers import _is_onednn_faster, apply_layers


def make_layers(activation: type[torch.nn.Module]) -> list[torch.nn.Module]:
    """Return layers that begin with an activation, as those behind a sparse first layer do."""
    torch.manual_seed(0)
    linear = [torch.nn.Linear(24, 40), torch.nn.Linear(40, 16), torch.nn.Linear(16, 1)]
    return [activation(), linear[0], activation(), linear[1], activation(), linear[2]]


@pytest.mark.parametrize("activation", [torch.nn.ReLU, torch.nn.Tanh])
@pytest.mark.parametrize("num_rows", [1, 31, 32, 500])
def test_outputs_and_gradients_are_those_of_the_layers(activation: type[torch.nn.Module], num_rows: int) -> None:
    layers = make_layers(activation)
    inputs = torch.randn(num_rows, 24, requires_grad=True)
    wanted = [inputs, *torch.nn.Sequential(*layers).parameters()]
    weights = torch.randn(num_rows, 1)
    expected, found = torch.nn.Sequential(*layers)(inputs), apply_layers(layers, inputs)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    gradients = torch.autograd.grad((found * weights).sum(), wanted)
    expected_gradients = torch.autograd.grad((expected * weights).sum(), wanted)
    torch.testing.assert_close(gradients, expected_gradients, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(not _is_onednn_faster(), reason="PyTorch multiplies as fast on this processor")
def test_no_layers_change_nothing() -> None:
    inputs = torch.rand(64, 8)
    assert torch.equal(apply_layers([], inputs), inputs)


def test_large_batches_go_through_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    layers, rows = make_layers(torch.nn.ReLU), []
    multiply = torch.ops.mkldnn._linear_pointwise

    def count_rows(inputs: torch.Tensor, *arguments: Any) -> torch.Tensor:
        rows.append(len(inputs))
        return multiply(inputs, *arguments)  # type: ignore[no-any-return]

    monkeypatch.setattr(torch.nn.Linear, "forward", lambda layer, inputs: pytest.fail("PyTorch's own product"))
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", count_rows)
    with torch.inference_mode():
        apply_layers(layers, torch.randn(64, 24))
    assert rows == [64, 64, 64]
