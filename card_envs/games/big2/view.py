"""Views of a table for one seat: a censored copy for agents, text for people; names of actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import NO_CARD
from card_envs.compiler import kernel
from card_envs.game_info import ActionParts
from card_envs.games.big2.actions import ACTION_SIZE, NUM_ACTIONS, PASS, POSITIONS, value_of_action
from card_envs.games.big2.combos import NO_COMBO, beats, card_of, kind_of, order_name, order_names
from card_envs.games.big2.state import (
    HAND_SIZE,
    KIND_NAMES,
    MAX_LEGAL,
    NOBODY,
    NUM_SEATS,
    OPENING_DECISION,
    STRAIGHT_FLUSH,
    Table,
)
from card_envs.records import Tables

_LISTED = 12
"""Maximum number of legal actions that an error message lists."""


@kernel
def censor(t: Table, seat: Any) -> None:
    """Delete the hands of the other seats, and the legal actions of another actor."""
    for other in range(NUM_SEATS):
        if other != seat:
            t.held[other] = 0
            for position in range(HAND_SIZE):
                t.hand[other, position] = NO_CARD
    if t.actor != seat:
        t.num_legal = 0
    for k in range(t.num_legal, MAX_LEGAL):  # entries of earlier turns reveal other hands
        t.legal[k] = 0


def hand(t: Table, seat: int) -> list[int]:
    """Return the order numbers of a seat's cards, lowest first, NO_CARD where a view hides them."""
    return [int(order) for order in t.hand[seat, : int(t.num_cards[seat])]]


def legal_actions(t: Table) -> list[int]:
    """Return the actor's legal action ids in increasing order; [] if the deal is over, or in another seat's view."""
    return sorted(int(action) for action in t.legal[: int(t.num_legal)])


def action_cards(t: Table, action: int) -> list[int]:
    """Return the order numbers of the cards that an action plays; all positions must hold cards."""
    return [int(t.hand[t.actor, position]) for position in POSITIONS[action]]


def action_name(tables: Tables, i: int, action: int) -> str:
    """Return the name of an action of the actor at table i, legal or not.

    Examples are "pass", "single 3D", "pair 7C 7S" and "straight 3C 4D 5H 6H 7C". Cards that are not a combination are
    called "cards", and positions without a card "??". Numbers that are not action ids are called "action 9999".
    """
    t: Table = tables[i]
    if not 0 <= action < NUM_ACTIONS:
        return f"action {action}"
    if action == PASS:
        return "pass"
    held = hand(t, int(t.actor)) if t.actor != NOBODY else []
    positions = POSITIONS[action]
    names = " ".join(order_name(held[p]) if p < len(held) and held[p] != NO_CARD else "??" for p in positions)
    if "??" in names:
        return f"cards {names}"
    value = int(value_of_action(t, int(t.actor), action))
    return f"{KIND_NAMES[kind_of(value)] if value != NO_COMBO else 'cards'} {names}"


def action_parts(tables: Tables, i: int, action: int) -> ActionParts:
    """Return the cards that a legal action of the actor at table i plays."""
    if action == PASS:
        return ActionParts()
    return ActionParts(cards=tuple(card_of(order) for order in action_cards(tables[i], action)))


def private_cards(tables: Tables, i: int, seat: int) -> list[int]:
    """Return the card ids of a seat at table i, lowest first, NO_CARD where a view hides them."""
    return [order if order == NO_CARD else card_of(order) for order in hand(tables[i], seat)]


def why_illegal(tables: Tables, i: int, action: int) -> str:
    """Return why `action` is illegal for the actor at table i, and the legal actions."""
    t: Table = tables[i]
    if t.actor == NOBODY:
        return f"action {action}: the deal is over; call reset()"
    return f"{_reason(tables, i, action)}; legal: {_legal_text(tables, i)}"


def _reason(tables: Tables, i: int, action: int) -> str:
    t: Table = tables[i]
    if not 0 <= action < NUM_ACTIONS:
        return f"action {action} is outside 0..{NUM_ACTIONS - 1}"
    name = f"{action_name(tables, i, action)} (action {action})"
    if t.opening_rules & OPENING_DECISION and t.num_decisions == 0:
        return f"{name}: the deal begins with the single 3D"
    if action == PASS:
        return f"{name}: the seat that has control must lead"
    if POSITIONS[action][-1] >= t.num_cards[t.actor]:
        return f"action {action} plays positions {list(POSITIONS[action])} of a hand of {t.num_cards[t.actor]} cards"
    value = int(value_of_action(t, int(t.actor), action))
    if value == NO_COMBO:
        return f"{name} are not a combination"
    if t.trick_size not in (0, ACTION_SIZE[action]):
        return f"{name} has {ACTION_SIZE[action]} cards, the hand to beat {t.trick_size}: {trick_name(t)}"
    if not beats(t, np.int64(value), np.int64(t.trick_value)):
        unbeatable = " (nothing beats a straight flush)" if t.trick_kind == STRAIGHT_FLUSH else ""
        return f"{name} does not beat the {trick_name(t)}{unbeatable}"
    return f"{name}: the three without the heart of a rank of four are not legal (option all_triples)"


def _legal_text(tables: Tables, i: int) -> str:
    actions = legal_actions(tables[i])
    named = [f"{action_name(tables, i, action)} ({action})" for action in actions[:_LISTED]]
    more = f" and {len(actions) - _LISTED} more" if len(actions) > _LISTED else ""
    return ", ".join(named) + more


def trick_name(t: Table) -> str:
    """Return the name of the hand to beat, such as "pair 7C 7S"; "" in control."""
    if t.trick_size == 0:
        return ""
    return f"{KIND_NAMES[t.trick_kind]} {order_names(t.trick_cards[: int(t.trick_size)])}"


def text(tables: Tables, i: int, seat: int | None) -> str:
    """Return table i as lines of text, with the cards that `seat` sees, or all cards for None."""
    t: Table = tables[i]
    lines = [_headline(t)]
    for k in range(NUM_SEATS):
        cards = order_names(hand(t, k)) if seat is None or seat == k else "?? " * int(t.num_cards[k])
        mark = " <" if k == t.actor else ""
        result = f"  {int(t.payoff[k]):+d}" if t.is_over else ""
        lines.append(f"player_{k}  {int(t.num_cards[k]):2d}  {cards.strip()}{result}{mark}")
    return "\n".join(lines)


def _headline(t: Table) -> str:
    if t.is_over and t.trick_size == 0:
        return f"deal over: player_{t.trick_seat} was dealt a dragon"
    if t.is_over:
        return f"deal over: player_{t.trick_seat} went out with {trick_name(t)}"
    if t.trick_size == 0:
        return "nobody is to act" if t.actor == NOBODY else f"player_{t.actor} has control"
    passes = f", {t.passes} passed since" if t.passes else ""
    return f"to beat: {trick_name(t)} by player_{t.trick_seat}, led by player_{t.trick_leader}{passes}"
