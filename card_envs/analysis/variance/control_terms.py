"""Control terms: what a game contributes to the control variates of a match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.features import Feature
from card_envs.match.callbacks import MatchBatch
from card_envs.records import Tables
from card_envs.typing import Floats, Rows


@dataclass(frozen=True, eq=False)
class ControlUnits:
    """Units of control variates: the scale of those whose observed variance is small."""

    is_stake: NDArray[np.bool_]
    """(k,): True for a stake times a number within -1 .. 1, False for a number within -1 .. 1."""
    least_stake: float
    """Smallest scale of a stake, in rewards."""


@dataclass(frozen=True, eq=False)
class Controls:
    """Control variates of an agent's rewards: numbers with mean zero for any strategies."""

    correction: Floats
    """(hands,): the AIVAT correction, which is subtracted from the rewards with coefficient 1."""
    terms: Floats
    """(hands, k): control variates that are subtracted with coefficients fitted by a regression."""


class ControlTerms(Protocol):
    """Computes the control variates of a match, which it observes like a callback.

    The caller computes the agents' action probabilities at counterfactual tables. Subclasses inherit defaults: there
    are no such tables, and `on_actions` does nothing.
    """

    @property
    def units(self) -> ControlUnits:
        """Units of the k control variates, in their order."""
        ...

    def on_deal(self, batch: MatchBatch, /) -> None:
        """Prepare for the hands of `batch`."""
        ...

    def counterfactual_tables(self, batch: MatchBatch, rows: Rows, /) -> tuple[Tables, Rows]:
        """Return tables (k,) at which the actors' action probabilities are needed, by default none.

        An action is taken next at `rows` (m,) of the hands. The second array (k,) is, for each table, the index in
        `rows` of the one that it was copied from.
        """
        return batch.tables[:0], rows[:0]

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows, probabilities: Floats, /) -> None:
        """Called before the legal `actions` (m,) are applied at `rows` (m,) of the hands.

        `probabilities` (k, num_actions) are those of the actions at the k counterfactual tables, NaN if unknown.
        """
        return

    def compute_controls(self, batch: MatchBatch, agents: Sequence[int], /) -> list[Controls]:
        """Return the control variates of each agent, given by its index; all hands of the batch are over."""
        ...


CONTROL_TERMS: Feature[Callable[[int, Sequence[int]], ControlTerms]] = Feature(
    "control_terms", "card_envs.analysis.variance", "control terms"
)
"""Function (seed of a match, number of counterfactual hands of each agent, 1 for none) -> control terms."""
