"""Types of the functions in `Game`, as protocols that document arguments and results.

Arguments are positional, as for all kernels. `i` is the index of a table, `rows` an int64 array of indices. Arrays of
observations and masks are viewed as records (`observation.observation_records`, `observation.mask_records`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.records import Tables
from card_envs.typing import Rows

__all__ = [
    "ActionText",
    "CensorBatch",
    "Deal",
    "DealBatch",
    "DealWith",
    "FirstIllegal",
    "ForcedBatch",
    "MaskBatch",
    "NewTables",
    "RandomBatch",
    "Start",
    "StateBatch",
    "Step",
    "StepBatch",
    "TableText",
]

Records = NDArray[Any]


class NewTables(Protocol):
    """Makes tables with the settings of the game. Their random streams are not seeded and nothing is dealt."""

    def __call__(self, num_tables: int, /) -> Tables:
        """Return (num_tables,) records."""
        ...


class Start(Protocol):
    """Kernel: prepares newly seeded tables for their first episode, for example with a random button."""

    def __call__(self, tables: Tables, /) -> None:
        """Prepare every table, in place."""
        ...


class Deal(Protocol):
    """Kernel: begins the next episode with random cards.

    What options of the previous episode changed, such as stacks, is restored.
    """

    def __call__(self, tables: Tables, i: int, /) -> int:
        """Deal at table i and return the actor, NOBODY if the episode is over at once."""
        ...


class DealBatch(Protocol):
    """Kernel: `Deal` at many tables. Some episodes may be over at once."""

    def __call__(self, tables: Tables, rows: Rows, /) -> None:
        """Deal at each table of `rows`."""
        ...


class DealWith(Protocol):
    """Begin the next episode with the cards, stacks or other options that are given.

    Options apply to this episode only. Without options ({}), the episode is the one that `Deal` begins.

    Options that do not fit raise a ValueError, and the table does not change.
    """

    def __call__(self, tables: Tables, i: int, options: Mapping[str, Any], /) -> int:
        """Deal at table i and return the actor, NOBODY if the episode is over at once."""
        ...


class Step(Protocol):
    """Kernel: applies an action."""

    def __call__(self, tables: Tables, i: int, action: int, /) -> int:
        """Return the next actor at table i, NOBODY if the episode is over; ILLEGAL, without any change, if it is."""
        ...


class FirstIllegal(Protocol):
    """Kernel: finds an illegal action without changing any table."""

    def __call__(self, tables: Tables, rows: Rows, actions: Rows, /) -> int:
        """Return the first j for which actions[j] is illegal at tables[rows[j]], or -1."""
        ...


class StepBatch(Protocol):
    """Kernel: applies one action at each table of `rows`."""

    def __call__(
        self, tables: Tables, rows: Rows, actions: Rows, rewards: NDArray[np.float32], is_over: NDArray[np.uint8],
        redeal: bool, /,
    ) -> int:  # fmt: skip
        """Apply actions[j] at tables[rows[j]]; write rewards (n, num_seats), zero unless over, and is_over (n,).

        Returns -1, or the first j whose action is illegal; then no table has changed. With `redeal`, tables whose
        episode is over begin the next one.
        """
        ...


class ForcedBatch(Protocol):
    """Kernel: finds forced decisions, those with one legal action."""

    def __call__(self, tables: Tables, rows: Rows, actions: Rows, /) -> None:
        """Write into actions[j] the only legal action at tables[rows[j]]; -1 if there is another one or none."""
        ...


class RandomBatch(Protocol):
    """Kernel: draws uniformly random legal actions."""

    def __call__(self, tables: Tables, rows: Rows, streams: Records, actions: Rows, /) -> None:
        """Write into actions[j] a legal action of the actor at tables[rows[j]], drawn from streams[rows[j]]."""
        ...


class MaskBatch(Protocol):
    """Kernel: writes action masks. Like all kernels, it does not check indices."""

    def __call__(self, tables: Tables, rows: Rows, masks: Records, /) -> None:
        """Write the mask of the actor of tables[rows[j]] into row j; all zeros if the episode is over."""
        ...


class CensorBatch(Protocol):
    """Kernel: writes views, copies of tables without anything that a seat cannot see."""

    def __call__(self, tables: Tables, rows: Rows, seats: Rows, views: Tables, /) -> None:
        """Write the view that seats[j] has of tables[rows[j]] into views[j]."""
        ...


class StateBatch(Protocol):
    """Kernel: writes perfect-information vectors."""

    def __call__(self, tables: Tables, rows: Rows, states: Records, /) -> None:
        """Write the vector of table rows[j] into row j."""
        ...


class ActionText(Protocol):
    """Describes an action: its name, such as "raise to 6", or why it is illegal and which actions are legal."""

    def __call__(self, tables: Tables, i: int, action: int, /) -> str:
        """Return the text for an action of the actor at table i."""
        ...


class TableText(Protocol):
    """Describes a table in lines of text."""

    def __call__(self, tables: Tables, i: int, seat: int | None, /) -> str:
        """Return the text for table i as a seat sees it, or with all cards for None."""
        ...
