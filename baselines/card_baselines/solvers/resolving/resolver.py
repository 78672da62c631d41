"""Subgames of one street on which a hand comes by different betting, and their solutions by CFR+, which are cached.

The ranges with which both players come to a subgame follow from the trunk by Bayes' rule, as in a local best response,
and so does what a best response would win there from the strategy that is replaced. The solution of a turn is the trunk
of the river that comes; that of a turn is the blueprint.

The *solver* is the player whose strategy is wanted. A gadget keeps the other one, the *opponent*, from winning more
than against the strategy that is replaced: with each hand it may stop before the subgame, and is then paid what a best
response would win from that strategy (Burch, Johanson and Bowling, AAAI 2014). The opponent comes with a part of its
estimated range without that choice, so that the solver also has something to win.

On the board that lies, every hand has a strategy of its own. On each river after a turn the hands are in groups of
similar strength, since the river is re-solved when it comes; an iteration draws one river (public chance sampling,
Johanson et al., AAMAS 2012).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.game_trees import MAX_GAME_NODES, endgame_of, first_table, grow_betting
from card_baselines.solvers.hands import FIRST_BOARD_CARD, KNOWN_BEFORE_RIVER, NUM_PLAYERS, BoardHands
from card_baselines.solvers.regret import Schedule, match_regrets, normalise
from card_baselines.solvers.streets import STREAM, BoardResponses, Boards, LaterStreet, Streets, make_street_walk
from card_baselines.solvers.tree import BettingTree, grow_tree
from card_baselines.solvers.walk import BEST, LEARN, VISIT_ALL, Board, Frames, Groups, Settings, StrategyTables
from card_envs.agent import Agent
from card_envs.analysis.exploitability.holdem import HoldemHiddenHands
from card_envs.analysis.exploitability.range_strategy import RangeStrategy
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.poker.hands import BOARD_SIZE, NUM_HANDS, possible_hands
from card_envs.typing import Floats32, Integers

_TREMBLE = 1e-3
"""Probability of a random action when ranges are computed: no range becomes empty."""

Probabilities = NDArray[np.floating[Any]]
NUM_GROUPS = 64
"""Groups of hands on each river while the turn is solved."""
_TURN_POWER = 3
"""On the turn the strategy of iteration t has the weight t^3: the first ones, to which most rivers are new, hardly
count. On the river it has the weight t."""
_ZERO, _ONE = np.float32(0), np.float32(1)
_walk_streets = make_street_walk(1)
_CFR_PLUS = Schedule(_ONE, _ONE, _ZERO, _ZERO, _ONE)
_MAX_BYTES = 2**29
"""Memory of the solutions that are kept by a resolver."""
_MAX_SUBGAMES = 256
"""Number of subgames whose betting is kept by a resolver."""


# --- before a subgame -------------------------------------------------------------------------------------------------


class Trunk(ABC):
    """Probabilities of both players at the decisions of a game, or of a part of it."""

    def __init__(self, betting: BettingTree, ranges: Probabilities) -> None:
        """Store the betting, and the ranges (2, 1326) with which both players come to the first decision."""
        self.betting, self.ranges = betting, ranges

    @abstractmethod
    def ask(self, tables: Tables, board: Integers) -> Probabilities:
        """Return the probabilities (n, 1326, actions) at tables of these decisions, whose cards are not read.

        Args:
            tables: (n,) tables.
            board: The cards that lie at each of them, or more; hands with one of these are left out.
        """

    def find_ranges(self, first: Tables, board: Integers) -> Probabilities:
        """Return the ranges (2, 1326) of both players, each summing to 1, at a table (1,) with a board."""
        possible = possible_hands(board)
        ranges = np.where(possible, self.ranges, 0.0)
        nodes, actions = self.betting.find_path(int(self.betting.find(first)[0]))
        if len(nodes):
            tables = self.betting.tables_at(nodes)
            taken = self.ask(tables, board)[np.arange(len(nodes)), :, actions]
            num_legal = np.array([int(legal).bit_count() for legal in tables["legal"]])
            taken = (1 - _TREMBLE) * taken + _TREMBLE / num_legal[:, None]
            for player in range(NUM_PLAYERS):
                ranges[player] *= taken[tables["actor"] == player].prod(axis=0)
        return np.asarray(ranges / ranges.sum(axis=1, keepdims=True))


class Blueprint(Trunk):
    """An agent at the decisions of the whole game."""

    def __init__(self, game: Game, agent: Agent) -> None:
        """Find the decisions of the game; ValueError where it has too many sequences of bets."""
        endgame = endgame_of(game)
        ranges = np.ones((NUM_PLAYERS, NUM_HANDS)) if endgame is None else endgame.weights
        super().__init__(grow_tree(first_table(game), game.num_actions, MAX_GAME_NODES), ranges)
        self._strategy = RangeStrategy(game, agent, HoldemHiddenHands(game.config))

    def ask(self, tables: Tables, board: Integers) -> Probabilities:
        """Return the agent's probabilities (n, 1326, actions)."""
        asked = tables.copy()
        asked["deck"][:, FIRST_BOARD_CARD : FIRST_BOARD_CARD + len(board)] = board
        wanted = np.broadcast_to(possible_hands(board), (len(asked), NUM_HANDS))
        return self._strategy.probabilities(asked, asked["actor"].astype(np.int64), wanted)


