"""Stand-ins for the two opponents of the paper that are not public: named as such, and no copies of them.

Sparbot plays a near-equilibrium of an abstraction by linear programming (Billings et al. 2003). Its stand-in is the
strategy that the agent `cfr_small` plays: of another abstraction, and by counterfactual regret minimisation.

The stand-in for Vexbot is expectimax over what the opponent has been seen to do (Billings et al. 2004, section 2).
Like Vexbot it counts how often the opponent took each action after each sequence of bets, and which hands it showed
down after how many bets and raises; a decision is the best action of the whole betting tree that is left, in which the
opponent acts with the observed frequencies and shows the observed hands. Rare sequences lean on coarser classes, as
Vexbot's abstractions do; classes, weights and the treatment of cards to come are ours. It remembers one table's hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.maitrepierre2008.beliefs import STRENGTHS, TableRecords, share_on_board, write_hand_strengths
from card_baselines.solvers.agent import CfrSmall
from card_baselines.solvers.game_trees import grow_game, is_two_player_limit
from card_baselines.solvers.tree import LIMIT_ACTIONS, BettingTree
from card_envs.agent import Agent, Decisions
from card_envs.cards import NO_CARD
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.games.holdem.state import NOBODY
from card_envs.poker.hands import BOARD_CARDS, hand_number
from card_envs.poker.starting_hands import STARTING_EQUITIES, starting_hand

BINS = 10
"""Number of bins of hand strength at a showdown: the share of hands that are beaten."""
AGGRESSION = 5
"""Classes of bets and raises that a player made in a hand: 0 to 3, and more."""
SEQUENCE_WEIGHT, CLASS_WEIGHT, SHOWN_WEIGHT = 6.0, 4.0, 4.0
"""Observations that the coarser estimate counts for: of a sequence, of a class, of the hands shown."""
PRIOR = (0.15, 0.50, 0.35)
"""Prior probabilities of fold, call and raise of an unknown opponent."""

_STREETS, _LEVELS = 4, 5

BETTING = np.dtype(
    (
        np.record,
        [
            ("level", np.int8),  # bets and raises of this street
            ("made", np.int8, (2,)),  # by player: bets and raises of the hand, at most AGGRESSION - 1
        ],
    )
)
"""Classes of a node of the betting tree in the estimates."""


def describe_tree(tree: BettingTree) -> NDArray[np.void]:
    """Return a `BETTING` record for each node of a tree."""
    described = np.zeros(len(tree.player), BETTING)
    for node in range(1, len(described)):
        parent, raised = tree.parent[node], tree.action[node] == FIRST_RAISE_ACTION
        if tree.street[node] == tree.street[parent]:
            described["level"][node] = described["level"][parent] + raised
        made = described["made"][parent].copy()
        made[tree.player[parent]] += raised
        described["made"][node] = np.minimum(made, AGGRESSION - 1)
    return described


def opponent_statistics_dtype(num_nodes: int) -> Any:
    """Return the dtype of the counts of the opponent's actions and showdowns at one table."""
    return np.dtype(
        (
            np.record,
            [
                ("sequence", np.float32, (num_nodes, LIMIT_ACTIONS)),  # actions of the opponent at each node
                ("kind", np.float32, (_STREETS, _LEVELS, AGGRESSION, LIMIT_ACTIONS)),  # the same by class
                ("shown", np.float32, (AGGRESSION, AGGRESSION, BINS)),  # hands shown, by its aggression and ours
            ],
        )
    )


WORK = np.dtype(
    (
        np.record,
        [
            ("own", np.float64, (BINS,)),  # probabilities of our strength at the showdown
            ("win", np.float64, (AGGRESSION, AGGRESSION)),  # probability to win a showdown, by aggression
        ],
    )
)


class SparbotLike(CfrSmall):
    """Plays the strategy of `cfr_small`, in the place of Sparbot."""

    name = "sparbot_like"


