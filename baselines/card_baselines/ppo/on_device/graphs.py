"""CUDA graphs: a sequence of kernels on a GPU that is recorded once and replayed with one launch."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator

import torch

_WARM_UP = 2
"""Calls before the recording, in which PyTorch's libraries choose their kernels and allocate their work space."""


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Free what is unreachable now and not within the block: freeing a graph breaks the recording of another one."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Replay:
    """A function on tensors whose addresses never change, replayed as a graph on a GPU and called elsewhere.

    The function must not wait for the GPU, copy to the host or read Python values that change. Its first calls run it
    as it is; so recording it has no effect on results.
    """

    def __init__(self, function: Callable[[], None], device: torch.device, uses_graph: bool = True) -> None:
        """Take the function; with `uses_graph` False it is called on a GPU too."""
        self._function, self._device = function, device
        self._uses_graph = uses_graph and device.type == "cuda"
        self._graph: torch.cuda.CUDAGraph | None = None
        self._num_calls = 0

    def __call__(self) -> None:
        """Do what one call of the function does."""
        if not self._uses_graph:
            self._function()
        elif self._num_calls < _WARM_UP:
            self._call_beside()
        else:
            if self._graph is None:
                self._graph = torch.cuda.CUDAGraph()
                torch.cuda.synchronize(self._device)
                with _without_collection(), torch.cuda.graph(self._graph):
                    self._function()
            self._graph.replay()
        self._num_calls += 1

    def _call_beside(self) -> None:
        """Call the function on a stream of its own, as PyTorch asks for before a recording."""
        current, beside = torch.cuda.current_stream(self._device), torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        beside.wait_stream(current)
        with torch.cuda.stream(beside):
            self._function()
        current.wait_stream(beside)
