"""Passes over a tree of betting for all hands of both players at once.

A pass goes over some nodes of a tree, parents first: those on which the same cards lie. `pass_forward` computes reach
probabilities, `pass_backward` the values of a player that follows its policy (FOLLOW) or plays a best response (BEST).
Between two streets, `enter_board` and `leave_board` change the order of the hands, which is by strength (`hands`).
`two_streets` joins them, over all boards or some that were drawn.

Arrays go by node, action and *place* of a hand: policy (nodes, actions, hands), reach and values (nodes, hands).
Regrets and summed strategies are (rows, actions, groups), with a row for each decision. `group` (hands,) is the group
of each hand; with `num_groups` 0 it is not read, and every hand has its own numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import sum_folds, sum_showdowns
from card_baselines.solvers.regret import match_regrets
from card_baselines.solvers.tree import BettingTree, Numbers
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import NOBODY

NO_GROUPS: Numbers = np.zeros(0, np.int64)
"""Groups that are not read."""
LEARN, BEST, FOLLOW = range(3)
"""Modes. LEARN: the player follows its policy and adds regrets. BEST: it takes its best action with every hand. FOLLOW:
it follows its policy."""


class Nodes(NamedTuple):
    """The arrays of a `BettingTree` that the passes read."""

    player: Numbers
    """(nodes,): who acts, NOBODY at the end of a hand."""
    child: Numbers
    """(nodes, actions): -1 where an action is illegal."""
    legal: Numbers
    """(nodes,): set of legal actions."""
    folded: Numbers
    """(nodes,): at the end of a hand, who folded, NOBODY at a showdown."""
    stake: NDArray[Any]
    """(nodes,): at the end of a hand, chips that the loser pays; its type is that of values."""
    row: Numbers
    """(nodes,): row of a decision in tables of its street."""

    @staticmethod
    def from_tree(tree: BettingTree, stage: Numbers, dtype: Any) -> Nodes:
        """Return the nodes of a tree; `stage` (nodes,) are their streets, see `find_stages`."""
        row = np.zeros(len(stage), np.int64)
        for each in np.unique(stage):
            decisions = np.flatnonzero((tree.player != NOBODY) & (stage == each))
            row[decisions] = np.arange(len(decisions))
        return Nodes(tree.player, tree.child, tree.legal, tree.folded, tree.stake.astype(dtype), row)


def find_stages(tree: BettingTree, last: int) -> Numbers:
    """Return the street (nodes,) whose cards each node needs, from 0 at the root: showdowns need those of the last."""
    is_shown = (tree.player == NOBODY) & (tree.folded == NOBODY)
    return np.where(is_shown, last, tree.street - tree.street[0])


def find_entries(tree: BettingTree, stage: Numbers, street: int) -> Numbers:
    """Return the nodes at which the cards of a street come, or have come with those of later streets."""
    before = np.append(stage, -1)[tree.parent]
    return np.flatnonzero((stage >= street) & (before < street))


class Parts(NamedTuple):
    """The nodes of two streets."""

    early: Numbers
    """Nodes on the cards that lie from the start."""
    late: Numbers
    """Nodes on the cards that come, none if all cards lie."""
    entries: Numbers
    """Nodes at which the cards come."""

    @staticmethod
    def from_tree(tree: BettingTree, stage: Numbers) -> Parts:
        """Return the nodes of a tree with at most two streets; `stage` as of `find_stages`."""
        return Parts(np.flatnonzero(stage == 0), np.flatnonzero(stage == 1), find_entries(tree, stage, 1))


class Boards(NamedTuple):
    """The hands on each board of the second street."""

    ranked: Any
    """(boards,) of `RANKED`."""
    place: Numbers
    """(boards, hands): place on the first street of the hand at each place."""
    group: Numbers
    """(boards, hands): group of the hand at each place; not read without groups."""
    num_groups: Any
    """Number of groups, 0 if every hand has its own numbers."""
    factor: NDArray[Any]
    """(boards,): factor of the values on each board that is visited: their sum is the value on the first street."""
    kind: Numbers = NO_GROUPS
    """(hands,): class of each hand of the first street, if each board stands for all that differ in the names of suits:
    the value of a hand is then the mean over its class. Empty if all boards are there."""
    kind_size: Numbers = NO_GROUPS
    """(classes,): number of hands in each class."""


class Tables(NamedTuple):
    """Numbers that are summed over the iterations, (..., rows, actions, groups); on the second street by board."""

    regrets: NDArray[Any]
    predicted: NDArray[Any]
    """Regrets that policies are matched to: `regrets` themselves, unless the schedule predicts."""
    sums: NDArray[Any]
    """Strategies, weighted."""


class Work(NamedTuple):
    """Arrays of the passes over the nodes of one street."""

    policy: NDArray[Any]
    """(nodes, actions, hands)."""
    reach: NDArray[Any]
    """(nodes, hands): reach probabilities of the player who does not learn."""
    own: NDArray[Any]
    """(nodes, hands): those of the learner, times the weight of the iteration."""
    values: NDArray[Any]
    """(nodes, hands): what the learner wins, times the other's reach."""
    shares: NDArray[Any]
    """(actions, hands): scratch space, the policy of a decision by group."""
    totals: NDArray[Any]
    """(hands,): scratch space."""
    by_card: NDArray[Any]
    """(cards,): scratch space."""

    @staticmethod
    def allocate(num_nodes: int, num_actions: int, num_hands: int, dtype: Any) -> Work:
        """Return arrays of zeros."""
        by_node = [(num_nodes, num_hands)] * 3
        shapes = [(num_nodes, num_actions, num_hands), *by_node, (num_actions, num_hands), (num_hands,), (DECK_SIZE,)]
        return Work(*(np.zeros(shape, dtype) for shape in shapes))


