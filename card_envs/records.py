"""Typed records: a class declares the fields, and the NumPy dtype is made from it.

    class Table(TableRecord):
        pot = field(np.int32, low=0)  # chips in the middle
        stack = field(np.int32, MAX_SEATS, low=0, high=MAX_CHIPS)  # by seat: chips behind

    TABLE = record_dtype(Table)

Annotated as `t: Table`, a record is checked by mypy, which refuses `t.stak`, and completed by editors. The class has no
instances: `np.zeros(n, TABLE)[i]` is a `np.record` whose fields are attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["FieldDeclaration", "TableRecord", "Tables", "declared_fields", "field", "record_dtype"]

Tables: TypeAlias = NDArray[Any]
"""A one-dimensional array of a game's table records."""

if TYPE_CHECKING:

    class NumberField:
        """A field with one integer, of Python or NumPy."""

        def __get__(self, record: Any, owner: Any) -> int: ...
        def __set__(self, record: Any, value: Any) -> None: ...

    class ArrayField:
        """A field with an array of numbers: its elements can be assigned, the field itself cannot."""

        def __get__(self, record: Any, owner: Any) -> NDArray[Any]: ...


class FieldDeclaration(NamedTuple):
    """Type, shape and range of a field of a table, as declared by `field`."""

    dtype: DTypeLike
    shape: tuple[int, ...]
    low: int | None
    """Smallest number; None for that of the dtype."""
    high: int | None
    """Largest number."""


@overload
def field(dtype: DTypeLike, *, low: int | None = None, high: int | None = None) -> NumberField: ...
@overload
def field(
    dtype: DTypeLike, size: int, /, *shape: int, low: int | None = None, high: int | None = None
) -> ArrayField: ...
def field(dtype: DTypeLike, *shape: int, low: int | None = None, high: int | None = None) -> Any:
    """Declare a field of a record class: a number, or an array with a shape; `low` and `high` are its range."""
    return FieldDeclaration(dtype, shape, low, high)


def record_dtype(declaration: type, align: bool = False) -> np.dtype[Any]:
    """Return the dtype of records with the fields that a class declares itself, in their order.

    Args:
        declaration: Class whose attributes are made by `field`; attributes of its base classes do not count.
        align: Whether fields are aligned as in C, see `numpy.dtype`.
    """
    fields = [(name, each.dtype, each.shape) for name, each in declared_fields(declaration).items()]
    return np.dtype((np.record, np.dtype(fields, align=align)))


def declared_fields(declaration: type) -> dict[str, FieldDeclaration]:
    """Return the fields that a record class declares itself, in their order."""
    return {name: value for name, value in vars(declaration).items() if isinstance(value, FieldDeclaration)}


class TableRecord:
    """The fields that the tables of every game have. Generic code reads no others; each game declares them again."""

    rng = field(np.uint64, 4)
    """The random stream of the table, see `card_envs.rng`."""
    actor = field(np.int8)
    """Seat to act, `NOBODY` when the episode is over."""
    is_over = field(np.uint8)
    """1 after the last action of an episode, else 0."""
    payoff = field(np.int32, 1)
    """Chips or points won by each seat, zero until the episode is over."""
