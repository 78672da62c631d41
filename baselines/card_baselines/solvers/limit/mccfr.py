"""External-sampling Monte Carlo CFR for heads-up limit hold'em with hands in buckets of similar equity.

Lanctot et al. (2009), Monte Carlo sampling for regret minimization in extensive games: each iteration samples the cards
and the opponent's actions and visits all actions of the learning player. Iteration t has the weight t (linear CFR,
Brown and Sandholm 2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.equity_buckets import CARDS, EquityBuckets, bucket_of, deal_all
from card_baselines.solvers.game_trees import grow_game
from card_baselines.solvers.hands import NUM_PLAYERS
from card_baselines.solvers.sampled_cfr import SampledTree, Visits, traverse
from card_baselines.solvers.solver import CfrSolver
from card_baselines.solvers.strategy import FINE, TableStrategy, list_states, quantise
from card_baselines.solvers.tree import LIMIT_ACTIONS, BettingTree
from card_envs.compiler import kernel
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import NOBODY
from card_envs.memory import require_free_memory
from card_envs.poker.hands import BOARD_CARDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.poker.starting_hands import NUM_STARTING_HANDS
from card_envs.rng import seeded_streams
from card_envs.typing import Integers


class Mccfr(CfrSolver):
    """The solver: regrets and summed strategies, (rows, actions)."""

    def __init__(self, config: HoldemConfig, bounds: NDArray[np.float64], seed: int) -> None:
        """Start with regrets of 0.

        Args:
            config: Heads-up limit hold'em.
            bounds: Bounds of the equity buckets, (3, num_buckets - 1): flop, turn, river (`equal_bounds`).
            seed: Seed of deals and sampled actions.

        Raises:
            ValueError: As `require_memory`.
        """
        self.require_memory(config, bounds.shape[1] + 1)
        self._config, self.buckets = config, EquityBuckets(bounds)
        widths = list_states(config, self.buckets.hands_by_street).num_buckets
        self._rows = np.append(0, np.cumsum(widths))
        """(states + 1,): first row of each information state in the tables."""
        self.regrets = np.zeros((int(self._rows[-1]), LIMIT_ACTIONS), np.float32)
        self.sums = np.zeros_like(self.regrets)
        self._streams, self._cards = seeded_streams(1, seed), np.zeros(1, CARDS)
        self._sampled = to_sampled(grow_game(config), self._rows[:-1])
        self._visits = Visits.allocate(len(self._sampled.nodes), LIMIT_ACTIONS)

    @staticmethod
    def require_memory(config: HoldemConfig, num_buckets: int) -> None:
        """Raise ValueError if regrets and summed strategies take more memory than is free."""
        hands_by_street = [NUM_STARTING_HANDS] + 3 * [num_buckets]
        numbers = LIMIT_ACTIONS * int(list_states(config, hands_by_street).num_buckets.sum())
        require_free_memory(
            2 * numbers * np.dtype(np.float32).itemsize,
            f"regrets and strategies of {hands_by_street} buckets", "choose fewer buckets",
        )  # fmt: skip

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; both players learn in each."""
        run_iterations(
            self._sampled, self.buckets.bounds, self.regrets, self.sums, self._streams, self._visits, self._cards,
            np.int64(self.iterations), np.int64(self.iterations + iterations),
        )  # fmt: skip
        self.iterations += iterations

    def state(self) -> dict[str, NDArray[Any]]:
        """Return regrets, summed strategies and the random stream."""
        return {"regrets": self.regrets, "sums": self.sums, "stream": self._streams.view(np.uint8)}

    def strategy(self) -> TableStrategy:
        """Return the average strategy, in 255ths."""

        def find_part(state: int, legal: Integers) -> Integers:
            sums = self.sums[self._rows[state] : self._rows[state + 1]]
            return quantise(sums[:, legal].T, np.ones(len(legal)), smallest=0.0, whole=FINE)

        return TableStrategy.from_parts(self._config, self.buckets, find_part, whole=FINE)


def to_sampled(tree: BettingTree, rows: Integers) -> SampledTree:
    """Return a tree for `traverse`; outcomes are wins of player 1, splits, and wins of player 0."""
    is_folded = tree.folded != NOBODY
    shares = np.where(is_folded[:, None], 2 * tree.folded[:, None] - 1, np.arange(-1, 2))
    won = (tree.stake[:, None] * shares).astype(np.float64)
    column = np.maximum(tree.player, 0) * len(BOARD_CARDS) + tree.street
    return SampledTree(tree.pack(rows), column, np.stack([won, -won], axis=-1))


@kernel
def run_iterations(
    tree: Any, bounds: Any, regrets: Any, sums: Any, streams: Any, visits: Any, cards: Any, first: Any, end: Any
) -> None:
    """Run iterations `first` .. `end` - 1."""
    buckets, stream = np.zeros((1, NUM_PLAYERS * len(BOARD_CARDS)), np.int64), streams[0]
    for iteration in range(first, end):
        deal_all(stream, cards[0])
        outcome = _evaluate_deal(cards[0], bounds, buckets)
        weight = (iteration + 1) * 1e-6
        for learner in range(NUM_PLAYERS):
            traverse(
                tree, buckets, 0, outcome, learner, 1 - learner, weight, weight, regrets, sums, stream, visits
            )  # fmt: skip


@kernel
def _evaluate_deal(cards: Any, bounds: Any, buckets: Any) -> Any:
    """Write the buckets of both players on all streets, and return the outcome of a showdown."""
    for player in range(NUM_PLAYERS):
        for street in range(len(BOARD_CARDS)):
            buckets[0, player * len(BOARD_CARDS) + street] = bucket_of(
                cards.card[2 * player], cards.card[2 * player + 1], cards, np.int64(street), bounds
            )
    key, bits = np.int64(0), np.int64(0)
    for k in range(2 * NUM_PLAYERS, 2 * NUM_PLAYERS + 5):
        key += CARD_KEYS[cards.card[k]]
        bits |= CARD_BITS[cards.card[k]]
    a, b, c, d = cards.card[0], cards.card[1], cards.card[2], cards.card[3]
    mine = rank_of(key + CARD_KEYS[a] + CARD_KEYS[b], bits | CARD_BITS[a] | CARD_BITS[b])
    theirs = rank_of(key + CARD_KEYS[c] + CARD_KEYS[d], bits | CARD_BITS[c] | CARD_BITS[d])
    return 1 + np.int64(mine < theirs) - np.int64(mine > theirs)
