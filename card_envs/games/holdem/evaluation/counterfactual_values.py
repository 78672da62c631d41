"""What happens in a deal of Texas hold'em, by the hands that each seat could have held: kernels.

Everything is compared with what was to be expected: an action with the mean over the `counterfactual_hands` of its
probability, the cards of a street with all that the pool could have brought, the showdown with that of all hands.

In all kernels a set of seats, of places in the board's pool, ... is an int64 with a bit for each; s is `SCRATCH`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.games.holdem.actions import (
    CALL_ACTION,
    FIRST_RAISE_ACTION,
    FOLD_ACTION,
    amount_to_call,
    has,
    raise_to_of,
)
from card_envs.games.holdem.evaluation.counterfactual_hands import BOARD_VALUES, BOARDS, NEXT, NUM_NEXT
from card_envs.games.holdem.state import Table
from card_envs.records import Tables

KINDS, ACTION_VALUES = 3, 8
"""Fold, call, raise; and numbers that describe the state after each, see `_add_action_values`."""


@kernel
def _write_chances(r: Any, s: Any, shown: Any, live: Any, seats: Any) -> None:
    """Write the chances to win of the hands of `seats` against the `live` others, on boards with the cards `shown`.

    Among three or more the chances multiply and equal hands count half, which is not exact: no control has to be.
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
    """Write for each level the weight of the seat's hands that it beats, half of those that equal it included."""
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
    """Write the mean chance of each hand of `seats` over the boards with the cards `shown`."""
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
    """Return the mean and the mean square of the mean chances of the seat's hands, by weight."""
    mean, square = 0.0, 0.0
    for h in range(r.first[seat], r.first[seat + 1]):
        mean += r.weight[h] * s.mean[h]
        square += r.weight[h] * s.mean[h] ** 2
    return mean, square


@kernel
def write_equities(hands: Any, s: Any, live: Any, street: Any, equities: Any) -> None:
    """Write the chance of each live seat (n, num_seats) to win with the cards of `street`; 0 for the others."""
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
    """Write into `terms` what the actor's action changed, less what was to be expected; weigh its hands anew.

    policy[cells[j]:] are the probabilities of all actions for each hand of the actor at tables[rows[j]] that has a
    weight; nan if they are not known, which makes its terms zero. terms: (n, KINDS * ACTION_VALUES), in chips.
    correction: (n,), chips by which the action was better for the actor than expected, see `_check_down_value`.
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
    """Add for every action whether it was taken, less its probability, times the values of the state after it."""
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
            chips = _chips_of(t, action)
            correction[j] += surprise * _check_down_value(t, action, chips, mean / likely)
            _add_action_values(t, action, chips, surprise, mean / likely, square / likely, terms, j)


@kernel
def _chips_of(t: Table, action: Any) -> Any:
    """Return the chips that the actor puts in by an action."""
    if action == FOLD_ACTION:
        return 0.0
    if action == CALL_ACTION:
        return np.float64(min(amount_to_call(t), np.int64(t.stack[t.actor])))
    return np.float64(raise_to_of(t, action) - t.street_commit[t.actor])


@kernel
def _check_down_value(t: Table, action: Any, chips: Any, equity: Any) -> Any:
    """Return the chips that the actor wins after an action more than by a fold, if nobody bets any more.

    A raise is called by one opponent. Exact for a call heads-up that nobody can bet after; a rough guess elsewhere.
    """
    if action == FOLD_ACTION:
        return 0.0
    due = np.float64(amount_to_call(t))
    others = chips - due  # what an opponent adds to a raise, or gets back from a call for less
    return equity * (t.pot + chips + others) - chips


@kernel
def _add_action_values(
    t: Table, action: Any, chips: Any, surprise: Any, equity: Any, square: Any, terms: Any, j: Any
) -> None:
    """Add `surprise` times the pot, and times the chips that the action adds, each with what the hands are then."""
    kind = min(np.int64(action), np.int64(FIRST_RAISE_ACTION))
    place = (kind - FOLD_ACTION) * ACTION_VALUES
    for k, stake in enumerate((np.float64(t.pot), chips)):
        terms[j, place + 4 * k] += surprise * stake
        terms[j, place + 4 * k + 1] += surprise * stake * equity
        terms[j, place + 4 * k + 2] += surprise * stake * square
        terms[j, place + 4 * k + 3] += surprise * stake * equity * equity


@kernel
def _reweigh(r: Any, seat: Any, taken: Any, policy: Any, first_cell: Any) -> None:
    """Multiply the weights of the seat's hands by the probability of the action; the true hand stays possible."""
    cell, total, first = first_cell, 0.0, r.first[seat]
    possible = policy[first_cell, taken] > 0.0  # not so after a forfeit, or by rounding in a network
    for h in range(first, r.first[seat + 1]):
        if r.weight[h] > 0.0:
            r.weight[h] *= policy[cell, taken] if possible else (1.0 if h == first else 0.0)
            total += r.weight[h]
            cell += 1
    for h in range(first, r.first[seat + 1]):
        r.weight[h] /= total


