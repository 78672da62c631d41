"""Re-solving the river of heads-up hold'em: ranges by Bayes' rule, then CFR+ on the subgame with a gadget.

Until the river a *blueprint* plays. Its probabilities tell with which hands each player comes to the river, as in a
local best response, and what a best response wins from it there. The rest of the hand is then solved anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.no_limit.hand_vectors import Hands, arrange_hands
from card_baselines.solvers.ranked_hands import RANKED, rank_hands
from card_baselines.solvers.resolving.betting_paths import BettingPaths, Numbers
from card_baselines.solvers.resolving.subgame_cfr import Floats, Subgame, Work, respond, solve
from card_baselines.solvers.subgame_betting import NUM_PLAYERS, Betting, grow_betting
from card_envs.agent import Agent
from card_envs.analysis.exploitability.range_strategy import RangeStrategy
from card_envs.game import Game, Tables
from card_envs.games.holdem.endgame import EndgameConfig
from card_envs.games.holdem.evaluation.hidden_hands import HoldemHiddenHands
from card_envs.poker.hands import NUM_HANDS
from card_envs.poker.ranges import possible_hands

FIRST_BOARD_CARD, BOARD_SIZE = 4, 5
"""Index of the first board card in the field `deck`, and the number of board cards."""
_MAX_BYTES = 2**29
"""Memory of the solutions that are kept."""
_MAX_RIVERS = 256
"""Number of rivers whose betting is kept."""
_TREMBLE = 1e-3
"""Probability of a random action in the blueprint's strategy when ranges are computed: no range becomes empty."""

Probabilities = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _River:
    """The betting of a river, and what is needed to solve it."""

    betting: Betting
    paths: BettingPaths
    """The same decisions, by what tables tell of them."""
    numbers: Numbers
    """Number in `paths` of each of `betting.decisions`."""
    tree: Subgame


@dataclass(frozen=True, eq=False)
class Solution:
    """The strategy on a river."""

    paths: BettingPaths
    """The decisions of the river."""
    probabilities: Floats
    """(decisions, 1326, actions): by number in `paths`; of one player they are safe to play."""


