"""Agents that follow a blueprint strategy at first, and re-solve the rest of the hand while they play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.agent import CfrLarge, CfrNoLimit
from card_baselines.solvers.game_trees import is_two_player_limit, is_two_player_menu
from card_baselines.solvers.hands import FIRST_BOARD_CARD, find_own_cards
from card_baselines.solvers.resolving.resolver import Blueprint, Resolver, Trunk
from card_envs.agent import Agent, Decisions, StochasticAgent
from card_envs.game import Game, Tables
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.games.holdem.state import Street
from card_envs.poker.hands import BOARD_SIZE, HOLE_CARDS, hand_numbers
from card_envs.typing import Integers

ITERATIONS_LIMIT, ITERATIONS_NO_LIMIT = 200, 50
"""Iterations of CFR+ for a river. A bet menu has ten times as many sequences of bets as a limit game."""
TURN_ITERATIONS = 600
"""Iterations of CFR+ for a turn, each with one river."""
RANGE_SHARE = 0.5
"""Share of the opponent's hands that are weighted by its estimated range; the others go through the gadget."""


class Resolve(StochasticAgent):
    """Follows a blueprint until the river, and re-solves the river from the ranges that the blueprint implies."""

    name = "resolve"

    def __init__(
        self, game: Game, policy: Agent | None = None, iterations: int = 0, range_share: float = RANGE_SHARE
    ) -> None:
        """Choose the blueprint and the accuracy of re-solving.

        Args:
            game: Heads-up limit hold'em, heads-up no-limit hold'em with equal stacks and a bet menu of at most 6
                raises, or an endgame of one.
            policy: The blueprint, which shows its probabilities and remembers nothing; by default `cfr_large` or
                `cfr_no_limit`.
            iterations: Iterations of CFR+ for a river; 0 for `ITERATIONS_LIMIT` or `ITERATIONS_NO_LIMIT`.
            range_share: Share of the opponent's hands that are weighted by its range, in 0 .. 1; 1 uses no gadget.

        Raises:
            ValueError: For other games and blueprints, numbers out of range, and bet menus and stacks with more than
                `game_trees.MAX_GAME_NODES` sequences of bets.
        """
        is_limit = is_two_player_limit(game.config)
        self.policy = (CfrLarge(game) if is_limit else CfrNoLimit(game)) if policy is None else policy
        """The blueprint."""
        if not self.can_play(game):
            raise ValueError(
                f"agent {self.name!r} cannot play {game.name} with these settings: it needs limit hold'em, or no-limit "
                "with equal stacks and a bet menu of at most 6 raises, for two, and a blueprint that plays it"
            )
        if not self.policy.shows_probabilities or self.policy.needs_deal_events:
            raise ValueError(f"agent {self.policy.name!r} cannot be re-solved: a blueprint shows its probabilities "
                             "and remembers nothing, as `cfr_large` and networks do")  # fmt: skip
        if iterations < 0 or not 0 <= range_share <= 1:
            raise ValueError(f"iterations {iterations} must be at least 0, range_share {range_share} in 0 .. 1")
        iterations = iterations or (ITERATIONS_LIMIT if is_limit else ITERATIONS_NO_LIMIT)
        self.blueprint = Blueprint(game, self.policy)
        """The blueprint's probabilities with all hands."""
        self._resolvers: dict[int, Resolver] = {}
        """Solvers of subgames by the street on which these begin."""
        self._range_share = range_share
        self._game = game
        self._resolve(Street.RIVER, iterations)
        self.encoder = self.policy.encoder
        self.name = f"{self.policy.name}:{self.name}"

    def _resolve(self, street: int, iterations: int) -> None:
        """Re-solve the subgames that begin on a street."""
        betting = self.blueprint.betting
        self._resolvers[street] = Resolver(self._game, street, betting, self._find_trunk, iterations, self._range_share)

    def can_play(self, game: Game) -> bool:
        """Return True for limit hold'em and bet menus of no-limit hold'em for two, if the blueprint plays them."""
        has_tree = is_two_player_limit(game.config) or is_two_player_menu(game.config)
        return is_texas_holdem(game) and has_tree and self.policy.can_play(game)

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probabilities of the actions, (n, num_actions)."""
        views = decisions.views
        is_late = np.isin(views["street"], list(self._resolvers))
        nodes = np.where(is_late, self.blueprint.betting.find(views), -1)
        found = np.zeros((len(decisions), self._game.num_actions))
        early, late = np.flatnonzero(nodes < 0), np.flatnonzero(nodes >= 0)
        if len(early):
            asked = decisions.part(early) if len(late) else decisions
            found[early] = self.policy.probabilities(asked)
        if len(late):
            found[late] = self._look_up(views[late], nodes[late])
        return found

    def _find_trunk(self, root: int, player: int, board: Integers) -> Trunk:
        """Return the solution of the street before a subgame, or the blueprint."""
        betting = self.blueprint.betting
        before = int(betting.parent[root])
        resolver = self._resolvers.get(int(betting.street[before])) if before >= 0 else None
        if resolver is None:
            return self.blueprint
        return resolver.find_solution(betting.find_street(before), board[: resolver.num_cards], player)

    def _look_up(self, views: Tables, nodes: Integers) -> NDArray[np.float64]:
        """Return the probabilities (n, num_actions) at views of re-solved decisions, which are at these nodes."""
        betting = self.blueprint.betting
        boards = views["deck"][:, FIRST_BOARD_CARD : FIRST_BOARD_CARD + BOARD_SIZE].astype(np.int64)
        hands = hand_numbers(find_own_cards(views, HOLE_CARDS))
        states, state_of = np.unique(np.column_stack([nodes, boards]), axis=0, return_inverse=True)
        found = np.empty((len(views), self._game.num_actions))
        for k, state in enumerate(states):
            rows = np.flatnonzero(state_of.reshape(-1) == k)
            resolver = self._resolvers[int(views["street"][rows[0]])]
            board = state[1 : 1 + resolver.num_cards]
            root, player = betting.find_street(int(state[0])), int(betting.player[state[0]])
            solution = resolver.find_solution(root, board, player)
            found[rows] = solution.ask(views[rows[:1]], board)[0, hands[rows]]
        return found


class ResolveTurn(Resolve):
    """Follows a blueprint until the turn, re-solves the turn, and then the river from the solution of the turn."""

    name = "resolve_turn"

    def __init__(
        self, game: Game, policy: Agent | None = None, iterations: int = 0, range_share: float = RANGE_SHARE,
        turn_iterations: int = TURN_ITERATIONS,
    ) -> None:  # fmt: skip
        """Choose the blueprint and the accuracy of re-solving.

        Args:
            game: As for `Resolve`.
            policy: As for `Resolve`.
            iterations: Iterations of CFR+ for a river, as for `Resolve`.
            range_share: As for `Resolve`, on turn and river.
            turn_iterations: Iterations of CFR+ for a turn, each with one of the rivers that may follow.

        Raises:
            ValueError: As for `Resolve`, and if the betting of a turn has more than `game_trees.MAX_NODES` nodes,
                which it has in no-limit with 100 big blinds.
        """
        if turn_iterations < 1:
            raise ValueError(f"turn_iterations {turn_iterations} must be at least 1")
        super().__init__(game, policy, iterations, range_share)
        self._resolve(Street.TURN, turn_iterations)
