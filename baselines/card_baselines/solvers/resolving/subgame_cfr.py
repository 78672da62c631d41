"""CFR+ on the rest of a hand of hold'em, from the turn or the river on, with a gadget for re-solving.

The *solver* is the player whose strategy is wanted. The gadget keeps the other one, the *opponent*, from winning more
than against the strategy that is replaced: with each hand it may stop before the subgame, and is then paid what a best
response would win from that strategy (Burch, Johanson and Bowling, AAAI 2014). The opponent comes with a part of its
estimated range without that choice, so that the solver also has something to win.

On the board that lies, every hand has a strategy of its own. On each river after a turn the hands are in groups of
similar strength, since the river is re-solved when it comes; an iteration draws one river (public chance sampling,
Johanson et al., AAMAS 2012).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from card_baselines.solvers.hands import RANKED, list_hands, rank_hands
from card_baselines.solvers.regret import Schedule, match_regrets
from card_baselines.solvers.resolving.trunk import Trunk
from card_baselines.solvers.tree import BettingTree, Numbers
from card_baselines.solvers.two_streets import traverse
from card_baselines.solvers.vector import (
    BEST,
    LEARN,
    Boards,
    Nodes,
    Parts,
    Tables,
    Work,
    evaluate_board,
    find_stages,
    pass_backward,
    pass_forward,
)
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.poker.hands import NUM_HANDS
from card_envs.typing import Floats32

NUM_GROUPS = 64
"""Groups of hands on each river while the turn is solved."""
_WHOLE_BOARD = 5
_KNOWN_TO_PAIR = 8
"""Cards of a turn board and of both hands: none of them is the river."""
_TURN_POWER = 3
"""On the turn the strategy of iteration t has the weight t^3: the first ones, to which most rivers are new, hardly
count. On the river it has the weight t."""
_ZERO, _ONE = np.float32(0), np.float32(1)
_CFR_PLUS = Schedule(_ONE, _ONE, _ZERO, _ZERO, _ONE)


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
    nodes: Any, parts: Any, hands: Any, rivers: Any, drawn: Any, power: Any, solver: Any, ranges: Any, worth: Any,
    range_share: Any, early: Any, late: Any, gadget: Any, work: Any, late_work: Any,
) -> None:  # fmt: skip
    """Add up the strategies of both players, with one iteration for each of the rivers `drawn` (iterations,).

    `ranges` (2, hands) sum to 1; `worth` (hands,) is what the opponent is paid for stopping. With `range_share` 1 the
    ranges are taken as they are, with 0 the opponent chooses with every hand.
    """
    size, opponent = np.int64(hands.num_hands), 1 - solver
    share = (_ONE - range_share) / np.float32(size)
    for t in range(drawn.shape[0]):
        for learner in (opponent, solver):
            for h in range(size):
                work.own[0, h] = np.float32((t + 1) ** power)
                if learner == opponent:
                    work.reach[0, h] = ranges[solver, h]
                else:
                    work.reach[0, h] = range_share * ranges[opponent, h] + share * gadget.policy[0, h]
            traverse(
                nodes, parts, hands, rivers, drawn[t : t + 1], learner, LEARN, _CFR_PLUS, early, late, work, late_work
            )
            if learner == opponent:
                _choose_to_enter(work.values[0], worth, size, gadget)


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

    def __init__(self, betting: BettingTree, board: Numbers, cards: Numbers) -> None:
        """Arrange the hands with a board of four or five cards and, after a turn, each of the rivers `cards`."""
        self._betting, self._board = betting, board
        self.cards = cards if len(board) < _WHOLE_BOARD else cards[:0]
        """(cards,): the rivers that may come, none on a river."""
        stage = find_stages(betting, len(self.cards) > 0)
        self.nodes, self.parts = Nodes.from_tree(betting, stage, np.float32), Parts.from_tree(betting, stage)
        ranked = np.zeros(1, RANKED)
        (list_hands if len(self.cards) else rank_hands)(board, ranked[0])
        self._hands = ranked[0]
        self.numbers: Numbers = self._hands.number[: int(self._hands.num_hands)].copy()
        """(hands,): number of the hand at each place on the board."""
        self._rivers = _rank_rivers(board, self.cards, self.numbers)
        num, actions = betting.child.shape
        self._work = Work.allocate(num, actions, NUM_HANDS, np.float32)
        self._late_work = Work.allocate(num if len(self.cards) else 1, actions, NUM_HANDS, np.float32)

    def list_decisions(self, late: bool, player: int | None = None) -> Numbers:
        """Return the decisions before or after the river comes, of one player or of both."""
        part, actor = self.parts[late], self.nodes.player[self.parts[late]]
        return np.asarray(part[actor != NOBODY if player is None else actor == player])

    def solve(
        self, player: int, reach: Floats32, worth: Floats32, iterations: int, range_share: np.float32
    ) -> tuple[Floats32, Floats32]:
        """Return the summed strategies of both players, whose hands have the weights `reach` (2, hands).

        Returns:
            (decisions, actions, hands) before the river comes, and (cards, decisions, actions, groups) after it.
        """
        early, late = (self._allocate(is_late) for is_late in (False, True))
        regrets, policy = np.zeros((2, 2, NUM_HANDS), np.float32)
        policy[0] = 1
        gadget = Gadget(regrets, policy, np.zeros(NUM_HANDS, np.float32))
        has_rivers = len(self.cards) > 0
        drawn = _draw_cards(len(self.cards), iterations) if has_rivers else np.zeros(iterations, np.int64)
        solve(
            self.nodes, self.parts, self._hands, self._rivers, drawn, np.int64(_TURN_POWER if has_rivers else 1),
            np.int64(player), reach, worth, range_share, early, late, gadget, self._work, self._late_work,
        )  # fmt: skip
        return early.sums, late.sums

    def _allocate(self, is_late: bool) -> Tables:
        decisions, actions = len(self.list_decisions(is_late)), self.nodes.child.shape[1]
        shape = (len(self.cards), decisions, actions, NUM_GROUPS) if is_late else (decisions, actions, NUM_HANDS)
        regrets = np.zeros(shape, np.float32)
        return Tables(regrets, regrets, np.zeros(shape, np.float32))

    def respond_to(self, trunk: Trunk, player: int, reach: Floats32) -> Floats32:
        """Return the values (hands,) of a best response to a player, whose hands have the weights `reach` (hands,)."""
        nodes, parts, work, late, size = self.nodes, self.parts, self._work, self._late_work, len(self.numbers)
        work.reach[0, :size] = reach
        self._ask(trunk, player, False, self._board, self.numbers)
        pass_forward(nodes, parts.early, player, work.policy, size, work.reach)
        work.values[parts.entries, :size] = 0
        for k, card in enumerate(self.cards.tolist()):
            hands, place = self._rivers.ranked[k], self._rivers.place[k]
            self._ask(trunk, player, True, np.append(self._board, card), hands.number[: int(hands.num_hands)])
            evaluate_board(
                nodes, parts, hands, place, 1 - player, (BEST,), late.policy, work.reach, _ONE, late, work.values[None]
            )
        if len(self.cards):
            work.values[parts.entries, :size] *= self._rivers.factor[0] / np.float32(len(self.cards))
        pass_backward(
            nodes, parts.early, 1 - player, self._hands, size, work.policy, BEST, work.reach, work.by_card, work.values
        )
        return work.values[0, :size].copy()

    def _ask(self, trunk: Trunk, player: int, late: bool, board: Numbers, hands: Numbers) -> None:
        """Write the policy of a player on one board."""
        own = self.list_decisions(late, player)
        asked = trunk.ask(self._betting.tables_at(own), board)[:, hands].transpose(0, 2, 1)
        (self._late_work if late else self._work).policy[own, :, : len(hands)] = asked


def rank_in_groups(board: Numbers) -> tuple[Any, Numbers]:
    """Return the `RANKED` hands with a board (5,), and the group of each: as many of similar strength in each group."""
    ranked = np.zeros(1, RANKED)
    rank_hands(board, ranked[0])
    num = int(ranked["num_hands"][0])
    weakest = np.searchsorted(-ranked["rank"][0, :num], -ranked["rank"][0, :num])
    return ranked[0], np.asarray(weakest * NUM_GROUPS // num)


def _rank_rivers(board: Numbers, cards: Numbers, numbers: Numbers) -> Boards:
    """Return the hands with each card; `numbers` (hands,) are those of the hands by place before it."""
    ranked = np.zeros(len(cards), RANKED)
    place, group = (np.zeros((len(cards), NUM_HANDS), np.int64) for _ in range(2))
    place_of = np.zeros(NUM_HANDS, np.int64)
    place_of[numbers] = np.arange(len(numbers))
    for k, card in enumerate(cards.tolist()):
        ranked[k], found = rank_in_groups(np.append(board, card))
        group[k, : len(found)], place[k] = found, place_of[ranked[k]["number"]]
    factor = len(cards) / max(1, len(cards) + len(board) - _KNOWN_TO_PAIR)
    return Boards(ranked, place, group, np.int64(NUM_GROUPS), np.full(len(cards), factor, np.float32))


def _draw_cards(num_cards: int, iterations: int) -> Numbers:
    """Return the card of each iteration: all of them in random order, again and again."""
    rng, cycles = np.random.default_rng(0), -(-iterations // num_cards)
    return np.concatenate([rng.permutation(num_cards) for _ in range(cycles)])[:iterations]