class RiverResolver:
    """Solutions for the rivers of a game, which are cached."""

    def __init__(self, game: Game, blueprint: Agent, iterations: int, range_share: float) -> None:
        """Build the betting tree of the game; ValueError where it, or that of a river, has too many sequences."""
        first, self._ranges = _begin(game)
        self.paths = BettingPaths(first, game.num_actions)
        self.river = len(game.config.board_cards) - 1
        """Number of the last street."""
        self._game, self._iterations, self.range_share = game, np.int64(iterations), np.float32(range_share)
        self._blueprint = RangeStrategy(game, blueprint, HoldemHiddenHands(game.num_actions))
        self._rivers: OrderedDict[int, _River] = OrderedDict()
        self._solutions: OrderedDict[Hashable, Solution] = OrderedDict()
        self._bytes = 0
        """Memory of the solutions."""
        self._ranked = np.zeros(1, RANKED)
        self._hands = Hands.allocate(np.ones(1, np.int64))
        self._no_buckets = np.zeros((1, NUM_HANDS), np.int64)
        rivers = np.flatnonzero(self.paths.tables["street"] == self.river)
        smallest_pot = rivers[self.paths.tables["pot"][rivers].argmin()]  # leaves most chips for bets
        self._find_river(self.paths.find_street(int(smallest_pot)))

    def find_solution(self, number: int, board: Numbers) -> Solution:
        """Return the solution of a river, given the number in `paths` of one of its decisions and a board (5,)."""
        root, player = self.paths.find_street(number), int(self.paths.tables["actor"][number])
        key = root, player, board.tobytes()
        found = self._solutions.get(key)
        if found is None:
            found = self._solutions[key] = self._solve(root, player, board)
            self._bytes += found.probabilities.nbytes
            while self._bytes > _MAX_BYTES and len(self._solutions) > 1:
                self._bytes -= self._solutions.popitem(last=False)[1].probabilities.nbytes
        self._solutions.move_to_end(key)
        return found

    def find_ranges(self, number: int, board: Numbers) -> Probabilities:
        """Return the ranges (2, 1326) of both players, each summing to 1, at a decision with a board (4,) or (5,)."""
        possible = possible_hands(board)
        ranges = np.where(possible, self._ranges, 0.0)
        numbers, actions = self.paths.find_path(number)
        if len(numbers):
            tables = self.paths.tables[numbers]
            taken = self._ask(tables, board, possible)[np.arange(len(numbers)), :, actions]
            num_legal = np.array([int(legal).bit_count() for legal in tables["legal"]])
            taken = (1 - _TREMBLE) * taken + _TREMBLE / num_legal[:, None]
            for player in range(NUM_PLAYERS):
                ranges[player] *= taken[tables["actor"] == player].prod(axis=0)
        return np.asarray(ranges / ranges.sum(axis=1, keepdims=True))

    def _ask(self, tables: Tables, board: Numbers, possible: NDArray[np.bool_]) -> Probabilities:
        """Return the probabilities of the blueprint, (n, 1326, actions), at tables on whose board lie these cards."""
        asked = tables.copy()
        asked["deck"][:, FIRST_BOARD_CARD : FIRST_BOARD_CARD + len(board)] = board
        wanted = np.broadcast_to(possible, (len(asked), NUM_HANDS))
        return self._blueprint.probabilities(asked, asked["actor"].astype(np.int64), wanted)

    def _find_river(self, root: int) -> _River:
        if root not in self._rivers:
            first = self.paths.tables[root : root + 1]
            betting, paths = grow_betting(self._game, first), BettingPaths(first, self._game.num_actions)
            tree = Subgame.from_betting(betting)
            numbers = paths.find(betting.tables[betting.decisions])
            self._rivers[root] = _River(betting, paths, numbers, tree)
            if len(self._rivers) > _MAX_RIVERS:
                self._rivers.popitem(last=False)
        self._rivers.move_to_end(root)
        return self._rivers[root]

    def _solve(self, root: int, player: int, board: Numbers) -> Solution:
        river, ranges = self._find_river(root), self.find_ranges(root, board)
        work = Work.allocate(river.tree)
        rank_hands(board, self._ranked[0])
        arrange_hands(self._ranked[0], self._no_buckets, self._hands)
        hands = self._ranked[0]["number"][: int(self._hands.size[0])]
        placed = np.ascontiguousarray(ranges[:, hands], np.float32)
        worth = self._respond_to_blueprint(river, player, board, placed[player], hands, work)
        solve(river.tree, self._hands, np.int64(player), placed, worth, self.range_share, self._iterations, work)
        sums = work.sums[river.betting.decisions][:, :, : len(hands)].transpose(0, 2, 1)
        legal = (river.betting.child[river.betting.decisions] >= 0)[:, None, :]
        weights = np.where(sums.sum(axis=2, keepdims=True) > 0, sums, legal)
        found = np.zeros((len(river.numbers), NUM_HANDS, self._game.num_actions), np.float32)
        found[river.numbers[:, None], hands] = weights / weights.sum(axis=2, keepdims=True)
        return Solution(river.paths, found)

    def _respond_to_blueprint(
        self, river: _River, player: int, board: Numbers, reach: Floats, hands: Numbers, work: Work
    ) -> Floats:
        """Return the values (hands,) of a best response to the blueprint on the river, by hand of the opponent."""
        betting = river.betting
        own = np.flatnonzero(betting.player == player)
        policy = np.zeros((*betting.child.shape, len(hands)), np.float32)
        policy[own] = self._ask(betting.tables[own], board, possible_hands(board))[:, hands].transpose(0, 2, 1)
        respond(river.tree, self._hands, np.int64(1 - player), reach, policy, work)
        return work.values[0, : len(hands)].copy()


def _begin(game: Game) -> tuple[Tables, Probabilities]:
    """Return a table before its first decision, at which player p sits at seat p, and the ranges there, (2, 1326)."""
    tables = game.seeded_tables(1, 0)
    endgame = game.config.endgame if isinstance(game.config, EndgameConfig) else None
    if endgame is not None:
        free = [card for card in game.config.deck_cards if card not in endgame.cards]
        endgame.start(tables, 0, NUM_PLAYERS - 1, free[:FIRST_BOARD_CARD])  # any hands: they are not read
        return tables, endgame.weights
    game.deal_with(tables, 0, {"button": NUM_PLAYERS - 1, "deck": game.config.deck_cards[: game.config.num_dealt]})
    return tables, np.ones((NUM_PLAYERS, NUM_HANDS))
