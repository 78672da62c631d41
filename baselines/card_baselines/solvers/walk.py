"""The walk over a tree of betting with all hands of both players at once, depth first.

One player, the *learner*, gets the value of each of its hands, weighted by the opponent's reach probabilities. Vectors
over hands go by *place* (`hands`). As a recursion, without what is learned on the way:

    value(node, reach) =
        at an end:                   the sums of `hands` over the opponent's hands, which have the weights `reach`
        at the learner's decision:   the mean, or the largest, of value(child, reach) over the actions
        at the opponent's decision:  the sum of value(child, reach * probability of the action)
        where a street begins:       what `begin_street` writes; if that writes nothing, as above

The kernel is a loop, with `Frames` as its stack: arrays with a row for each depth stay in the cache.

A strategy is one array of entries, in which a decision has a block (actions, columns) from the field `first` of its
node on. A column is a hand, or a group of hands that are played alike. Policies are found by regret matching.

On the boards of several streets `streets` leads the walk from one to the next; `menu_cfr` adds a responder.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import sum_folds, sum_showdowns
from card_baselines.solvers.regret import match_regrets
from card_baselines.solvers.tree import BettingTree
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.games.holdem.state import MAX_STREETS
from card_envs.rng import random_unit
from card_envs.typing import Integers

FOLLOW, BEST, LEARN, SAMPLE, RESPOND, ANSWER = range(6)
"""Modes: how the learner plays, and what is learned.

* FOLLOW: the learner follows its policy, and nothing is learned.
* BEST: it takes its best action with every hand, and nothing is learned.
* LEARN: as FOLLOW, and its regrets and its own strategy are added.
* SAMPLE: as FOLLOW, on sampled betting, and its regrets and the opponent's strategy are added; hands are in groups.
* RESPOND: as SAMPLE, but on the last street the learner takes its best action with every hand.
* ANSWER: as SAMPLE, but on the last street the opponent takes the actions with which it would RESPOND.
"""
VISIT_ALL = -1.0
"""Value of `Settings.min_reach` with which every decision is visited."""
_NO_NODE = -1
_NODE, _TRIED, REACH, OWN_REACH = range(4)
"""Columns of `Frames.path`."""
_RARE = np.float32(1e-3)
"""Fraction of `min_reach`, or of the reach probability where the last street begins, below which the responder's best
action is not computed."""


class Groups(NamedTuple):
    """Hands that are played alike."""

    of_hand: Integers
    """(streets, hands): group of the hand at each place; not read where every hand has its own entries."""
    num: Integers
    """(streets,): number of groups, 0 if every hand has its own entries."""


class StrategyTables(NamedTuple):
    """Strategies (entries,) that a walk reads and changes."""

    learner: NDArray[Any]
    """What the learner's policy is matched to: regrets, unless the schedule predicts."""
    opponent: NDArray[Any]
    """What the opponent's policy is matched to, likewise."""
    regrets: NDArray[Any]
    """The learner's regrets."""
    sums: NDArray[Any]
    """Summed strategies."""


class Board(NamedTuple):
    """The hands on one board, and where their strategies are; no arrays, so that kernels make it for nothing."""

    ranked: Any
    """Record of `hands.RANKED`."""
    index: Any
    """Index of the board, if a street has tables for each: it is added to the street in `Groups.of_hand`."""
    first: Any
    """Index of the first entry of the board in `StrategyTables`."""


class Settings(NamedTuple):
    """Settings of a walk, the same on all of its boards."""

    learner: Any
    mode: Any
    schedule: Any
    """`regret.Schedule`, of the type of values."""
    is_given: Any
    """Strategies are probabilities, which need no matching."""
    min_reach: Any
    """Where the opponent's reach probability, summed over its hands, falls below it, the walk continues with a
    probability proportional to it, and reach is divided by that: estimates stay unbiased, and rare betting costs
    little."""
    last_street: Any
    """The street on which RESPOND and ANSWER differ from SAMPLE."""