# --- one subgame ------------------------------------------------------------------------------------------------------


class Gadget(NamedTuple):
    """The opponent's choice between the subgame and being paid: its action 0 enters, action 1 stops."""

    regrets: Floats32
    """(2, hands)"""
    policy: Floats32
    """(2, hands): probabilities to enter and to stop."""
    totals: Floats32
    """(hands,): scratch space."""


@kernel
def solve(
    nodes: Any, board: Any, groups: Any, early: Any, frames: Any, rivers: Any, drawn: Any, power: Any, solver: Any,
    ranges: Any, worth: Any, range_share: Any, gadget: Any, stream: Any,
) -> None:  # fmt: skip
    """Add up the strategies of both players, with one iteration for each row of `drawn`: a river, and the one after it.

    `ranges` (2, hands) sum to 1; `worth` (hands,) is what the opponent is paid for stopping. With `range_share` 1 the
    ranges are taken as they are, with 0 the opponent chooses with every hand. `rivers` is a `LaterStreet`, of which
    each iteration visits the river that is drawn.
    """
    size, opponent = np.int64(board.ranked.num_hands), 1 - solver
    boards, _, late, entries, late_frames = rivers
    share = (_ONE - range_share) / np.float32(size)
    for t in range(drawn.shape[0]):
        for learner in (opponent, solver):
            for h in range(size):
                frames.own_reach[0, h] = np.float32((t + 1) ** power)
                if learner == opponent:
                    frames.reach[0, h] = ranges[solver, h]
                else:
                    frames.reach[0, h] = range_share * ranges[opponent, h] + share * gadget.policy[0, h]
            extra = (LaterStreet(boards, drawn[t], late, entries, late_frames),)
            settings = Settings(learner, LEARN, _CFR_PLUS, False, VISIT_ALL, 0)
            _walk_streets(nodes, 0, board, groups, early, settings, stream, frames, extra)
            if learner == opponent:
                _choose_to_enter(frames.values[0], worth, size, gadget)


@kernel
def _choose_to_enter(values: Any, worth: Any, size: Any, gadget: Any) -> None:
    """Update the probabilities with which the opponent enters the subgame, where its hands win `values`."""
    regrets, policy = gadget.regrets, gadget.policy
    for h in range(size):
        expected = policy[0, h] * values[h] + (_ONE - policy[0, h]) * worth[h]
        regrets[0, h] = max(_ZERO, regrets[0, h] + values[h] - expected)
        regrets[1, h] = max(_ZERO, regrets[1, h] + worth[h] - expected)
    match_regrets(regrets, 0b11, size, gadget.totals, policy)


