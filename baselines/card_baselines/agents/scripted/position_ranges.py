"""A tight player who raises or folds before the flop, with more hands the fewer players act after it.

At six seats, the shares of hands that it opens before the small blind lie between those of Pluribus and of the
professionals in their recorded hands (docs/results/agents_play_style.md); the hands are those with most Chen points.
All other numbers are ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import action_for, hole_card, raise_action_to
from card_baselines.agents.scripted.made_hand_rules import move_tight_aggressive
from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_baselines.agents.scripted.starting_hands import CHEN_POINTS
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import amount_to_call, seat_position
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker.starting_hands import STARTING_EQUITIES, STARTING_HAND_COUNTS, starting_hand

OPENS: NDArray[np.float64] = np.array([0.0, 0.45, 0.44, 0.33, 0.22, 0.18, 0.15, 0.13, 0.12, 0.11])
"""(10,): share of hands with which it opens, by the number of players who act after it, the blinds among them."""
OPENS_HEADS_UP = 0.75
"""Share of hands with which the button opens at a table of two."""
RAISES: NDArray[np.float64] = np.array([0.15, 0.06, 0.025])
"""(3,): share of hands that it raises over callers of the big blind, over one raise, and over more of them."""
CALLS: NDArray[np.float64] = np.array([0.15, 0.14, 0.05])
"""(3,): share of hands with which it at least calls there."""
DEFENDS = 0.38
"""Share of hands with which the big blind at least calls one raise."""
_SMALL_RAISE = 0.5
"""Size of a raise before the flop as a fraction of the pot after calling; with a board it raises by the pot."""


def _list_shares() -> NDArray[np.float64]:
    """Return (169,): for each starting hand, the share of the 1,326 hands that are better, and half of its own."""
    order = np.lexsort((-STARTING_EQUITIES, -CHEN_POINTS.astype(np.int64)))
    counts = STARTING_HAND_COUNTS[order]
    shares = np.empty(len(order))
    shares[order] = (counts.cumsum() - 0.5 * counts) / counts.sum()
    return shares


HAND_SHARES: NDArray[np.float64] = _list_shares()
"""(169,): place of every starting hand, 0 for the best to 1 for the worst, in the order of `starting_hand`."""


@kernel
def num_behind(t: Any) -> Any:
    """Return the number of players who act after the actor in the first round, if all are still to act."""
    if t.num_seats == 2:
        return np.int64(1)
    place = np.int64(seat_position(t, t.actor))
    return np.int64(1) if place == 0 else np.int64(t.num_seats) - place + 1


@kernel
def has_callers(t: Any) -> Any:
    """Return True if somebody has called the big blind."""
    paid = np.int64(0)
    for seat in range(t.num_seats):
        paid += t.street_commit[seat] == t.current_bet
    return paid > 1


@kernel
def move_before_flop(t: Any) -> Any:
    """Return RAISE, CALL or FOLD by the place of the actor's hand, its position and the bets so far."""
    place = HAND_SHARES[starting_hand(hole_card(t, 0), hole_card(t, 1))]
    raises = np.int64(t.street_raises[0])
    if raises == 0 and not has_callers(t):
        opens = OPENS_HEADS_UP if t.num_seats == 2 else OPENS[num_behind(t)]
        return RAISE if place < opens else FOLD
    bets = raises if raises < 2 else np.int64(2)
    is_big_blind = t.num_seats == 2 or seat_position(t, t.actor) == 1
    calls = DEFENDS if raises == 1 and is_big_blind else CALLS[bets]
    return RAISE if place < RAISES[bets] else CALL if place < calls else FOLD


@kernel
def choose_action(t: Any, random_number: Any, setting: Any) -> Any:
    """Return the action of a view's actor."""
    wanted = move_before_flop(t) if t.street == 0 else move_tight_aggressive(t)
    if t.street == 0 and wanted == RAISE and t.max_raise_to > 0:
        return raise_action_to(t, t.current_bet + np.int64(_SMALL_RAISE * (t.pot + amount_to_call(t))))
    return action_for(t, wanted)


class PositionRanges(RulePlayer):
    """Raises or folds when first in, 18 % of hands in early and 44 % in late position; then as `tight_aggressive`.

    It raises over callers with 15 % of hands, reraises with 6 %, calls a raise with 14 %, in the big blind with 38 %.
    With a board it plays by the class of hand, as `tight_aggressive` does.
    """

    name = "position_ranges"
    choose_rows = rule_kernel(choose_action)
