"""The course of a hand: cards, antes and blinds, decisions, turns, streets and the end.

The functions are in the order in which a hand calls them: `restore_stacks`, `deal_cards`, `start_hand`, `act`, and what
follows a decision: `_pass_the_turn`, `_close_street`, `_end_hand`, `give_turn`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import lowest_bit
from card_envs.cards import NO_CARD
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import (
    CALL_ACTION,
    FIRST_RAISE_ACTION,
    FOLD_ACTION,
    NO_AMOUNT,
    amount_to_call,
    first_seat_from,
    has,
    num_menu_actions,
    raise_to_of,
    wrap_seat,
)
from card_envs.games.holdem.betting_history_bits import clear_betting_history, record_call, record_raise
from card_envs.games.holdem.showdown import award_pots, first_board_card, starting_stack
from card_envs.games.holdem.state import (
    CALL,
    FOLD,
    LIMIT,
    MAX_CHIPS,
    MAX_DEALT,
    MAX_LEVELS,
    MAX_STREETS,
    MENU_INTEGERS,
    MENU_LIMIT,
    NOBODY,
    POT_LIMIT,
    RECENT_ACTIONS,
    UNCAPPED,
    Table,
)
from card_envs.rng import random_below


@kernel
def move_button(t: Table) -> None:
    """Move the button one seat to the left, in games whose button moves."""
    if t.button_moves == 1:
        t.button = wrap_seat(np.int64(t.button) + 1, t.num_seats)


@kernel
def deal_cards(t: Table, known: Any) -> None:
    """Fill the deck field after its first `known` cards with other random cards, up to the river."""
    needed = first_board_card(t)
    for street in range(t.num_streets):
        needed += t.board_cards[street]
    used = np.int64(0)
    for i in range(known):
        used |= np.int64(1) << np.int64(t.deck[i])
    count = np.int64(known)
    while count < needed:
        card = _card_at(t, random_below(t, np.int64(t.deck_size)))
        t.deck[np.uint64(count)] = card
        count += 1 - (used >> card & 1)  # no branch: a card that is used already is overwritten by the next one
        used |= np.int64(1) << card
    for i in range(needed, MAX_DEALT):
        t.deck[i] = NO_CARD


@kernel
def _card_at(t: Table, index: Any) -> Any:
    """Return the card id with an index in the ordered deck."""
    if t.num_suits == 4:
        return 4 * np.int64(t.lowest_rank) + index
    return 4 * (np.int64(t.lowest_rank) + index // t.num_suits) + index % t.num_suits


@kernel
def start_hand(t: Table) -> None:
    """Start a hand with the stacks and the cards in the deck field: post antes and blinds, find the first actor."""
    _clear_hand(t)
    t.largest_amount = largest_amount(t)
    most = largest_ante(t)
    for position in range(t.num_seats):
        seat = _seat_at(t, position)
        _pay(t, seat, min(np.int64(t.ante[position]), np.int64(t.stack[seat]), most))
        t.street_commit[seat] = 0
    opener = np.int64(0)
    for position in range(t.num_seats):
        seat = _seat_at(t, position)
        blind = min(t.blind[position], t.stack[seat])
        _pay(t, seat, blind)
        if t.full_blinds == 1:
            blind = t.blind[position]
        if blind > 0 and blind >= t.current_bet:
            t.current_bet = blind
            opener = np.int64(position) + 1
    _open_betting(t, wrap_seat(np.int64(t.button) + 1 + opener, t.num_seats))


@kernel
def largest_ante(t: Table) -> Any:
    """Return the largest ante that a seat can pay.

    Live antes are limited to the second largest one, because an unmatched part is returned before the blinds, as in
    PokerKit. Dead antes are not limited.
    """
    if t.dead_antes == 1:
        return np.int64(MAX_CHIPS)
    largest, second = np.int64(0), np.int64(0)
    for position in range(t.num_seats):
        ante = min(np.int64(t.ante[position]), starting_stack(t, _seat_at(t, position)))
        second = max(second, min(largest, ante))
        largest = max(largest, ante)
    return second


@kernel
def restore_stacks(t: Table) -> None:
    """Give every seat the stack of the settings."""
    for seat in range(t.num_seats):
        t.stack[seat] = t.start_stack[seat]


@kernel
def largest_amount(t: Table) -> Any:
    """Return the largest amount that a seat can put in: the largest stack, in capped limit games at most all bets."""
    largest = np.int64(1)
    for seat in range(t.num_seats):
        largest = max(largest, np.int64(t.stack[seat]))
    if t.structure != LIMIT:
        return largest
    blind, ante = np.int64(0), np.int64(0)
    for position in range(t.num_seats):
        blind, ante = max(blind, np.int64(t.blind[position])), max(ante, np.int64(t.ante[position]))
    possible = blind + ante
    for street in range(t.num_streets):
        if t.max_raises[street] == UNCAPPED:
            return largest
        possible += np.int64(t.max_raises[street]) * t.bet_size[street]
    return min(largest, possible)


@kernel
def _clear_hand(t: Table) -> None:
    for seat in range(t.num_seats):
        t.payoff[seat] = 0
        t.hand_commit[seat] = 0
        t.street_commit[seat] = 0
    for street in range(MAX_STREETS):
        t.street_raises[street] = 0
        for level in range(MAX_LEVELS):
            t.callers[street, level] = 0
        for level in range(MAX_LEVELS - 1):
            t.raiser[street, level] = NOBODY
    for k in range(RECENT_ACTIONS):
        t.recent_amount[k] = 0
        t.recent_move[k] = 0
    clear_betting_history(t)
    t.num_decisions = 0
    t.pot = 0
    t.street = 0
    t.is_over = 0
    t.in_hand = (np.int64(1) << t.num_seats) - 1
    _clear_street(t)


@kernel
def _clear_street(t: Table) -> None:
    t.current_bet = 0
    t.last_raise = 0
    t.short_raises = 0
    t.acted = 0


@kernel
def _seat_at(t: Table, position: Any) -> Any:
    return wrap_seat(np.int64(t.button) + 1 + position, t.num_seats)


@kernel
def _pay(t: Table, seat: Any, chips: Any) -> None:
    t.stack[seat] -= chips
    t.street_commit[seat] += chips
    t.hand_commit[seat] += chips
    t.pot += chips


@kernel
def act(t: Table, kind: Any, raise_to: Any) -> None:
    """Apply the actor's legal decision: FOLD, CALL, or RAISE to a street commitment of `raise_to`."""
    seat = np.int64(t.actor)
    bit = np.int64(1) << seat
    street = t.street
    level: Any = min(np.int64(t.street_raises[street]), MAX_LEVELS - 1)
    t.pending = np.int64(t.pending) & ~bit
    if kind == FOLD:
        t.in_hand = np.int64(t.in_hand) & ~bit
    elif kind == CALL:
        _pay(t, seat, min(amount_to_call(t), np.int64(t.stack[seat])))
        t.callers[street, level] = np.int64(t.callers[street, level]) | bit
        record_call(t, seat, level)
        t.acted = np.int64(t.acted) | bit
    else:
        t.raiser[street, min(level, MAX_LEVELS - 2)] = seat
        record_raise(t, seat, level)
        _raise(t, seat, bit, raise_to)
    ring = np.int64(t.num_decisions) % RECENT_ACTIONS
    t.recent_move[ring] = 4 * seat + kind
    t.recent_amount[ring] = t.street_commit[seat]
    t.num_decisions += 1
    _pass_the_turn(t, seat)


