"""Subgames of one street on which a hand comes by different betting, and their solutions, which are cached.

The ranges with which both players come to a subgame follow from the trunk by Bayes' rule, as in a local best response,
and so does what a best response would win there from the strategy that is replaced. The solution of a turn is the trunk
of the river that comes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from card_baselines.solvers.hands import BoardHands
from card_baselines.solvers.regret import normalise
from card_baselines.solvers.resolving.subgame_cfr import SubgameCfr, find_groups
from card_baselines.solvers.resolving.trunk import Probabilities, Trunk
from card_baselines.solvers.tree import BettingTree, Numbers, grow_betting
from card_envs.cards import DECK_SIZE
from card_envs.game import Game, Tables
from card_envs.poker.hands import NUM_HANDS
from card_envs.typing import Floats32

_MAX_BYTES = 2**29
"""Memory of the solutions that are kept by a resolver."""
_MAX_SUBGAMES = 256
"""Number of subgames whose betting is kept by a resolver."""

FindTrunk = Callable[[int, int, Numbers], Trunk]
"""Returns the trunk for the first decision of a subgame, the player who re-solves it, and a board."""


class Solution(Trunk):
    """Strategies of both players in a subgame; that of the player for whom it was solved is safe to play."""

    def __init__(
        self, betting: BettingTree, ranges: Probabilities, solved: SubgameCfr, sums: Sequence[Floats32]
    ) -> None:  # fmt: skip
        """Store the average strategies.

        Args:
            betting: The betting of the subgame.
            ranges: (2, 1326): with which both players come to the subgame.
            solved: The subgame as it was solved.
            sums: Its summed strategies, before and after the river comes.
        """
        super().__init__(betting, ranges)
        streets, self._cards, numbers = solved.streets, solved.cards, solved.hands.numbers
        early, self._late = (
            normalise(each, streets.legal_of(is_late)[..., None], -2, np.float32)
            for is_late, each in zip((False, True), sums, strict=True)
        )
        """(cards, decisions, actions, groups): on each river after a turn."""
        self._early = np.zeros((len(early), NUM_HANDS, early.shape[1]), np.float32)
        self._early[:, numbers] = early.transpose(0, 2, 1)
        self._row, self._is_late = streets.row, streets.nodes["street"] > 0
        self.num_bytes = self._early.nbytes + self._late.nbytes
        """Memory of the probabilities."""

    def ask(self, tables: Tables, board: Numbers) -> Probabilities:
        """Return the probabilities (n, 1326, actions)."""
        nodes = self.betting.find(tables)
        rows, is_late = self._row[nodes], self._is_late[nodes]
        found = np.empty((len(nodes), *self._early.shape[1:]), np.float32)
        found[~is_late] = self._early[rows[~is_late]]
        if is_late.any():
            card = int(np.flatnonzero(self._cards == board[-1])[0])
            group = np.zeros(NUM_HANDS, np.int64)
            hands = BoardHands(board, np.arange(DECK_SIZE))
            group[hands.numbers] = find_groups(hands)
            found[is_late] = self._late[card, rows[is_late]].transpose(0, 2, 1)[:, group]
        return found


class Resolver:
    """Solves the subgames of one street: river or turn."""

    def __init__(
        self, game: Game, street: int, betting: BettingTree, find_trunk: FindTrunk, iterations: int, range_share: float
    ) -> None:
        """Store the betting of the game, where the trunk of a subgame is found, and the accuracy of solutions.

        Args:
            game: The game.
            street: The street on which the subgames begin.
            betting: The betting of the game.
            find_trunk: See `FindTrunk`.
            iterations: Iterations of CFR+ for a subgame.
            range_share: Share of the opponent's hands that are weighted by its range, see `Resolve`.

        Raises:
            ValueError: If the subgame with the longest betting has too many sequences.
        """
        self._game, self._betting, self._find_trunk = game, betting, find_trunk
        self.num_cards = street + 2
        """Number of board cards there."""
        self._iterations, self._range_share = iterations, np.float32(range_share)
        self._subgames: OrderedDict[int, BettingTree] = OrderedDict()
        self._solutions: OrderedDict[Hashable, Solution] = OrderedDict()
        self._bytes = 0
        """Memory of the solutions."""
        decisions = betting.decisions[betting.street[betting.decisions] == street]
        if len(decisions):
            smallest_pot = decisions[betting.tables_at(decisions)["pot"].argmin()]  # leaves most chips for bets
            self.find_subgame(betting.find_street(int(smallest_pot)))

    def solve(self, subgame: BettingTree, trunk: Trunk, player: int, board: Numbers) -> Solution:
        """Return the solution of a subgame for a player."""
        ranges = trunk.find_ranges(subgame.tables[:1], board)
        solver = SubgameCfr(subgame, board, np.setdiff1d(self._game.config.deck_cards, board))
        reach = np.ascontiguousarray(ranges[:, solver.hands.numbers], np.float32)
        worth = solver.respond_to(trunk, player, reach[player])
        return Solution(
            subgame, ranges, solver, solver.solve(player, reach, worth, self._iterations, self._range_share)
        )

    def find_solution(self, root: int, board: Numbers, player: int) -> Solution:
        """Return the solution of the subgame that begins with a decision of the game and a board, for a player."""
        key = root, player, board.tobytes()
        found = self._solutions.get(key)
        if found is None:
            trunk = self._find_trunk(root, player, board)
            found = self._solutions[key] = self.solve(self.find_subgame(root), trunk, player, board)
            self._bytes += found.num_bytes
            while self._bytes > _MAX_BYTES and len(self._solutions) > 1:
                self._bytes -= self._solutions.popitem(last=False)[1].num_bytes
        self._solutions.move_to_end(key)
        return found

    def find_subgame(self, root: int) -> BettingTree:
        """Return the betting of the subgame that begins with a decision of the game."""
        if root not in self._subgames:
            self._subgames[root] = grow_betting(self._game, self._betting.tables_at(np.array([root])))
            if len(self._subgames) > _MAX_SUBGAMES:
                self._subgames.popitem(last=False)
        self._subgames.move_to_end(root)
        return self._subgames[root]
