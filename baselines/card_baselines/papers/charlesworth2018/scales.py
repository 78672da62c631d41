"""Amounts of training and play for Charlesworth (2018), by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from card_baselines.papers import protocol


@dataclass(frozen=True, kw_only=True)
class Scale(protocol.Scale):
    """Amount of training and play."""

    seeds: int
    hands: int
    """Games of a match."""
    changes: dict[str, Any] = field(default_factory=dict)
    """Settings of the preset that are not the paper's."""


SCALES: Mapping[str, Scale] = {
    "tiny": Scale(seeds=1, hands=400, changes={"steps": 4000, "evaluation_seconds": 1e9}, is_judged=False, minutes=0.3),
    "minutes": Scale(
        seeds=3, hands=20_000, changes={"minutes": 5.0}, minutes=17.0, basis="15 by its setting, 2 for matches"
    ),
    "paper": Scale(seeds=3, hands=20_000, minutes=1530.0, basis="extrapolated from 2.3 million decisions in 9 minutes"),
}
"""`tiny` shows that everything works and nothing else, `paper` has the paper's 131 million decisions."""
