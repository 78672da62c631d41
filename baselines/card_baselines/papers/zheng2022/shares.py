"""Shares: of card types among hands, of actions among decisions, and of card types for which a sheet says something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.zheng2022.card_types import NUM_TYPES, TYPE_OF_RANK, hole_type
from card_baselines.papers.zheng2022.duel import make_paper_game
from card_baselines.papers.zheng2022.sheet import Sheet
from card_baselines.papers.zheng2022.situation import CALL, COLUMNS, FOLD, NUM_COLUMNS, RAISE, column_of
from card_envs.agent import Agent
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.match import MatchBatch, play_match
from card_envs.poker.hands import HANDS, NUM_HANDS
from card_envs.poker.ranks import hand_ranks
from card_envs.typing import Rows

SAMPLES = 2_000_000
"""Random hands of seven cards; a share is then known to +- 0.04 percentage points."""


def measure_type_shares(samples: int = SAMPLES, seed: int = 0) -> NDArray[np.float64]:
    """Return (45,): shares of rows 0 to 19 among seven cards (sampled) and of rows 20 to 44 among two (counted)."""
    rng = np.random.default_rng(seed)
    shares = np.zeros(NUM_TYPES)
    keys = rng.random((samples // 10, DECK_SIZE), np.float32)
    for _ in range(10):
        hands = np.argpartition(keys, 7, axis=1)[:, :7].astype(np.uint8)
        shares += np.bincount(TYPE_OF_RANK[hand_ranks(hands)], minlength=NUM_TYPES) / samples
        keys = rng.random(keys.shape, np.float32)
    for first, second in HANDS:
        shares[hole_type(first, second)] += 1 / NUM_HANDS
    return shares


def measure_action_shares(agents: Sequence[Agent], hands: int, seed: int = 0) -> dict[str, float]:
    """Return the share of each action among the decisions of the first of two agents."""
    counter = ActionCounter()
    play_match(make_paper_game(), list(agents), hands, seed, duplicate=True, callbacks=[counter])
    return dict(zip(COLUMNS, (counter.counts / counter.counts.sum()).tolist(), strict=True))


class ActionCounter:
    """A callback that counts the actions of the first agent of a match."""

    def __init__(self) -> None:
        self.counts = np.zeros(NUM_COLUMNS, np.int64)
        """(4,): calls, raises, folds, checks."""

    def on_deal(self, batch: MatchBatch) -> None:
        """Do nothing: only actions are counted."""

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Count the actions of the first agent."""
        is_first = batch.agent_indices(rows, batch.tables["actor"][rows].astype(np.int64)) == 0
        count_columns(batch.tables, rows[is_first], actions[is_first], self.counts)

    def on_end(self, batch: MatchBatch) -> None:
        """Do nothing: only actions are counted."""


@kernel
def count_columns(tables: Any, rows: Any, actions: Any, counts: Any) -> None:
    """Add the action taken at the table of each row to the counts of the four columns."""
    for j in range(rows.shape[0]):
        counts[column_of(tables[rows[j]], actions[j])] += 1


def measure_bad_types(sheet: Sheet) -> tuple[float, int]:
    """Return the share of card types without a positive value at which a fold has the highest value, and their number.

    Without such a type, the share is NaN.
    """
    bad = sheet.values[(sheet.values < 0).all(axis=1)]
    return (float((bad.argmax(axis=1) == FOLD).mean()) if len(bad) else math.nan), len(bad)


def measure_good_types(sheet: Sheet) -> tuple[float, int]:
    """Return the share of card types with a positive value at which a fold has the lowest of call, raise and fold.

    The second number is that of these card types; without any, the share is NaN.
    """
    good = sheet.values[(sheet.values > 0).any(axis=1)]
    above = (good[:, CALL] > good[:, FOLD]) & (good[:, RAISE] > good[:, FOLD])
    return (float(above.mean()) if len(good) else math.nan), len(good)
