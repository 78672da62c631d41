"""The walk over a tree of betting with all hands of both players at once, depth first.

One player, the *learner*, gets the value of each of its hands, weighted by the opponent's reach probabilities. Vectors
over hands go by *place* (`hands`). Arrays of a walk have a row for each depth, so that they fit into the cache.

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
"""Modes. FOLLOW: the learner follows its policy. BEST: it takes its best action with every hand. LEARN: as FOLLOW, and
its regrets and its own strategy are added. SAMPLE: as LEARN, on sampled betting; the opponent's strategy is added.
RESPOND: as SAMPLE, but on the last street the learner takes the best action with every hand. ANSWER: as SAMPLE, but on
the last street the opponent takes its best action with every hand."""
VISIT_ALL = -1.0
"""Value of `Settings.least` with which every decision is visited."""
_NODE, _TRIED, REACH, OWN = range(4)
"""Columns of `Frames.path`."""
_RARE = np.float32(1e-3)
"""Fraction of `least`, or of the reach probability where the last street begins, below which the responder's best
action is not computed."""


class Groups(NamedTuple):
    """Hands that are played alike."""

    of_hand: Integers
    """(streets, hands): group of the hand at each place; not read where every hand has its own entries."""
    num: Integers
    """(streets,): number of groups, 0 if every hand has its own entries."""


class StrategyTables(NamedTuple):
    """Strategies (entries,) that a walk reads and changes."""

    own: NDArray[Any]
    """What the learner's policy is matched to: regrets, unless the schedule predicts."""
    other: NDArray[Any]
    """What the opponent's policy is matched to; see `own`."""
    regrets: NDArray[Any]
    """The learner's regrets."""
    sums: NDArray[Any]
    """Summed strategies."""


class Settings(NamedTuple):
    """Settings of a walk."""

    learner: Any
    mode: Any
    schedule: Any
    """`regret.Schedule`, of the type of values."""
    last_street: Any
    """The street on which RESPOND and ANSWER differ from SAMPLE."""
    least: Any
    """Where the opponent's reach probability, summed over its hands, falls below it, the walk continues with a
    probability proportional to it, and reach is divided by that: estimates stay unbiased, and rare betting costs
    little."""
    is_given: Any
    """Strategies are probabilities, which need no matching."""
    board: Any
    """Index of the board, if a street has tables for each: it is added to the street in `Groups.of_hand`."""
    first: Any
    """Index of the first entry of the board in `StrategyTables`."""


class Frames(NamedTuple):
    """The decisions on the path to the current one. The first axis is their depth, but for `values`."""

    reach: NDArray[Any]
    """(depth, hands): the opponent's reach probabilities."""
    own: NDArray[Any]
    """(depth, hands): the learner's reach probabilities; in LEARN times the weight of its strategy."""
    values: NDArray[Any]
    """(rows, hands): the learner's values. Row 0 is the root."""
    child: Integers
    """(depth, actions): row of `values` after each action, -1 where it is illegal or was not visited yet."""
    policy: NDArray[Any]
    """(depth, actions, columns): the policy of the player to act."""
    sums: NDArray[Any]
    """(actions + 1, columns): scratch space."""
    by_card: NDArray[Any]
    """(cards,): scratch space."""
    path: Integers
    """(depth, 4): the decision that is visited, the action that is tried there, and rows of `reach` and `own`."""
    choices: NDArray[np.int8]
    """(nodes, hands): in RESPOND, the learner's best action at the decisions of one subtree of the last street."""

    @staticmethod
    def allocate(tree: BettingTree, num_hands: int, num_columns: int, dtype: Any, num_choices: int = 0) -> Frames:
        """Return arrays for walks over a tree."""
        depth, actions = tree.depth + 1, tree.child.shape[1]
        shapes = [(depth, num_hands)] * 2 + [(1 + depth * actions, num_hands)]
        reach, own, values = (np.zeros(shape, dtype) for shape in shapes)
        policy, sums = (np.zeros((*shape, num_columns), dtype) for shape in ((depth, actions), (actions + 1,)))
        return Frames(
            reach, own, values, np.zeros((depth, actions), np.int64), policy, sums, np.zeros(DECK_SIZE, dtype),
            np.zeros((depth, 4), np.int64), np.zeros((num_choices, num_hands), np.int8),
        )  # fmt: skip