class Frames(NamedTuple):
    """The decisions on the path to the current one. The first axis is their depth, but for `values`."""

    reach: NDArray[Any]
    """(depth, hands): the opponent's reach probabilities."""
    own_reach: NDArray[Any]
    """(depth, hands): the learner's reach probabilities; in LEARN times the weight of its strategy."""
    values: NDArray[Any]
    """(rows, hands): the learner's values. Row 0 is the root, row 1 + depth * actions + slot the node after the action
    in a slot of the decision at that depth."""
    child: Integers
    """(depth, slots): row of `values` after each action, -1 where it is illegal or was not visited yet."""
    policy: NDArray[Any]
    """(depth, slots, columns): the policy of the player to act."""
    scratch: NDArray[Any]
    """(slots + 1, columns)"""
    by_card: NDArray[Any]
    """(cards,): scratch space."""
    path: Integers
    """(depth, 4): the decision that is visited, the slot of the action that is tried there, and its rows of `reach` and
    `own_reach`. An action changes the reach of the player to act only: the other's row is still that of a decision
    above."""
    choices: NDArray[np.int8]
    """(nodes, hands): in RESPOND, the slots of the learner's best actions in one subtree of the last street."""

    @staticmethod
    def allocate(tree: BettingTree, num_hands: int, num_columns: int, dtype: Any, num_choices: int = 0) -> Frames:
        """Return arrays for walks over a tree."""
        depth, actions = tree.depth + 1, tree.child.shape[1]
        shapes = [(depth, num_hands)] * 2 + [(1 + depth * actions, num_hands)]
        reach, own_reach, values = (np.zeros(shape, dtype) for shape in shapes)
        policy, scratch = (np.zeros((*shape, num_columns), dtype) for shape in ((depth, actions), (actions + 1,)))
        return Frames(
            reach, own_reach, values, np.zeros((depth, actions), np.int64), policy, scratch, np.zeros(DECK_SIZE, dtype),
            np.zeros((depth, 4), np.int64), np.zeros((num_choices, num_hands), np.int8),
        )  # fmt: skip


NO_GROUPS = Groups(np.zeros((1, 0), np.int64), np.zeros(MAX_STREETS + 1, np.int64))
"""Groups of games in which every hand has its own entries; cards may come before every betting round."""


class Decision(NamedTuple):
    """A decision on the path of a walk; numbers only, so that kernels get it for nothing."""

    depth: Any
    first: Any
    """Index of its first entry in `StrategyTables`."""
    num_slots: Any
    group_row: Any
    """Row of `Groups.of_hand`."""
    num_groups: Any
    """0 if every hand has its own entries."""
    num_columns: Any
    """Number of groups or hands."""
    num_hands: Any


