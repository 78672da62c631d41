"""Measures of a run for TensorBoard, which is imported only if it is used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

BOARD = "tensorboard"
"""Folder inside the run folder."""


class Board:
    """Writes measures of a run as TensorBoard events, or nothing."""

    def __init__(self, folder: Path | None) -> None:
        """Open a writer below the run folder; with None nothing is written."""
        self._writer: Any = None
        if folder is not None:
            self._writer = importlib.import_module("torch.utils.tensorboard").SummaryWriter(str(folder / BOARD))

    @staticmethod
    def require() -> None:
        """Raise ModuleNotFoundError when TensorBoard is not installed."""
        importlib.import_module("tensorboard")

    def add(self, measures: Mapping[str, float], step: int) -> None:
        """Write measures; `step` counts decisions, episodes or iterations."""
        if self._writer is not None:
            for name, value in measures.items():
                self._writer.add_scalar(name.replace(" ", "/", 1), value, step)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()
