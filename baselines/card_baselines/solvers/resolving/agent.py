"""An agent that follows a blueprint strategy until the river and re-solves the river while it plays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.limit.agent import CfrLarge
from card_baselines.solvers.limit.betting_tree import is_two_player_limit
from card_baselines.solvers.no_limit.agent import CfrNoLimit
from card_baselines.solvers.no_limit.menu_tree import is_two_player_menu
from card_baselines.solvers.resolving.betting_paths import Numbers
from card_baselines.solvers.resolving.river_resolver import BOARD_SIZE, FIRST_BOARD_CARD, RiverResolver
from card_envs.agent import Agent, Decisions, choose, likeliest
from card_envs.game import Game, Tables
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.poker.hands import hand_number

ITERATIONS_LIMIT, ITERATIONS_NO_LIMIT = 200, 50
"""Iterations of CFR+ for a river. A bet menu has ten times as many sequences of bets as a limit game."""
RANGE_SHARE = 0.5
"""Share of the opponent's hands that are weighted by its estimated range; the others go through the gadget."""


class Resolve(Agent):
    """Follows a blueprint until the river, and re-solves the river from the ranges that the blueprint implies."""

    name = "resolve"
    greedy = False

    def __init__(
        self, game: Game, policy: Agent | None = None, iterations: int = 0, range_share: float = RANGE_SHARE
    ) -> None:
        """Choose the blueprint and the accuracy of re-solving.

        Args:
            game: Heads-up limit hold'em, heads-up no-limit hold'em with a bet menu, or an endgame of one.
            policy: The blueprint, which shows its probabilities and remembers nothing; by default `cfr_large` or
                `cfr_no_limit`.
            iterations: Iterations of CFR+ for a river; 0 for `ITERATIONS_LIMIT` or `ITERATIONS_NO_LIMIT`.
            range_share: Share of the opponent's hands that are weighted by its range, in 0 .. 1; 1 uses no gadget.

        Raises:
            ValueError: For other games and blueprints, numbers out of range, and bet menus and stacks with more than
                `betting_paths.MAX_DECISIONS` sequences of bets.
        """
        is_limit = is_two_player_limit(game.config)
        self.blueprint = (CfrLarge(game) if is_limit else CfrNoLimit(game)) if policy is None else policy
        if not self.can_play(game):
            raise ValueError(f"agent 'resolve' cannot play {game.name} with these settings: it needs limit hold'em, or "
                             "no-limit with a bet menu, for two, and a blueprint that plays it")  # fmt: skip
        if not self.blueprint.shows_probabilities or self.blueprint.needs_deal_events:
            raise ValueError(f"agent {self.blueprint.name!r} cannot be re-solved: a blueprint shows its probabilities "
                             "and remembers nothing, as `cfr_large` and networks do")  # fmt: skip
        if iterations < 0 or not 0 <= range_share <= 1:
            raise ValueError(f"iterations {iterations} must be at least 0, range_share {range_share} in 0 .. 1")
        iterations = iterations or (ITERATIONS_LIMIT if is_limit else ITERATIONS_NO_LIMIT)
        self.resolver = RiverResolver(game, self.blueprint, iterations, range_share)
        """The solver of rivers."""
        self._game = game
        self.encoder = self.blueprint.encoder
        self.name = f"{self.blueprint.name}:{self.name}"

    def can_play(self, game: Game) -> bool:
        """Return True for limit hold'em and bet menus of no-limit hold'em for two, if the blueprint plays them."""
        has_tree = is_two_player_limit(game.config) or is_two_player_menu(game.config)
        return is_texas_holdem(game) and has_tree and self.blueprint.can_play(game)

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probabilities of the actions, (n, num_actions)."""
        views = decisions.views
        numbers = np.where(views["street"] == self.resolver.river, self.resolver.paths.find(views), -1)
        found = np.zeros((len(decisions), self._game.num_actions))
        early, late = np.flatnonzero(numbers < 0), np.flatnonzero(numbers >= 0)
        if len(early):
            asked = decisions.part(early) if len(late) else decisions
            found[early] = self.blueprint.probabilities(asked)
        if len(late):
            found[late] = self._play_river(views[late], numbers[late])
        return likeliest(found) if self.greedy else found

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return actions drawn by their probabilities."""
        return choose(self.probabilities(decisions), decisions.random_numbers)

    def _play_river(self, views: Tables, numbers: Numbers) -> NDArray[np.float64]:
        """Return the probabilities (n, num_actions) at views of river decisions with these numbers."""
        boards = views["deck"][:, FIRST_BOARD_CARD : FIRST_BOARD_CARD + BOARD_SIZE].astype(np.int64)
        hands = _hands_of(views)
        states, state_of = np.unique(np.column_stack([numbers, boards]), axis=0, return_inverse=True)
        found = np.empty((len(views), self._game.num_actions))
        for k, state in enumerate(states):
            rows = np.flatnonzero(state_of.reshape(-1) == k)
            solution = self.resolver.find_solution(int(state[0]), state[1:])
            place = solution.paths.find(views[rows[:1]])[0]
            found[rows] = solution.probabilities[place, hands[rows]]
        return found


def _hands_of(views: Tables) -> Numbers:
    """Return the numbers (n,) of the actors' hands."""
    actors = views["actor"].astype(np.int64)
    cards = [views["deck"][np.arange(len(views)), 2 * actors + k].astype(np.int64) for k in range(2)]
    return np.array([hand_number(a, b) for a, b in zip(*cards, strict=True)], np.int64)
