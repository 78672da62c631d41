"""Play of a strategy in games with other bet menus than its own.

Action translation leads from bets that are not on the menu of a strategy to its tree of betting, and back. A raise of
size x between two sizes A < B of the menu is mapped to A with probability (B - x)(1 + A) / ((B - A)(1 + x)) and to B
otherwise; sizes are fractions of the pot after calling (Ganzfried and Sandholm, Action translation in extensive-form
games with large action spaces, IJCAI 2013: the pseudo-harmonic mapping).

Strategies by public state need less: public states depend on the sizes of bets, not on a menu, so that only the
player's own raises are translated, to the nearest legal raise.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from card_baselines.agents.scripted.holdem_moves import raise_action_to
from card_baselines.solvers.betting_keys import find_keys
from card_baselines.solvers.game_trees import grow_game, is_two_player_menu
from card_baselines.solvers.pot_odds import call_by_odds
from card_baselines.solvers.strategy import TableStrategy
from card_baselines.solvers.tree import BettingTree
from card_envs.chance.holdem import UNKNOWN_AMOUNT, Bet, list_bets
from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.actions import (
    CALL_ACTION,
    FIRST_RAISE_ACTION,
    FOLD_ACTION,
    amount_to_call,
    raise_to_of,
)
from card_envs.games.holdem.betting import give_turn
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, NOBODY, RAISE, RECENT_ACTIONS
from card_envs.typing import Floats

_BUTTON = 1  # as a player of the tree
_ROUNDING = 1e-9
"""Sums of probabilities differ from 1 by less."""
_MAX_PLACES = 16
"""Maximum number of decisions of the tree that a table is mapped to; the least likely ones are dropped."""


def translate(strategy: TableStrategy, config: HoldemConfig, views: Tables) -> Floats:
    """Return the probabilities of the actions (n, num_actions) of each view's actor in a game with any menu."""
    if _has_same_betting(strategy, config):
        return strategy.probabilities(views)
    return (_translate_bets if strategy.states.keys is None else translate_raises)(strategy, views, config.num_actions)


def find_trained_shares(strategy: TableStrategy, config: HoldemConfig, views: Tables) -> Floats:
    """Return the share (n,), 0 to 1, of the probabilities of `translate` that was trained; pot odds are the rest."""
    if _has_same_betting(strategy, config):
        return strategy.is_trained(strategy.states.find(views)).astype(np.float64)
    if (tree := strategy.states.tree) is None:
        return strategy.is_trained(strategy.states.find(_with_own_menu(strategy, views))).astype(np.float64)
    places = [find_places(tree, t) for t in views]
    return np.array(
        [sum(weight for weight, node in each if strategy.is_trained(tree.state[node : node + 1])[0]) for each in places]
    )


def _has_same_betting(strategy: TableStrategy, config: HoldemConfig) -> bool:
    """Return True if a strategy is played in a game as it is."""
    if strategy.states.tree is None or config.structure == "limit":
        return bool(config.menu == strategy.config.menu)
    return has_same_bets(config, strategy.config)


@cache
def has_same_bets(config: HoldemConfig, other: HoldemConfig) -> bool:
    """Return True if every sequence of actions leads to the same bets in both games with a bet menu for two."""
    if config == other:
        return True
    if not is_two_player_menu(config) or config.num_actions != other.num_actions:
        return False
    tree = grow_game(other)
    try:
        keys = grow_game(config, len(tree.player)).keys
    except ValueError:  # there are more sequences
        return False
    return np.array_equal(keys, tree.keys)


# --- strategies by public state ---------------------------------------------------------------------------------------


def translate_raises(strategy: TableStrategy, views: Tables, num_actions: int) -> Floats:
    """Return the probabilities of the actions (n, num_actions) of a strategy by public state with another bet menu."""
    inside = _with_own_menu(strategy, views)
    own, found = strategy.probabilities(inside), np.zeros((len(views), num_actions))
    add_nearest_actions(views, inside, own, found)
    return found


