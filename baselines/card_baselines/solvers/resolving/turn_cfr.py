"""CFR+ on the last two streets of hold'em, with a sampled river in each iteration, and a gadget for re-solving.

On the turn every hand has a strategy of its own. On each river the hands are in groups of similar strength, since the
river is re-solved when it comes. An iteration draws one river, and both players learn in turn with all hands, as in
public chance sampling (Johanson et al., AAMAS 2012). The gadget is that of `river_cfr`.

Vectors go by places of hands: before the card by number (`turn_hands`), after it weakest first (`river_hands`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import arrange_hands
from card_baselines.solvers.regret import match_regrets
from card_baselines.solvers.resolving.river_cfr import add_children, choose_to_enter, settle
from card_baselines.solvers.tree import BettingTree, Numbers
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.poker.hands import NUM_HANDS

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
_ZERO, _ONE = np.float32(0), np.float32(1)
_POWER = 3
"""The strategy of iteration t has the weight t^3: the first ones, to which most rivers are new, hardly count."""


class TurnTree(NamedTuple):
    """A tree of betting on two streets; children come after their parents."""

    player: Numbers
    """(nodes,): who acts, NOBODY at the end of a hand."""
    child: Numbers
    """(nodes, actions): -1 where an action is illegal."""
    folded: Numbers
    """(nodes,): at the end of a hand, who folded, NOBODY at a showdown."""
    stake: Floats
    """(nodes,): at the end of a hand, chips that the loser pays."""
    is_river: Bools
    """(nodes,): whether the card has been dealt."""
    starts_river: Bools
    """(nodes,): whether it has been dealt since the parent."""
    row: Numbers
    """(nodes,): number of a decision among those on its side of the card."""
    legal: Numbers
    """(nodes,): set of legal actions: bit a stands for action a."""

    @staticmethod
    def from_betting(betting: BettingTree) -> TurnTree:
        """Return the tree of the betting of two streets."""
        is_shown = (betting.player == NOBODY) & (betting.folded == NOBODY)
        is_river = (betting.street > betting.street[0]) | is_shown
        starts_river, row = np.zeros_like(is_river), np.zeros(len(is_river), np.int64)
        for node in np.flatnonzero(~is_river):
            children = betting.child[node][betting.child[node] >= 0]
            starts_river[children] = is_river[children]
        for on_river in (False, True):
            decisions = np.flatnonzero((betting.player != NOBODY) & (is_river == on_river))
            row[decisions] = np.arange(len(decisions))
        stake, late = betting.stake.astype(np.float32), (is_river, starts_river, row)
        return TurnTree(betting.player, betting.child, betting.folded, stake, *late, betting.legal)

    def list_decisions(self, *, on_river: bool, player: int | None = None) -> Numbers:
        """Return the decisions on one side of the card, of one player or of both."""
        acts = self.player != NOBODY if player is None else self.player == player
        return np.flatnonzero(acts & (self.is_river == on_river))


class Rivers(NamedTuple):
    """The cards that may come."""

    ranked: Any
    """(cards,) of `RANKED`: the hands with each."""
    groups: NDArray[np.int64]
    """(cards, 1, hands): group of the hand at each place."""
    place_of: Numbers
    """(1326,): place in `turn_hands` of each hand number."""
    correction: np.float32
    """Number of cards, over the number of those that two given hands leave."""


class Sums(NamedTuple):
    """Regrets, or strategies, summed over the iterations."""

    turn: Floats
    """(decisions, actions, hands)."""
    river: Floats
    """(cards, decisions, actions, groups)."""

    @staticmethod
    def allocate(tree: TurnTree, num_cards: int, num_groups: int) -> Sums:
        """Return zeros."""
        on_turn, on_river = (len(tree.list_decisions(on_river=each)) for each in (False, True))
        actions = tree.child.shape[1]
        return Sums(
            np.zeros((on_turn, actions, NUM_HANDS), np.float32),
            np.zeros((num_cards, on_river, actions, num_groups), np.float32),
        )


class Work(NamedTuple):
    """Arrays that the kernels work on; the names that `river_cfr.Work` has mean the same."""

    policy: Floats
    """(nodes, actions, hands)."""
    reach: Floats
    """(nodes, hands)."""
    own: Floats
    """(nodes, hands)."""
    values: Floats
    """(nodes, hands)."""
    shares: Floats
    """(actions, hands): the strategy at a decision, by group."""
    totals: Floats
    """(hands,): scratch space of `regret.match_regrets`."""
    scratch: Floats
    """(hands,)."""
    by_card: Floats
    """(cards,)."""
    place: Numbers
    """(hands,): place in `turn_hands` of the hand at each place in `river_hands`."""
    enter: Floats
    """(hands,)."""
    stop: Floats
    """(hands,)."""
    entered: Floats
    """(hands,)."""

    @staticmethod
    def allocate(tree: TurnTree) -> Work:
        """Return arrays for a tree."""
        nodes, actions = tree.child.shape
        return Work(
            policy=np.zeros((nodes, actions, NUM_HANDS), np.float32),
            reach=np.zeros((nodes, NUM_HANDS), np.float32),
            own=np.zeros((nodes, NUM_HANDS), np.float32),
            values=np.zeros((nodes, NUM_HANDS), np.float32),
            shares=np.zeros((actions, NUM_HANDS), np.float32),
            totals=np.zeros(NUM_HANDS, np.float32),
            scratch=np.zeros(NUM_HANDS, np.float32),
            by_card=np.zeros(DECK_SIZE, np.float32),
            place=np.zeros(NUM_HANDS, np.int64),
            enter=np.zeros(NUM_HANDS, np.float32),
            stop=np.zeros(NUM_HANDS, np.float32),
            entered=np.ones(NUM_HANDS, np.float32),
        )


@kernel
def solve(
    tree: Any, turn_hands: Any, river_hands: Any, rivers: Any, drawn: Any, solver: Any, ranges: Any, worth: Any,
    range_share: Any, regrets: Any, sums: Any, work: Any,
) -> None:  # fmt: skip
    """Add up the strategies of both players, with one iteration for each of the cards `drawn` (iterations,).

    `ranges` (2, hands) sum to 1; `worth` (hands,) is what the opponent is paid for stopping. With `range_share` 1 the
    ranges are taken as they are, with 0 the opponent chooses with every hand.
    """
    size, opponent = turn_hands.size[0], 1 - solver
    share = (_ONE - range_share) / np.float32(size)
    for t in range(drawn.shape[0]):
        card, weight = drawn[t], np.float32((t + 1) ** _POWER)
        arrange_river(rivers, card, river_hands, work)
        for h in range(size):
            work.reach[0, h] = ranges[solver, h]
        _learn(tree, turn_hands, river_hands, rivers.correction, card, opponent, weight, regrets, sums, work)
        choose_to_enter(work.values[0], worth, size, work)
        for h in range(size):
            work.reach[0, h] = range_share * ranges[opponent, h] + share * work.entered[h]
        _learn(tree, turn_hands, river_hands, rivers.correction, card, solver, weight, regrets, sums, work)


@kernel
def arrange_river(rivers: Any, card: Any, river_hands: Any, work: Any) -> None:
    """Arrange the hands with a card."""
    arrange_hands(rivers.ranked[card], rivers.groups[card], river_hands)
    for h in range(river_hands.size[0]):
        work.place[h] = rivers.place_of[rivers.ranked[card].number[h]]


@kernel
def _learn(
    tree: Any, turn_hands: Any, river_hands: Any, correction: Any, card: Any, learner: Any, weight: Any, regrets: Any,
    sums: Any, work: Any,
) -> None:  # fmt: skip
    """Add regrets of a player, and its strategy times `weight`; `work.reach[0]` are the other's hands."""
    for h in range(turn_hands.size[0]):
        work.own[0, h] = weight
    for node in range(tree.player.shape[0]):
        if tree.starts_river[node]:
            _to_river_order(work.reach[node], river_hands, work)
            _to_river_order(work.own[node], river_hands, work)
        if tree.player[node] == NOBODY:
            continue
        row = tree.row[node]
        if tree.is_river[node]:
            _act(tree, node, learner, river_hands, regrets.river[card, row], sums.river[card, row], work)
        else:
            _act(tree, node, learner, turn_hands, regrets.turn[row], sums.turn[row], work)
    _update_regrets(tree, turn_hands, river_hands, correction, card, learner, regrets, work)


