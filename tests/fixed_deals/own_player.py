"""A player of one's own, as the page of the benchmark shows it."""

from __future__ import annotations

from typing import Any

import numpy as np


class HighestCard:
    """Takes the legal action with the highest id that plays cards: as many cards as it can."""

    name = "highest_card"

    def act(self, decisions: Any, rng: np.random.Generator) -> Any:
        mask = decisions.action_mask[:, :-1]
        return np.where(mask.any(axis=1), mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1), mask.shape[1])
