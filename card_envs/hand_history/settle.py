"""Who gets the pot of a recorded showdown where somebody mucked, and how recorded stacks compare with ours."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from card_envs.games.holdem.showdown import award_pots, hand_rank_at
from card_envs.hand_history.phh import Number

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


def returned_bet(t: Any) -> tuple[int, int]:
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


def stacks_after_mucks(tables: Any, mucked: int) -> list[int] | None:
    """Return the stacks by seat when the seats of the set `mucked` give up their claims; None if that decides nothing.

    `tables` holds one finished table. Chips above what any remaining hand paid for go to the only mucked hand that paid
    for them: nobody else could win them.
    """
    t = tables[0]
    claims = int(t.in_hand) & ~mucked
    if not claims:
        return None
    paid, stacks = contributions(t), stacks_before_award(t)
    cap = max(chips for seat, chips in enumerate(paid) if claims >> seat & 1)
    above = [max(0, chips - cap) for chips in paid]
    takers = [seat for seat, chips in enumerate(above) if chips and int(t.in_hand) >> seat & 1]
    if any(above) and len(takers) != 1:
        return None
    copy = tables.copy()
    c = copy[0]
    c.in_hand = claims
    c.pot = int(t.pot) - sum(above)
    for seat, chips in enumerate(above):
        c.hand_commit[seat] -= chips
        c.stack[seat] = stacks[seat]
    award_pots(c)
    after = [int(chips) for chips in c.stack[: len(stacks)]]
    if takers:
        after[takers[0]] += sum(above)
    return after


def differ_by_odd_chips(t: Any, ours: Sequence[int], recorded: Sequence[Number | Fraction]) -> bool:
    """Return True if only the odd chips of pots that equal hands split are elsewhere, whole or in fractions."""
    gaps = [Fraction(chips) - own for own, chips in zip(ours, recorded, strict=True)]
    seats = [seat for seat, gap in enumerate(gaps) if gap]
    if len(seats) < 2 or abs(sum(gaps)) > _ROUNDING or not all(int(t.in_hand) >> seat & 1 for seat in seats):
        return False
    if len({int(hand_rank_at(t, seat, int(t.board_cards.sum()))) for seat in seats}) > 1:
        return False
    paid = contributions(t)
    num_pots = len({chips for seat, chips in enumerate(paid) if int(t.in_hand) >> seat & 1})
    return all(abs(gap) < num_pots * int(t.in_hand).bit_count() for gap in gaps)


def is_raked(won: Sequence[int], returned: Sequence[int], recorded: Sequence[Number | Fraction]) -> bool:
    """Return True if recorded winnings are those of the same winners after a rake of at most a tenth.

    `won` counts the chips taken from the pots, `returned` those of them that nobody had called.
    """
    for own, back, chips in zip(won, returned, recorded, strict=True):
        if not (1 - _RAKE) * (own - back) <= Fraction(chips) <= Fraction(own) or (chips == 0) != (own - back == 0):
            return False
    return True