def make_walk(begin_street: Any) -> Any:  # noqa: C901  short kernels are called for each mode
    """Return the kernel of a walk, which writes the values of the root to row 0 of `values`.

    Its arguments are the records of nodes (`tree.node_type`), the number of the root, a `Board`, `Groups`,
    `StrategyTables`, `Settings`, the random stream of sampled betting, `Frames`, and anything `extra` for
    `begin_street`. The caller has written the opponent's reach probabilities at the root to row 0 of `reach`, and in
    LEARN and ANSWER the learner's to row 0 of `own_reach`.

    Where a street begins, at `node`, it calls `begin_street(nodes, node, depth, row, board, groups, tables, settings,
    stream, frames, extra)`, with the depth of the decision before it. That returns True if it has written the values of
    the node to values[row].
    """

    @kernel
    def walk(  # noqa: C901
        nodes: Any, root: Any, board: Any, groups: Any, tables: Any, settings: Any, stream: Any, frames: Any,
        extra: Any,
    ) -> None:  # fmt: skip
        # arrays of named tuples are taken out once: each time costs Numba two atomic additions
        reach, own_reach, values, child, policy, scratch, by_card, path, choices = frames
        ranked, index, first = board
        group, num_groups = groups
        learner_table, opponent_table, regrets, sums = tables
        learner, mode, schedule, size = settings.learner, settings.mode, settings.schedule, np.int64(ranked.num_hands)
        depth, row, reached, street_root = np.int64(-1), np.int64(0), np.int64(root), np.int64(root)
        path[0, REACH], path[0, OWN_REACH] = 0, 0
        while reached != _NO_NODE or depth >= 0:
            is_new = reached != _NO_NODE  # else the next action of the decision at `depth` is tried
            if is_new and nodes[reached].player == NOBODY:  # not in a kernel of its own: views as arguments cost 4 %
                node, weights, won = nodes[reached], reach[path[depth + 1, REACH]], values[row]
                stake = by_card.dtype.type(node.stake)
                if node.folded == NOBODY:
                    sum_showdowns(ranked, size, weights, stake, by_card, won)
                else:
                    sum_folds(ranked, size, weights, -stake if node.folded == learner else stake, by_card, won)
                reached = np.int64(_NO_NODE)
                continue

            if is_new:
                depth += 1
                path[depth, _NODE], path[depth, _TRIED] = reached, -1
                reached = np.int64(_NO_NODE)
            node, choice = nodes[path[depth, _NODE]], path[depth, _NODE] - street_root
            here = _locate(node, depth, index, first, num_groups[node.street], size)
            is_own, is_last = node.player == learner, node.street == settings.last_street
            if is_new:
                for slot in range(child.shape[1]):
                    child[depth, slot] = -1
                if _takes_best(mode, is_own, is_last):
                    continue
                if is_own:
                    _copy(learner_table, here, scratch)
                else:
                    _copy(opponent_table, here, scratch)
                _write_policy(here, node.slots, settings.is_given, scratch, policy)
                if mode >= SAMPLE and not is_own and schedule.average > 0:
                    at = path[depth, REACH]
                    _add_others_strategy(sums, here, schedule.average, reach, at, group, policy, scratch)
                continue

            slot, below = path[depth, _TRIED] + 1, depth + 1
            if slot == node.num_slots:  # all actions were tried: their values give those of the decision
                target = np.int64(0) if depth == 0 else child[depth - 1, path[depth - 1, _TRIED]]
                if not is_own:
                    sum_children(values, target, child, depth, size)
                elif _takes_best(mode, is_own, is_last):
                    take_best(values, target, child, depth, size)
                    if mode == RESPOND:
                        _write_best(values, target, child, here, choices, choice)
                else:
                    _follow_policy(values, target, child, policy, group, here)
                    if mode == LEARN:
                        _update_regrets(regrets, learner_table, child, values, target, group, here, schedule)
                    elif mode >= SAMPLE:
                        _add_regrets(regrets, child, values, policy, group, here, schedule.rate, scratch)
                depth -= 1
                continue

            path[depth, _TRIED], after = slot, np.int64(node.child[slot])
            if after < 0:
                continue
            row = 1 + depth * child.shape[1] + slot
            child[depth, slot] = row
            path[below, REACH], path[below, OWN_REACH] = path[depth, REACH], path[depth, OWN_REACH]
            if not is_own:
                path[below, REACH] = below
                if mode == ANSWER and is_last:
                    _keep_chosen(reach, path[depth, REACH], choices, choice, slot, here)
                else:
                    _multiply_reach(reach, path[depth, REACH], policy, slot, group, here)
                is_exact = mode == RESPOND and is_last
                if settings.min_reach >= 0 and not _sample(reach, below, settings.min_reach, is_exact, size, stream):
                    _clear(values, row, size)
                    continue
            elif mode == LEARN or (mode == ANSWER and not is_last):
                path[below, OWN_REACH] = below
                _multiply_reach(own_reach, path[depth, OWN_REACH], policy, slot, group, here)
                if mode == LEARN:
                    _add_own_strategy(sums, slot, group, here, own_reach)
            reached = after
            if nodes[after].street > node.street:
                street_root = after
                if begin_street(nodes, after, depth, row, board, groups, tables, settings, stream, frames, extra):
                    reached = np.int64(_NO_NODE)

    return walk


@kernel
def stay_on_board(
    nodes: Any, node: Any, depth: Any, row: Any, board: Any, groups: Any, tables: Any, settings: Any, stream: Any,
    frames: Any, extra: Any,
) -> Any:  # fmt: skip
    """Do nothing where a street begins: the walk continues there."""
    return False


