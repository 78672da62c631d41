"""What signatures call a table and many of them: records of a game's own dtype, whose fields no type checker sees."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Table: TypeAlias = np.record
"""One table, as kernels get it: a record whose fields are attributes."""
Tables: TypeAlias = NDArray[Any]
"""A one-dimensional array of a game's table records."""
