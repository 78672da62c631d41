"""Amounts of training and play for Shi et al. (2022), by name, and further options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from card_baselines.papers import protocol
from card_baselines.papers.shi2022.tables import PAPER_HANDS
from card_baselines.ppo.presets import PRESETS


@dataclass(frozen=True, kw_only=True)
class Scale(protocol.Scale):
    """Amount of training and play."""

    seeds: int
    hands: int
    """Hands of a match with replayed deals."""
    paper_hands: int
    """Hands of a match as the paper plays it."""
    search_hands: int
    """Hands of both matches against opponents that search."""
    ceiling_minutes: float
    """Processor time of a player that is trained against five of one opponent."""
    changes: dict[str, Any] = field(default_factory=dict)
    """Settings of `training.Config` that are not the default."""


@dataclass(frozen=True, kw_only=True)
class Options(protocol.ReproductionOptions):
    """Options of the paper."""

    history: Literal["lstm", "fc", "none"] = "lstm"
    """Network by which the players of tables 1 to 3 read the betting."""
    learner: Literal["default", "printed", "short"] = "default"
    """Settings of the learners: the package's; the paper's inputs and loss alone; or short experience (section 4.4)."""


LEARNERS: Mapping[str, dict[str, Any]] = {
    "default": {},
    "printed": {"hand_features": False, "exploration": 0.0, "entropy": 0.0},
    "short": {"experience": "short"},
}
"""Settings of `training.Config` for each value of `Options.learner`."""

SCALES = {
    "tiny": Scale(
        seeds=1, hands=600, paper_hands=120, search_hands=24, ceiling_minutes=0.02, is_judged=False, minutes=1.0,
        changes={
            "episodes": 8, "num_tables": 24, "updates": 4, "batch_hands": 16, "warm_up": 2, "replay": 6000,
            "agent_period": 4, "update_period": 4, "hidden": 32, "memory": 16, "evaluation_episodes": 4, "panel": (),
            "final_hands": 60,
        },
    ),
    "paper": Scale(
        seeds=3, hands=60_000, paper_hands=PAPER_HANDS, search_hands=3000, ceiling_minutes=2.0,
        minutes=110.0, basis="from measured runs (80), ceilings (12) and rates of matches (18)",
    ),
    "ours": Scale(
        seeds=3, hands=300_000, paper_hands=PAPER_HANDS, search_hands=3000, ceiling_minutes=2.0,
        minutes=530.0, basis="extrapolated from the scale paper by episodes and hands",
        changes={
            "episodes": 120_000, "evaluation_episodes": 8000, "replay": 480_000, "final_share": 0.1,
            "final_panel": (*PRESETS["ppo_limit_six_max"].panel, "ppo_limit_six_max"),
            "final_hands": 300_000,
        },
    ),
}  # fmt: skip
"""`tiny` shows that everything works and nothing else. `paper` has the paper's 20,000 episodes."""
