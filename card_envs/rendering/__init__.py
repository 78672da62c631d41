"""Render modes of the environments: text, a picture, or a window."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RENDER_MODES = ("ansi", "human", "rgb_array")
FRAMES_PER_SECOND = 1
"""Frames per second of render mode `human`: slow enough for a person to follow a deal."""

Frame = str | NDArray[np.uint8]
"""A rendered table: text, or a picture (height, width, 3), RGB."""


def check_render_mode(render_mode: str | None, modes: tuple[str, ...] = RENDER_MODES) -> str | None:
    """Return the render mode, or raise a ValueError for one that is not among `modes`."""
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode {render_mode!r} is not known: choose one of {list(modes)} or None")
    return render_mode
