"""The cheating sheet: what each of four actions is worth with each type of hand, in big blinds.

The cells along the decisions of a hand should add up to what the hand won. They are found by playing random hands:
after each hand one of its decisions is picked, and its cell moved a little towards what the others leave unexplained.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.zheng2022.card_types import NUM_TYPES, random_type
from card_baselines.papers.zheng2022.situation import BIG_BLIND, CALL, COLUMNS, FOLD, NUM_COLUMNS, RAISE, column_of
from card_envs.bits import bit_count, nth_bit
from card_envs.compiler import kernel
from card_envs.files import replace_file
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import FOLD_ACTION
from card_envs.games.holdem.presets import limit_holdem
from card_envs.rng import random_below, seeded_streams

LEARNING_RATE = 1e-4
PRETRAINING_HANDS = 1_000_000
FOLD_AT_MOST, FOLD_OUT_OF = 20, 100
"""A low-fold player considers folding if a number below 100 is at most 20."""
SHEET_FILE = Path(__file__).parent / "data" / "sheet.csv"
"""Ours: a million hands, seed 11.

Of the seeds 0 to 19 the one whose greedy results against Rule, Random and Raise_Rule are nearest to the mean of all."""

_MOST_DECISIONS = 64
_TINY = 1e-8

SHEET = np.dtype((np.record, [("value", np.float64, (NUM_TYPES, NUM_COLUMNS))]))
"""A sheet as kernels take it."""
TRAJECTORY = np.dtype(
    (
        np.record,
        [
            ("length", np.int64),
            ("row", np.int64, (_MOST_DECISIONS,)),
            ("column", np.int64, (_MOST_DECISIONS,)),
        ],
    )
)
"""The decisions of one seat in one hand, as cells of a sheet."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A cheating sheet."""

    values: NDArray[np.float64]
    """(45, 4): rows as in `card_types`, columns call, raise, fold, check; big blinds."""

    def standardise(self) -> Sheet:
        """Return the sheet with every row at mean 0 and standard deviation 1, as the paper's code plays it."""
        values = self.values
        centred = values - values.mean(axis=1, keepdims=True)
        return Sheet(centred / (values.std(axis=1, keepdims=True) + _TINY))

    def measure_types(self, are_good: bool) -> tuple[float, int]:
        """Return the share of card types with the right order of their values, and the number of these types.

        Good types have a positive value, and call and raise should be worth more than a fold; bad types have negative
        values alone, and a fold should be best. Without such a type, the share is NaN.
        """
        values = self.values[(self.values > 0).any(axis=1) if are_good else (self.values < 0).all(axis=1)]
        fold = values[:, FOLD]
        is_right = np.minimum(values[:, CALL], values[:, RAISE]) > fold if are_good else fold == values.max(axis=1)
        return (float(is_right.mean()) if len(values) else math.nan), len(values)

    def record(self) -> NDArray[Any]:
        """Return a copy as the one record that kernels take."""
        records = np.zeros(1, SHEET)
        records["value"][0] = self.values
        return records


def pretrain(hands: int = PRETRAINING_HANDS, seed: int = 0) -> Sheet:
    """Return a sheet learned from `hands` hands between two low-fold players; seat 0 learns."""
    if hands < 0:
        raise ValueError(f"hands {hands} must be at least 0")
    game = limit_holdem(rules="rlcard")
    tables, streams = game.seeded_tables(1, seed), seeded_streams(1, seed)
    records, trajectories = Sheet(np.zeros((NUM_TYPES, NUM_COLUMNS))).record(), np.zeros(1, TRAJECTORY)
    _pretrain(tables, records, trajectories, streams, hands)
    return Sheet(records["value"][0].copy())


def load_sheet(path: str | Path) -> Sheet:
    """Return the sheet in a text file: a heading, then 45 rows of four numbers with commas: call, raise, fold, check.

    The values are taken as they are: the players standardise them. ValueError for anything else.
    """
    try:
        values = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    except (OSError, ValueError) as error:
        raise ValueError(f"sheet {path} cannot be read: {error}") from error
    if values.shape != (NUM_TYPES, NUM_COLUMNS):
        raise ValueError(
            f"sheet {path} has shape {values.shape}: ({NUM_TYPES}, {NUM_COLUMNS}) is needed; columns "
            f"{', '.join(COLUMNS)}"
        )
    if not np.isfinite(values).all():
        raise ValueError(f"sheet {path} holds numbers that are not finite")
    return Sheet(values)


def save_sheet(sheet: Sheet, path: str | Path) -> None:
    """Write a sheet as text, one row a line, with a heading."""
    path = Path(path)
    lines = [",".join(COLUMNS), *(",".join(f"{value:.6f}" for value in row) for row in sheet.values)]
    with replace_file(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


@kernel
def move_cell(sheet: Any, trajectory: Any, payoff: Any, learning_rate: Any, stream: Any) -> None:
    """Move the cell of one random decision of the trajectory towards what the other cells leave of the payoff."""
    if trajectory.length == 0:
        return
    picked = random_below(stream, np.int64(trajectory.length))
    total = 0.0
    for i in range(trajectory.length):
        total += sheet.value[trajectory.row[i], trajectory.column[i]]
    sheet.value[trajectory.row[picked], trajectory.column[picked]] += learning_rate * (payoff - total)


@kernel
def add_decision(trajectory: Any, row: Any, column: Any) -> None:
    """Append a cell to a trajectory."""
    if trajectory.length < _MOST_DECISIONS:
        trajectory.row[trajectory.length] = row
        trajectory.column[trajectory.length] = column
        trajectory.length += 1


@kernel
def low_fold_action(t: Any, stream: Any) -> Any:
    """Return a random action id of a player that seldom folds."""
    legal = np.int64(t.legal)
    if random_below(stream, FOLD_OUT_OF) > FOLD_AT_MOST:
        legal &= ~(1 << FOLD_ACTION)
    return nth_bit(legal, random_below(stream, bit_count(legal)))


@kernel
def _pretrain(tables: Any, sheets: Any, trajectories: Any, streams: Any, hands: Any) -> None:
    """Play hands at table 0 and learn from the decisions of seat 0."""
    sheet, trajectory, stream, t = sheets[0], trajectories[0], streams[0], tables[0]
    for _ in range(hands):
        kernels.deal(tables, 0)
        trajectory.length = 0
        while t.is_over == 0:
            action = low_fold_action(t, stream)
            if t.actor == 0:
                add_decision(trajectory, random_type(t, 0, stream), column_of(t, action))
            kernels.step(tables, 0, action)
        move_cell(sheet, trajectory, t.payoff[0] / BIG_BLIND, LEARNING_RATE, stream)