@kernel
def _locate(node: Any, depth: Any, board_index: Any, first: Any, num_groups: Any, size: Any) -> Any:
    """Return a decision as `Decision`; `first` is the first entry of its board."""
    columns = num_groups if num_groups > 0 else size
    entry, group_row = np.int64(first + node.first), np.int64(board_index + node.street)
    return Decision(depth, entry, np.int64(node.num_slots), group_row, num_groups, columns, size)


@kernel
def _takes_best(mode: Any, is_own: Any, is_last: Any) -> Any:
    """Return True if the player to act, the learner or not, takes its best action instead of following a policy."""
    if is_own:
        return mode == BEST or (mode == RESPOND and is_last)
    return mode == ANSWER and is_last


# --- reach probabilities, strategies and regrets ----------------------------------------------------------------------
# `here` is a `Decision`.


@kernel
def _copy(table: Any, here: Any, scratch: Any) -> None:
    """Copy the entries of a decision: where hands are few, a view of the table with two axes would cost more."""
    for action in range(here.num_slots):
        for k in range(here.num_columns):
            scratch[action, k] = table[here.first + action * here.num_columns + k]


@kernel
def _write_policy(here: Any, slots: Any, is_given: Any, scratch: Any, policy: Any) -> None:
    """Write the policy of a decision whose entries are in `scratch`; `is_given` as of `Settings`."""
    if is_given:
        for action in range(here.num_slots):
            for k in range(here.num_columns):
                policy[here.depth, action, k] = scratch[action, k]
    else:
        totals = scratch[scratch.shape[0] - 1]
        match_regrets(scratch[: here.num_slots], slots, here.num_columns, totals, policy[here.depth])


@kernel
def _multiply_reach(reach: Any, source: Any, policy: Any, slot: Any, group: Any, here: Any) -> None:
    """Write reach[source] times the probabilities of an action, of hands or of their groups, to the next depth."""
    for h in range(here.num_hands):
        column = h if here.num_groups == 0 else group[here.group_row, h]
        reach[here.depth + 1, h] = reach[source, h] * policy[here.depth, slot, column]


@kernel
def _keep_chosen(reach: Any, source: Any, choices: Any, choice: Any, slot: Any, here: Any) -> None:
    """Write reach[source] after the action at `slot`, which the responder takes with the hands that chose it."""
    for h in range(here.num_hands):
        reach[here.depth + 1, h] = reach[source, h] if choices[choice, h] == slot else reach.dtype.type(0)


@kernel
def _sample(reach: Any, row: Any, min_reach: Any, is_exact: Any, size: Any, stream: Any) -> Any:
    """Return True if the walk continues with reach[row], which is scaled if that was left to chance."""
    total = reach.dtype.type(0)
    for h in range(size):
        total += reach[row, h]
    if is_exact:  # the best of sampled values would be too large
        return total > _RARE * min_reach
    if total >= min_reach:
        return total > 0
    if total <= min_reach * reach.dtype.type(random_unit(stream)):
        return False
    factor = min_reach / total
    for h in range(size):
        reach[row, h] *= factor
    return True


@kernel
def _clear(values: Any, row: Any, size: Any) -> None:
    """Set a row to 0."""
    for h in range(size):
        values[row, h] = 0


@kernel
def _add_own_strategy(sums: Any, slot: Any, group: Any, here: Any, own_reach: Any) -> None:
    """Add the learner's reach probabilities after an action to its summed strategy."""
    first = here.first + slot * here.num_columns
    for h in range(here.num_hands):
        column = h if here.num_groups == 0 else group[here.group_row, h]
        sums[first + column] += own_reach[here.depth + 1, h]


@kernel
def _add_others_strategy(
    sums: Any, here: Any, rate: Any, reach: Any, row: Any, group: Any, policy: Any, scratch: Any
) -> None:
    """Add the opponent's policy, times its reach probability reach[row] and `rate`, to its summed strategy."""
    _sum_by_group(reach, row, group, here, scratch, 0)
    for k in range(here.num_slots):
        for b in range(here.num_groups):
            sums[here.first + k * here.num_groups + b] += rate * scratch[0, b] * policy[here.depth, k, b]


