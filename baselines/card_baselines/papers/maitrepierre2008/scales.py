"""Amounts of play for Maitrepierre et al. (2008), by name, and further options."""

from __future__ import annotations

from dataclasses import dataclass

from card_baselines.papers import protocol


@dataclass(frozen=True, kw_only=True)
class Scale(protocol.Scale):
    """Amount of play."""

    hands: int
    """Hands of a session."""
    sessions: int
    """Sessions of each pair with Brennus, which thinks about three milliseconds a hand."""
    fast_sessions: int
    """Sessions of each other pair."""
    switching_sessions: int
    """Sessions of each player in the tables about adaptation; the opponent changes its style in the middle."""
    figure_sessions: int
    """Sessions of each player against the adaptive stand-in, in figures 3 to 5 and table 4."""
    long_hands: int = 3500
    """Hands of a long match, as in figure 5."""
    orders: int = 20
    """Orders of a session's hands over which bandits are averaged in the tables about adaptation."""


@dataclass(frozen=True, kw_only=True)
class Options(protocol.ReproductionOptions):
    """Options of the paper."""

    figures: bool = True
    """Figures like figures 3 to 5 of the paper, drawn by default."""


SCALES = {
    "tiny": Scale(
        hands=60, sessions=2, fast_sessions=4, switching_sessions=2, figure_sessions=1, long_hands=120, orders=2,
        is_judged=False, minutes=0.5,
    ),
    "paper": Scale(
        hands=1000, sessions=10, fast_sessions=10, switching_sessions=10, figure_sessions=10, minutes=20.0,
        basis="14 measured, 6 for table 4 at 5 s a session",
    ),
    "ours": Scale(
        hands=1000, sessions=60, fast_sessions=300, switching_sessions=20, figure_sessions=20, minutes=74.0,
        basis="extrapolated from seconds a session",
    ),
}  # fmt: skip