class VexbotLike(Agent):
    """Plays the best response to the frequencies and showdowns that it has seen of its opponent at a table."""

    name = "vexbot_like"

    def __init__(self, game: Game) -> None:
        """Grow the betting tree; raises ValueError for games other than heads-up limit hold'em."""
        if not self.can_play(game):
            raise ValueError(f"agent {self.name!r} plays heads-up limit hold'em, not {game.name} with these settings")
        self._betting_tree = tree = grow_game(game.config)
        self._tree, self._betting = tree.pack(), describe_tree(tree)
        self._values = np.zeros(len(self._tree))
        self._memory = TableRecords(opponent_statistics_dtype(len(self._tree)))
        self._strengths, self._work = np.zeros(1, STRENGTHS), np.zeros(1, WORK)

    def can_play(self, game: Game) -> bool:
        """Return True for heads-up limit hold'em."""
        return is_texas_holdem(game) and is_two_player_limit(game.config)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the best action at each decision."""
        actions, rows = np.empty(len(decisions), np.int64), self._memory.find_rows(decisions.table_ids)
        respond_batch(
            decisions.views, self._betting_tree.find(decisions.views), rows, decisions.random_numbers,
            self._tree, self._betting, self._memory.records, self._values, self._strengths, self._work, actions,
        )  # fmt: skip
        return actions

    def sees_end(self, ends: Decisions) -> None:
        """Count what the opponent did, and what it showed."""
        rows, memory = self._memory.find_rows(ends.table_ids), self._memory.records
        watch_batch(ends.views, ends.seats, rows, self._tree, self._betting, memory, self._strengths)


# --- decisions ---


@kernel
def respond_batch(
    views: Any, nodes: Any, rows: Any, random_numbers: Any, tree: Any, betting: Any, memory: Any, values: Any,
    strengths: Any, work: Any, actions: Any,
) -> None:  # fmt: skip
    """Write the best action of each view's actor; `nodes` are the nodes of the tree at which they decide."""
    for j in range(views.shape[0]):
        t, m, w = views[j], memory[rows[j]], work[0]
        own = np.int64(1 if t.actor == t.button else 0)
        _own_strength(w, t, strengths[0], np.uint64(random_numbers[j] * 2.0**53))
        _compute_win_probabilities(w, m)
        number = nodes[j]
        _value_subtree(number, own, tree, betting, m, w, values)
        best, most = np.int64(CALL_ACTION), -1e300
        for action in range(LIMIT_ACTIONS):
            child = tree[number].child[action]
            if child >= 0 and values[child] >= most:  # of equal values the most aggressive
                best, most = np.int64(action), values[child]
        actions[j] = best


@kernel
def _value_subtree(number: Any, own: Any, tree: Any, betting: Any, m: Any, w: Any, values: Any) -> None:
    """Write the chips that the hand wins from each node on, from the ends of the tree backwards."""
    for k in range(tree[number].end - 1, number - 1, -1):
        node = tree[k]
        if node.player == NOBODY:
            if node.folded != NOBODY:
                values[k] = -np.float64(node.stake) if node.folded == own else np.float64(node.stake)
            else:
                win = w.win[betting[k].made[1 - own], betting[k].made[own]]
                values[k] = (2.0 * win - 1.0) * node.stake
        elif node.player == own:
            values[k] = -1e300
            for action in range(LIMIT_ACTIONS):
                if node.child[action] >= 0:
                    values[k] = max(values[k], values[node.child[action]])
        else:
            values[k] = 0.0
            for action in range(LIMIT_ACTIONS):
                if node.child[action] >= 0:
                    values[k] += frequency(k, action, tree, betting, m) * values[node.child[action]]


@kernel
def frequency(k: Any, action: Any, tree: Any, betting: Any, m: Any) -> Any:
    """Return how often the opponent is expected to take a legal action at node `k`."""
    node, b = tree[k], betting[k]
    street, level, made = np.int64(node.street), np.int64(b.level), np.int64(b.made[node.player])
    legal, seen, of_kind = 0.0, 0.0, 0.0
    for each in range(LIMIT_ACTIONS):
        if node.child[each] >= 0:
            legal += PRIOR[each]
            seen += m.sequence[k, each]
            of_kind += m.kind[street, level, made, each]
    coarse = (m.kind[street, level, made, action] + CLASS_WEIGHT * PRIOR[action] / legal) / (of_kind + CLASS_WEIGHT)
    return (m.sequence[k, action] + SEQUENCE_WEIGHT * coarse) / (seen + SEQUENCE_WEIGHT)


