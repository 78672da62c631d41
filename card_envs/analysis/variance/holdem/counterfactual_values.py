"""Kernels for the effects of actions, cards and showdowns in Texas hold'em, averaged over counterfactual hands.

Every effect is compared with its expectation: an action with its mean probability over the `counterfactual_hands`, the
cards of a street with all cards that the pool could have given, the showdown with the showdowns of all hands.

Sets of seats and sets of cards of the board's pool are int64 with one bit per element; `s` is a `SCRATCH` record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.analysis.variance.holdem.counterfactual_hands import BOARD_VALUES, BOARDS, NEXT, NUM_NEXT
from card_envs.chance.contested import contested_chips, contested_pot
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import (
    CALL_ACTION,
    FIRST_RAISE_ACTION,
    FOLD_ACTION,
    amount_to_call,
    has,
    raise_to_of,
)
from card_envs.games.holdem.showdown import chips_up_to, contribution, smallest_contribution
from card_envs.games.holdem.state import Table
from card_envs.records import Tables

KINDS, ACTION_VALUES = 3, 8
"""Number of kinds of actions (fold, call, raise), and of features of the state after each, see `_add_action_values`."""


@kernel
def _write_chances(r: Any, s: Any, shown: Any, live: Any, seats: Any) -> None:
    """Write the probabilities to win of the hands of `seats` against the other `live` seats, on boards with `shown`.

    With three or more seats, probabilities are multiplied and ties count half; control variates need not be exact.
    """
    for b in range(BOARDS.shape[0]):
        if BOARDS[b] & shown == shown:
            for seat in range(r.num_seats):
                if has(live, seat) and seats != np.int64(1) << seat:
                    _write_beaten(r, s, b, seat)
            for seat in range(r.num_seats):
                if has(seats, seat):
                    for h in range(r.first[seat], r.first[seat + 1]):
                        s.chance[b, h] = _chance(r, s, b, h, seat, live)


@kernel
def _write_beaten(r: Any, s: Any, b: Any, seat: Any) -> None:
    """Write for each level the weight of a seat's worse hands, plus half the weight of equal hands."""
    for level in range(r.first[r.num_seats]):
        s.beaten[seat, level] = 0.0
    for h in range(r.first[seat], r.first[seat + 1]):
        s.beaten[seat, r.level[b, h]] += r.weight[h]
    worse = 0.0
    for level in range(r.first[r.num_seats] - 1, -1, -1):
        equal = s.beaten[seat, level]
        s.beaten[seat, level] = worse + 0.5 * equal
        worse += equal


@kernel
def _chance(r: Any, s: Any, b: Any, h: Any, seat: Any, live: Any) -> Any:
    chance = 1.0
    for other in range(r.num_seats):
        if other != seat and has(live, other):
            chance *= s.beaten[other, r.level[b, h]]
    return chance


@kernel
def _write_means(r: Any, s: Any, shown: Any, seats: Any) -> None:
    """Write the mean probability to win of each hand of `seats` over the boards with `shown`."""
    for seat in range(r.num_seats):
        if has(seats, seat):
            for h in range(r.first[seat], r.first[seat + 1]):
                total, count = 0.0, 0
                for b in range(BOARDS.shape[0]):
                    if BOARDS[b] & shown == shown:
                        total += s.chance[b, h]
                        count += 1
                s.mean[h] = total / count


@kernel
def _shares(r: Any, s: Any, seat: Any) -> Any:
    """Return the weighted mean and mean square of the probabilities to win of a seat's hands."""
    mean, square = 0.0, 0.0
    for h in range(r.first[seat], r.first[seat + 1]):
        mean += r.weight[h] * s.mean[h]
        square += r.weight[h] * s.mean[h] ** 2
    return mean, square


@kernel
def write_equities(hands: Any, s: Any, live: Any, street: Any, equities: Any) -> None:
    """Write the probability of each live seat to win, (n, num_seats), with the cards of `street`; 0 for others."""
    for i in range(hands.shape[0]):
        r = hands[i]
        _write_chances(r, s, NEXT[street[i], 0], live[i], live[i])
        _write_means(r, s, NEXT[street[i], 0], live[i])
        for seat in range(r.num_seats):
            equities[i, seat] = _shares(r, s, seat)[0] if has(live[i], seat) else 0.0