NO_GROUPS = Groups(np.zeros((1, 0), np.int64), np.zeros(MAX_STREETS + 1, np.int64))
"""Groups of games in which every hand has its own entries; cards may come before every betting round."""


class Decision(NamedTuple):
    """A decision on the path of a walk; numbers only, so that kernels get it for nothing."""

    depth: Any
    first: Any
    """Index of its first entry in `StrategyTables`."""
    num: Any
    """Number of places of actions."""
    street: Any
    """Row of `Groups.of_hand`."""
    num_groups: Any
    """0 if every hand has its own entries."""
    columns: Any
    """Number of groups or hands."""
    size: Any
    """Number of hands."""


def make_walk(begin_street: Any) -> Any:  # noqa: C901  short kernels are called for each mode
    """Return the kernel of a walk, which writes the values of the root to row 0 of `values`.

    Where a street begins, at `node`, it calls `begin_street(nodes, node, depth, row, ranked, groups, tables, settings,
    stream, frames, extra)`. That returns True if it has written the values of the node to a row of `values`.
    """

    @kernel
    def walk(  # noqa: C901
        nodes: Any, root: Any, ranked: Any, groups: Any, tables: Any, settings: Any, stream: Any, frames: Any,
        extra: Any,
    ) -> None:  # fmt: skip
        # arrays of named tuples are taken out once: each time costs Numba two atomic additions
        reach, own, values, child, policy, sums, by_card, path, choices = frames
        learner, mode, schedule, size = settings.learner, settings.mode, settings.schedule, np.int64(ranked.num_hands)
        group, num_groups = groups
        own_table, other_table, regrets, summed = tables
        depth, row, number, street_root = np.int64(-1), np.int64(0), np.int64(root), np.int64(root)
        path[0, REACH], path[0, OWN] = 0, 0
        while number >= 0 or depth >= 0:
            is_new = number >= 0  # a node was reached
            if is_new and nodes[number].player == NOBODY:
                node, weights, won = nodes[number], reach[path[depth + 1, REACH]], values[row]
                stake = by_card.dtype.type(node.stake)
                if node.folded == NOBODY:
                    sum_showdowns(ranked, size, weights, stake, by_card, won)
                else:
                    sum_folds(ranked, size, weights, -stake if node.folded == learner else stake, by_card, won)
                number = np.int64(-1)
                continue
            if is_new:
                depth += 1
                path[depth, _NODE], path[depth, _TRIED] = number, -1
            node, choice = nodes[path[depth, _NODE]], path[depth, _NODE] - street_root
            here = _locate(node, depth, num_groups[node.street], size, settings)
            is_own, is_last = node.player == learner, node.street == settings.last_street
            if is_new:
                number = np.int64(-1)
                for place in range(child.shape[1]):
                    child[depth, place] = -1
                if _takes_best(mode, is_own, is_last):
                    continue
                if is_own:
                    _copy(own_table, here, sums)
                else:
                    _copy(other_table, here, sums)
                _write_policy(here, node.places, settings.is_given, sums, policy)
                if mode >= SAMPLE and not is_own and schedule.average > 0:
                    reached = path[depth, REACH]
                    _add_others_strategy(summed, here, schedule.average, reach, reached, group, policy, sums)
                continue
            place, below = path[depth, _TRIED] + 1, depth + 1
            if place == node.num:  # all actions were tried
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
                        _update_regrets(regrets, own_table, child, values, target, group, here, schedule)
                    elif mode >= SAMPLE:
                        _add_regrets(regrets, child, values, policy, group, here, schedule.rate, sums)
                depth -= 1
                continue
            path[depth, _TRIED], after = place, np.int64(node.child[place])
            if after < 0:
                continue
            row = 1 + depth * child.shape[1] + place
            child[depth, place] = row
            path[below, REACH], path[below, OWN] = path[depth, REACH], path[depth, OWN]
            if not is_own:
                path[below, REACH] = below
                if mode == ANSWER and is_last:
                    _keep_chosen(reach, path[depth, REACH], choices, choice, place, here)
                else:
                    _multiply_reach(reach, path[depth, REACH], policy, place, group, here)
                is_exact = mode == RESPOND and is_last
                if settings.least >= 0 and not _sample(reach, below, settings.least, is_exact, size, stream):
                    _clear(values, row, size)
                    continue
            elif mode == LEARN or (mode == ANSWER and not is_last):
                path[below, OWN] = below
                _multiply_reach(own, path[depth, OWN], policy, place, group, here)
                if mode == LEARN:
                    _add_own_strategy(summed, place, group, here, own)
            number = after
            if nodes[after].street > node.street:
                street_root = after
                if begin_street(nodes, after, depth, row, ranked, groups, tables, settings, stream, frames, extra):
                    number = np.int64(-1)

    return walk


