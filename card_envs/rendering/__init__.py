"""Render modes of the environments: text, a picture, or a window."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

RenderMode: TypeAlias = Literal["ansi", "human", "rgb_array"]
RENDER_MODES: tuple[RenderMode, ...] = ("ansi", "human", "rgb_array")
FRAMES_PER_SECOND = 1
"""Frames per second of render mode `human`: slow enough for a person to follow a deal."""

Frame = str | NDArray[np.uint8]
"""A rendered table: text, or a picture (height, width, 3), RGB."""


def check_render_mode(mode: RenderMode | None, modes: tuple[RenderMode, ...] = RENDER_MODES) -> RenderMode | None:
    """Return the render mode, or raise a ValueError for one that is not among `modes`."""
    if mode is not None and mode not in modes:
        raise ValueError(f"render_mode {mode!r} is not known: choose one of {list(modes)} or None")
    return mode
