"""Who gets the pot of a recorded showdown where somebody mucked, and how recorded stacks compare with ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from card_envs.games.holdem.showdown import hand_rank_at
from card_envs.history.phh.format import Number

_RAKE = Fraction(1, 10)
"""Largest share of a pot that is taken for rake; card rooms take 10 % and less."""
_ROUNDING = Fraction(1, 10)
"""Recorded fractions of a chip are rounded; together they may miss the whole by this much of a chip."""


def stacks_before_award(t: Any) -> list[int]:
    """Return the chips behind by seat, as they were before the pots of a finished hand were paid."""
    n = int(t.num_seats)
    if not t.is_over:
        return [int(chips) for chips in t.stack[:n]]
    return [int(t.stack[k]) - int(t.payoff[k]) - int(t.hand_commit[k]) for k in range(n)]


def uncalled_bet(t: Any) -> tuple[int, int]:
    """Return (seat, chips) of the part of a bet that nobody called; chips are 0 where there is none."""
    paid = contributions(t)
    order = sorted(range(len(paid)), key=paid.__getitem__)
    return order[-1], paid[order[-1]] - paid[order[-2]]


def contributions(t: Any) -> list[int]:
    """Return the chips by seat that decide about side pots: all that was put in, dead antes excepted."""
    paid = [int(chips) for chips in t.hand_commit[: int(t.num_seats)]]
    if t.dead_antes:  # the button is on the last seat, so that seat and position are the same
        paid = [chips - min(int(ante), chips) for chips, ante in zip(paid, t.ante, strict=False)]
    return paid


@dataclass
class Settlement:
    """The chips that every seat takes from the pots."""

    won: list[int]
    """Chips; the first winner left of the button takes the odd ones of a pot."""
    least: list[int]
    """Chips without any odd ones."""
    most: list[int]
    """Chips with all odd ones of the pots that the seat shares."""


def settle(t: Any, claims: int) -> Settlement | None:
    """Return who takes what at the showdown of a finished table if the seats of the set `claims` show and others muck.

    Chips above what any claim paid for go to the only mucked hand that paid for them, since nobody else could win them.
    None if there is no claim, or more than one such hand.
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
    """Return True if `taken`, recorded chips from the pots by seat, is ours but for odd chips, whole or broken."""
    if not -_ROUNDING <= sum(taken) - sum(settlement.won) <= _ROUNDING:
        return False
    bounds = zip(settlement.least, taken, settlement.most, strict=True)
    return all(Fraction(least) <= chips <= Fraction(most) for least, chips, most in bounds)


def is_raked(won: Sequence[int], returned: Sequence[int], recorded: Sequence[Number | Fraction]) -> bool:
    """Return True if recorded winnings are those of the same winners after a rake of at most a tenth.

    `won` counts the chips taken from the pots, `returned` those of them that nobody had called.
    """
    for own, back, chips in zip(won, returned, recorded, strict=True):
        if not (1 - _RAKE) * (own - back) <= Fraction(chips) <= Fraction(own) or (chips == 0) != (own - back == 0):
            return False
    return True
