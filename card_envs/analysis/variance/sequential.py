"""Control variates for matches that stop when they are decided.

The folds of `regression` cannot be used there, because the decision to stop would depend on coefficients that were
fitted to later deals. Here the coefficients for a deal are fitted to *earlier* deals only, again at each of a fixed
sequence of numbers of deals. Given all earlier deals, the coefficients are constants and the control variates have mean
zero, so the adjusted result of a deal has the same mean as its plain result. Adjusted results minus this mean are the
steps of a martingale, which the confidence sequence of `match.stopping` requires.

Later deals are adjusted better than early ones, so each deal has a weight: the estimated number of plain deals that an
adjusted deal is worth. The weight too is a constant given the earlier deals, so weighted sums are a martingale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from card_envs.analysis.variance.control_terms import ControlUnits
from card_envs.analysis.variance.regression import Evidence, evidence_of, fit_weights
from card_envs.match.stopping import StoppingRule
from card_envs.match.summary import Summary
from card_envs.typing import Floats

_FIRST_FIT, _GROWTH = 50, 1.3
"""Number of samples at the first fit of coefficients, and its factor from one fit to the next."""


class SequentialSamples:
    """Adjusted results in the order of the samples, each by a fit to earlier samples, independent of the batches."""

    def __init__(self, units: ControlUnits) -> None:
        self._units, self._next_fit = units, _FIRST_FIT
        self._coefficients: Floats | None = None
        self._gain, self._count = 1.0, 0
        self._evidence: Evidence | None = None
        self._parts: list[tuple[Floats, Floats]] = []

    def add(self, controls: Floats, results: Floats) -> None:
        """Add the next n samples: controls (n, hands, k) and results (n, hands)."""
        while len(results):
            until_fit = self._next_fit - self._count
            self._add(controls[:until_fit], results[:until_fit])
            controls, results = controls[until_fit:], results[until_fit:]

    def _add(self, controls: Floats, results: Floats) -> None:
        """Add samples up to the next fit, and fit if it is reached."""
        means, plain = controls.mean(axis=1), results.mean(axis=1)
        adjusted = plain if self._coefficients is None else plain + means @ self._coefficients
        self._parts.append((adjusted, np.full(len(plain), self._gain)))
        evidence = evidence_of(controls, results, self._count + np.arange(len(plain)), (controls, results))
        self._evidence = evidence if self._evidence is None else self._evidence + evidence
        self._count += len(plain)
        if self._count == self._next_fit:
            weights, self._gain = fit_weights(self._evidence, self._units)
            self._coefficients = weights[1:-1]
            self._next_fit = math.ceil(self._next_fit * _GROWTH)

    def first(self, count: int) -> tuple[Floats, Floats]:
        """Return the adjusted results of the first `count` samples, and their weights."""
        adjusted, weights = (np.concatenate([part[k] for part in self._parts] or [np.empty(0)]) for k in range(2))
        return adjusted[:count], weights[:count]


@dataclass(frozen=True)
class AdjustedStopping(StoppingRule):
    """Stopping rule that decides by the first agent's adjusted results, which `ControlVariates` adds.

    The intervals of plain results are those of `StoppingRule`.
    """

    adjusted: Sequence[SequentialSamples] = field(default=(), repr=False, compare=False)
    """Adjusted results of each agent."""

    def first_decision(self, samples: Floats, weights: Floats | None = None) -> int | None:
        """Return the number of samples after which the adjusted results decide the match, or None."""
        return super().first_decision(*self.adjusted[0].first(len(samples)))

    def summarise_adjusted(self, name: str, agent: int, count: int) -> Summary:
        """Return the adjusted result of an agent after `count` samples, with an interval valid at any stopping time."""
        return self.summarise(name, *self.adjusted[agent].first(count))