@kernel
def write_policies(nodes: Any, part: Any, regrets: Any, group: Any, num_groups: Any, size: Any, work: Any) -> None:
    """Write the policies of regret matching at decisions, for `size` hands in groups (see the module)."""
    for node in part:
        if nodes.player[node] == NOBODY:
            continue
        row, policy = regrets[nodes.row[node]], work.policy[node]
        if num_groups == 0:
            match_regrets(row, nodes.legal[node], size, work.totals, policy)
        else:
            match_regrets(row, nodes.legal[node], num_groups, work.totals, work.shares)
            for action in range(policy.shape[0]):
                for h in range(size):
                    policy[action, h] = work.shares[action, group[h]]


@kernel
def pass_forward(nodes: Any, part: Any, player: Any, policy: Any, size: Any, reach: Any) -> None:
    """Write the reach probabilities of a player after the actions at some decisions, given those of the first nodes."""
    for node in part:
        for action in range(nodes.child.shape[1]):
            after = nodes.child[node, action]
            if after < 0:
                continue
            if nodes.player[node] == player:
                multiply_reach(reach, node, after, policy, node, action, NO_GROUPS, 0, size)
            else:
                for h in range(size):
                    reach[after, h] = reach[node, h]


@kernel
def multiply_reach(
    reach: Any, source: Any, target: Any, policy: Any, node: Any, action: Any, group: Any, num_groups: Any, size: Any
) -> None:
    """Write reach[source] times the probabilities policy[node, action] of hands, or of their groups, to a row."""
    if num_groups == 0:
        for h in range(size):
            reach[target, h] = reach[source, h] * policy[node, action, h]
    else:
        for h in range(size):
            reach[target, h] = reach[source, h] * policy[node, action, group[h]]


@kernel
def add_to_average(
    nodes: Any, part: Any, player: Any, group: Any, num_groups: Any, size: Any, own: Any, sums: Any
) -> None:
    """Add the `own` reach probabilities of a player after its actions to its summed strategy."""
    for node in part:
        if nodes.player[node] != player:
            continue
        for action in range(nodes.child.shape[1]):
            after = nodes.child[node, action]
            if after < 0:
                continue
            row = nodes.row[node]
            if num_groups == 0:
                for h in range(size):
                    sums[row, action, h] += own[after, h]
            else:
                for h in range(size):
                    sums[row, action, group[h]] += own[after, h]


@kernel
def pass_backward(
    nodes: Any, part: Any, player: Any, hands: Any, size: Any, policy: Any, mode: Any, reach: Any, by_card: Any,
    values: Any,
) -> None:  # fmt: skip
    """Write the values of a player at some nodes, whose other children have values.

    `reach` are the reach probabilities of the other player, `policy` is read with mode FOLLOW.
    """
    for k in range(part.shape[0] - 1, -1, -1):
        node = part[k]
        if nodes.player[node] == NOBODY:
            folded, stake = nodes.folded[node], nodes.stake[node]
            evaluate_end(folded, stake, player, hands, size, reach[node], by_card, values[node])
        elif nodes.player[node] != player:
            sum_children(values, node, nodes.child, node, size)
        elif mode == BEST:
            take_best(values, node, nodes.child, node, size)
        else:
            follow_policy(values, node, nodes.child, node, policy, NO_GROUPS, 0, size)


# The values of the children of a decision are in the rows child[node, action], -1 where an action is illegal; its own
# are in row `target`.


@kernel
def sum_children(values: Any, target: Any, child: Any, node: Any, size: Any) -> None:
    """Write the values of a decision of the other player, whose reach they are weighted by."""
    for h in range(size):
        values[target, h] = 0
    for action in range(child.shape[1]):
        after = child[node, action]
        if after >= 0:
            for h in range(size):
                values[target, h] += values[after, h]


