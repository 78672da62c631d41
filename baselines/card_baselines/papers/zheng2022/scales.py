"""Amounts of training and play for Zheng et al. (2022), by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from card_baselines.papers.zheng2022.tables import PAPER_HANDS, PAPER_SHEET, PAPER_TRAINING


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    seeds: int
    option_seeds: int
    """Of tables 4 and 5."""
    sheet_hands: int
    training_hands: int
    hands: int
    """Of each match; each deal is replayed with the seats exchanged."""
    strong_hands: int
    """Of matches with the local best response; ten times as many with strong players."""
    response_decisions: int
    """Of a learned response."""
    belief_decisions: tuple[int, ...]
    """Budgets of learners with and without a sheet's values."""


SCALES: Mapping[str, Scale] = {
    "tiny": Scale(
        1,
        1,
        sheet_hands=20_000,
        training_hands=40,
        hands=400,
        strong_hands=4,
        response_decisions=2000,
        belief_decisions=(2000,),
    ),
    "paper": Scale(
        10,
        5,
        PAPER_SHEET,
        PAPER_TRAINING,
        hands=PAPER_HANDS,
        strong_hands=1000,
        response_decisions=3_000_000,
        belief_decisions=(200_000, 1_000_000),
    ),
    "ours": Scale(
        10,
        5,
        PAPER_SHEET,
        PAPER_TRAINING,
        hands=40_000,
        strong_hands=1000,
        response_decisions=3_000_000,
        belief_decisions=(200_000, 1_000_000),
    ),
}
"""`tiny` shows that everything works and nothing else; `paper` plays matches of 10,000 hands, `ours` of 40,000."""
