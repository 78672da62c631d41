"""Monte Carlo tree search over information sets of Big 2.

Single-observer search (Cowling, Powley and Whitehouse 2012): each simulation samples the hidden cards, and a node of
the tree is a sequence of plays, sets of cards or passes. The legal plays differ from deal to deal, so a play competes
only in simulations in which it is legal. Since there are too many combinations to try them all, nodes below the root
get new children slowly (progressive widening), the play of the rollout policy first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.big2_greedy import largest_play
from card_baselines.agents.search.big2_deals import deal_unseen, find_kept_positions, play_out
from card_envs.compiler import kernel
from card_envs.games.big2.actions import ACTION_POSITIONS, ACTION_SIZE
from card_envs.games.big2.state import TABLE
from card_envs.games.big2.tricks import act
from card_envs.rng import random_below

MAX_DEPTH = 60
EXPLORATION = 6.0
"""Exploration constant of UCB1, in points."""

NODE = np.dtype(
    (
        np.record,
        [
            ("cards", np.int64),  # set of cards whose play leads here, 0 for a pass
            ("first_child", np.int32),  # 0: none
            ("next_sibling", np.int32),  # 0: none
            ("num_children", np.int32),
            ("visits", np.int32),
            ("available", np.int32),  # visits of the parent in which the play was legal
            ("points", np.float64),  # won by the seat that played here, in all visits
        ],
    )
)
SEARCH = np.dtype(
    (
        np.record,
        [
            ("t", TABLE),  # the sampled deal
            ("num_nodes", np.int64),
            ("depth", np.int64),
            ("node", np.int32, (MAX_DEPTH,)),  # the path of this simulation, without the root
            ("seat", np.int8, (MAX_DEPTH,)),  # seat whose play led to each node
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
        if view.num_legal == 1:
            actions[j] = view.legal[0]
            continue
        search.num_nodes = 0
        _add_node(search, nodes, np.int64(0))
        for number in range(simulations):
            search.t = view
            deal_unseen(search.t, seeds[j], np.uint64(number))
            _simulate(search, nodes)
        actions[j] = _most_visited(view, nodes)


@kernel
def _simulate(search: Any, nodes: Any) -> None:
    """Play the sampled deal to its end, first by UCB1 in the tree, then by `play_out`, and update the visited nodes."""
    t, node, is_new = search.t, np.int64(0), False
    search.depth = 0
    while t.is_over == 0 and not is_new and search.depth < MAX_DEPTH:
        nodes_before = search.num_nodes
        action = _choose(search, nodes, t, node)
        seat, node = t.actor, _child(nodes, node, cards_of(t, action))
        is_new = search.num_nodes > nodes_before
        search.node[search.depth], search.seat[search.depth] = node, seat
        search.depth += 1
        act(t, action)
    play_out(t)
    nodes[0].visits += 1
    for place in range(search.depth):
        visited = nodes[search.node[place]]
        visited.visits += 1
        visited.points += t.payoff[search.seat[place]]


@kernel
def cards_of(t: Any, action: Any) -> Any:
    """Return the set of cards that an action of the actor plays."""
    cards = np.int64(0)
    for k in range(ACTION_SIZE[action]):
        cards |= np.int64(1) << np.int64(t.hand[t.actor, ACTION_POSITIONS[action, k]])
    return cards


@kernel
def _child(nodes: Any, node: Any, cards: Any) -> Any:
    """Return the node after a play, 0 if there is none."""
    child = np.int64(nodes[node].first_child)
    while child != 0 and nodes[child].cards != cards:
        child = np.int64(nodes[child].next_sibling)
    return child


@kernel
def _add_node(search: Any, nodes: Any, cards: Any) -> Any:
    """Add a node without visits, and return its number."""
    number = search.num_nodes
    new = nodes[number]
    new.cards = cards
    new.first_child = new.next_sibling = new.num_children = new.visits = new.available = 0
    new.points = 0.0
    search.num_nodes = number + 1
    return number


@kernel
def _choose(search: Any, nodes: Any, t: Any, node: Any) -> Any:
    """Return an action by UCB1 among those with a node, or a new action if the node may have another child."""
    best, highest, news, new = np.int64(-1), -np.inf, np.int64(0), np.int64(-1)
    for k in range(t.num_legal):
        action = np.int64(t.legal[k])
        child = _child(nodes, node, cards_of(t, action))
        if child == 0:
            news += 1
            if random_below(t, news) == 0:
                new = action
        else:
            nodes[child].available += 1
            spread = np.sqrt(np.log(np.float64(nodes[child].available)) / nodes[child].visits)
            bound = nodes[child].points / nodes[child].visits + EXPLORATION * spread
            if bound > highest:
                best, highest = action, bound
    is_full = node > 0 and nodes[node].num_children ** 2 > nodes[node].visits
    if news == 0 or (best >= 0 and is_full):
        return best
    greedy = largest_play(t, find_kept_positions(t))
    if _child(nodes, node, cards_of(t, greedy)) == 0:
        new = greedy
    _add_child(search, nodes, node, cards_of(t, new))
    return new


@kernel
def _add_child(search: Any, nodes: Any, node: Any, cards: Any) -> None:
    """Add a child for a play to a node."""
    child = _add_node(search, nodes, cards)
    nodes[child].next_sibling = nodes[node].first_child
    nodes[child].available = 1
    nodes[node].first_child = child
    nodes[node].num_children += 1


@kernel
def _most_visited(view: Any, nodes: Any) -> Any:
    """Return the most visited action of the root."""
    best, most = np.int64(view.legal[0]), np.int64(-1)
    for k in range(view.num_legal):
        child = _child(nodes, np.int64(0), cards_of(view, np.int64(view.legal[k])))
        visits = np.int64(nodes[child].visits) if child > 0 else np.int64(0)
        if visits > most:
            best, most = np.int64(view.legal[k]), visits
    return best