def _with_own_menu(strategy: TableStrategy, views: Tables) -> Tables:
    """Return copies of views with the bet menu of a strategy."""
    inside, menu = views.copy(), strategy.config.new_tables(1)
    for field in ("menu", "num_sizes", "has_all_in", "bet_size"):
        inside[field] = menu[field]
    find_legal_actions(inside)
    return inside


@kernel
def find_legal_actions(tables: Any) -> None:
    """Set the legal actions of tables whose bet menus were changed."""
    for j in range(tables.shape[0]):
        give_turn(tables[j], np.int64(tables[j].actor))


@kernel
def add_nearest_actions(views: Any, inside: Any, probabilities: Any, found: Any) -> None:
    """Add the probabilities of the actions of tables `inside` to the nearest legal actions of `views`."""
    for j in range(views.shape[0]):
        t = inside[j]
        for action in range(probabilities.shape[1]):
            if probabilities[j, action] > 0:
                nearest = np.int64(action)
                if action >= FIRST_RAISE_ACTION:
                    nearest = raise_action_to(views[j], raise_to_of(t, np.int64(action)))
                found[j, nearest] += probabilities[j, action]


# --- strategies on a tree of betting ----------------------------------------------------------------------------------


def _translate_bets(strategy: TableStrategy, views: Tables, num_actions: int) -> Floats:
    """Return the probabilities of the actions (n, num_actions) of a strategy on a tree with another bet menu.

    Where the tree has no similar betting, or was not trained, the player calls by pot odds. A best response asks for
    all hands after the same betting, which leads to the same places in the tree.
    """
    found, buckets, tree = np.zeros((len(views), num_actions)), strategy.find_buckets(views), strategy.states.tree
    assert tree is not None
    _, first, betting = np.unique(find_keys(views), return_index=True, return_inverse=True)
    for k, j in enumerate(first):
        rows = np.flatnonzero(betting == k)
        for weight, node in find_places(tree, views[j]):
            states = np.repeat(tree.state[node], len(rows))
            if strategy.is_trained(states[:1])[0]:
                played = weight * strategy.look_up(states, buckets[rows])
                for action, own in _list_actions(views[j], tree, node):
                    found[rows, action] += played[:, own]
    rest = 1.0 - found.sum(axis=1)
    lacking = np.flatnonzero(rest > _ROUNDING)
    found[lacking] += rest[lacking, None] * call_by_odds(views[lacking], num_actions)
    return np.asarray(found / found.sum(axis=1, keepdims=True), np.float64)


def pseudo_harmonic(size: float, smaller: float, larger: float) -> float:
    """Return the probability with which a raise is mapped to the smaller of the two neighbouring sizes."""
    return (larger - size) * (1 + smaller) / ((larger - smaller) * (1 + size))


def compute_raise_sizes(t: Any, decisions: list[Bet]) -> list[float]:
    """Return the size of each raise, as a fraction of the pot after calling.

    Raises whose amounts the table no longer holds are assumed to be of equal sizes.
    """
    sizes: list[float] = []
    unknown = sum(decision.kind == RAISE and decision.amount == UNKNOWN_AMOUNT for decision in decisions)
    bet, pot, street = int(t.blind[0]), float(t.blind[0] * 2), 0  # the pot if everybody had called
    if unknown:
        size = ((_pot_after_unknown(t, decisions) / pot) ** (1 / unknown) - 1) / 2
        pot *= (1 + 2 * size) ** unknown
        sizes += [size] * unknown
    for decision in decisions:
        if decision.street != street:
            bet, street = 0, decision.street
        if decision.kind == RAISE and decision.amount != UNKNOWN_AMOUNT:
            added = decision.amount - bet
            sizes.append(added / pot)
            bet, pot = decision.amount, pot + 2 * added
    return sizes


