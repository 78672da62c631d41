"""The table player: it looks its hand up in the cheating sheet.

What an action is worth is the mean of its column over the types that the hand may become. The paper's code estimates
that from 100 random completions of the board for each action. Here all completions are counted, at most 1,081: the same
mean without the noise, and as fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.zheng2022.card_types import NUM_TYPES, count_types
from card_baselines.papers.zheng2022.sheet import SHEET_FILE, Sheet, load_sheet
from card_baselines.papers.zheng2022.situation import ACTIONS, NUM_COLUMNS, is_legal_column, plays_heads_up_limit
from card_envs.agent import Decisions, StochasticAgent, likeliest
from card_envs.agent.probabilities import softmax
from card_envs.compiler import kernel
from card_envs.game import Game

ACTION_VALUES = np.dtype((np.record, [("value", np.float64, (NUM_COLUMNS,)), ("legal", np.uint8, (NUM_COLUMNS,))]))
"""Value of each column to the seat to act, and whether it may take it."""
TYPE_COUNTS = np.dtype((np.record, [("count", np.int64, (NUM_TYPES,))]))


class TablePlayer(StochasticAgent):
    """Plays the best legal action by a cheating sheet, in heads-up limit hold'em."""

    name = "zheng2022_table"
    greedy = None
    samples = False
    """Whether actions are sampled from the softmax of their values instead."""

    def __init__(self, sheet: Sheet | None = None) -> None:
        """Play a sheet, standardised; ours by default."""
        self.sheet = (load_sheet(SHEET_FILE) if sheet is None else sheet).standardise()
        self._record = self.sheet.record()

    def can_play(self, game: Game) -> bool:
        """Return True for heads-up limit hold'em; the sheet is learned under the rules of RLCard."""
        return plays_heads_up_limit(game)

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probability of every action id (n, 3)."""
        found = find_values(decisions, self._record, np.zeros(len(decisions), np.int64))
        values, legal = found["value"], found["legal"]
        columns = softmax(values, legal) if self.samples else likeliest(np.where(legal == 1, values, -np.inf))
        return to_action_probabilities(columns, legal)


class SoftmaxTablePlayer(TablePlayer):
    """Samples from the softmax of the sheet's rows, which is what the paper says."""

    name = "zheng2022_table_softmax"
    samples = True


def find_values(decisions: Decisions, sheets: NDArray[Any], which: NDArray[np.int64]) -> NDArray[Any]:
    """Return the value of each column in each decision, (n,) of `ACTION_VALUES`.

    `sheets` are records of `Sheet.record`, `which` (n,) says whose sheet belongs to each decision.
    """
    values, counts = np.zeros(len(decisions), ACTION_VALUES), np.zeros(1, TYPE_COUNTS)
    _write_values(decisions.views, sheets, which, counts, values)
    return values


def to_action_probabilities(columns: NDArray[np.float64], legal: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return probabilities of columns (n, 4) as those of action ids (n, 3): call and check are one id."""
    return np.asarray((columns * legal) @ np.eye(NUM_COLUMNS - 1)[ACTIONS])


@kernel
def write_values(t: Any, sheet: Any, c: Any, v: Any) -> None:
    """Write the values of the columns to the seat to act into `v` (`ACTION_VALUES`); `c` is scratch (`TYPE_COUNTS`)."""
    total = count_types(t, np.int64(t.actor), c)
    for column in range(NUM_COLUMNS):
        v.value[column] = 0.0
        v.legal[column] = is_legal_column(t, column)
    for row in range(NUM_TYPES):
        if c.count[row] > 0:
            for column in range(NUM_COLUMNS):
                v.value[column] += c.count[row] * sheet.value[row, column] / total


@kernel
def _write_values(views: Any, sheets: Any, which: Any, counts: Any, values: Any) -> None:
    for j in range(views.shape[0]):
        write_values(views[j], sheets[which[j]], counts[0], values[j])