@kernel
def write_action_terms(
    tables: Tables, rows: Any, actions: Any, policy: Any, cells: Any, hands: Any, s: Any, terms: Any, correction: Any
) -> None:
    """Write the effect of the actor's action minus its expectation, and update the weights of the actor's hands.

    policy[cells[j]:] holds the action probabilities for each hand of the actor at tables[rows[j]] with a positive
    weight; nan if they are unknown, then the terms are zero. terms (n, KINDS * ACTION_VALUES) are in chips. correction
    (n,) is the value of the action for the actor minus its expectation, in chips, see `_check_down_value`.
    """
    for j in range(rows.shape[0]):
        t, r = tables[rows[j]], hands[rows[j]]
        correction[j] = 0.0
        for k in range(terms.shape[1]):
            terms[j, k] = 0.0
        if not np.isnan(policy[cells[j], 0]):
            seat, live = np.int64(t.actor), np.int64(t.in_hand)
            _write_chances(r, s, NEXT[t.street, 0], live, np.int64(1) << seat)
            _write_means(r, s, NEXT[t.street, 0], np.int64(1) << seat)
            _add_surprises(t, r, s, seat, actions[j], policy, cells[j], terms, correction, j)
            _reweigh(r, seat, actions[j], policy, cells[j])


@kernel
def _add_surprises(
    t: Table, r: Any, s: Any, seat: Any, taken: Any, policy: Any, first_cell: Any, terms: Any, correction: Any, j: Any
) -> None:
    """Add for each action the values of the state after it, times 1 if it was taken, minus its probability."""
    pot, left = np.float64(contested_pot(t, seat)), np.float64(contested_chips(t, seat) - contribution(t, seat))
    due = min(np.float64(amount_to_call(t)), left)
    for action in range(policy.shape[1]):
        likely, mean, square, cell = 0.0, 0.0, 0.0, first_cell
        for h in range(r.first[seat], r.first[seat + 1]):
            if r.weight[h] > 0.0:
                weight = r.weight[h] * policy[cell, action]
                likely += weight
                mean += weight * s.mean[h]
                square += weight * s.mean[h] ** 2
                cell += 1
        if likely > 0.0:
            surprise = (1.0 if action == taken else 0.0) - likely
            chips = min(_chips_of(t, action), left)  # an uncalled part of a bet is returned
            correction[j] += surprise * _check_down_value(action, pot, due, chips, mean / likely)
            _add_action_values(action, pot, chips, surprise, mean / likely, square / likely, terms, j)


@kernel
def _chips_of(t: Table, action: Any) -> Any:
    """Return the chips that the actor puts in by an action."""
    if action == FOLD_ACTION:
        return 0.0
    if action == CALL_ACTION:
        return np.float64(min(amount_to_call(t), np.int64(t.stack[t.actor])))
    return np.float64(raise_to_of(t, action) - t.street_commit[t.actor])


@kernel
def _check_down_value(action: Any, pot: Any, due: Any, chips: Any, equity: Any) -> Any:
    """Return the value of an action minus the value of a fold, in chips, without more betting.

    A raise is assumed to be called by one opponent. The value is exact for a heads-up call after which nobody can bet,
    and approximate otherwise. `pot` is the `contested_pot` of the actor, `due` what a call costs, `chips` what the
    action puts in.
    """
    if action == FOLD_ACTION:
        return 0.0
    others = chips - due  # chips that an opponent adds to call a raise
    return equity * (pot + chips + others) - chips


@kernel
def _add_action_values(
    action: Any, pot: Any, chips: Any, surprise: Any, equity: Any, square: Any, terms: Any, j: Any
) -> None:
    """Add `surprise` times the pot and times the chips of the action, each times 1, equity, square, and equity**2."""
    kind = min(np.int64(action), np.int64(FIRST_RAISE_ACTION))
    place = (kind - FOLD_ACTION) * ACTION_VALUES
    for k, stake in enumerate((pot, chips)):
        terms[j, place + 4 * k] += surprise * stake
        terms[j, place + 4 * k + 1] += surprise * stake * equity
        terms[j, place + 4 * k + 2] += surprise * stake * square
        terms[j, place + 4 * k + 3] += surprise * stake * equity * equity


