"""Division of the pots at a recorded showdown with mucked hands, and comparison of recorded results with ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from card_envs.cards import NO_CARD
from card_envs.games.holdem.betting import largest_ante
from card_envs.games.holdem.showdown import contribution, hand_rank_at, split_pot
from card_envs.games.holdem.view import chips_behind
from card_envs.history.results import (
    EXACT,
    LEGAL_ONLY,
    MATCHED,
    MISMATCHED,
    ODD_CHIP,
    RAKE,
    SKIPPED,
    Number,
    ReplayResult,
    Stop,
)

_RAKE = Fraction(1, 10)
"""Largest share of a pot that can be rake; card rooms take at most 10 %."""
_ROUNDING = Fraction(1, 10)
"""Largest rounding error of recorded fractions of a chip, summed over the seats."""


def stacks_before_award(t: Any) -> list[int]:
    """Return the stacks by seat before the pots were paid."""
    return [chips_behind(t, seat) for seat in range(int(t.num_seats))]


def uncalled_bet(t: Any) -> tuple[int, int]:
    """Return (seat, chips) of the uncalled part of a bet; 0 chips if there is none."""
    paid = contributions(t)
    order = sorted(range(len(paid)), key=paid.__getitem__)
    return order[-1], paid[order[-1]] - paid[order[-2]]


def contributions(t: Any) -> list[int]:
    """Return the chips by seat that determine the side pots: all chips put in, without dead antes."""
    return [int(contribution(t, seat)) for seat in range(int(t.num_seats))]


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

    `claims` is the set (a bit for each seat) of the seats that neither folded nor mucked. Chips that no claiming seat
    matched go to the only mucked hand that did. None if no seat claims, or if several mucked hands matched such chips.
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
    pots = split_pot(t, levels)
    if takers:
        _award(t, takers, sum(above), settlement)
    else:
        pots[-1] += sum(above)  # from bets of folded hands
    for level, pot in zip(levels, pots, strict=True):
        _award(t, [seat for seat in seats if claims >> seat & 1 and paid[seat] >= level], pot, settlement)
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


# --- comparison of results --------------------------------------------------------------------------------------------


def compare_result(play: Any) -> ReplayResult:
    """Return the result of a hand that is over, and whose actions are all legal; `Stop` if a pot differs."""
    record = play.record
    stacks, problem = _final_stacks(play)
    if stacks is None:
        if record.results:
            raise Stop(SKIPPED, problem)
        return ReplayResult(record.source, MATCHED, agreement=LEGAL_ONLY)
    _check_pot(play)
    shown, agreement = tuple(map(record.amount, stacks)), LEGAL_ONLY
    # without a total pot, a text may lack its end; final stacks that equal ours leave no rake
    may_be_raked = not (record.returned and record.pot is None) and "finishing_stacks" not in record.results
    for name, recorded in record.results.items():
        ours, agreement = _COMPARISONS[name](play, stacks, recorded)
        if not agreement or (agreement == RAKE and not may_be_raked):
            theirs, by_rules = play.format_amounts(recorded), play.format_amounts(map(record.amount, ours))
            reason = f"{name} are {theirs} in the recording, {by_rules} by the rules"
            return ReplayResult(record.source, MISMATCHED, reason, stacks=shown)
    return ReplayResult(record.source, MATCHED, agreement=agreement, stacks=shown)


def _final_stacks(play: Any) -> tuple[list[int] | None, str]:
    """Return the final stacks; None and the reason if they are unknown."""
    record, t = play.record, play.table
    if not play.is_showdown:
        return play.stack.tolist(), ""
    hidden = 0
    if NO_CARD in record.known:
        hidden = sum(1 << seat for seat in range(len(play.stack)) if record.has_hidden_cards(seat))
    if play.claims & hidden and play.claims & (play.claims - 1):
        return None, "hole cards that decide the showdown are not recorded"
    if not play.mucked:
        return play.stack.tolist(), ""
    settlement = settle(t, play.claims)
    if settlement is None:
        return None, "all hands that could win a pot were mucked"
    return [before + won for before, won in zip(stacks_before_award(t), settlement.won, strict=True)], ""


def _check_pot(play: Any) -> None:
    """Compare uncalled chips and the total pot with those that the file states; `Stop` if they differ."""
    record = play.record
    if not record.returned and record.pot is None:
        return
    seat, chips = uncalled_bet(play.table)
    due = [a + b for a, b in zip(play.unmatched, _unmatched_antes(play), strict=True)]
    due[seat] += chips
    for k, returned in enumerate(map(record.chips, record.returned)):
        if returned != due[k] and (returned or play.unmatched[k]):
            ours = record.amount(due[k])
            raise Stop(MISMATCHED, f"p{k + 1} gets back {record.amount(returned)}, {ours} by the rules")
    if record.pot is not None and record.chips(record.pot) != int(play.table.pot) - chips:
        ours = record.amount(int(play.table.pot) - chips)
        raise Stop(MISMATCHED, f"the total pot is {record.pot} in the recording, {ours} by the rules")
    if record.pot is None and record.returned and not any(record.results["winnings"]):
        raise Stop(MISMATCHED, "the recording ends before anybody collects the pot")


def _unmatched_antes(play: Any) -> list[int]:
    """Return the chips by seat of the antes that no other ante matches; tables never take them from the stack."""
    t, most = play.table, int(largest_ante(play.table))
    owed = (min(int(ante), stack) for ante, stack in zip(t.ante, play.record.stacks, strict=False))
    return [max(0, ante - most) for ante in owed]


def _compare_stacks(play: Any, stacks: list[int], recorded: Sequence[Number]) -> tuple[list[int], str]:
    if play.record.scale == 1 and list(recorded) == stacks:
        return stacks, EXACT
    scaled = [Fraction(amount) * play.record.scale for amount in recorded]
    if scaled == stacks:
        return stacks, EXACT
    taken = [chips - before for chips, before in zip(scaled, stacks_before_award(play.table), strict=True)]
    return stacks, ODD_CHIP if _is_odd_chip(play, taken) else ""


def _compare_values(play: Any, stacks: list[int], recorded: Sequence[Number]) -> tuple[list[int], str]:
    starting = play.record.stacks
    won = [after - before for after, before in zip(stacks, starting, strict=True)]
    final = [value + before for value, before in zip(recorded, starting, strict=True)]
    return won, _compare_stacks(play, stacks, final)[1]


def _compare_winnings(play: Any, stacks: list[int], recorded: Sequence[Number]) -> tuple[list[int], str]:
    """Return our winnings and the agreement.

    Some sites include an uncalled bet in winnings, others do not; a file that says what is returned does not.
    """
    won = [after - before for after, before in zip(stacks, stacks_before_award(play.table), strict=True)]
    scaled = [Fraction(amount) * play.record.scale for amount in recorded]
    seat, chips = uncalled_bet(play.table)
    returned = [0] * len(won)
    returned[seat] = min(chips, won[seat])
    net = [chips - back for chips, back in zip(won, returned, strict=True)]
    counted = [net] if any(play.record.returned) else [won, net]
    if scaled in counted:
        return won, EXACT
    for ours in counted:
        if _is_odd_chip(play, [theirs + all_ - own for theirs, all_, own in zip(scaled, won, ours, strict=True)]):
            return won, ODD_CHIP
    return won, RAKE if any(_is_raked(ours, net, scaled) for ours in counted) else ""


def _is_raked(ours: list[int], net: list[int], recorded: list[Fraction]) -> bool:
    """Return True if recorded winnings are `ours`, of which `net` come from the pots, raked by at most a tenth."""
    return all(
        own - _RAKE * from_pot <= chips <= own and (chips == 0) == (own == 0)
        for own, from_pot, chips in zip(ours, net, recorded, strict=True)
    )


_COMPARISONS = {"finishing_stacks": _compare_stacks, "winnings": _compare_winnings, "values": _compare_values}
"""Name of recorded results -> function that returns our results in chips, and the agreement or ""."""


def _is_odd_chip(play: Any, taken: list[Fraction]) -> bool:
    """Return True if recorded chips from the pots by seat equal ours except for odd chips or their fractions."""
    if not play.is_showdown:
        return False
    settlement = settle(play.table, play.claims)
    if settlement is None or not -_ROUNDING <= sum(taken) - sum(settlement.won) <= _ROUNDING:
        return False
    bounds = zip(settlement.least, taken, settlement.most, strict=True)
    return all(least <= chips <= most for least, chips, most in bounds)
