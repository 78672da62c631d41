"""Errors of tables that do not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from card_envs.game import Game


@contextmanager
def explain_memory(game: Game, num_tables: int) -> Iterator[None]:
    """Say in a MemoryError how much memory the tables take, in place of NumPy's error about one of their arrays."""
    try:
        yield
    except (MemoryError, ValueError) as error:
        if isinstance(error, ValueError) and "Maximum allowed" not in str(error):
            raise
        number = np.dtype(game.layout.dtype).itemsize
        each = game.new_tables(1).nbytes + game.layout.size * number + game.num_actions
        raise MemoryError(
            f"num_tables {num_tables:,}: a table of {game.name} takes {each:,} bytes, so these take "
            f"{num_tables * each / 2**30:,.0f} GiB; choose fewer"
        ) from error
