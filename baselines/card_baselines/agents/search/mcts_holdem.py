"""Monte Carlo tree search over information sets of Texas hold'em.

Each simulation deals the hidden cards anew, so a node of the tree is a sequence of bets, whatever the cards. What a
seat does there depends on the strength of its hand alone, in a few grades: statistics are kept for each grade, so an
opponent folds weak hands and bets strong ones, without knowing what the searching seat holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.holdem_moves import HOLE_CARDS
from card_envs.cards import NO_CARD
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, has, kind_of, raise_to_of
from card_envs.games.holdem.betting import act
from card_envs.games.holdem.showdown import num_board_cards, percentile_at
from card_envs.games.holdem.state import CALL, MAX_LEVELS, MAX_SIZES, TABLE
from card_envs.poker.draw import draw_unused_card
from card_envs.rng import random_below, seed_stream

MAX_ACTIONS = FIRST_RAISE_ACTION + MAX_SIZES + 1
GRADES = 6
"""Grades of hand strength, equal shares of all hands of as many cards."""
MAX_DEPTH = 100
EXPLORATION = 0.5
"""Weight of what is not yet known of an action, in pots of the position that is searched."""

NODE = np.dtype(
    (
        np.record,
        [
            ("child", np.int32, (MAX_ACTIONS,)),  # node after an action, 0: none yet
            ("visits", np.int32, (GRADES, MAX_ACTIONS)),  # by grade of the actor's hand
            ("chips", np.float32, (GRADES, MAX_ACTIONS)),  # that the actor won in all these visits
        ],
    )
)
SEARCH = np.dtype(
    (
        np.record,
        [
            ("t", TABLE),  # the deal that is imagined and played
            ("num_nodes", np.int64),
            ("scale", np.float64),  # chips that make an exploration of 1
            ("depth", np.int64),
            ("node", np.int32, (MAX_DEPTH,)),  # the path of this simulation
            ("grade", np.int8, (MAX_DEPTH,)),
            ("action", np.int8, (MAX_DEPTH,)),
            ("seat", np.int8, (MAX_DEPTH,)),
        ],
    )
)
"""Scratch space of one simulation."""


@kernel
def choose_rows(views: Any, seeds: Any, simulations: Any, nodes: Any, searches: Any, actions: Any) -> None:
    """Write the most visited action of each view's actor; more than `simulations` nodes are needed."""
    search = searches[0]
    for j in range(views.shape[0]):
        view = views[j]
        search.num_nodes = 0
        search.scale = EXPLORATION * max(np.int64(view.pot), 2 * np.int64(view.chips_per_reward))
        _add_node(search, nodes)
        for number in range(simulations):
            search.t = view
            seed_stream(search.t, seeds[j], np.uint64(number))
            deal_hidden(search.t)
            _simulate(search, nodes)
        actions[j] = _most_visited(nodes[0])


@kernel
def deal_hidden(t: Any) -> None:
    """Deal the cards that the actor of a view does not see: rest of the board, hands of those who have not folded.

    For each raise that a seat made on a street, a second hand is drawn and the better one kept: raisers hold more.
    """
    used, known = np.int64(0), np.int64(t.num_seats) * HOLE_CARDS + num_board_cards(t)
    for place in range(np.int64(t.num_seats) * HOLE_CARDS + 5):
        if t.deck[place] != NO_CARD:
            used |= np.int64(1) << np.int64(t.deck[place])
    for seat in range(np.int64(t.num_seats)):
        if seat != t.actor and has(t.in_hand, seat):
            _deal_hand(t, seat, used)
            for _ in range(num_raises(t, seat)):
                first, second = t.deck[HOLE_CARDS * seat], t.deck[HOLE_CARDS * seat + 1]
                before = hand_strength(t, seat)
                _deal_hand(t, seat, used)
                if hand_strength(t, seat) < before:
                    t.deck[HOLE_CARDS * seat], t.deck[HOLE_CARDS * seat + 1] = first, second
            for k in range(HOLE_CARDS):
                used |= np.int64(1) << np.int64(t.deck[HOLE_CARDS * seat + k])
    for place in range(known, np.int64(t.num_seats) * HOLE_CARDS + 5):
        used |= np.int64(1) << _draw(t, place, used)