@kernel
def _own_strength(w: Any, t: Any, s: Any, seed: Any) -> None:
    """Write probabilities of the actor's strength at the showdown: exact on the river, else one bin around the mean."""
    for k in range(BINS):
        w.own[k] = 0.0
    first, second = np.int64(t.deck[2 * t.actor]), np.int64(t.deck[2 * t.actor + 1])
    if t.street == 0:
        share, spread = STARTING_EQUITIES[starting_hand(first, second)], np.int64(3)
    else:
        write_hand_strengths(s, t, np.int64(BOARD_CARDS[t.street]), seed)
        share, spread = s.share[hand_number(first, second)], 3 - np.int64(t.street)
    centre: Any = min(np.int64(share * BINS), BINS - 1)
    total = 0.0
    for k in range(centre - spread, centre + spread + 1):
        weight = spread + 1.0 - abs(k - centre)
        w.own[min(max(k, 0), BINS - 1)] += weight
        total += weight
    for k in range(BINS):
        w.own[k] /= total


@kernel
def _compute_win_probabilities(w: Any, m: Any) -> None:
    """Write the probability to win a showdown against the hands that were shown after so many bets of each side."""
    for theirs in range(AGGRESSION):
        whole = 0.0
        for ours in range(AGGRESSION):
            for k in range(BINS):
                whole += m.shown[theirs, ours, k]
        for ours in range(AGGRESSION):
            won, seen = 0.0, 0.0
            for k in range(BINS):
                seen += m.shown[theirs, ours, k]
            for k in range(BINS):
                coarse = 1.0 / BINS
                for other in range(AGGRESSION):
                    coarse += m.shown[theirs, other, k] / SHOWN_WEIGHT
                coarse /= 1.0 + whole / SHOWN_WEIGHT
                share = (m.shown[theirs, ours, k] + SHOWN_WEIGHT * coarse) / (seen + SHOWN_WEIGHT)
                for mine in range(BINS):
                    won += w.own[mine] * share * (1.0 if mine > k else (0.5 if mine == k else 0.0))
            w.win[theirs, ours] = won


# --- observations ---


@kernel
def watch_batch(views: Any, seats: Any, rows: Any, tree: Any, betting: Any, memory: Any, strengths: Any) -> None:
    """Count the actions of each view's opponent, and its hand where it was shown."""
    for j in range(views.shape[0]):
        t, m = views[j], memory[rows[j]]
        own = np.int64(1 if seats[j] == t.button else 0)
        end = _watch_betting(t, own, tree, betting, m)
        first = np.int64(t.deck[2 * (1 - seats[j])])
        if tree[end].folded == NOBODY and first != NO_CARD:
            second = np.int64(t.deck[2 * (1 - seats[j]) + 1])
            share = share_on_board(strengths[0], t, hand_number(first, second))
            place = min(np.int64(share * BINS), BINS - 1)
            m.shown[betting[end].made[1 - own], betting[end].made[own], place] += 1.0


@kernel
def _watch_betting(t: Any, own: Any, tree: Any, betting: Any, m: Any) -> Any:
    """Walk through the betting of a hand that is over; return the node of its end."""
    number = np.int64(0)
    for street in range(np.int64(t.street) + 1):
        raises = np.int64(t.street_raises[street])
        if raises > 0:
            bettor = np.int64(1 if t.raiser[street, 0] == t.button else 0)
            if tree[number].player != bettor:
                number = _count(number, np.int64(CALL_ACTION), own, tree, betting, m)
            for _ in range(raises):
                number = _count(number, np.int64(FIRST_RAISE_ACTION), own, tree, betting, m)
        is_last = street == t.street
        folded = _find_folder(t) if is_last else np.int64(NOBODY)
        while tree[number].player != NOBODY and tree[number].street == street:
            action = FOLD_ACTION if tree[number].player == folded and _owes(tree, number) else CALL_ACTION
            number = _count(number, np.int64(action), own, tree, betting, m)
    return number


@kernel
def _owes(tree: Any, number: Any) -> Any:
    """Return True if folding is legal at a node."""
    return tree[number].child[FOLD_ACTION] >= 0


@kernel
def _find_folder(t: Any) -> Any:
    """Return the player who folded, NOBODY at a showdown."""
    for seat in range(2):
        if (np.int64(t.in_hand) >> seat) & 1 == 0:
            return np.int64(1 if seat == t.button else 0)
    return np.int64(NOBODY)


@kernel
def _count(number: Any, action: Any, own: Any, tree: Any, betting: Any, m: Any) -> Any:
    """Count an action if it is the opponent's; return the node after it."""
    node, b = tree[number], betting[number]
    if node.player != own:
        m.sequence[number, action] += 1.0
        m.kind[np.int64(node.street), np.int64(b.level), np.int64(b.made[node.player]), action] += 1.0
    return np.int64(node.child[action])
