"""The public Big 2 environment (github.com/henrycharlesworth/big2_PPOalgorithm), from a checkout of it."""

from __future__ import annotations

import contextlib
import importlib
import random
import sys
from pathlib import Path

import numpy as np

from card_baselines.speed.paths import DECISIONS
from card_baselines.speed.stopwatch import Work


def step_loop(checkout: str) -> Work:
    """Observe (412 numbers), take the mask of 1,695 actions, choose, step."""
    sys.path.insert(0, str(Path(checkout).resolve()))
    try:
        with contextlib.chdir(checkout):  # it opens a file beside it when imported
            game = importlib.import_module("big2Game").big2Game()
    finally:
        del sys.path[0]

    def run() -> int:
        for _ in range(DECISIONS):
            _, _, mask = game.getCurrentState()  # 0 for legal actions, -inf for others
            legal = np.flatnonzero(mask[0] == 0)
            game.step(int(legal[int(random.random() * len(legal))]))  # deals anew by itself
        return DECISIONS

    return run
