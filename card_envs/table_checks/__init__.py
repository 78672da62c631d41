"""Checks of records that come from a file, since kernels check nothing: at records that pass they can go on.

Every game gets the checks of the fields that all games have; the feature `TABLE_CHECKS` adds those of its own fields.
"""

from __future__ import annotations

from collections.abc import Callable

from card_envs.features import Feature
from card_envs.game import NOBODY, Game
from card_envs.records import Tables
from card_envs.table_checks.ranges import DamagedRecordError, require_records

TABLE_CHECKS: Feature[Callable[[Tables], None]] = Feature(
    "table_checks", "card_envs.table_checks", "checks of tables from files"
)
"""Function (tables): raises a DamagedRecordError for records at which the kernels of the game cannot play."""


def check_tables(game: Game, tables: Tables) -> None:
    """Raise a DamagedRecordError, a ValueError that names table and field, for records that no play of a game leaves.

    The records (n,) come from a file; a deal may be in progress, over, or not dealt yet.
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
