"""Re-solving the river of heads-up hold'em: CFR+ on the rest of the hand, with a gadget.

The ranges with which both players come to the river follow from the trunk by Bayes' rule, as in a local best response,
and so does what a best response would win there from the strategy that is replaced.
"""

from __future__ import annotations

import numpy as np

from card_baselines.solvers.hands import RANKED, Hands, arrange_hands, rank_hands
from card_baselines.solvers.resolving.resolver import FindTrunk, Resolver, Solution, Subgame
from card_baselines.solvers.resolving.river_cfr import Floats, RiverTree, Work, respond, solve
from card_baselines.solvers.resolving.trunk import Probabilities, Trunk
from card_baselines.solvers.tree import BettingPaths, Numbers
from card_envs.game import Game, Tables
from card_envs.games.holdem.state import Street
from card_envs.poker.hands import NUM_HANDS


class RiverSolution(Solution):
    """The strategies on a river."""

    def __init__(self, paths: BettingPaths, ranges: Probabilities, probabilities: Floats) -> None:
        """Store the probabilities (decisions, 1326, actions) by number in `paths`."""
        super().__init__(paths, ranges)
        self._probabilities, self.num_bytes = probabilities, probabilities.nbytes

    def ask(self, tables: Tables, board: Numbers) -> Probabilities:
        """Return the probabilities (n, 1326, actions)."""
        return self._probabilities[self.paths.find(tables)]


class RiverResolver(Resolver):
    """Solves rivers."""

    street, num_cards = Street.RIVER, 5

    def __init__(
        self, game: Game, paths: BettingPaths, find_trunk: FindTrunk, iterations: int, range_share: float
    ) -> None:
        """Allocate the hands on a board; arguments as in `Resolver`."""
        super().__init__(game, paths, find_trunk, iterations, range_share)
        self._ranked = np.zeros(1, RANKED)
        self._hands = Hands.allocate(np.ones(1, np.int64))
        self._no_buckets = np.zeros((1, NUM_HANDS), np.int64)

    def solve(self, subgame: Subgame, trunk: Trunk, player: int, board: Numbers) -> Solution:
        """Return the solution of a river for a player."""
        betting = subgame.betting
        tree, ranges = RiverTree.from_betting(betting), trunk.find_ranges(betting.tables[:1], board)
        work = Work.allocate(tree)
        rank_hands(board, self._ranked[0])
        arrange_hands(self._ranked[0], self._no_buckets, self._hands)
        hands = self._ranked[0]["number"][: int(self._hands.size[0])]
        placed = np.ascontiguousarray(ranges[:, hands], np.float32)
        worth = self._respond_to_trunk(subgame, trunk, player, board, placed[player], hands, work)
        solve(tree, self._hands, np.int64(player), placed, worth, self._range_share, np.int64(self._iterations), work)
        sums = work.sums[betting.decisions][:, :, : len(hands)].transpose(0, 2, 1)
        legal = (betting.child[betting.decisions] >= 0)[:, None, :]
        weights = np.where(sums.sum(axis=2, keepdims=True) > 0, sums, legal)
        found = np.zeros((len(subgame.numbers), NUM_HANDS, self._game.num_actions), np.float32)
        found[subgame.numbers[:, None], hands] = weights / weights.sum(axis=2, keepdims=True)
        return RiverSolution(subgame.paths, ranges, found)

    def _respond_to_trunk(
        self, subgame: Subgame, trunk: Trunk, player: int, board: Numbers, reach: Floats, hands: Numbers, work: Work
    ) -> Floats:
        """Return the values (hands,) of a best response on the river to the trunk, by hand of the opponent."""
        betting = subgame.betting
        own = np.flatnonzero(betting.player == player)
        policy = np.zeros((*betting.child.shape, len(hands)), np.float32)
        policy[own] = trunk.ask(betting.tables[own], board)[:, hands].transpose(0, 2, 1)
        respond(RiverTree.from_betting(betting), self._hands, np.int64(1 - player), reach, policy, work)
        return work.values[0, : len(hands)].copy()
