"""Monte Carlo tree search over information sets of Texas hold'em.

Each simulation samples the hidden cards, and a node of the tree is a sequence of bets. At a node, statistics are kept
for each of a few grades of hand strength: an opponent folds weak hands and bets strong ones, without knowing the cards
of the searching seat.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import NO_CARD
from card_envs.chance.contested import contested_pot
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, has, kind_of, raise_to_of
from card_envs.games.holdem.betting import act
from card_envs.games.holdem.encoders.texas import percentile_at
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import CALL, MAX_LEVELS, MAX_SIZES, TABLE
from card_envs.poker.draw import draw_unused_card
from card_envs.poker.hands import BOARD_SIZE, HOLE_CARDS
from card_envs.rng import random_below, seed_stream

MAX_ACTIONS = FIRST_RAISE_ACTION + MAX_SIZES + 1
GRADES = 6
"""Number of grades of hand strength, quantiles of all hands."""
MAX_DEPTH = 100
EXPLORATION = 0.5
"""Exploration constant of UCB1, in pots of the position that is searched."""

NODE = np.dtype(
    (
        np.record,
        [
            ("child", np.int32, (MAX_ACTIONS,)),  # node after each action, 0 if there is none
            ("visits", np.int32, (GRADES, MAX_ACTIONS)),  # by grade of the actor's hand and action
            ("chips", np.float32, (GRADES, MAX_ACTIONS)),  # sum of the actor's winnings in these visits
        ],
    )
)
SEARCH = np.dtype(
    (
        np.record,
        [
            ("t", TABLE),  # the sampled deal
            ("num_nodes", np.int64),
            ("scale", np.float64),  # exploration constant of UCB1, in chips
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
        search.scale = EXPLORATION * max(contested_pot(view, view.actor), 2 * np.int64(view.chips_per_reward))
        _add_node(search, nodes)
        for number in range(simulations):
            search.t = view
            seed_stream(search.t, seeds[j], np.uint64(number))
            deal_hidden(search.t)
            _simulate(search, nodes)
        actions[j] = _most_visited(nodes[0])


@kernel
def deal_hidden(t: Any) -> None:
    """Deal the cards that the actor of a view does not see: the rest of the board, and hands of seats still in.

    For each street on which a seat raised, another hand is drawn and the better one kept, since raises show strength.
    """
    used, known = np.int64(0), np.int64(t.num_seats) * HOLE_CARDS + num_board_cards(t)
    for place in range(np.int64(t.num_seats) * HOLE_CARDS + BOARD_SIZE):
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
    for place in range(known, np.int64(t.num_seats) * HOLE_CARDS + BOARD_SIZE):
        used |= np.int64(1) << _draw(t, place, used)


@kernel
def _deal_hand(t: Any, seat: Any, used: Any) -> None:
    """Deal two random cards that are not in the set `used` to a seat."""
    card = _draw(t, HOLE_CARDS * seat, used)
    _draw(t, HOLE_CARDS * seat + 1, used | np.int64(1) << card)


@kernel
def _draw(t: Any, place: Any, used: Any) -> Any:
    """Write a random card that is not in the set `used` to a place of the deck, and return it."""
    card = draw_unused_card(t, used)
    t.deck[place] = card
    return card


@kernel
def num_raises(t: Any, seat: Any) -> Any:
    """Return the number of streets on which the seat has raised."""
    count = np.int64(0)
    for street in range(np.int64(t.street) + 1):
        raised = False
        for level in range(MAX_LEVELS - 1):
            raised = raised or (level < t.street_raises[street] and t.raiser[street, level] == seat)
        count += raised
    return count


@kernel
def hand_strength(t: Any, seat: Any) -> Any:
    """Return the fraction of hands, 0 to 1, that are not better than the seat's on the current board."""
    return np.float64(percentile_at(t, seat, num_board_cards(t)))


@kernel
def _simulate(search: Any, nodes: Any) -> None:
    """Play the sampled deal to its end, first by UCB1 in the tree, then by calling, and update the visited nodes."""
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
    """Add a node without visits, and return its number."""
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
    """Return an action by UCB1 (Auer et al. 2002); untried actions come first."""
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
    """Return the most visited action of a node."""
    best, most = np.int64(CALL_ACTION), np.int64(-1)
    for action in range(MAX_ACTIONS):
        visits = np.int64(0)
        for grade in range(GRADES):
            visits += node.visits[grade, action]
        if visits > most:
            best, most = np.int64(action), visits
    return best
