"""Types of arrays and observations."""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.int64]
"""Indices of tables in an array of tables."""
Floats: TypeAlias = NDArray[np.float64]
Floats32: TypeAlias = NDArray[np.float32]


class Observation(TypedDict):
    """What an agent sees, in the AEC and Gymnasium environments."""

    observation: NDArray[Any]
    """The numbers of the game's layout, float32 or int8."""
    action_mask: NDArray[np.int8]
    """1 for legal action ids, (num_actions,)."""