@kernel
def _update_regrets(
    tree: Any, turn_hands: Any, river_hands: Any, correction: Any, card: Any, learner: Any, regrets: Any, work: Any
) -> None:
    """Write the learner's values from the ends of the hand back to the root, and add regrets at its decisions."""
    for node in range(tree.player.shape[0] - 1, -1, -1):
        hands, row, target = river_hands if tree.is_river[node] else turn_hands, tree.row[node], work.values[node]
        if tree.player[node] == NOBODY:
            settle(tree, node, hands, learner, work)
        elif tree.player[node] != learner:
            add_children(tree.child[node], hands.size[0], work.values, target)
        elif tree.is_river[node]:
            _add_regrets(tree.child[node], regrets.river[card, row], work.policy[node], hands, work.values, target)
        else:
            _add_regrets(tree.child[node], regrets.turn[row], work.policy[node], hands, work.values, target)
        if tree.starts_river[node]:
            _to_turn_order(target, correction, turn_hands, river_hands, work)


@kernel
def _to_river_order(vector: Any, river_hands: Any, work: Any) -> None:
    """Replace numbers by place before the card by numbers by place after it."""
    for h in range(river_hands.size[0]):
        work.scratch[h] = vector[work.place[h]]
    for h in range(river_hands.size[0]):
        vector[h] = work.scratch[h]


