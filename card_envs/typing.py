"""Aliases for types of arrays."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.int64]
"""Indices of tables in an array of tables."""
Floats: TypeAlias = NDArray[np.float64]
Floats32: TypeAlias = NDArray[np.float32]
