"""Regret matching, and the weights of regrets and strategies by iteration: what variants of CFR differ in.

Regrets are given as blocks (actions, columns): those of one decision for several hands, buckets or betting sequences
side by side. Solvers that need one hand at a time pass a whole table, transposed, and read one column of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel

__all__ = [
    "SCHEDULES", "Schedule", "cfr", "cfr_plus", "discounted_cfr", "discounted_cfr_plus", "find_factors", "linear_cfr",
    "match_regrets", "normalise", "predictive_cfr_plus", "regret_matching", "sum_positive",
]  # fmt: skip


@kernel
def sum_positive(regrets: Any, legal: Any, size: Any, totals: Any, first: Any = 0) -> Any:
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
                regret = regrets[action, first + k]
                totals[k] += regret if regret > zero else zero
    return num_legal


@kernel
def match_regrets(
    regrets: Any, legal: Any, size: Any, totals: Any, policy: Any, first: Any = 0, place: Any = 0
) -> None:
    """Write the policy of regret matching (Zinkevich, Johanson, Bowling and Piccione 2007).

    The probability of an action is in proportion to its positive regret; where no regret is positive, all legal actions
    are equally likely.

    Args:
        regrets: (actions, columns): regrets, or other weights such as summed strategies.
        legal: Set of legal actions: bit a stands for action a.
        size: Number of columns.
        totals: (columns,): scratch space. Its type is that of sums and of `policy`.
        policy: (actions, columns): the result, 0 for illegal actions.
        first: First column of `regrets` that is read.
        place: First column of `policy` that is written.
    """
    zero = totals.dtype.type(0)
    fair = totals.dtype.type(1) / sum_positive(regrets, legal, size, totals, first)
    for action in range(regrets.shape[0]):
        if (legal >> action) & 1:
            for k in range(size):
                regret, total = regrets[action, first + k], totals[k]
                policy[action, place + k] = (regret if regret > zero else zero) / total if total > zero else fair
        else:
            for k in range(size):
                policy[action, place + k] = zero


@kernel
def find_factors(weights: Any, legal: Any, factors: Any) -> None:
    """Write the policy of `match_regrets` as factors: a probability is factors[0] times the weight, plus factors[1].

    Negative weights count as 0. Where a policy is used once, multiplying is faster than dividing by `match_regrets`.

    Args:
        weights: (actions, columns): regrets or other weights.
        legal: Set of legal actions.
        factors: (2, columns): the result.
    """
    zero, one = factors.dtype.type(0), factors.dtype.type(1)
    fair = one / sum_positive(weights, legal, factors.shape[1], factors[0])
    for k in range(factors.shape[1]):
        total = factors[0, k]
        factors[1, k] = zero if total > zero else fair
        factors[0, k] = one / total if total > zero else zero


def normalise(sums: NDArray[Any], legal: NDArray[Any], axis: int = -1, dtype: Any = np.float64) -> NDArray[Any]:
    """Return the strategy in proportion to summed strategies, uniform over the legal actions where all sums are 0.

    Args:
        sums: Sums that are not negative, with an axis of actions.
        legal: Legal actions, in an array that broadcasts to the shape of `sums`.
        axis: The axis of actions.
        dtype: Type of the result.
    """
    weights = np.where(sums.sum(axis=axis, keepdims=True) > 0, sums, legal).astype(dtype)
    return np.asarray(weights / weights.sum(axis=axis, keepdims=True))


def regret_matching(regrets: NDArray[Any], legal: NDArray[Any]) -> NDArray[np.float64]:
    """Return the strategy of regret matching in NumPy, for scripts and small games; solvers call `match_regrets`.

    Probabilities are in proportion to positive regrets; where no regret is positive, legal actions are equally likely.

    Args:
        regrets: (n, num_actions) regrets, or other weights such as summed strategies.
        legal: (n, num_actions), True or 1 for legal actions.

    Returns:
        (n, num_actions), 0 for illegal actions.
    """
    return normalise(np.where(legal, np.maximum(regrets, 0.0), 0.0), legal)


Number = float | np.floating[Any]


class Schedule(NamedTuple):
    """How the regrets of one iteration are added, and the weight of its strategy."""

    rate: Number
    """Factor of the regrets of the iteration."""
    positive: Number
    """Factor of positive summed regrets afterwards."""
    negative: Number
    """Factor of negative summed regrets afterwards: 0 in CFR+."""
    prediction: Number
    """Factor of the regrets of the iteration in the prediction of the next ones: 1 in predictive CFR+, else 0."""
    average: Number
    """Weight of the strategy in the average."""


def cfr(iteration: int) -> Schedule:
    """CFR: all iterations count alike (Zinkevich, Johanson, Bowling and Piccione 2007)."""
    return Schedule(1.0, 1.0, 1.0, 0.0, 1.0)


def cfr_plus(iteration: int) -> Schedule:
    """CFR+: regrets are never negative, and iteration t has the weight t in the average (Tammelin 2014)."""
    return Schedule(1.0, 1.0, 0.0, 0.0, float(iteration))


def linear_cfr(iteration: int) -> Schedule:
    """Linear CFR: iteration t has the weight t in regrets and average (Brown and Sandholm 2019)."""
    return Schedule(float(iteration), 1.0, 1.0, 0.0, float(iteration))


def discounted_cfr(iteration: int) -> Schedule:
    """Discounted CFR with the exponents 1.5, 0 and 2 that Brown and Sandholm (2019) recommend."""
    weight = float(iteration) ** 1.5
    return Schedule(1.0, weight / (weight + 1), 0.5, 0.0, float(iteration) ** 2)


def discounted_cfr_plus(iteration: int) -> Schedule:
    """Discounted CFR+: as CFR+, but regrets are discounted as by `discounted_cfr`, and iteration t has the weight t^4.

    Xu, Li, Liu, Fu, Fu, Xing and Cheng (IJCAI 2024), Minimizing weighted counterfactual regret with optimistic online
    mirror descent.
    """
    weight = float(iteration) ** 1.5
    return Schedule(1.0, weight / (weight + 1), 0.0, 0.0, float(iteration) ** 4)


def predictive_cfr_plus(iteration: int) -> Schedule:
    """Predictive CFR+: as CFR+, but a policy expects the latest regrets once more, and iteration t has the weight t^2.

    Farina, Kroer and Sandholm (AAAI 2021), Faster game solving via predictive Blackwell approachability.
    """
    return Schedule(1.0, 1.0, 0.0, 1.0, float(iteration) ** 2)


SCHEDULES: Mapping[str, Callable[[int], Schedule]] = {
    "cfr": cfr,
    "cfr_plus": cfr_plus,
    "linear_cfr": linear_cfr,
    "discounted_cfr": discounted_cfr,
    "discounted_cfr_plus": discounted_cfr_plus,
    "predictive_cfr_plus": predictive_cfr_plus,
}
"""Schedules by name. A new variant of CFR is one function and its name here, which is a preset of `train cfr`."""