@kernel
def _sum_by_group(values: Any, row: Any, group: Any, here: Any, scratch: Any, target: Any) -> None:
    """Write the sum of values[row] over the hands of each group to scratch[target]."""
    for b in range(here.num_groups):
        scratch[target, b] = 0
    for h in range(here.num_hands):
        scratch[target, group[here.group_row, h]] += values[row, h]


@kernel
def _add_regrets(
    regrets: Any, child: Any, values: Any, policy: Any, group: Any, here: Any, rate: Any, scratch: Any
) -> None:
    """Add the regrets of groups, times `rate`; those of the hands of a group are summed first."""
    num, depth = here.num_slots, here.depth
    for b in range(here.num_groups):
        scratch[num, b] = 0
    for k in range(num):
        _sum_by_group(values, child[depth, k], group, here, scratch, k)
        for b in range(here.num_groups):
            scratch[num, b] += policy[depth, k, b] * scratch[k, b]
    for k in range(num):
        for b in range(here.num_groups):
            regrets[here.first + k * here.num_groups + b] += rate * (scratch[k, b] - scratch[num, b])


@kernel
def _update_regrets(
    regrets: Any, predicted: Any, child: Any, values: Any, target: Any, group: Any, here: Any, schedule: Any
) -> None:
    """Add the regrets of hands by a `regret.Schedule`, and with a prediction write what the next policy is matched to.

    Without one, `predicted` are the `regrets` themselves.
    """
    for slot in range(here.num_slots):
        after, first = child[here.depth, slot], here.first + slot * here.num_columns
        if after < 0:
            continue
        if here.num_groups > 0:
            for h in range(here.num_hands):
                regrets[first + group[here.group_row, h]] += schedule.rate * (values[after, h] - values[target, h])
            for k in range(first, first + here.num_groups):
                regrets[k] *= schedule.positive if regrets[k] > 0 else schedule.negative
            continue
        for h in range(here.num_hands):
            regret = regrets[first + h] + schedule.rate * values[after, h]
            regret -= schedule.rate * values[target, h]
            regrets[first + h] = regret * (schedule.positive if regret > 0 else schedule.negative)
        if schedule.prediction > 0:
            for h in range(here.num_hands):
                better = values[after, h] - values[target, h]
                predicted[first + h] = regrets[first + h] + schedule.prediction * better


# --- values -----------------------------------------------------------------------------------------------------------
# The values of the children of a decision are in the rows child[depth, slot], -1 where an action is illegal; its own
# are in row `target`. Columns are hands, or betting sequences side by side (`exploitability.flops`).


@kernel
def sum_children(values: Any, target: Any, child: Any, depth: Any, size: Any) -> None:
    """Write the values of a decision of the opponent, whose reach they are weighted by."""
    _clear(values, target, size)
    for slot in range(child.shape[1]):
        after = child[depth, slot]
        if after >= 0:
            for k in range(size):
                values[target, k] += values[after, k]


@kernel
def take_best(values: Any, target: Any, child: Any, depth: Any, size: Any) -> None:
    """Write the values of the best action in each column."""
    is_first = True
    for slot in range(child.shape[1]):
        after = child[depth, slot]
        if after < 0:
            continue
        for k in range(size):
            other = values[after, k]
            values[target, k] = other if is_first or other > values[target, k] else values[target, k]
        is_first = False


@kernel
def _write_best(values: Any, target: Any, child: Any, here: Any, choices: Any, choice: Any) -> None:
    """Write the first slot whose action has the value of the decision to choices[choice]."""
    for h in range(here.num_hands):
        slot = 0
        while values[child[here.depth, slot], h] != values[target, h]:
            slot += 1
        choices[choice, h] = slot


@kernel
def _follow_policy(values: Any, target: Any, child: Any, policy: Any, group: Any, here: Any) -> None:
    """Write the mean of the values of the actions under the policy of hands, or of their groups."""
    _clear(values, target, here.num_hands)
    for slot in range(child.shape[1]):
        after = child[here.depth, slot]
        if after < 0:
            continue
        for h in range(here.num_hands):
            column = h if here.num_groups == 0 else group[here.group_row, h]
            values[target, h] += policy[here.depth, slot, column] * values[after, h]
