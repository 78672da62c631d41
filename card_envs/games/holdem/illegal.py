"""Why an action is illegal: words of errors, imported when an error is raised."""

from __future__ import annotations

from card_envs.games.holdem.actions import (
    FOLD_ACTION,
    INTEGERS_OFFSET,
    amount_to_call,
    betting_options,
    has,
    is_legal,
    list_menu_raises,
    menu_amount,
    num_menu_actions,
)
from card_envs.games.holdem.state import MENU_INTEGERS, NOBODY, STREET_NAMES, Table
from card_envs.games.holdem.view import action_name
from card_envs.records import Tables


def why_illegal(tables: Tables, i: int, action: int) -> str:
    """Return why `action` is illegal for the actor at table i, and the legal actions."""
    t: Table = tables[i]
    if t.actor == NOBODY:
        return f"action {action}: the hand is over; call reset()"
    return f"{_reason(tables, i, action)}; legal: {_legal_text(tables, i)}"


def _reason(tables: Tables, i: int, action: int) -> str:
    t: Table = tables[i]
    last = int(t.largest_amount) + INTEGERS_OFFSET if t.menu == MENU_INTEGERS else int(num_menu_actions(t)) - 1
    if not 0 <= action <= last:
        return f"action {action} is outside 0..{last}"
    if action == FOLD_ACTION:
        return "fold: there is nothing to call"
    _, _, low, high = betting_options(tables, i)
    if high == 0:
        return f"raise (action {action}): {_why_no_raise(t)}"
    amount = action - INTEGERS_OFFSET if t.menu == MENU_INTEGERS else int(menu_amount(t, action))
    if amount < low:
        return f"raise to {amount} (action {action}) is below the minimum {low}"
    if amount > high:
        return f"raise to {amount} (action {action}) is above the maximum {high}"
    most = "all-in" if amount == int(t.stack[t.actor]) + int(t.street_commit[t.actor]) else "the largest raise"
    return f"raise to {amount} (action {action}) is {most}, which is action {last}"


def _why_no_raise(t: Table) -> str:
    seat = int(t.actor)
    if t.stack[seat] <= amount_to_call(t):
        return f"the stack of {t.stack[seat]} does not exceed the {amount_to_call(t)} to call"
    if t.street_raises[t.street] >= t.max_raises[t.street]:
        return f"the cap of {t.max_raises[t.street]} raises on the {STREET_NAMES[t.street]} is reached"
    if not any(
        k != seat and has(t.in_hand, k) and t.stack[k] + t.street_commit[k] > t.current_bet for k in range(t.num_seats)
    ):
        return "no seat that could call it has chips left"
    return "an all-in below a full raise does not reopen the betting for a seat that already acted"


def _legal_text(tables: Tables, i: int) -> str:
    t: Table = tables[i]
    _, call, low, high = betting_options(tables, i)
    parts = ["fold (0)"] if is_legal(t, FOLD_ACTION) else []
    parts.append(f"call {call} (1)" if call else "check (1)")
    if high and t.menu == MENU_INTEGERS:
        parts.append(f"raise to {low}..{high} ({low + INTEGERS_OFFSET}..{high + INTEGERS_OFFSET})")
    elif high:
        parts += [f"{action_name(tables, i, a)} ({a})" for a in list_menu_raises(t)]
    return ", ".join(parts)
