"""The trained agents that come with the package, by name; docs/results/agents.md has their results and costs.

Each has a folder below `pretrained/` with settings, weights (safetensors, float16), measures and final results.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from card_baselines.agents.learned.mlp_agent import MlpAgent
from card_envs.game import Game

PRETRAINED = Path(__file__).parent / "pretrained"


class PretrainedAgent(MlpAgent):
    """A trained agent that comes with the package."""

    run: ClassVar[str]
    """Name of its folder below `pretrained/`."""

    def __init__(self, game: Game, device: str = "cpu") -> None:
        """Load the network onto a device; raises ValueError for games other than that of its training."""
        super().__init__(PRETRAINED / self.run, game, device)


class PpoLimitHeadsUp(PretrainedAgent):
    """Heads-up limit hold'em, trained by self-play PPO."""

    run = "ppo_limit_hu"


class DistilledLimitHeadsUp(PretrainedAgent):
    """Heads-up limit hold'em, a network that learned the probabilities of `cfr_large`."""

    run = "distilled_limit_hu"


class MmdLimitHeadsUp(PretrainedAgent):
    """Heads-up limit hold'em: `distilled_limit_hu`, improved by self-play held to it (magnetic mirror descent)."""

    run = "mmd_limit_hu"


class PpoNoLimitHeadsUp(PretrainedAgent):
    """Heads-up no-limit hold'em with 100 big blinds, trained by self-play PPO."""

    run = "ppo_no_limit_hu"


class PpoLimitSixMax(PretrainedAgent):
    """Six-max limit hold'em, trained by self-play PPO with past selves and scripted players at some tables."""

    run = "ppo_limit_six_max"


class PpoNoLimitSixMax(PretrainedAgent):
    """Six-max no-limit hold'em, trained by self-play PPO with past selves, exploiters and scripted players."""

    run = "ppo_no_limit_six_max"


class TightNoLimitSixMax(PretrainedAgent):
    """Six-max no-limit hold'em: an imitation of `position_ranges`, then self-play PPO; raises or folds as people do."""

    run = "tight_no_limit_six_max"


class PpoBig2(PretrainedAgent):
    """Big 2, trained by self-play PPO."""

    run = "ppo_big2"


class PpoBig2Clean(PretrainedAgent):
    """Big 2, trained by self-play PPO from an imitation of `ppo_big2` that sees all public cards (encoder `clean`)."""

    run = "ppo_big2_clean"