@kernel
def go_on(
    nodes: Any, node: Any, depth: Any, row: Any, ranked: Any, groups: Any, tables: Any, settings: Any, stream: Any,
    frames: Any, extra: Any,
) -> Any:  # fmt: skip
    """Do nothing where a street begins."""
    return False


@kernel
def _locate(node: Any, depth: Any, num_groups: Any, size: Any, settings: Any) -> Any:
    """Return a decision as `Decision`."""
    columns = num_groups if num_groups > 0 else size
    first, street = np.int64(settings.first + node.first), np.int64(settings.board + node.street)
    return Decision(depth, first, np.int64(node.num), street, num_groups, columns, size)


@kernel
def _takes_best(mode: Any, is_own: Any, is_last: Any) -> Any:
    """Return True if the player to act, the learner or not, takes its best action instead of following a policy."""
    if is_own:
        return mode == BEST or (mode == RESPOND and is_last)
    return mode == ANSWER and is_last


# --- reach probabilities, strategies and regrets ----------------------------------------------------------------------
# `here` is a `Decision`.


@kernel
def _copy(table: Any, here: Any, sums: Any) -> None:
    """Copy the entries of a decision: where hands are few, a view of the table with two axes would cost more."""
    for action in range(here.num):
        for k in range(here.columns):
            sums[action, k] = table[here.first + action * here.columns + k]


@kernel
def _write_policy(here: Any, places: Any, is_given: Any, sums: Any, policy: Any) -> None:
    """Write the policy of a decision whose entries are in `sums`; `is_given` as of `Settings`."""
    if is_given:
        for action in range(here.num):
            for k in range(here.columns):
                policy[here.depth, action, k] = sums[action, k]
    else:
        totals = sums[sums.shape[0] - 1]
        match_regrets(sums[: here.num], places, here.columns, totals, policy[here.depth])


@kernel
def _multiply_reach(reach: Any, source: Any, policy: Any, place: Any, group: Any, here: Any) -> None:
    """Write reach[source] times the probabilities of an action, of hands or of their groups, to the next depth."""
    for h in range(here.size):
        column = h if here.num_groups == 0 else group[here.street, h]
        reach[here.depth + 1, h] = reach[source, h] * policy[here.depth, place, column]


@kernel
def _keep_chosen(reach: Any, source: Any, choices: Any, choice: Any, place: Any, here: Any) -> None:
    """Write reach[source] after the action at `place`, which the responder takes with the hands that chose it."""
    for h in range(here.size):
        reach[here.depth + 1, h] = reach[source, h] if choices[choice, h] == place else reach.dtype.type(0)


@kernel
def _sample(reach: Any, row: Any, least: Any, is_exact: Any, size: Any, stream: Any) -> Any:
    """Return True if the walk continues with reach[row], which is scaled if that was left to chance."""
    total = reach.dtype.type(0)
    for h in range(size):
        total += reach[row, h]
    if is_exact:  # the best of sampled values would be too large
        return total > _RARE * least
    if total >= least:
        return total > 0
    if total <= least * reach.dtype.type(random_unit(stream)):
        return False
    factor = least / total
    for h in range(size):
        reach[row, h] *= factor
    return True


@kernel
def _clear(values: Any, row: Any, size: Any) -> None:
    """Set a row to 0."""
    for h in range(size):
        values[row, h] = 0


@kernel
def _add_own_strategy(summed: Any, place: Any, group: Any, here: Any, own: Any) -> None:
    """Add the learner's reach probabilities after an action to its summed strategy."""
    first = here.first + place * here.columns
    for h in range(here.size):
        column = h if here.num_groups == 0 else group[here.street, h]
        summed[first + column] += own[here.depth + 1, h]


