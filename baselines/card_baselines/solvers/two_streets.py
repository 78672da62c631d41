"""The pass over two streets of a game: down to the boards of the second street, and back with the values (`vector`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.solvers.vector import (
    LEARN,
    NO_GROUPS,
    add_to_average,
    enter_board,
    leave_board,
    pass_backward,
    pass_forward,
    update_regrets,
    write_policies,
)
from card_envs.compiler import kernel


@kernel
def traverse(
    nodes: Any, parts: Any, hands: Any, boards: Any, drawn: Any, learner: Any, mode: Any, schedule: Any, early: Any,
    late: Any, work: Any, late_work: Any,
) -> None:  # fmt: skip
    """Write the values of the root to work.values[0], and with LEARN add the learner's regrets and strategy.

    Args:
        nodes: `Nodes`.
        parts: `Parts`.
        hands: Record of `RANKED` for the first street.
        boards: `Boards` of the second street.
        drawn: (n,): boards that are visited.
        learner: Player whose values are computed.
        mode: LEARN, BEST or FOLLOW.
        schedule: `regret.Schedule`, of the type of values.
        early: `Tables` of the first street.
        late: `Tables` of the second street.
        work: `Work` of the first street; `work.reach[0]` are the weights of the other's hands, and those of the
            learner's in the average are `work.own[0]`.
        late_work: `Work` of the second street.
    """
    size = np.int64(hands.num_hands)
    _forward(nodes, parts.early, learner, mode, NO_GROUPS, 0, size, early.predicted, early.sums, work)
    if parts.late.shape[0] > 0:
        for node in parts.entries:
            for h in range(size):
                work.values[node, h] = 0
        for b in drawn:
            _traverse_board(nodes, parts, b, boards, learner, mode, schedule, late, work, late_work)
        average_kinds(parts.entries, boards.kind, boards.kind_size, work.totals, work.values)
    _backward(nodes, parts.early, learner, mode, hands, NO_GROUPS, 0, schedule, early.regrets, early.predicted, work)


@kernel
def _traverse_board(
    nodes: Any, parts: Any, b: Any, boards: Any, learner: Any, mode: Any, schedule: Any, late: Any, work: Any,
    late_work: Any,
) -> None:  # fmt: skip
    """Add the values on one board of the second street to those of its entries."""
    hands, place, num = boards.ranked[b], boards.place[b], boards.num_groups
    size = np.int64(hands.num_hands)
    group = boards.group[b]
    enter_board(work.reach, parts.entries, place, size, late_work.reach)
    if mode == LEARN:
        enter_board(work.own, parts.entries, place, size, late_work.own)
    _forward(nodes, parts.late, learner, mode, group, num, size, late.predicted[b], late.sums[b], late_work)
    _backward(
        nodes, parts.late, learner, mode, hands, group, num, schedule, late.regrets[b], late.predicted[b], late_work
    )
    leave_board(late_work.values, parts.entries, place, size, boards.factor[b], work.values)


@kernel
def _forward(
    nodes: Any, part: Any, learner: Any, mode: Any, group: Any, num_groups: Any, size: Any, regrets: Any, sums: Any,
    work: Any,
) -> None:  # fmt: skip
    """Write the policies and reach probabilities, and with LEARN add the learner's strategy to the sums."""
    write_policies(nodes, part, regrets, group, num_groups, size, work)
    pass_forward(nodes, part, 1 - learner, work.policy, size, work.reach)
    if mode == LEARN:
        pass_forward(nodes, part, learner, work.policy, size, work.own)
        add_to_average(nodes, part, learner, group, num_groups, size, work.own, sums)


@kernel
def _backward(
    nodes: Any, part: Any, learner: Any, mode: Any, hands: Any, group: Any, num_groups: Any, schedule: Any,
    regrets: Any, predicted: Any, work: Any,
) -> None:  # fmt: skip
    """Write the learner's values, and with LEARN add its regrets."""
    size = np.int64(hands.num_hands)
    pass_backward(nodes, part, learner, hands, size, work.policy, mode, work.reach, work.by_card, work.values)
    if mode == LEARN:
        update_regrets(nodes, part, learner, group, num_groups, size, work.values, schedule, regrets, predicted)


@kernel
def average_kinds(entries: Any, kind: Any, kind_size: Any, totals: Any, values: Any) -> None:
    """Replace the values of each hand by their mean over the hands of its class; see `Boards`.

    `totals` (classes,) is scratch space.
    """
    for node in entries:
        for k in range(kind_size.shape[0]):
            totals[k] = 0
        for h in range(kind.shape[0]):
            totals[kind[h]] += values[node, h]
        for h in range(kind.shape[0]):
            values[node, h] = totals[kind[h]] / values.dtype.type(kind_size[kind[h]])
