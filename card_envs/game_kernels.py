"""The signatures of the functions in `Game`: kernels and their neighbours, each with what it returns and changes.

Arguments go by position, as to all kernels. `i` is the index of a table, `rows` an int64 array of indices; observations
and masks are records over ordinary arrays (`observation.observation_records`, `observation.mask_records`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.records import Tables
from card_envs.typing import Rows

Records = NDArray[Any]


class NewTables(Protocol):
    """Makes records that carry the settings; streams not started, nothing dealt."""

    def __call__(self, num_tables: int, /) -> Tables:
        """Return that many tables."""
        ...


class Start(Protocol):
    """Kernel: prepares freshly seeded tables for their first episode (such as a random button)."""

    def __call__(self, tables: Tables, /) -> None:
        """Change every table."""
        ...


class Deal(Protocol):
    """Kernel: begins the next episode with random cards."""

    def __call__(self, tables: Tables, i: int, /) -> int:
        """Return the actor at table i, NOBODY if the episode is over at once."""
        ...


class DealBatch(Protocol):
    """Kernel: `Deal` at many tables; some episodes may be over at once."""

    def __call__(self, tables: Tables, rows: Rows, /) -> None:
        """Begin an episode at each table of `rows`."""
        ...


class DealWith(Protocol):
    """Like `Deal`, with cards, stacks ... as given; those that cannot be raise ValueError and change nothing."""

    def __call__(self, tables: Tables, i: int, options: Mapping[str, Any], /) -> int:
        """Return the actor at table i, NOBODY if the episode is over at once."""
        ...


class Step(Protocol):
    """Kernel: applies an action."""

    def __call__(self, tables: Tables, i: int, action: int, /) -> int:
        """Return the next actor at table i, NOBODY when the episode is over, or ILLEGAL: then it has not changed."""
        ...


class FirstIllegal(Protocol):
    """Kernel: looks for an illegal action; changes nothing."""

    def __call__(self, tables: Tables, rows: Rows, actions: Rows, /) -> int:
        """Return the first position whose action is illegal at its table, or -1."""
        ...


class StepBatch(Protocol):
    """Kernel: one action for each table of `rows`."""

    def __call__(
        self, tables: Tables, rows: Rows, actions: Rows, rewards: NDArray[np.float32], is_over: NDArray[np.uint8],
        redeal: bool, /,
    ) -> int:  # fmt: skip
        """Return -1, or the first position whose action is illegal: then no table has changed.

        Writes is_over (n,) and rewards (n, num_seats), zero unless over; with `redeal`, finished tables begin their
        next episode.
        """
        ...


class RandomBatch(Protocol):
    """Kernel: uniformly random legal actions."""

    def __call__(self, tables: Tables, rows: Rows, streams: Records, actions: Rows, /) -> None:
        """Write a legal action of each row's actor, drawn from streams[rows[j]], into actions[j]."""
        ...


class MaskBatch(Protocol):
    """Kernel: action masks. Rows must exist: like all kernels, this one checks no index."""

    def __call__(self, tables: Tables, rows: Rows, masks: Records, /) -> None:
        """Write the mask of the actor of tables[rows[j]] into row j, all zeros where the episode is over."""
        ...


class CensorBatch(Protocol):
    """Kernel: what seats see."""

    def __call__(self, tables: Tables, rows: Rows, seats: Rows, views: Tables, /) -> None:
        """Write copies of tables[rows[j]] without anything that seats[j] cannot see into views[j]."""
        ...


class WriteState(Protocol):
    """Kernel: the perfect-information vector."""

    def __call__(self, tables: Tables, i: int, states: Records, /) -> None:
        """Write the vector of table i into row 0."""
        ...


class ActionText(Protocol):
    """Words for an action of the actor at a table: its name ("raise to 6"), or why it is illegal and what is legal."""

    def __call__(self, tables: Tables, i: int, action: int, /) -> str:
        """Return the words."""
        ...


class TableText(Protocol):
    """A table as lines of text."""

    def __call__(self, tables: Tables, i: int, seat: int | None, /) -> str:
        """Return table i as a seat sees it, or with all cards for None."""
        ...
