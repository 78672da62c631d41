"""Control terms of Texas hold'em."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from card_envs.analysis.variance.control_terms import ControlTerms
from card_envs.analysis.variance.holdem.control_terms import HoldemControlTerms
from card_envs.analysis.variance.holdem.counterfactual_terms import CounterfactualControlTerms
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig


def make_control_terms(game: Game) -> Callable[[int, Sequence[int]], ControlTerms] | None:
    """Return the function that makes the control terms of a match; None for other games than Texas hold'em."""
    config: HoldemConfig = game.config

    def make(seed: int, hands_per_agent: Sequence[int]) -> ControlTerms:
        if max(hands_per_agent) > 1:  # an agent can be asked about other hands
            return CounterfactualControlTerms(config, seed, hands_per_agent)
        return HoldemControlTerms(config, seed)

    return make if config.is_texas else None
