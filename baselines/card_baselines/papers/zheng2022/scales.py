"""Amounts of training and play for Zheng et al. (2022), by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from card_baselines.papers import protocol
from card_baselines.papers.zheng2022.tables import PAPER_HANDS, PAPER_SHEET, PAPER_TRAINING


@dataclass(frozen=True, kw_only=True)
class Scale(protocol.Scale):
    """Amount of training and play."""

    seeds: int
    option_seeds: int
    """Runs of each learner in tables 4 and 5."""
    sheet_hands: int
    training_hands: int
    hands: int
    """Hands of each match; each deal is replayed with the seats exchanged."""
    strong_hands: int
    """Hands of matches with the local best response; a tenth of those with strong players."""
    response_decisions: int
    """Decisions from which a learned response is trained."""
    belief_decisions: tuple[int, ...]
    """Budgets of learners with and without a sheet's values."""


SCALES: Mapping[str, Scale] = {
    "tiny": Scale(
        seeds=1, option_seeds=1, sheet_hands=20_000, training_hands=40, hands=400, strong_hands=4,
        response_decisions=2000, belief_decisions=(2000,), is_judged=False, minutes=0.6,
    ),
    "paper": Scale(
        seeds=10, option_seeds=5, sheet_hands=PAPER_SHEET, training_hands=PAPER_TRAINING, hands=PAPER_HANDS,
        strong_hands=1000, response_decisions=3_000_000, belief_decisions=(200_000, 1_000_000),
        minutes=90.0, basis="at most; extrapolated from one seed of tables 1 to 3, 5.4 minutes",
    ),
    "ours": Scale(
        seeds=10, option_seeds=5, sheet_hands=PAPER_SHEET, training_hands=PAPER_TRAINING, hands=40_000,
        strong_hands=1000, response_decisions=3_000_000, belief_decisions=(200_000, 1_000_000),
        minutes=125.0, basis="at most; extrapolated from one seed of tables 1 to 3, 5.4 minutes",
    ),
}  # fmt: skip
"""`tiny` shows that everything works and nothing else; `paper` plays matches of 10,000 hands, `ours` of 40,000."""