@kernel
def _deal_hand(t: Any, seat: Any, used: Any) -> None:
    card = _draw(t, HOLE_CARDS * seat, used)
    _draw(t, HOLE_CARDS * seat + 1, used | np.int64(1) << card)


@kernel
def _draw(t: Any, place: Any, used: Any) -> Any:
    """Put a card that is not in the set `used` at a place of the deck, and return it."""
    card = draw_unused_card(t, used)
    t.deck[place] = card
    return card


@kernel
def num_raises(t: Any, seat: Any) -> Any:
    """Return on how many streets the seat has raised."""
    count = np.int64(0)
    for street in range(np.int64(t.street) + 1):
        raised = False
        for level in range(MAX_LEVELS - 1):
            raised = raised or (level < t.street_raises[street] and t.raiser[street, level] == seat)
        count += raised
    return count


@kernel
def hand_strength(t: Any, seat: Any) -> Any:
    """Return the share of hands of as many cards, 0 to 1, that are not better than the seat's with the board."""
    return np.float64(percentile_at(t, seat, num_board_cards(t)))


@kernel
def _simulate(search: Any, nodes: Any) -> None:
    """Play the imagined deal to its end, first by what the tree knows, then by calling; add what everybody won."""
    t, node, is_new = search.t, np.int64(0), False
    search.depth = 0
    while t.is_over == 0 and not is_new and search.depth < MAX_DEPTH:
        grade = min(np.int64(GRADES * hand_strength(t, np.int64(t.actor))), GRADES - 1)
        action = _choose(search, nodes[node], t, grade)
        place = search.depth
        search.node[place], search.grade[place] = node, grade
        search.action[place], search.seat[place] = action, t.actor
        search.depth = place + 1
        act(t, kind_of(action), raise_to_of(t, action) if action >= FIRST_RAISE_ACTION else 0)
        if nodes[node].child[action] == 0:
            nodes[node].child[action] = _add_node(search, nodes)
            is_new = True
        node = np.int64(nodes[node].child[action])
    while t.is_over == 0:
        act(t, CALL, 0)
    for place in range(search.depth):
        visited = nodes[search.node[place]]
        grade, action = search.grade[place], search.action[place]
        visited.visits[grade, action] += 1
        visited.chips[grade, action] += t.payoff[search.seat[place]]


@kernel
def _add_node(search: Any, nodes: Any) -> Any:
    number = search.num_nodes
    for action in range(MAX_ACTIONS):
        nodes[number].child[action] = 0
        for grade in range(GRADES):
            nodes[number].visits[grade, action] = 0
            nodes[number].chips[grade, action] = 0.0
    search.num_nodes = number + 1
    return number


@kernel
def _choose(search: Any, node: Any, t: Any, grade: Any) -> Any:
    """Return an action by UCB1 (Auer et al. 2002); one that was never tried comes first."""
    total = np.int64(0)
    for action in range(MAX_ACTIONS):
        total += node.visits[grade, action]
    best, highest = np.int64(CALL_ACTION), -np.inf
    for action in range(MAX_ACTIONS):
        if np.int64(t.legal) >> action & 1:
            visits = node.visits[grade, action]
            if visits == 0:
                bound = 1e9 + np.float64(random_below(t, np.int64(1000)))
            else:
                bound = node.chips[grade, action] / visits + search.scale * np.sqrt(np.log(total) / visits)
            if bound > highest:
                best, highest = np.int64(action), bound
    return best


@kernel
def _most_visited(node: Any) -> Any:
    best, most = np.int64(CALL_ACTION), np.int64(-1)
    for action in range(MAX_ACTIONS):
        visits = np.int64(0)
        for grade in range(GRADES):
            visits += node.visits[grade, action]
        if visits > most:
            best, most = np.int64(action), visits
    return best
