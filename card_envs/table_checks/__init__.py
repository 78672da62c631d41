"""Checks of records that come from a file, since kernels check nothing: at records that pass they can go on.

Every game gets the checks of the fields that all games have; the feature `TABLE_CHECKS` adds those of its own fields.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from card_envs.features import Feature
from card_envs.game import NOBODY, Game
from card_envs.records import Tables, declared_fields

TABLE_CHECKS: Feature[Callable[[Tables], None]] = Feature(
    "table_checks", "card_envs.table_checks", "checks of tables from files"
)
"""Function (tables): raises a DamagedRecordError for records at which the kernels of the game cannot play."""


class DamagedRecordError(ValueError):
    """Raised for table records from a file that no play of the game leaves; the message names table and field."""


def check_tables(game: Game, tables: Tables) -> None:
    """Raise a DamagedRecordError, a ValueError that names table and field, for records that no play of a game leaves.

    The records (n,) come from a file; a deal may be in progress, over, or not dealt yet. Records of another type are
    refused too.
    """
    expected = game.new_tables(1).dtype
    if tables.dtype != expected or tables.ndim != 1:
        raise DamagedRecordError(f"these are no tables of {game.name}: another type, shape or version")
    if not len(tables):
        return
    require_records((tables["rng"] != 0).any(axis=1), tables, "rng", "is no random stream")
    actor, is_over = tables["actor"], tables["is_over"]
    require_records(is_over <= 1, tables, "is_over", "is outside 0 .. 1")
    require_records((actor >= NOBODY) & (actor < game.num_seats), tables, "actor", "is no seat of this game")
    require_records((actor == NOBODY) == (is_over == 1), tables, "actor", "contradicts is_over")
    if (check := TABLE_CHECKS.find(game)) is not None:
        check(tables)


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
