"""Subgames of one street on which a hand comes by different betting, and their solutions, which are cached."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable

import numpy as np

from card_baselines.solvers.resolving.trunk import Trunk
from card_baselines.solvers.tree import BettingPaths, BettingTree, Numbers, grow_betting
from card_envs.game import Game

_MAX_BYTES = 2**29
"""Memory of the solutions that are kept by a resolver."""
_MAX_SUBGAMES = 256
"""Number of subgames whose betting is kept by a resolver."""

FindTrunk = Callable[[int, int, Numbers], Trunk]
"""Returns the trunk for the number of the first decision of a subgame, the player who re-solves it, and a board."""


class Subgame:
    """The betting from the first decision of a street on."""

    def __init__(self, game: Game, betting: BettingTree) -> None:
        """Find the decisions of the betting by what tables tell of them."""
        self.betting = betting
        self.paths = BettingPaths(betting.tables[:1], game.num_actions)
        """The same decisions, as found at tables."""
        self.numbers = self.paths.find(betting.tables[betting.decisions])
        """Number in `paths` of each of `betting.decisions`."""


class Solution(Trunk):
    """Strategies of both players in a subgame; that of the player for whom it was solved is safe to play."""

    num_bytes: int
    """Memory of the probabilities."""


class Resolver(ABC):
    """Solves the subgames of one street."""

    street: int
    """The street on which the subgames begin."""
    num_cards: int
    """Number of board cards there."""

    def __init__(
        self, game: Game, paths: BettingPaths, find_trunk: FindTrunk, iterations: int, range_share: float
    ) -> None:
        """Store the decisions of the game, where the trunk of a subgame is found, and the accuracy of solutions.

        Args:
            game: The game.
            paths: Its decisions.
            find_trunk: See `FindTrunk`.
            iterations: Iterations of CFR+ for a subgame.
            range_share: Share of the opponent's hands that are weighted by its range, see `Resolve`.

        Raises:
            ValueError: If the subgame with the longest betting has too many sequences.
        """
        self._game, self._paths, self._find_trunk = game, paths, find_trunk
        self._iterations, self._range_share = iterations, np.float32(range_share)
        self._subgames: OrderedDict[int, Subgame] = OrderedDict()
        self._solutions: OrderedDict[Hashable, Solution] = OrderedDict()
        self._bytes = 0
        """Memory of the solutions."""
        decisions = np.flatnonzero(paths.tables["street"] == self.street)
        if len(decisions):
            smallest_pot = decisions[paths.tables["pot"][decisions].argmin()]  # leaves most chips for bets
            self.find_subgame(paths.find_street(int(smallest_pot)))

    @abstractmethod
    def solve(self, subgame: Subgame, trunk: Trunk, player: int, board: Numbers) -> Solution:
        """Return the solution of a subgame for a player."""

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

    def find_subgame(self, root: int) -> Subgame:
        """Return the subgame that begins with a decision of the game."""
        if root not in self._subgames:
            betting = grow_betting(self._game, self._paths.tables[root : root + 1])
            self._subgames[root] = Subgame(self._game, betting)
            if len(self._subgames) > _MAX_SUBGAMES:
                self._subgames.popitem(last=False)
        self._subgames.move_to_end(root)
        return self._subgames[root]
