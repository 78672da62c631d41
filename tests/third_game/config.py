"""The settings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from card_envs.game import NOBODY, Tables, is_whole
from tests.third_game.state import HAND_SIZE, NO_CARD, TABLE


@dataclass(frozen=True)
class DozenConfig:
    """How much the last trick counts."""

    last_trick: int = 1

    def __post_init__(self) -> None:
        if not is_whole(self.last_trick) or not 1 <= self.last_trick <= 100:
            raise ValueError(f"last_trick {self.last_trick!r} must be a whole number in 1 .. 100")

    @property
    def max_reward(self) -> float:
        """What a seat wins that takes all tricks."""
        return 2.0 * (HAND_SIZE - 1 + self.last_trick)

    def new_tables(self, num_tables: int) -> Tables:
        """Return tables with these settings."""
        tables = np.zeros(num_tables, TABLE)
        tables["last_trick"], tables["is_over"] = self.last_trick, 1
        tables["trick"], tables["actor"] = NO_CARD, NOBODY
        return tables
