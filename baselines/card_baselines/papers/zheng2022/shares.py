"""Shares of each card type among all hands of seven cards and of two, and of each action among decisions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.zheng2022.card_types import NUM_TYPES, PUBLISHED, TYPE_OF_RANK, hole_type
from card_baselines.papers.zheng2022.duel import make_paper_game
from card_baselines.papers.zheng2022.situation import COLUMNS, NUM_COLUMNS, column_of
from card_envs.agent import Agent
from card_envs.cards import DECK_SIZE
from card_envs.match import MatchBatch, play_match
from card_envs.poker.hands import HANDS, NUM_HANDS
from card_envs.poker.ranks import hand_ranks
from card_envs.typing import Rows

SAMPLES = 2_000_000
"""Random hands of seven cards; a share is then known to +- 0.04 percentage points."""


def share_of_types(samples: int = SAMPLES, seed: int = 0) -> NDArray[np.float64]:
    """Return (45,): shares of rows 0 to 19 among seven cards (sampled) and of rows 20 to 44 among two (counted)."""
    rng = np.random.default_rng(seed)
    shares = np.zeros(NUM_TYPES)
    keys = rng.random((samples // 10, DECK_SIZE), np.float32)
    for _ in range(10):
        hands = np.argpartition(keys, 7, axis=1)[:, :7].astype(np.uint8)
        shares += np.bincount(TYPE_OF_RANK[PUBLISHED, hand_ranks(hands)], minlength=NUM_TYPES) / samples
        keys = rng.random(keys.shape, np.float32)
    for first, second in HANDS:
        shares[hole_type(first, second, PUBLISHED)] += 1 / NUM_HANDS
    return shares


class ActionCounter:
    """A callback that counts the actions of the first agent of a match."""

    def __init__(self) -> None:
        self.counts = np.zeros(NUM_COLUMNS, np.int64)
        """(4,): calls, raises, folds, checks."""

    def on_deal(self, batch: MatchBatch) -> None:
        """Do nothing: only actions are counted."""

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Count the actions of the first agent."""
        seats = batch.tables["actor"][rows].astype(np.int64)
        for j in np.flatnonzero(batch.agent_indices(rows, seats) == 0):
            self.counts[column_of(batch.tables[rows[j]], actions[j])] += 1

    def on_end(self, batch: MatchBatch) -> None:
        """Do nothing: only actions are counted."""


def share_of_actions(agent: Agent, rival: Agent, hands: int, seed: int = 0) -> dict[str, float]:
    """Return the share of each action among the decisions of `agent` in a match with `rival`."""
    counter = ActionCounter()
    play_match(make_paper_game(), [agent, rival], hands, seed, duplicate=True, callbacks=[counter])
    return dict(zip(COLUMNS, (counter.counts / counter.counts.sum()).tolist(), strict=True))