@kernel
def _reweigh(r: Any, seat: Any, taken: Any, policy: Any, first_cell: Any) -> None:
    """Multiply the weights of the seat's hands by the probability of the action; the true hand keeps a weight."""
    cell, total, first = first_cell, 0.0, r.first[seat]
    possible = policy[first_cell, taken] > 0.0  # False after a forfeit, or by rounding errors of a network
    for h in range(first, r.first[seat + 1]):
        if r.weight[h] > 0.0:
            r.weight[h] *= policy[cell, taken] if possible else (1.0 if h == first else 0.0)
            total += r.weight[h]
            cell += 1
    for h in range(first, r.first[seat + 1]):
        r.weight[h] /= total


@kernel
def write_board_terms(hands: Any, rows: Any, street: Any, live: Any, s: Any, terms: Any, before: Any) -> None:
    """Write the effect of a street's cards on each live seat minus its expectation, terms (n, num_seats, BOARD_VALUES).

    Also write the probabilities to win before the cards came, before (n, num_seats).
    """
    for j in range(rows.shape[0]):
        r, count = hands[rows[j]], NUM_NEXT[street[j]]
        shown = NEXT[street[j] - 1, 0]
        _write_chances(r, s, shown, live[j], live[j])
        _write_means(r, s, shown, live[j])
        for seat in range(r.num_seats):
            before[j, seat] = _shares(r, s, seat)[0] if has(live[j], seat) else 0.0
            for k in range(BOARD_VALUES):
                s.value[seat, k] = s.expected[seat, k] = 0.0
        for place in range(count - 1, -1, -1):  # the true cards last, so that their values remain
            _write_board_values(r, s, NEXT[street[j], place], live[j])
            for seat in range(r.num_seats):
                for k in range(BOARD_VALUES):
                    s.expected[seat, k] += s.value[seat, k] / count
        for seat in range(r.num_seats):
            for k in range(BOARD_VALUES):
                terms[j, seat, k] = s.value[seat, k] - s.expected[seat, k]


@kernel
def _write_board_values(r: Any, s: Any, shown: Any, live: Any) -> None:
    """Write for each live seat its probability to win, the mean square over its hands, and the mean of the others'."""
    _write_means(r, s, shown, live)
    squares, others = 0.0, 0
    for seat in range(r.num_seats):
        if has(live, seat):
            mean, square = _shares(r, s, seat)
            s.value[seat, 0], s.value[seat, 1] = mean, square
            squares += square
            others += 1
    for seat in range(r.num_seats):
        if has(live, seat):
            s.value[seat, 2] = (squares - s.value[seat, 1]) / max(1, others - 1)


@kernel
def write_showdown_correction(tables: Tables, street: Any, hands: Any, s: Any, correction: Any) -> None:
    """Write what each seat's true hand won at the showdown minus the mean over its counterfactual hands, in chips.

    The mean is also over the boards that could have come after `street`, the street of the last decision. The result is
    zero if all but one folded. Side pots are included, odd chips are not.
    """
    for i in range(tables.shape[0]):
        t, r, shown = tables[i], hands[i], NEXT[street[i], 0]
        live = np.int64(t.in_hand)
        for seat in range(r.num_seats):
            correction[i, seat] = 0.0
        paid = np.int64(-1)
        while live & (live - 1) != 0:
            level = smallest_contribution(t, live)
            pot = np.float64(chips_up_to(t, level) - chips_up_to(t, paid))
            for seat in range(r.num_seats):
                if has(live, seat):
                    correction[i, seat] += pot * _true_share(r, seat, live)
            _write_chances(r, s, shown, live, live)
            _write_means(r, s, shown, live)
            for seat in range(r.num_seats):
                if has(live, seat):
                    correction[i, seat] -= pot * _shares(r, s, seat)[0]
                    if contribution(t, seat) <= level:
                        live ^= np.int64(1) << seat
            paid = level


@kernel
def _true_share(r: Any, seat: Any, live: Any) -> Any:
    """Return 1 if the seat's true hand beats the true hands of the others, 0 if not, 0.5 per tie."""
    share, own = 1.0, r.level[0, r.first[seat]]
    for other in range(r.num_seats):
        if other != seat and has(live, other):
            level = r.level[0, r.first[other]]
            share *= 1.0 if own < level else (0.5 if own == level else 0.0)
    return share
