"""Table 1 of Maitrepierre et al. (2008), and the players of three tables of ours about adaptation.

The paper says "small blinds per hand". Its columns for Vexbot and Sparbot are figures that older papers give in small
bets, and a best response wins 1.163 small bets from always_call and 3.697 from always_raise (Johanson et al. 2011), so
the numbers are read as small bets (here one big blind), and as printed, half as much, in a second verdict.
"""

from __future__ import annotations

from collections.abc import Mapping

from card_baselines.papers.printed import Cell

UNIT = "small bets per hand"
SMALL_BETS_OF_A_SMALL_BLIND = 0.5
PAPER_HANDS = 10_000
"""Ten sessions of 1,000 hands."""
BRENNUS, VEXBOT, SPARBOT = "brennus", "vexbot_like", "sparbot_like"
MATCHES = 1
CELLS = tuple(
    Cell(MATCHES, row, opponent, paper)
    for row, opponent, paper in (
        (BRENNUS, VEXBOT, 0.05),
        (BRENNUS, SPARBOT, 0.02),
        (BRENNUS, "always_call", 1.01),
        (BRENNUS, "always_raise", 1.87),
        (VEXBOT, SPARBOT, 0.056),
        (VEXBOT, "always_call", 1.04),
        (VEXBOT, "always_raise", 2.98),
        (SPARBOT, "always_call", 0.47),
        (SPARBOT, "always_raise", 1.34),
        ("always_call", "always_raise", 0.00),
    )
)
"""Winnings per hand, as printed in table 1."""

SWITCHES: Mapping[int, tuple[str, str]] = {2: ("always_raise", "always_call"), 3: ("always_raise", "equity")}
"""Number of a table about adaptation -> the styles of its opponent, each for half of a session.

The strategies of Brennus are all alike against always_call; against `equity`, which raises good hands, those that win
most from always_raise lose most.
"""
STRATEGIES = 4
"""Number of the table about strategies against the adaptive stand-in: each alone, the first four, all five."""
VARIANTS = ("brennus_correlated",)
"""Variants of Brennus of our own; they play the opponents that change their style."""
FIVE, FOUR, LONG = "five strategies", "four strategies", "five strategies, long matches"
"""Rows of the table about strategies, beside "strategy 1 alone" to "strategy 5 alone"."""
BANDITS = (BRENNUS, *VARIANTS)
"""Players that choose among strategies."""
SINGLE_STRATEGIES = "brennus_arms"
ROWS = (BRENNUS, VEXBOT, SPARBOT, "always_call", *VARIANTS, SINGLE_STRATEGIES)
"""Players of table 1 that have opponents to their right, and rows of the tables about adaptation."""