@kernel
def write_board_terms(hands: Any, rows: Any, street: Any, live: Any, s: Any, terms: Any, before: Any) -> None:
    """Write what a street's cards changed for each live seat, less what was to be expected.

    terms: (n, num_seats, BOARD_VALUES); before: (n, num_seats), the chances to win before the cards came.
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
        for place in range(count - 1, -1, -1):  # the true cards last: their values stay
            _write_board_values(r, s, NEXT[street[j], place], live[j])
            for seat in range(r.num_seats):
                for k in range(BOARD_VALUES):
                    s.expected[seat, k] += s.value[seat, k] / count
        for seat in range(r.num_seats):
            for k in range(BOARD_VALUES):
                terms[j, seat, k] = s.value[seat, k] - s.expected[seat, k]


@kernel
def _write_board_values(r: Any, s: Any, shown: Any, live: Any) -> None:
    """Write for each live seat its chance, how far its hands differ in theirs, and how far others' do."""
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
    """Write what each seat's true hand won at the showdown more than its counterfactual hands on average, in chips.

    The average is also over the boards that could have come after `street`, the last one on which somebody decided.
    Zero where all but one folded. Side pots count, odd chips do not.
    """
    for i in range(tables.shape[0]):
        t, r, shown = tables[i], hands[i], NEXT[street[i], 0]
        live = np.int64(t.in_hand)
        for seat in range(r.num_seats):
            correction[i, seat] = 0.0
        paid = np.int64(0)
        while live & (live - 1) != 0:
            level = _smallest(t, live)
            pot = np.float64(_chips_between(t, paid, level))
            for seat in range(r.num_seats):
                if has(live, seat):
                    correction[i, seat] += pot * _true_share(r, seat, live)
            _write_chances(r, s, shown, live, live)
            _write_means(r, s, shown, live)
            for seat in range(r.num_seats):
                if has(live, seat):
                    correction[i, seat] -= pot * _shares(r, s, seat)[0]
                    if t.hand_commit[seat] <= level:
                        live ^= np.int64(1) << seat
            paid = level


@kernel
def _smallest(t: Table, live: Any) -> Any:
    level = np.int64(2**62)
    for seat in range(t.num_seats):
        if has(live, seat):
            level = min(level, np.int64(t.hand_commit[seat]))
    return level


@kernel
def _chips_between(t: Table, paid: Any, level: Any) -> Any:
    """Return the chips that all seats put in above `paid` and up to `level` each."""
    chips = np.int64(0)
    for seat in range(t.num_seats):
        chips += min(np.int64(t.hand_commit[seat]), level) - min(np.int64(t.hand_commit[seat]), paid)
    return chips


@kernel
def _true_share(r: Any, seat: Any, live: Any) -> Any:
    """Return the chance of the seat's true hand against the true hands of the others: 1, 0, or less among equals."""
    share, own = 1.0, r.level[0, r.first[seat]]
    for other in range(r.num_seats):
        if other != seat and has(live, other):
            level = r.level[0, r.first[other]]
            share *= 1.0 if own < level else (0.5 if own == level else 0.0)
    return share