class SubgameCfr:
    """A subgame on the turn or on the river, prepared for the kernels."""

    def __init__(self, betting: BettingTree, board: Integers, cards: Integers) -> None:
        """Arrange the hands with a board of four or five cards and, after a turn, each of the rivers `cards`."""
        self._betting, self._board = betting, board
        self.cards = cards if len(board) < BOARD_SIZE else cards[:0]
        """(cards,): the rivers that may come, none on a river."""
        deck, has_cards = np.arange(DECK_SIZE), len(self.cards) > 0
        self.hands = BoardHands(board[:0], np.setdiff1d(deck, board)) if has_cards else BoardHands(board, deck)
        self._on_rivers = [BoardHands(np.append(board, card), deck) for card in self.cards.tolist()]
        group = np.zeros((1 + len(self.cards), len(self.hands)), np.int64)
        for row, hands in zip(group[1:], self._on_rivers, strict=True):
            row[: len(hands)] = find_groups(hands)
        factor = len(self.cards) / max(1, len(self.cards) + len(board) - KNOWN_BEFORE_RIVER)
        groups = Groups(group, np.array([0, NUM_GROUPS]))
        place_of = [self.hands.place_of] * len(self.cards)
        factors = np.full(len(self.cards), factor, np.float32)
        self._rivers = Boards.arrange(self._on_rivers, place_of, factors, groups)
        self.streets = Streets(betting, (False, True) if has_cards else (False,), (len(self.hands), NUM_GROUPS))
        self._frames = Frames.allocate(betting, len(self.hands), len(self.hands), np.float32)
        self._late_frames = Frames.allocate(betting, len(self.hands), NUM_GROUPS, np.float32)

    def solve(
        self, player: int, reach: Floats32, worth: Floats32, iterations: int, range_share: np.float32
    ) -> tuple[Floats32, Floats32]:
        """Return the summed strategies of both players, whose hands have the weights `reach` (2, hands).

        Returns:
            (decisions, actions, hands) before the river comes, and (cards, decisions, actions, groups) after it.
        """
        shape, late_shape = self.streets.shape_of(0, len(self.hands)), self.streets.shape_of(1, NUM_GROUPS)
        regrets, sums = np.zeros((2, *shape), np.float32)
        late_regrets, late_sums = np.zeros((2, len(self.cards), *late_shape), np.float32)
        early, late = (
            StrategyTables(each, each, each, summed.reshape(-1))
            for each, summed in ((regrets.reshape(-1), sums), (late_regrets.reshape(-1), late_sums))
        )
        entered, policy = np.zeros((2, 2, len(self.hands)), np.float32)
        policy[0] = 1
        has_rivers = len(self.cards) > 0
        cards = _draw_cards(len(self.cards), iterations) if has_rivers else np.zeros(iterations, np.int64)
        drawn = np.stack([cards, cards + 1], axis=1)
        rivers = LaterStreet(self._rivers, drawn[:0].reshape(-1), late, prod(late_shape), self._late_frames)
        gadget = Gadget(entered, policy, np.zeros(len(self.hands), np.float32))
        solve(
            self.streets.nodes, Board(self.hands.ranked, 0, 0), self._rivers.groups, early, self._frames, rivers, drawn,
            np.int64(_TURN_POWER if has_rivers else 1), np.int64(player), reach, worth, range_share, gadget, STREAM,
        )  # fmt: skip
        return sums, late_sums

    def respond_to(self, trunk: Trunk, player: int, reach: Floats32) -> Floats32:
        """Return the values (hands,) of a best response to a player, whose hands have the weights `reach` (hands,)."""
        num_late = len(self._on_rivers[0]) if self._on_rivers else 0
        responses, actor = BoardResponses(self._betting, self.hands, num_late, np.float32), self._betting.player

        def ask(nodes: Integers, hands: BoardHands, wanted: Any = None) -> Any:
            own, board = actor[nodes] == player, np.append(self._board, hands.board[len(self._board) :])
            policy = np.zeros((len(nodes), self._betting.child.shape[1], len(hands)), np.float32)
            asked = trunk.ask(self._betting.tables_at(nodes[own]), board)
            policy[own] = asked[:, hands.numbers].transpose(0, 2, 1)
            return policy

        policy = ask(responses.before, self.hands)
        reached = self.streets.compute_reach(policy, np.tile(reach, (NUM_PLAYERS, 1)))
        values = np.zeros((1, *reached.shape), np.float32)
        for hands in self._on_rivers:
            responses.add_board(hands, ask, reached, (BEST,), 1.0, values, (1 - player,))
        if self._on_rivers:
            values *= self._rivers.factor[0] / np.float32(len(self.cards))
        found = responses.finish(1 - player, BEST, policy, reached, values[0, 1 - player])
        return found.astype(np.float32, copy=False)


def find_groups(hands: BoardHands) -> Integers:
    """Return the group (hands,) of each hand on a whole board: as many of similar strength in each group."""
    weaker = np.searchsorted(-hands.ranked.rank[: len(hands)], -hands.ranked.rank[: len(hands)])
    return np.asarray(weaker * NUM_GROUPS // len(hands))


def _draw_cards(num_cards: int, iterations: int) -> Integers:
    """Return the card of each iteration: all of them in random order, again and again."""
    rng, cycles = np.random.default_rng(0), -(-iterations // num_cards)
    return np.concatenate([rng.permutation(num_cards) for _ in range(cycles)])[:iterations]


# --- all subgames of a street -----------------------------------------------------------------------------------------


FindTrunk = Callable[[int, int, Integers], Trunk]
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
            normalise(each, streets.legal_of(street)[..., None], -2, np.float32) for street, each in enumerate(sums)
        )
        """(cards, decisions, actions, groups): on each river after a turn."""
        self._early = np.zeros((len(early), NUM_HANDS, early.shape[1]), np.float32)
        self._early[:, numbers] = early.transpose(0, 2, 1)
        self._row, self._is_late = streets.row, streets.nodes["street"] > 0
        self.num_bytes = self._early.nbytes + self._late.nbytes
        """Memory of the probabilities."""

    def ask(self, tables: Tables, board: Integers) -> Probabilities:
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

    def solve(self, subgame: BettingTree, trunk: Trunk, player: int, board: Integers) -> Solution:
        """Return the solution of a subgame for a player."""
        ranges = trunk.find_ranges(subgame.tables[:1], board)
        solver = SubgameCfr(subgame, board, np.setdiff1d(self._game.config.deck_cards, board))
        reach = np.ascontiguousarray(ranges[:, solver.hands.numbers], np.float32)
        worth = solver.respond_to(trunk, player, reach[player])
        return Solution(
            subgame, ranges, solver, solver.solve(player, reach, worth, self._iterations, self._range_share)
        )

    def find_solution(self, root: int, board: Integers, player: int) -> Solution:
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