@kernel
def _add_others_strategy(
    summed: Any, here: Any, rate: Any, reach: Any, row: Any, group: Any, policy: Any, sums: Any
) -> None:
    """Add the opponent's policy, times its reach probability reach[row] and `rate`, to its summed strategy."""
    _sum_by_group(reach, row, group, here, sums, 0)
    for k in range(here.num):
        for b in range(here.num_groups):
            summed[here.first + k * here.num_groups + b] += rate * sums[0, b] * policy[here.depth, k, b]


@kernel
def _sum_by_group(values: Any, row: Any, group: Any, here: Any, sums: Any, target: Any) -> None:
    """Write the sum of values[row] over the hands of each group to sums[target]."""
    for b in range(here.num_groups):
        sums[target, b] = 0
    for h in range(here.size):
        sums[target, group[here.street, h]] += values[row, h]


@kernel
def _add_regrets(
    regrets: Any, child: Any, values: Any, policy: Any, group: Any, here: Any, rate: Any, sums: Any
) -> None:
    """Add the regrets of groups, times `rate`; those of the hands of a group are summed first."""
    num, depth = here.num, here.depth
    for b in range(here.num_groups):
        sums[num, b] = 0
    for k in range(num):
        _sum_by_group(values, child[depth, k], group, here, sums, k)
        for b in range(here.num_groups):
            sums[num, b] += policy[depth, k, b] * sums[k, b]
    for k in range(num):
        for b in range(here.num_groups):
            regrets[here.first + k * here.num_groups + b] += rate * (sums[k, b] - sums[num, b])


@kernel
def _update_regrets(
    regrets: Any, predicted: Any, child: Any, values: Any, target: Any, group: Any, here: Any, schedule: Any
) -> None:
    """Add the regrets of hands by a `regret.Schedule`, and with a prediction write what the next policy is matched to.

    Without one, `predicted` are the `regrets` themselves.
    """
    for place in range(here.num):
        after, first = child[here.depth, place], here.first + place * here.columns
        if after < 0:
            continue
        if here.num_groups > 0:
            for h in range(here.size):
                regrets[first + group[here.street, h]] += schedule.rate * (values[after, h] - values[target, h])
            for k in range(first, first + here.num_groups):
                regrets[k] *= schedule.positive if regrets[k] > 0 else schedule.negative
            continue
        for h in range(here.size):
            regret = regrets[first + h] + schedule.rate * values[after, h]
            regret -= schedule.rate * values[target, h]
            regrets[first + h] = regret * (schedule.positive if regret > 0 else schedule.negative)
        if schedule.prediction > 0:
            for h in range(here.size):
                better = values[after, h] - values[target, h]
                predicted[first + h] = regrets[first + h] + schedule.prediction * better


# --- values -----------------------------------------------------------------------------------------------------------
# The values of the children of a decision are in the rows child[depth, place], -1 where an action is illegal; its own
# are in row `target`. Columns are hands, or betting sequences side by side (`exploitability.flops`).


@kernel
def sum_children(values: Any, target: Any, child: Any, depth: Any, size: Any) -> None:
    """Write the values of a decision of the opponent, whose reach they are weighted by."""
    _clear(values, target, size)
    for place in range(child.shape[1]):
        after = child[depth, place]
        if after >= 0:
            for k in range(size):
                values[target, k] += values[after, k]


@kernel
def take_best(values: Any, target: Any, child: Any, depth: Any, size: Any) -> None:
    """Write the values of the best action in each column."""
    is_first = True
    for place in range(child.shape[1]):
        after = child[depth, place]
        if after < 0:
            continue
        for k in range(size):
            other = values[after, k]
            values[target, k] = other if is_first or other > values[target, k] else values[target, k]
        is_first = False


@kernel
def _write_best(values: Any, target: Any, child: Any, here: Any, choices: Any, choice: Any) -> None:
    """Write the first place whose action has the value of the decision to choices[choice]."""
    for h in range(here.size):
        place = 0
        while values[child[here.depth, place], h] != values[target, h]:
            place += 1
        choices[choice, h] = place


@kernel
def _follow_policy(values: Any, target: Any, child: Any, policy: Any, group: Any, here: Any) -> None:
    """Write the mean of the values of the actions under the policy of hands, or of their groups."""
    _clear(values, target, here.size)
    for place in range(child.shape[1]):
        after = child[here.depth, place]
        if after < 0:
            continue
        for h in range(here.size):
            column = h if here.num_groups == 0 else group[here.street, h]
            values[target, h] += policy[here.depth, place, column] * values[after, h]