@kernel
def _to_turn_order(vector: Any, correction: Any, turn_hands: Any, river_hands: Any, work: Any) -> None:
    """Replace values by place after the card by values before it, whose mean over the cards is the expected value."""
    for h in range(turn_hands.size[0]):
        work.scratch[h] = _ZERO
    for h in range(river_hands.size[0]):
        work.scratch[work.place[h]] = correction * vector[h]
    for h in range(turn_hands.size[0]):
        vector[h] = work.scratch[h]


@kernel
def _act(tree: Any, node: Any, learner: Any, hands: Any, regrets: Any, sums: Any, work: Any) -> None:
    """Write the strategy and the reach probabilities after a decision, and add the learner's strategy to the sums."""
    size, group = hands.size[0], hands.bucket[0]
    match_regrets(regrets, tree.legal[node], hands.num_buckets[0], work.totals, work.shares)
    for action in range(tree.child.shape[1]):
        after = tree.child[node, action]
        if after < 0:
            continue
        shares, policy, total = work.shares[action], work.policy[node, action], sums[action]
        for h in range(size):
            policy[h] = shares[group[h]]
        if tree.player[node] == learner:
            for h in range(size):
                work.own[after, h] = work.own[node, h] * policy[h]
                total[group[h]] += work.own[after, h]
                work.reach[after, h] = work.reach[node, h]
        else:
            for h in range(size):
                work.own[after, h] = work.own[node, h]
                work.reach[after, h] = work.reach[node, h] * policy[h]


@kernel
def _add_regrets(child: Any, regrets: Any, policy: Any, hands: Any, values: Any, target: Any) -> None:
    """Write the values of the learner's strategy at a decision, and add regrets, which never become negative."""
    size, group = hands.size[0], hands.bucket[0]
    for h in range(size):
        target[h] = _ZERO
    for action in range(child.shape[0]):
        if child[action] >= 0:
            after = values[child[action]]
            for h in range(size):
                target[h] += policy[action, h] * after[h]
    for action in range(child.shape[0]):
        if child[action] >= 0:
            after = values[child[action]]
            for h in range(size):
                regrets[action, group[h]] += after[h] - target[h]
            for g in range(hands.num_buckets[0]):
                regrets[action, g] = max(_ZERO, regrets[action, g])
