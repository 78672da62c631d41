"""Checks of single fields of records from files."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.records import Tables, declared_fields


class DamagedRecordError(ValueError):
    """Raised for table records from a file that no play of the game leaves; the message names table and field."""


def require_records(is_right: NDArray[np.bool_], tables: Tables, name: str, problem: str) -> None:
    """Raise a DamagedRecordError with the `problem` of field `name` for the first table that is not right.

    `is_right` is (n,) or has further axes, which are those of the field. A problem is such as "is outside 0 .. 3".
    """
    wrong = np.flatnonzero(~is_right.all(axis=tuple(range(1, is_right.ndim))))
    if len(wrong):
        value = tables[name][wrong[0]].tolist()
        raise DamagedRecordError(f"table {wrong[0]}: {name} {value} {problem}")


def check_ranges(declaration: type, tables: Tables) -> None:
    """Raise a DamagedRecordError if a number is outside the range that the record class declares for its field."""
    for name, each in declared_fields(declaration).items():
        values = tables[name]
        info = np.iinfo(values.dtype)
        low, high = info.min if each.low is None else each.low, info.max if each.high is None else each.high
        require_records((values >= low) & (values <= high), tables, name, f"is outside {low} .. {high}")
