"""Division of the pots at a recorded showdown with mucked hands, and comparison of recorded winnings with ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from card_envs.games.holdem.showdown import hand_rank_at
from card_envs.games.holdem.state import DEAD_ANTES
from card_envs.history.results import Number

_RAKE = Fraction(1, 10)
"""Largest share of a pot that can be rake; card rooms take at most 10 %."""
_ROUNDING = Fraction(1, 10)
"""Largest rounding error of recorded fractions of a chip, summed over the seats."""


def stacks_before_award(t: Any) -> list[int]:
    """Return the stacks by seat before the pots were paid."""
    n = int(t.num_seats)
    if not t.is_over:
        return [int(chips) for chips in t.stack[:n]]
    return [int(t.stack[k]) - int(t.payoff[k]) - int(t.hand_commit[k]) for k in range(n)]


def uncalled_bet(t: Any) -> tuple[int, int]:
    """Return (seat, chips) of the uncalled part of a bet; 0 chips if there is none."""
    paid = contributions(t)
    order = sorted(range(len(paid)), key=paid.__getitem__)
    return order[-1], paid[order[-1]] - paid[order[-2]]


def contributions(t: Any) -> list[int]:
    """Return the chips by seat that determine the side pots: all chips put in, without dead antes."""
    paid = [int(chips) for chips in t.hand_commit[: int(t.num_seats)]]
    if t.dead_antes & DEAD_ANTES:  # the button is on the last seat, so that seat and position are the same
        paid = [chips - min(int(ante), chips) for chips, ante in zip(paid, t.ante, strict=False)]
    return paid


@dataclass
class Settlement:
    """Chips that each seat wins from the pots."""

    won: list[int]
    """Chips by seat; the first winner left of the button gets the odd chips of a pot."""
    least: list[int]
    """Chips by seat without any odd chips."""
    most: list[int]
    """Chips by seat with all odd chips of the pots that the seat shares."""


def settle(t: Any, claims: int) -> Settlement | None:
    """Divide the pots of a finished hand in which some hands were mucked.

    Args:
        t: The table after the hand.
        claims: Set (a bit for each seat) of the seats that neither folded nor mucked.

    Returns:
        The chips of each seat. Chips that no claiming seat matched go to the only mucked hand that did. None if no seat
        claims, or if several mucked hands matched such chips.
    """
    paid, seats = contributions(t), range(int(t.num_seats))
    levels = sorted({paid[seat] for seat in seats if claims >> seat & 1})
    if not levels:
        return None
    above = [max(0, chips - levels[-1]) for chips in paid]
    takers = [seat for seat in seats if above[seat] and int(t.in_hand) >> seat & 1]
    if len(takers) > 1:
        return None
    settlement = Settlement([0] * len(paid), [0] * len(paid), [0] * len(paid))
    if takers:
        _award(t, takers, sum(above), settlement)
    covered = 0
    pot = int(t.pot) - sum(paid)  # the first pot holds the dead antes
    for level in levels:
        pot += sum(min(chips, level) - min(chips, covered) for chips in paid)
        if level == levels[-1] and not takers:
            pot += sum(above)  # from bets of folded hands
        _award(t, [seat for seat in seats if claims >> seat & 1 and paid[seat] >= level], pot, settlement)
        covered, pot = level, 0
    return settlement


def _award(t: Any, seats: list[int], pot: int, settlement: Settlement) -> None:
    ranks = [int(hand_rank_at(t, seat, int(t.board_cards.sum()))) for seat in seats]
    winners = [seat for seat, rank in zip(seats, ranks, strict=True) if rank == min(ranks)]
    share, odd = divmod(pot, len(winners))
    for seat in winners:
        settlement.won[seat] += share
        settlement.least[seat] += share
        settlement.most[seat] += share + odd
    settlement.won[winners[0]] += odd


def differ_by_odd_chips(settlement: Settlement, taken: Sequence[Fraction]) -> bool:
    """Return True if recorded chips from the pots by seat equal ours except for odd chips or their fractions."""
    if not -_ROUNDING <= sum(taken) - sum(settlement.won) <= _ROUNDING:
        return False
    bounds = zip(settlement.least, taken, settlement.most, strict=True)
    return all(Fraction(least) <= chips <= Fraction(most) for least, chips, most in bounds)


def is_raked(won: Sequence[int], returned: Sequence[int], recorded: Sequence[Number | Fraction]) -> bool:
    """Return True if recorded winnings equal ours after a rake of at most a tenth.

    Args:
        won: Chips of each seat from the pots.
        returned: Chips of each seat in `won` that are an uncalled bet.
        recorded: Recorded winnings of each seat.
    """
    for own, back, chips in zip(won, returned, recorded, strict=True):
        if not (1 - _RAKE) * (own - back) <= Fraction(chips) <= Fraction(own) or (chips == 0) != (own - back == 0):
            return False
    return True
