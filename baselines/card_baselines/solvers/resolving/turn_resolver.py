"""Re-solving the turn of heads-up hold'em, with strategies for every river that may follow.

The ranges, and what the opponent is paid by the gadget, follow from the blueprint as on the river (`river_resolver`).
The solution is then the trunk of the river that comes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import RANKED, Hands, arrange_hands, list_hands, rank_hands
from card_baselines.solvers.resolving.resolver import Resolver, Solution, Subgame
from card_baselines.solvers.resolving.river_cfr import Floats, evaluate_response, pass_down
from card_baselines.solvers.resolving.trunk import Probabilities, Trunk
from card_baselines.solvers.resolving.turn_cfr import Rivers, Sums, TurnTree, Work, arrange_river, solve
from card_baselines.solvers.tree import BettingTree, Numbers
from card_envs.game import Tables
from card_envs.games.holdem.state import Street
from card_envs.poker.hands import NUM_HANDS

NUM_GROUPS = 64
"""Groups of hands on each river while the turn is solved."""
_KNOWN_TO_PAIR = 8
"""Cards of the board and of both hands: none of them is the river."""


class TurnSolution(Solution):
    """The strategies on a turn and on all rivers after it."""

    def __init__(
        self, subgame: Subgame, ranges: Probabilities, cards: Numbers, turn: Floats, rivers: Floats, river_rows: Numbers
    ) -> None:
        """Store probabilities.

        Args:
            subgame: The betting.
            ranges: (2, 1326): with which both players come to the turn.
            cards: (cards,): the rivers that may come.
            turn: (decisions, 1326, actions): by number in the paths of the subgame; those on the river are not read.
            rivers: (cards, decisions, actions, groups): by row of `river_rows`.
            river_rows: (decisions,): row in `rivers` of each number, -1 for decisions on the turn.
        """
        super().__init__(subgame.paths, ranges)
        self._cards, self._turn, self._rivers, self._river_rows = cards, turn, rivers, river_rows
        self.num_bytes = turn.nbytes + rivers.nbytes

    def ask(self, tables: Tables, board: Numbers) -> Probabilities:
        """Return the probabilities (n, 1326, actions)."""
        numbers = self.paths.find(tables)
        rows = self._river_rows[numbers]
        found = self._turn[numbers]
        if (rows >= 0).any():
            card = int(np.flatnonzero(self._cards == board[-1])[0])
            group = np.zeros(NUM_HANDS, np.int64)
            ranked, groups = rank_in_groups(board)
            group[ranked["number"][: len(groups)]] = groups
            found[rows >= 0] = self._rivers[card, rows[rows >= 0]].transpose(0, 2, 1)[:, group]
        return found


class TurnResolver(Resolver):
    """Solves turns."""

    street, num_cards = Street.TURN, 4

    def solve(self, subgame: Subgame, trunk: Trunk, player: int, board: Numbers) -> Solution:
        """Return the solution of a turn for a player."""
        betting, ranges = subgame.betting, trunk.find_ranges(subgame.betting.tables[:1], board)
        turn = TurnProblem(betting, board, np.setdiff1d(self._game.config.deck_cards, board))
        reach = np.ascontiguousarray(ranges[:, turn.numbers], np.float32)
        worth = turn.respond_to(trunk, player, reach[player])
        sums = turn.solve(player, reach, worth, self._iterations, self._range_share)
        tree, number_of = turn.tree, np.full(len(betting.player), -1)
        number_of[betting.decisions] = subgame.numbers
        turns, rivers = (tree.list_decisions(on_river=each) for each in (False, True))
        found = np.zeros((len(subgame.numbers), NUM_HANDS, self._game.num_actions), np.float32)
        shares = _normalise(sums.turn, tree.child[turns] >= 0)[:, :, : len(turn.numbers)]
        found[number_of[turns][:, None], turn.numbers] = shares.transpose(0, 2, 1)
        rows = np.full(len(subgame.numbers), -1)
        rows[number_of[rivers]] = np.arange(len(rivers))
        on_rivers = _normalise(sums.river, tree.child[rivers] >= 0)
        return TurnSolution(subgame, ranges, turn.cards, found, on_rivers, rows)


class TurnProblem:
    """A turn, prepared for the kernels of `turn_cfr`."""

    def __init__(self, betting: BettingTree, board: Numbers, cards: Numbers) -> None:
        """Arrange the hands with a board (4,) and each of the rivers `cards` (cards,)."""
        self._betting, self._board, self.cards = betting, board, cards
        self.tree = TurnTree.from_betting(betting)
        self._turn_hands, self.numbers = _arrange(board)
        """Hands by place before the river, and the number of each."""
        self._river_hands = Hands.allocate(np.array([NUM_GROUPS]))
        self._rivers = _arrange_rivers(board, cards, self.numbers)
        self._work = Work.allocate(self.tree)

    def solve(self, player: int, reach: Floats, worth: Floats, iterations: int, range_share: np.float32) -> Sums:
        """Return the summed strategies of both players, whose hands have the weights `reach` (2, hands)."""
        regrets, sums = (Sums.allocate(self.tree, len(self.cards), NUM_GROUPS) for _ in range(2))
        solve(
            self.tree, self._turn_hands, self._river_hands, self._rivers, _draw_cards(len(self.cards), iterations),
            np.int64(player), reach, worth, range_share, regrets, sums, self._work,
        )  # fmt: skip
        return sums

    def respond_to(self, trunk: Trunk, player: int, reach: Floats) -> Floats:
        """Return the values (hands,) of a best response to a player, whose hands have the weights `reach` (hands,)."""
        tree, work, responder, size = self.tree, self._work, np.int64(1 - player), len(self.numbers)
        turn, river = (tree.list_decisions(on_river=each, player=player) for each in (False, True))
        before, after = (np.flatnonzero(tree.is_river == each) for each in (False, True))
        river_roots = np.flatnonzero(tree.starts_river)
        work.reach[0, :size] = reach
        asked = trunk.ask(self._betting.tables[turn], self._board)
        work.policy[turn, :, :size] = asked[:, self.numbers].transpose(0, 2, 1)
        pass_down(tree, before, self._turn_hands, responder, work.policy, work)
        held, total = work.reach[river_roots, :size].copy(), np.zeros((len(river_roots), size), np.float32)
        for k, card in enumerate(self.cards.tolist()):
            arrange_river(self._rivers, np.int64(k), self._river_hands, work)
            num = int(self._river_hands.size[0])
            hands, place = self._rivers.ranked[k]["number"][:num], work.place[:num]
            work.reach[river_roots, :num] = held[:, place]
            asked = trunk.ask(self._betting.tables[river], np.append(self._board, card))
            work.policy[river, :, :num] = asked[:, hands].transpose(0, 2, 1)
            pass_down(tree, after, self._river_hands, responder, work.policy, work)
            evaluate_response(tree, after, self._river_hands, responder, work)
            total[:, place] += work.values[river_roots, :num]
        work.values[river_roots, :size] = total * (self._rivers.correction / np.float32(len(self.cards)))
        evaluate_response(tree, before, self._turn_hands, responder, work)
        return work.values[0, :size].copy()


def rank_in_groups(board: Numbers) -> tuple[Any, Numbers]:
    """Return the `RANKED` hands with a board (5,), and the group of each: as many of similar strength in each group."""
    ranked = np.zeros(1, RANKED)
    rank_hands(board, ranked[0])
    num = int(ranked["num_hands"][0])
    weakest = np.searchsorted(-ranked["rank"][0, :num], -ranked["rank"][0, :num])
    return ranked[0], np.asarray(weakest * NUM_GROUPS // num)


def _arrange_rivers(board: Numbers, cards: Numbers, numbers: Numbers) -> Rivers:
    """Return the hands with each card; `numbers` (hands,) are those of the hands by place before it."""
    ranked, groups = np.zeros(len(cards), RANKED), np.zeros((len(cards), 1, NUM_HANDS), np.int64)
    for k, card in enumerate(cards.tolist()):
        ranked[k], found = rank_in_groups(np.append(board, card))
        groups[k, 0, : len(found)] = found
    place_of = np.zeros(NUM_HANDS, np.int64)
    place_of[numbers] = np.arange(len(numbers))
    correction = np.float32(len(cards) / (len(cards) + len(board) - _KNOWN_TO_PAIR))
    return Rivers(ranked, groups, place_of, correction)


def _arrange(board: Numbers) -> tuple[Hands, Numbers]:
    """Return the hands that are possible on a turn, each in a group of its own, and their numbers."""
    ranked = np.zeros(1, RANKED)
    list_hands(board, ranked[0])
    size = int(ranked["num_hands"][0])
    hands = Hands.allocate(np.array([size]))
    arrange_hands(ranked[0], np.arange(NUM_HANDS)[None], hands)
    return hands, ranked["number"][0, :size].copy()


def _draw_cards(num_cards: int, iterations: int) -> Numbers:
    """Return the card of each iteration: all of them in random order, again and again."""
    rng, cycles = np.random.default_rng(0), -(-iterations // num_cards)
    return np.concatenate([rng.permutation(num_cards) for _ in range(cycles)])[:iterations]


def _normalise(sums: Floats, legal: NDArray[np.bool_]) -> Floats:
    """Return probabilities (..., decisions, actions, hands) in proportion to sums, equal where all sums are 0."""
    total = sums.sum(axis=-2, keepdims=True)
    fair = (legal / legal.sum(axis=1, keepdims=True))[..., None].astype(np.float32)
    return np.where(total > 0, sums / np.where(total > 0, total, 1), fair)
