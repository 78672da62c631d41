"""OpenSpiel's evaluation of populations of agents by their payoffs against each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def alpha_rank(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the alpha-Rank of each agent: its share of time in the stationary distribution of an evolution.

    The method is by Omidshafiei et al. (2019), "alpha-Rank: Multi-Agent Evaluation by Evolution", with infinite
    selection intensity: only the signs of payoffs matter, and agents in a cycle share the mass.

    Args:
        payoffs: (n, n) payoff of the row's agent against the column's agent.

    Returns:
        (n,) shares, which sum to 1.
    """
    from open_spiel.python.egt import alpharank

    table = np.asarray(payoffs, np.float64)
    _, _, distribution, *_ = alpharank.compute([table], use_inf_alpha=True, inf_alpha_eps=1e-3)
    return np.asarray(distribution, np.float64)
