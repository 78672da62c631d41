"""Regret matching, and the weights of regrets and strategies by iteration: what variants of CFR differ in.

Regrets are given as blocks (actions, columns): those of one decision for several hands, buckets or betting sequences
side by side. Sampled solvers, which need one hand at a time, pass blocks with one column.
"""

from __future__ import annotations

from typing import Any

from card_envs.compiler import kernel


@kernel
def sum_positive(regrets: Any, legal: Any, size: Any, totals: Any) -> Any:
    """Write the sums of the positive regrets of the legal actions to `totals`, and return the number of these actions.

    Arguments as of `match_regrets`.
    """
    zero, num_legal = totals.dtype.type(0), totals.dtype.type(0)
    for k in range(size):
        totals[k] = zero
    for action in range(regrets.shape[0]):
        if (legal >> action) & 1:
            num_legal += totals.dtype.type(1)
            for k in range(size):
                regret = regrets[action, k]
                totals[k] += regret if regret > zero else zero
    return num_legal


@kernel
def match_regrets(regrets: Any, legal: Any, size: Any, totals: Any, policy: Any) -> None:
    """Write the policy of regret matching (Hart and Mas-Colell 2000).

    The probability of an action is in proportion to its positive regret; where no regret is positive, all legal actions
    are equally likely.

    Args:
        regrets: (actions, columns): regrets, or other weights such as summed strategies.
        legal: Set of legal actions: bit a stands for action a.
        size: Number of columns.
        totals: (columns,): scratch space. Its type is that of sums and of `policy`.
        policy: (actions, columns): the result, 0 for illegal actions.
    """
    zero = totals.dtype.type(0)
    fair = totals.dtype.type(1) / sum_positive(regrets, legal, size, totals)
    for action in range(regrets.shape[0]):
        if (legal >> action) & 1:
            for k in range(size):
                regret, total = regrets[action, k], totals[k]
                policy[action, k] = (regret if regret > zero else zero) / total if total > zero else fair
        else:
            for k in range(size):
                policy[action, k] = zero
