"""Records whose fields are known to type checkers: a class lists the fields, its dtype is made from it.

    class Table(TableRecord):
        pot = field(np.int32)  # chips in the middle
        stack = field(np.int32, MAX_SEATS)  # by seat: chips behind

    TABLE = record_dtype(Table)

Kernels call such a record `t: Table`: mypy refuses `t.stak`, and editors complete `t.stack`. No object of the class is
ever made; `np.zeros(n, TABLE)[i]` is a `np.record` whose fields are attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

Tables: TypeAlias = NDArray[Any]
"""A one-dimensional array of a game's table records."""

if TYPE_CHECKING:

    class NumberField:
        """A field with one whole number; kernels write NumPy's numbers into it as well as Python's."""

        def __get__(self, record: Any, owner: Any) -> int: ...
        def __set__(self, record: Any, value: Any) -> None: ...

    class ArrayField:
        """A field with an array of numbers, which can be changed and not replaced."""

        def __get__(self, record: Any, owner: Any) -> NDArray[Any]: ...


@overload
def field(dtype: DTypeLike) -> NumberField: ...
@overload
def field(dtype: DTypeLike, size: int, /, *shape: int) -> ArrayField: ...
def field(dtype: DTypeLike, *shape: int) -> Any:
    """Declare a field of a record class: a number, or an array of a shape."""
    return (dtype, shape) if shape else (dtype,)


def record_dtype(declaration: type, align: bool = False) -> np.dtype[Any]:
    """Return the dtype of records with the fields that a class declares itself, in their order.

    Args:
        declaration: class whose attributes are made by `field`; those of its base classes do not count.
        align: whether fields lie where C would put them, see `numpy.dtype`.
    """
    names = {name: value for name, value in vars(declaration).items() if not name.startswith("__")}
    fields = np.dtype([(name, *value) for name, value in names.items()], align=align)
    return np.dtype((np.record, fields))


class TableRecord:
    """The fields that generic code reads of the tables of every game; each game declares them with all of its own."""

    rng = field(np.uint64, 4)
    """The random stream of the table, see `card_envs.rng`."""
    actor = field(np.int8)
    """Seat to act, `NOBODY` when the episode is over."""
    is_over = field(np.uint8)
    """1 after the last action of an episode, else 0."""
    payoff = field(np.int32, 1)
    """Chips or points won by each seat, zero until the episode is over."""
