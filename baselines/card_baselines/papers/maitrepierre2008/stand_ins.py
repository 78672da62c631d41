"""Stand-ins for the two opponents of the paper that are not public: named as such, and no copies of them.

Sparbot plays a near-equilibrium of an abstraction by linear programming (Billings et al. 2003). Its stand-in is the
strategy that the agent `cfr_small` plays: of another abstraction, and by counterfactual regret minimisation.
The stand-in for Vexbot is in `vexbot_like`.
"""

from __future__ import annotations

from card_baselines.solvers.agent import CfrSmall


class SparbotLike(CfrSmall):
    """Plays the strategy of `cfr_small`, in the place of Sparbot."""

    name = "sparbot_like"
