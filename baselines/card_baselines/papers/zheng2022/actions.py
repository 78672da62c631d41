"""How often a player calls, raises, folds and checks, and what a cheating sheet says of each card type."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from card_baselines.papers.zheng2022.duel import make_paper_game
from card_baselines.papers.zheng2022.sheet import Sheet
from card_baselines.papers.zheng2022.situation import CALL, FOLD, NUM_COLUMNS, RAISE, column_of
from card_envs.agent import Agent
from card_envs.compiler import kernel
from card_envs.match import MatchBatch, play_match
from card_envs.typing import Floats, Rows


def measure_action_shares(agents: Sequence[Agent], hands: int, seed: int) -> Floats:
    """Return (4,): the shares of calls, raises, folds and checks among the decisions of the first of two agents."""
    counts = _ActionCounts()
    play_match(make_paper_game(), list(agents), hands, seed, callbacks=[counts])
    return np.asarray(counts.counts / counts.counts.sum())


class _ActionCounts:
    """Callback of a match that counts the actions of the first agent."""

    def __init__(self) -> None:
        self.counts = np.zeros(NUM_COLUMNS, np.int64)

    def on_deal(self, batch: MatchBatch) -> None: ...

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        mine = batch.agent_indices(rows, batch.tables["actor"][rows].astype(np.int64)) == 0
        columns = np.empty(int(mine.sum()), np.int64)
        write_columns(batch.tables, rows[mine], actions[mine], columns)
        self.counts += np.bincount(columns, minlength=NUM_COLUMNS)

    def on_end(self, batch: MatchBatch) -> None: ...


@kernel
def write_columns(tables: Any, rows: Any, actions: Any, columns: Any) -> None:
    """Write the column of each action, taken at the table of each row."""
    for j in range(rows.shape[0]):
        columns[j] = column_of(tables[rows[j]], actions[j])


def measure_bad_types(sheet: Sheet) -> tuple[float, int]:
    """Return of the card types without a positive value the share at which a fold has the highest, and their number.

    Without such a type, the share is NaN.
    """
    bad = sheet.values[(sheet.values < 0).all(axis=1)]
    return (float((bad.argmax(axis=1) == FOLD).mean()) if len(bad) else math.nan), len(bad)


def measure_good_types(sheet: Sheet) -> tuple[float, int]:
    """Return of the card types with a positive value the share at which a fold has the lowest of call, raise and fold.

    The second number is that of these card types; without any, the share is NaN.
    """
    good = sheet.values[(sheet.values > 0).any(axis=1)]
    above = (good[:, CALL] > good[:, FOLD]) & (good[:, RAISE] > good[:, FOLD])
    return (float(above.mean()) if len(good) else math.nan), len(good)