@kernel
def _raise(t: Table, seat: Any, bit: Any, raise_to: Any) -> None:
    increment = np.int64(raise_to) - t.current_bet
    missing = full_raise_to(t) - raise_to
    _pay(t, seat, np.int64(raise_to) - t.street_commit[seat])
    t.current_bet = raise_to
    if t.street_raises[t.street] < UNCAPPED - 1:
        t.street_raises[t.street] += 1
    is_full = increment >= t.last_raise or t.short_raise_reopens == 1
    t.acted = bit if is_full else np.int64(t.acted) | bit
    if is_full:
        t.last_raise = increment
    if t.short_raise_reopens == 1:
        # the smallest raise-to does not decrease (minNoLimitRaiseTo in the ACPC server's game.c)
        t.last_raise = max(increment, missing)
    # all-ins below a full raise add up, and together may reopen the betting (TDA 2024 rule 47)
    t.short_raises = 0 if t.stack[seat] > 0 else np.int64(t.short_raises) + increment
    if t.short_raises >= t.last_raise:
        t.short_raises = 0
    t.pending = _seats_with_chips(t) & ~bit


@kernel
def _seats_with_chips(t: Table) -> Any:
    seats = np.int64(0)
    for seat in range(t.num_seats):  # no branch, which the processor could not predict
        seats |= np.int64(t.stack[seat] > 0) << seat
    return seats & t.in_hand


@kernel
def _pass_the_turn(t: Table, seat: Any) -> None:
    """Give the turn to the next seat that has to act, left of `seat`; or end the street or the hand."""
    if np.int64(t.in_hand) & (np.int64(t.in_hand) - 1) == 0:
        _end_hand(t)
    elif t.pending == 0 or (t.no_empty_decisions == 1 and _is_turn_empty(t)):
        _close_street(t, seat)
    else:
        give_turn(t, _next_pending(t, seat + 1))


@kernel
def _next_pending(t: Table, first: Any) -> Any:
    return first_seat_from(np.int64(t.pending), first, np.int64(t.num_seats))


@kernel
def _close_street(t: Table, last_actor: Any) -> None:
    """Open the next street on which a seat can bet; if there is none, deal the whole board and end the hand."""
    while t.street + 1 < t.num_streets:
        t.street += 1
        for seat in range(t.num_seats):
            t.street_commit[seat] = 0
        _clear_street(t)
        opener = last_actor + 1 if t.last_actor_opens == 1 else np.int64(t.button) + 1
        if _set_pending(t):
            give_turn(t, _next_pending(t, opener))
            return
    _end_hand(t)


