"""CFR+ for two-player games small enough to visit every deal: Kuhn poker and Leduc hold'em.

Tammelin (2014), Solving large imperfect information games using CFR+: regrets are never negative, players are updated
in turn, and iteration t has the weight t in the average strategy. A hand is the player's card before the board card is
dealt, and the pair of both cards from then on.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.limit.betting_tree import NUM_ACTIONS, NUM_PLAYERS, grow_tree, num_rows
from card_baselines.solvers.regret import match_regrets
from card_envs.compiler import kernel
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import NOBODY

DEAL = np.dtype(
    (
        np.record,
        [
            ("hand", np.int32, (NUM_PLAYERS, 2)),  # by player and street
            ("sign", np.int32),  # showdown: 1 if player 0 wins, -1 if player 1 wins, 0 if they split
        ],
    )
)
WALK = np.dtype(
    (
        np.record,
        [
            ("reach", np.float64, (NUM_PLAYERS,)),  # each player's reach probability of this node
            ("value", np.float64),  # expected chips that the learner wins from here on
        ],
    )
)
"""Reach probabilities and value of a node in one pass over the tree."""


def is_small_game(config: HoldemConfig) -> bool:
    """Return True for the cards of Kuhn poker and Leduc hold'em with any deck: one each, later one on the board."""
    return config.num_hole_cards == 1 and config.board_cards in ((0,), (0, 1))


def small_game_hands(config: HoldemConfig) -> list[int]:
    """Return the number of hands on each street of a game with one hole card."""
    return [config.deck_size, config.deck_size**2][: len(config.board_cards)]


def solve(config: HoldemConfig, iterations: int) -> NDArray[np.float64]:
    """Return the average strategy of CFR+.

    Args:
        config: A game for two for which `is_small_game` holds, such as Kuhn poker or Leduc hold'em.
        iterations: Iterations; both players are updated in each.

    Returns:
        Probabilities to fold, call and raise (rows, 3); rows as in `betting_tree.grow_tree`.
    """
    hands = small_game_hands(config)
    tree, deals = grow_tree(config, hands), _all_deals(config)
    regrets = np.zeros((num_rows(tree, hands), NUM_ACTIONS))
    deltas, strategy, sums = np.zeros_like(regrets), np.zeros_like(regrets), np.zeros_like(regrets)
    walk, totals = np.zeros(len(tree), WALK), np.zeros(len(regrets))
    for iteration in range(1, iterations + 1):
        for player in range(NUM_PLAYERS):
            write_policy(tree, regrets, totals, strategy)
            deltas[:] = 0
            improve(tree, deals, walk, strategy, deltas, sums, np.int64(player), np.float64(iteration))
            np.maximum(regrets + deltas, 0, out=regrets)
    return average_policy(tree, sums)


def _all_deals(config: HoldemConfig) -> np.ndarray[Any, np.dtype[Any]]:
    """Return every deal (n,) of `DEAL`: one card to each player, and in Leduc one to the board."""
    has_board = sum(config.board_cards) > 0
    found = list(permutations(range(config.deck_size), NUM_PLAYERS + has_board))
    deals = np.zeros(len(found), DEAL)
    for d, (first, second, *board) in enumerate(found):
        for player, card in enumerate((first, second)):
            deals["hand"][d, player, 0] = card
            if has_board:
                deals["hand"][d, player, 1] = card * config.deck_size + board[0]
        strengths = [
            (card // config.num_suits in [other // config.num_suits for other in board], card // config.num_suits)
            for card in (first, second)
        ]
        deals["sign"][d] = (strengths[0] > strengths[1]) - (strengths[0] < strengths[1])
    return deals


def average_policy(tree: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the strategy (rows, actions) in proportion to regrets or summed strategies (`regret.match_regrets`)."""
    policy = np.zeros(weights.shape)
    write_policy(tree, weights, np.zeros(len(weights)), policy)
    return policy


@kernel
def write_policy(tree: Any, weights: Any, totals: Any, policy: Any) -> None:
    """Write the strategy of regret matching (rows, actions); `totals` (rows,) is scratch space."""
    last = weights.shape[0]
    for n in range(tree.shape[0] - 1, -1, -1):
        if tree[n].player != NOBODY:
            first = np.int64(tree[n].first_row)
            match_regrets(weights[first:last].T, np.int64(tree[n].legal), last - first, totals, policy[first:last].T)
            last = first


@kernel
def improve(tree: Any, deals: Any, walk: Any, strategy: Any, deltas: Any, sums: Any, learner: Any, weight: Any) -> None:
    """Add one iteration's regrets of the `learner` to `deltas`, and its strategy, weighted, to `sums`."""
    for d in range(deals.shape[0]):
        deal = deals[d]
        walk[0].reach[0] = walk[0].reach[1] = 1.0
        for n in range(tree.shape[0]):
            _update_reach(tree, deal, walk, strategy, n)
        for n in range(tree.shape[0] - 1, -1, -1):
            node = tree[n]
            if node.player == NOBODY:
                walk[n].value = terminal_value(node, learner, deal.sign)
            else:
                row = np.int64(node.first_row) + deal.hand[node.player, node.street]
                walk[n].value = _expected_value(tree, n, row, walk, strategy)
                if node.player == learner:
                    _add_regrets(tree, n, row, walk, strategy, deltas, sums, weight)


@kernel
def _update_reach(tree: Any, deal: Any, walk: Any, strategy: Any, n: Any) -> None:
    """Write the reach probabilities of the children of node n."""
    node = tree[n]
    if node.player == NOBODY:
        return
    row = np.int64(node.first_row) + deal.hand[node.player, node.street]
    for action in range(NUM_ACTIONS):
        child = node.child[action]
        if child >= 0:
            for player in range(NUM_PLAYERS):
                walk[child].reach[player] = walk[n].reach[player]
            walk[child].reach[node.player] *= strategy[row, action]


@kernel
def _expected_value(tree: Any, n: Any, row: Any, walk: Any, strategy: Any) -> Any:
    """Return the mean value of the children of node n under the strategy."""
    value = 0.0
    for action in range(NUM_ACTIONS):
        child = tree[n].child[action]
        if child >= 0:
            value += strategy[row, action] * walk[child].value
    return value


@kernel
def _add_regrets(tree: Any, n: Any, row: Any, walk: Any, strategy: Any, deltas: Any, sums: Any, weight: Any) -> None:
    """Add the counterfactual regrets at node n to `deltas`, and the weighted strategy to `sums`."""
    own, other = walk[n].reach[tree[n].player], walk[n].reach[1 - tree[n].player]
    for action in range(NUM_ACTIONS):
        child = tree[n].child[action]
        if child >= 0:
            deltas[row, action] += other * (walk[child].value - walk[n].value)
            sums[row, action] += weight * own * strategy[row, action]


@kernel
def terminal_value(node: Any, player: Any, sign: Any) -> Any:
    """Return the chips that `player` wins at a terminal node; `sign` as in `DEAL`."""
    if node.folded != NOBODY:
        return np.float64(-node.stake if node.folded == player else node.stake)
    return np.float64(node.stake * sign * (1 - 2 * player))
