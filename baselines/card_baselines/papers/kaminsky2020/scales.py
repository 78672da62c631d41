"""Amounts of training and play for Kaminsky and Liebendörfer (2020), by name, and further options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from card_baselines.papers import protocol
from card_baselines.papers.kaminsky2020.tables import TRAINING


@dataclass(frozen=True, kw_only=True)
class Scale(protocol.Scale):
    """Amount of training and play."""

    rounds: int
    """Rounds of each training division; 2,000 in the paper."""
    hands: int
    """Hands of a round of training; 10,000 in the paper."""
    clone_every: int
    """Rounds between clones; 200 in the paper."""
    direct_hands: int
    """Hands of each pair of agents; 10,000 in the paper."""
    similar_rounds: int
    """Rounds of each of the two TrueSkill evaluations; 5,300 in the paper."""
    similar_hands: int
    """Hands of a round of these evaluations; 10,000 in the paper."""
    style_hands: int
    """Hands of each situation and decile of a style; about 1,000 in the paper."""
    direct_rounds: int | None = None
    """Maximum number of pairs that meet; None for all of them, as in the paper."""

    copies: int = 1
    """Copies of each training division, with students of their own; one in the paper."""

    @property
    def training_hands(self) -> int:
        """Hands of training in all divisions together."""
        return self.copies * len(TRAINING) * self.rounds * self.hands


@dataclass(frozen=True, kw_only=True)
class Options(protocol.ReproductionOptions):
    """Options of the paper."""

    workers: int = 1
    """Processes that play rounds side by side."""


SCALES: Mapping[str, Scale] = {
    "tiny": Scale(
        rounds=4, hands=150, clone_every=2, direct_hands=60, similar_rounds=24, similar_hands=100, style_hands=1,
        is_judged=False, minutes=1.5,
    ),
    "short": Scale(
        rounds=80, hands=2000, clone_every=20, direct_hands=500, similar_rounds=38, similar_hands=1000, style_hands=4,
        direct_rounds=260, minutes=5.0, basis="extrapolated from the scale medium by hands",
    ),
    "medium": Scale(
        rounds=40, hands=2000, clone_every=20, direct_hands=500, similar_rounds=80, similar_hands=2000, style_hands=4,
        direct_rounds=800, copies=4, minutes=12.0,
    ),
    "hour": Scale(
        rounds=400, hands=5000, clone_every=40, direct_hands=2000, similar_rounds=1000, similar_hands=2000,
        style_hands=50, minutes=105.0, basis="extrapolated from the scale medium by hands",
    ),
    "paper": Scale(
        rounds=2000, hands=10_000, clone_every=200, direct_hands=10_000, similar_rounds=5300, similar_hands=10_000,
        style_hands=1000, minutes=1520.0, basis="extrapolated from the scale medium by hands",
    ),
}  # fmt: skip
"""`tiny` shows that everything works and nothing else; `paper` has the paper's 120 million hands of training."""