def _pot_after_unknown(t: Any, decisions: list[Bet]) -> float:
    """Return the pot, assuming a call, after the last raise whose amount is unknown."""
    most, street, first = float(max(t.hand_commit[0], t.hand_commit[1])), int(t.street), len(decisions) - RECENT_ACTIONS
    last = max(k for k in range(first) if decisions[k].kind == RAISE)
    known = [decision for decision in decisions[last + 1 :] if decision.kind == RAISE]
    for s in range(decisions[last].street, street + 1):
        amounts = [decision.amount for decision in known if decision.street == s]
        if s > decisions[last].street:
            most -= max(amounts, default=0)
        elif amounts:
            most -= (max(amounts) - min(amounts)) + min(amounts) / 2  # assume that it doubled the bet before it
    return 2 * max(most, float(t.blind[0]))


def find_places(tree: BettingTree, t: Any) -> list[tuple[float, int]]:
    """Return the decisions of the tree that a table or view is mapped to, as pairs (probability, node).

    The probabilities sum to 1, or there are none. A raise may be mapped to all-in in the tree; if it was called and the
    betting went on, that place is left out, and the probabilities of the others are scaled.
    """
    decisions = list_bets(t)
    sizes = iter(compute_raise_sizes(t, decisions))
    places = {0: 1.0}
    for decision in decisions:
        size, after = next(sizes) if decision.kind == RAISE else 0.0, dict[int, float]()
        for node, weight in places.items():
            for share, child in _children_for(tree, node, decision.kind, size):
                if share > 0 and tree.player[child] != NOBODY:
                    after[child] = after.get(child, 0.0) + weight * share
        places = _likeliest(after)
    player = _BUTTON if int(t.actor) == int(t.button) else 1 - _BUTTON
    return [
        (weight, node)
        for node, weight in places.items()
        if tree.player[node] == player and tree.street[node] == int(t.street)
    ]


def _likeliest(places: dict[int, float]) -> dict[int, float]:
    """Return the `_MAX_PLACES` likeliest decisions, scaled to the total probability 1."""
    kept = dict(sorted(places.items(), key=lambda pair: -pair[1])[:_MAX_PLACES])
    total = sum(kept.values())
    return {node: weight / total for node, weight in kept.items()}


def _children_for(tree: BettingTree, node: int, kind: int, size: float) -> list[tuple[float, int]]:
    """Return the children of a node that a call, or a raise of a size, is mapped to: (probability, child).

    A raise below the smallest one of the tree is mapped to that or, where the other player is to act after it, to a
    check or call, which has the size 0.
    """
    children: list[int] = tree.child[node].tolist()
    call = children[CALL_ACTION]
    if kind == CALL:
        return [(1.0, call)]
    raises = [child for child in children[FIRST_RAISE_ACTION:] if child >= 0]
    raises.sort(key=lambda child: float(tree.size[child]))
    if raises and tree.street[call] == tree.street[node] and tree.player[call] == 1 - tree.player[node]:
        raises.insert(0, call)
    for smaller, larger in pairwise(raises):
        low, high = float(tree.size[smaller]), float(tree.size[larger])
        if low <= size <= high:
            share = pseudo_harmonic(size, low, high)
            return [(share, smaller), (1 - share, larger)]
    if not raises:
        return []
    return [(1.0, raises[0] if size <= float(tree.size[raises[0]]) else raises[-1])]


def action_for(t: Any, action: int, size: float, is_all_in: bool) -> int:
    """Return the legal action of a table that is nearest to an action of the tree with a size."""
    if action == FOLD_ACTION:
        return FOLD_ACTION if int(t.legal) & 1 else CALL_ACTION
    if action == CALL_ACTION or int(t.max_raise_to) == 0:
        return CALL_ACTION
    to_call = int(amount_to_call(t))
    wanted = int(t.max_raise_to) if is_all_in else int(t.current_bet) + round(size * (int(t.pot) + to_call))
    return int(raise_action_to(t, np.int64(wanted)))


def _list_actions(t: Any, tree: BettingTree, node: int) -> list[tuple[int, int]]:
    """Return pairs: the action of a table or view that is nearest to one at a decision of the tree, and that one."""
    children = tree.child[node]
    legal = np.flatnonzero(children >= 0).tolist()
    return [(action_for(t, own, float(tree.size[children[own]]), own == legal[-1]), own) for own in legal]