@kernel
def _open_betting(t: Table, opener: Any) -> None:
    if _set_pending(t) and not (t.no_empty_decisions == 1 and _is_turn_empty(t)):
        give_turn(t, _next_pending(t, opener))
    else:
        _close_street(t, np.int64(t.button))


@kernel
def _is_turn_empty(t: Table) -> Any:
    """Return True if the only seat left to act, against which nobody else can bet, has nothing to call.

    The bet to call becomes what the other seats put in, which is less than the big blind if that seat was short.
    """
    pending = np.int64(t.pending)
    if pending & (pending - 1) or _seats_with_chips(t) != pending:
        return False
    seat = lowest_bit(pending)
    matched = np.int64(0)
    others = np.int64(t.in_hand) & ~pending
    while others:
        matched = max(matched, np.int64(t.street_commit[lowest_bit(others)]))
        others &= others - 1
    t.current_bet = min(np.int64(t.current_bet), max(matched, np.int64(t.street_commit[seat])))
    return t.street_commit[seat] >= t.current_bet


@kernel
def _set_pending(t: Table) -> Any:
    """Set the seats that have to act on a new street; return False if there are none.

    A seat acts if it has chips and another seat could call it. A single such seat acts only if it has to call.
    """
    largest, second = np.int64(0), np.int64(0)
    seats = np.int64(t.in_hand)
    while seats:
        seat = lowest_bit(seats)
        seats &= seats - 1
        chips = np.int64(t.stack[seat]) + t.street_commit[seat]
        second = max(second, min(largest, chips))
        largest = max(largest, chips)
    pending = np.int64(0)
    for seat in range(t.num_seats):
        pending |= np.int64(t.stack[seat] > 0 and second > t.street_commit[seat]) << seat
    pending &= t.in_hand
    if pending and pending & (pending - 1) == 0 and t.street_commit[lowest_bit(pending)] >= t.current_bet:
        pending = np.int64(0)
    t.pending = pending
    return pending != 0


@kernel
def _end_hand(t: Table) -> None:
    award_pots(t)
    clear_turn(t)
    t.pending = 0
    t.is_over = 1


@kernel
def give_turn(t: Table, seat: Any) -> None:
    """Make `seat` the actor and set its legal actions: the fields `legal`, `min_raise_to` and `max_raise_to`."""
    t.actor = seat
    t.min_raise_to = 0
    t.max_raise_to = 0
    legal = np.int64(1 << CALL_ACTION)
    if amount_to_call(t) > 0 or t.fold_when_free == 1:
        legal |= 1 << FOLD_ACTION
    if _may_raise(t):
        _set_raise_bounds(t)
        if t.menu == MENU_LIMIT:
            legal |= 1 << FIRST_RAISE_ACTION
        elif t.menu != MENU_INTEGERS:
            for action in range(FIRST_RAISE_ACTION, num_menu_actions(t)):
                if raise_to_of(t, action) != NO_AMOUNT:
                    legal |= np.int64(1) << action
    t.legal = legal


@kernel
def clear_turn(t: Table) -> None:
    """Leave the table without an actor and legal actions."""
    t.actor = NOBODY
    t.legal = 0
    t.min_raise_to = 0
    t.max_raise_to = 0


@kernel
def _may_raise(t: Table) -> Any:
    """Return True if the actor may bet or raise.

    It may not if the cap is reached, if it has no chips beyond the call, if no other seat could call, and if it already
    acted and was then only raised by an all-in below a full raise (TDA 2024 rule 47; the profile `acpc` allows it).
    """
    seat = np.int64(t.actor)
    to_call = amount_to_call(t)
    if t.stack[seat] <= to_call or t.street_raises[t.street] >= t.max_raises[t.street]:
        return False
    if t.short_raise_reopens == 0:
        if to_call < t.last_raise:
            return False
        if 0 < t.short_raises < t.last_raise and has(t.acted, seat):
            return False
    others = np.int64(t.in_hand) & ~(np.int64(1) << seat)
    while others:
        other = lowest_bit(others)
        if np.int64(t.stack[other]) + t.street_commit[other] > t.current_bet:
            return True
        others &= others - 1
    return False


@kernel
def _set_raise_bounds(t: Table) -> None:
    most = np.int64(t.stack[t.actor]) + t.street_commit[t.actor]
    if t.structure == LIMIT:
        low = high = np.int64(t.current_bet) + t.bet_size[t.street]
    else:
        low = full_raise_to(t)
        high = most
        if t.structure == POT_LIMIT:
            high = max(low, np.int64(t.current_bet) + t.pot + amount_to_call(t))
    t.min_raise_to = min(most, low)
    t.max_raise_to = min(most, high)


@kernel
def full_raise_to(t: Table) -> Any:
    """Return the street commitment after the smallest full raise, for any stack of the actor."""
    if t.short_raise_reopens == 1 and t.last_raise > 0:
        return np.int64(t.current_bet) + t.last_raise
    return np.int64(t.current_bet) + max(t.last_raise, t.min_bet)