@kernel
def take_best(values: Any, target: Any, child: Any, node: Any, size: Any) -> None:
    """Write the values of the best action with each hand."""
    for h in range(size):
        values[target, h] = -np.inf
    for action in range(child.shape[1]):
        after = child[node, action]
        if after >= 0:
            for h in range(size):
                values[target, h] = max(values[target, h], values[after, h])


@kernel
def follow_policy(
    values: Any, target: Any, child: Any, node: Any, policy: Any, group: Any, num_groups: Any, size: Any
) -> None:
    """Write the mean of the values of the actions under the policy of hands, or of their groups."""
    for h in range(size):
        values[target, h] = 0
    for action in range(child.shape[1]):
        after = child[node, action]
        if after < 0:
            continue
        if num_groups == 0:
            for h in range(size):
                values[target, h] += policy[node, action, h] * values[after, h]
        else:
            for h in range(size):
                values[target, h] += policy[node, action, group[h]] * values[after, h]


@kernel
def evaluate_end(
    folded: Any, stake: Any, player: Any, hands: Any, size: Any, reach: Any, by_card: Any, values: Any
) -> None:
    """Write what a player wins at an end of the hand, where somebody or NOBODY folded."""
    if folded == NOBODY:
        sum_showdowns(hands, size, reach, stake, by_card, values)
    else:
        sum_folds(hands, size, reach, -stake if folded == player else stake, by_card, values)


@kernel
def update_regrets(
    nodes: Any, part: Any, player: Any, group: Any, num_groups: Any, size: Any, values: Any, schedule: Any,
    regrets: Any, predicted: Any,
) -> None:  # fmt: skip
    """Add the regrets of a player's decisions by a `regret.Schedule`, after a backward pass with FOLLOW.

    `predicted` are the regrets that the next policy is matched to; without a prediction they are `regrets` themselves.
    """
    for node in part:
        if nodes.player[node] != player:
            continue
        row = nodes.row[node]
        for action in range(nodes.child.shape[1]):
            after = nodes.child[node, action]
            if after < 0:
                continue
            if num_groups == 0:
                for h in range(size):
                    better = values[after, h] - values[node, h]
                    regret = regrets[row, action, h] + schedule.rate * values[after, h]
                    regret -= schedule.rate * values[node, h]
                    regret *= schedule.positive if regret > 0 else schedule.negative
                    regrets[row, action, h] = regret
                    predicted[row, action, h] = regret + schedule.prediction * better
            else:
                for h in range(size):
                    better = values[after, h] - values[node, h]
                    regrets[row, action, group[h]] += schedule.rate * better
                for g in range(num_groups):
                    regret = regrets[row, action, g]
                    regrets[row, action, g] *= schedule.positive if regret > 0 else schedule.negative


@kernel
def enter_board(source: Any, entries: Any, place: Any, size: Any, target: Any) -> None:
    """Copy numbers of hands to the order of the next street, where hand h was at `place[h]` before."""
    for node in entries:
        for h in range(size):
            target[node, h] = source[node, place[h]]


@kernel
def leave_board(source: Any, entries: Any, place: Any, size: Any, factor: Any, target: Any) -> None:
    """Add values on a street, times `factor`, to those in the order of the street before."""
    for node in entries:
        for h in range(size):
            target[node, place[h]] += factor * source[node, h]


@kernel
def evaluate_board(
    nodes: Any, parts: Any, hands: Any, place: Any, player: Any, modes: Any, policy: Any, reach: Any, factor: Any,
    late: Any, values: Any,
) -> None:  # fmt: skip
    """Add `factor` times what a player wins on one board to the values of the nodes at which its cards come.

    Args:
        nodes: `Nodes`.
        parts: `Parts`.
        hands: Record of `RANKED` for the board.
        place: (hands,): place of each hand before the cards came.
        player: The player.
        modes: BEST or FOLLOW, or both.
        policy: (nodes, actions, hands): on the board, of the other player and with FOLLOW of both.
        reach: (nodes, hands): reach probabilities of the other player before the cards came.
        factor: Factor of the values.
        late: `Work` for the board; its policy is not used.
        values: (modes, nodes, hands): changed at the entries of `parts`.
    """
    size = np.int64(hands.num_hands)
    enter_board(reach, parts.entries, place, size, late.reach)
    pass_forward(nodes, parts.late, 1 - player, policy, size, late.reach)
    for k in range(len(modes)):
        pass_backward(nodes, parts.late, player, hands, size, policy, modes[k], late.reach, late.by_card, late.values)
        leave_board(late.values, parts.entries, place, size, factor, values[k])
