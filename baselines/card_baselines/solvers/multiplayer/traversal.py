"""Traversals of hold'em deals in which one player learns with all of its hands, on the tables of the engine.

Self-public chance sampling (Johanson, Bard, Lanctot, Gibson and Bowling, AAMAS 2012) for any number of players: a board
and the hands of all others are sampled, and so are their actions; the learner tries all actions with every hand that it
can hold. Hands that no decision and no showdown tells apart are one. Hands with very negative regrets for an action are
left out of most of its subtree (Brown and Sandholm 2019, Superhuman AI for multiplayer poker, supplement).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.lookup import hash_slot
from card_baselines.solvers.multiplayer.public_state import NO_STATE, find_slot, find_state, public_state
from card_baselines.solvers.regret import match_regrets
from card_baselines.solvers.sampled_cfr import sample_action
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has
from card_envs.games.holdem.kernels import apply_action
from card_envs.games.holdem.showdown import award_pots, hand_rank_at
from card_envs.games.holdem.state import MAX_BOARD, MAX_SEATS, NOBODY
from card_envs.poker.hands import NUM_HANDS, hand_number
from card_envs.poker.starting_hands import NUM_STARTING_HANDS
from card_envs.rng import random_unit
from card_envs.typing import Floats32

_SCALE = 1e-6
"""Factor of the linear weights, which keeps sums in the range of float32."""
_TRIES_ALL = 0.05
"""Probability that a traversal tries all actions with all hands."""
_HOPELESS = 20.0
"""Other traversals leave out actions of a bucket whose regrets, summed over its hands, are below minus this number of
stacks, times the latest weight."""
_NUM_OUTCOMES = 2 * MAX_SEATS
_NO_ROW = -1
_NOTHING = -1
_SLOT_BITS = 11
_BUCKET_BITS = 16
"""Buckets are stored as uint16."""
_ZERO = np.float32(0)


class Hands(NamedTuple):
    """The hands that the learner can hold, given the board and the hands of all others; n of them, or n kinds."""

    size: NDArray[np.int64]
    """(1,): n."""
    num_equal: Floats32
    """(n,): number of hands of each kind."""
    first: NDArray[np.int64]
    """(n,): a card of each hand."""
    second: NDArray[np.int64]
    """(n,): the other card."""
    bucket: NDArray[np.int64]
    """(streets, n): bucket of each hand."""
    outcome: NDArray[np.int64]
    """(n,): number of the others' hands that it beats, twice, plus that of those that it ties. Hands with the same
    number win the same at every showdown."""
    ranks: NDArray[np.int64]
    """(seats,): ranks of the dealt hands."""
    place: NDArray[np.int64]
    """(1326,): index of each hand on the board in the arrays of `BoardBuckets`."""
    keys: NDArray[np.int64]
    """(n,): scratch space of `merge_equal_hands`."""
    slots: NDArray[np.int64]
    """(2048,): likewise, a hash table of the indices of keys."""

    @staticmethod
    def allocate(num_streets: int) -> Hands:
        """Return arrays for all hands."""
        arrays = [np.zeros(NUM_HANDS, np.int64) for _ in range(4)]
        return Hands(
            size=np.zeros(1, np.int64),
            num_equal=np.zeros(NUM_HANDS, np.float32),
            first=arrays[0],
            second=arrays[1],
            bucket=np.zeros((num_streets, NUM_HANDS), np.int64),
            outcome=arrays[2],
            ranks=np.zeros(MAX_SEATS, np.int64),
            place=arrays[3],
            keys=np.zeros(NUM_HANDS, np.int64),
            slots=np.zeros(1 << _SLOT_BITS, np.int64),
        )


class Frames(NamedTuple):
    """The learner's decisions on the path to the current table; the first axis is their depth."""

    tables: NDArray[Any]
    """(depth,): tables at which the learner acts."""
    row: NDArray[np.int64]
    """(depth,): row of the first bucket in the table of regrets, -1 without a row."""
    action: NDArray[np.int64]
    """(depth,): the action that is being tried."""
    num_active: NDArray[np.int64]
    """(depth,): number of hands that are visited."""
    active: NDArray[np.int64]
    """(depth, n): these hands."""
    reach: Floats32
    """(depth, n): probability that the learner's own actions lead here with each hand."""
    policy: Floats32
    """(depth, buckets, num_actions)"""
    values: Floats32
    """(depth, num_actions, n): reward after each action; NaN where a hand does not try it."""
    sums: Floats32
    """(buckets, num_actions): scratch space."""
    sampled: Floats32
    """(1, num_actions): policy of another player."""
    totals: Floats32
    """(buckets,): scratch space of `regret.match_regrets`."""
    no_regrets: Floats32
    """(buckets, num_actions): zeros, for information states without a row."""
    by_outcome: Floats32
    """(20,): scratch space."""
    of_game: Floats32
    """(n,): value of the whole hand for each hand, which nothing uses."""

    @staticmethod
    def allocate(tables: NDArray[Any], num_actions: int, num_buckets: int) -> Frames:
        """Return frames for as many decisions as there are tables."""
        depth = len(tables)
        return Frames(
            tables=tables,
            row=np.zeros(depth, np.int64),
            action=np.zeros(depth, np.int64),
            num_active=np.zeros(depth, np.int64),
            active=np.zeros((depth, NUM_HANDS), np.int64),
            reach=np.zeros((depth, NUM_HANDS), np.float32),
            policy=np.zeros((depth, num_buckets, num_actions), np.float32),
            values=np.zeros((depth, num_actions, NUM_HANDS), np.float32),
            sums=np.zeros((num_buckets, num_actions), np.float32),
            sampled=np.zeros((1, num_actions), np.float32),
            totals=np.zeros(num_buckets, np.float32),
            no_regrets=np.zeros((num_buckets, num_actions), np.float32),
            by_outcome=np.zeros(_NUM_OUTCOMES, np.float32),
            of_game=np.zeros(NUM_HANDS, np.float32),
        )


class Learner(NamedTuple):
    """The player that learns in a traversal."""

    seat: np.int64
    weight: np.float32
    """Weight of the iteration."""
    least: np.float64
    """Actions with smaller regrets, and probability 0, are not tried."""


@kernel
def learn_from_deal(
    t: Any, ranked: Any, rows: Any, streams: Any, states: Any, hands: Any, frames: Any, number: Any
) -> None:
    """Traverse a deal once for each seat.

    Args:
        t: Table before the first decision.
        ranked: Record of `RANKED` for its board.
        rows: (streets, n): buckets of the ranked hands.
        streams: (1,) random stream.
        states: `StateTable`, changed in place.
        hands: `Hands`, scratch space.
        frames: `Frames`, scratch space.
        number: Number of the iteration, from 1.
    """
    stream, weight = streams[0], number * _SCALE
    for place in range(ranked.num_hands):
        hands.place[ranked.number[place]] = place
    for seat in range(t.num_seats):
        write_own_hands(t, np.int64(seat), ranked, rows, hands)
        merge_equal_hands(hands)
        least: Any = -np.inf
        if random_unit(stream) >= _TRIES_ALL:
            least = -_HOPELESS * weight * t.largest_amount / t.chips_per_reward
        traverse(t, rows, stream, states, hands, frames, Learner(np.int64(seat), np.float32(weight), least))


@kernel
def write_own_hands(t: Any, seat: Any, ranked: Any, rows: Any, hands: Any) -> None:
    """Write the hands that the player in a seat can hold, given the cards of all others."""
    used = np.int64(0)
    for other in range(t.num_seats):
        hands.ranks[other] = hand_rank_at(t, np.int64(other), np.int64(MAX_BOARD))
        if other != seat:
            used |= np.int64(1) << np.int64(t.deck[2 * other]) | np.int64(1) << np.int64(t.deck[2 * other + 1])
    size = np.int64(0)
    for place in range(ranked.num_hands):
        a, b = ranked.first[place], ranked.second[place]
        if ((used >> a) | (used >> b)) & 1 == 0:
            hands.first[size], hands.second[size] = a, b
            for street in range(rows.shape[0]):
                hands.bucket[street, size] = rows[street, place]
            outcome = np.int64(0)
            for other in range(t.num_seats):
                if other != seat:
                    own, theirs = ranked.rank[place], hands.ranks[other]
                    outcome += 2 * np.int64(own < theirs) + np.int64(own == theirs)
            hands.outcome[size], hands.num_equal[size] = outcome, 1
            size += 1
    hands.size[0] = size


@kernel
def merge_equal_hands(hands: Any) -> None:
    """Make one of the hands that have the same bucket on every street and the same outcome, and count them.

    They are always played alike and win alike, so that sums over hands need the product with the count only.
    """
    count, first, second, buckets, outcome = hands.num_equal, hands.first, hands.second, hands.bucket, hands.outcome
    keys, slots, kinds = hands.keys, hands.slots, np.int64(0)
    slots[:] = _NOTHING
    for k in range(hands.size[0]):
        key = outcome[k] * NUM_STARTING_HANDS + buckets[0, k]
        for street in range(1, buckets.shape[0]):
            key = key << _BUCKET_BITS | buckets[street, k]
        slot = hash_slot(key, _SLOT_BITS)
        while slots[slot] != _NOTHING and keys[slots[slot]] != key:
            slot = (slot + 1) & ((1 << _SLOT_BITS) - 1)
        if slots[slot] == _NOTHING:
            slots[slot], keys[kinds], count[kinds], outcome[kinds] = kinds, key, 0, outcome[k]
            first[kinds], second[kinds] = first[k], second[k]
            for street in range(buckets.shape[0]):
                buckets[street, kinds] = buckets[street, k]
            kinds += 1
        count[slots[slot]] += 1
    hands.size[0] = kinds


@kernel
def traverse(t: Any, rows: Any, stream: Any, states: Any, hands: Any, frames: Any, learner: Any) -> None:
    """Try all actions of the learner, depth first, and add to its regrets and its average strategy."""
    frames.tables[0] = t
    frames.num_active[0] = hands.size[0]
    for k in range(hands.size[0]):
        frames.active[0, k] = k
        frames.reach[0, k] = 1
    depth, is_new = np.int64(-1), True
    while is_new or depth >= 0:
        if is_new:
            is_new = False
            if _play_to(frames, depth + 1, rows, stream, states, hands, learner):
                depth += 1
            elif depth >= 0:
                _write_payoffs(frames, depth, hands, learner)
            continue
        action = _next_action(frames, depth)
        if action < 0:
            _learn(frames, depth, states, hands, learner)
            depth -= 1
            continue
        frames.action[depth] = action
        is_new = _enter(frames, depth, action, states, hands, learner) > 0
        if is_new:
            frames.tables[depth + 1] = frames.tables[depth]
            apply_action(frames.tables[depth + 1], action)


@kernel
def _play_to(frames: Any, depth: Any, rows: Any, stream: Any, states: Any, hands: Any, learner: Any) -> Any:
    """Sample the actions of others until the learner acts, and open a frame for its decision.

    Returns False if the hand ends before.
    """
    t, policy, totals = frames.tables[depth], frames.sampled, frames.totals
    slots, keys, first_row, regrets = states.slots, states.keys, states.first_row, states.regrets
    place_of, no_regrets = hands.place, frames.no_regrets
    while t.actor != NOBODY:
        state, seat = public_state(t), np.int64(t.actor)
        index = np.int64(slots[find_slot(slots, keys, state)])
        if index == NO_STATE:
            index = find_state(states, state)
        row = np.int64(_NO_ROW) if index == NO_STATE else first_row[index]
        if seat == learner.seat:
            frames.row[depth], frames.action[depth] = row, -1
            if index != NO_STATE:
                states.visits[index] += 1
            _open(frames, depth, states, hands, learner)
            return True
        if row != _NO_ROW:
            row += rows[t.street, place_of[hand_number(np.int64(t.deck[2 * seat]), np.int64(t.deck[2 * seat + 1]))]]
        write_policy(regrets, row, np.int64(t.legal), 1, no_regrets, totals, policy)
        apply_action(t, sample_action(policy, 0, random_unit(stream)))
    return False


@kernel
def _open(frames: Any, depth: Any, states: Any, hands: Any, learner: Any) -> None:
    """Write the policy of the learner's decision for all buckets, and add it to the average strategy."""
    t, row, policy, sums = frames.tables[depth], frames.row[depth], frames.policy[depth], frames.sums
    street = np.int64(t.street)
    size = np.int64(states.num_buckets[street])
    write_policy(states.regrets, row, np.int64(t.legal), size, frames.no_regrets, frames.totals, policy)
    if row == _NO_ROW:
        return
    active, reach, buckets, count = frames.active[depth], frames.reach[depth], hands.bucket[street], hands.num_equal
    for b in range(size):
        sums[b, 0] = 0
    for i in range(frames.num_active[depth]):
        k = active[i]
        sums[buckets[k], 0] += count[k] * reach[k]
    strategy, weight = states.sums, learner.weight
    for b in range(size):
        if sums[b, 0] > 0:
            for action in range(policy.shape[1]):
                strategy[row + b, action] += weight * sums[b, 0] * policy[b, action]


@kernel
def write_policy(regrets: Any, row: Any, legal: Any, size: Any, no_regrets: Any, totals: Any, policy: Any) -> None:
    """Write the policy (size, actions) of regret matching for `size` rows from `row` on, uniform if there is no row."""
    if row == _NO_ROW:
        match_regrets(no_regrets.T, legal, size, totals, policy.T)
    else:
        match_regrets(regrets.T, legal, size, totals, policy.T, row)


@kernel
def _next_action(frames: Any, depth: Any) -> Any:
    """Return the legal action after the one that was tried last, -1 if there is none."""
    legal = np.int64(frames.tables[depth].legal)
    for action in range(frames.action[depth] + 1, frames.policy.shape[2]):
        if (legal >> action) & 1:
            return np.int64(action)
    return np.int64(-1)


@kernel
def _enter(frames: Any, depth: Any, action: Any, states: Any, hands: Any, learner: Any) -> Any:
    """List the hands that try an action, with their reach probabilities after it; return their number."""
    policy, row, values = frames.policy[depth], frames.row[depth], frames.values[depth, action]
    buckets, regrets, least = hands.bucket[frames.tables[depth].street], states.regrets, learner.least
    active, reach = frames.active[depth], frames.reach[depth]
    active_after, reach_after = frames.active[depth + 1], frames.reach[depth + 1]
    num = np.int64(0)
    for i in range(frames.num_active[depth]):  # without branches: which hands try an action follows no pattern
        k = active[i]
        b = buckets[k]
        values[k], active_after[num], reach_after[k] = np.nan, k, reach[k] * policy[b, action]
        is_tried = np.int64(policy[b, action] > 0) | np.int64(row == _NO_ROW)
        num += is_tried | np.int64(regrets[max(row, 0) + b, action] >= least)
    frames.num_active[depth + 1] = num
    return num


@kernel
def _write_payoffs(frames: Any, depth: Any, hands: Any, learner: Any) -> None:
    """Write the rewards of a finished hand, at the table after the action that was tried last, for all active hands."""
    t, values, by_outcome = frames.tables[depth + 1], frames.values[depth, frames.action[depth]], frames.by_outcome
    unit, seat = np.float32(t.chips_per_reward), learner.seat
    is_showdown = has(t.in_hand, seat) and np.int64(t.in_hand) & (np.int64(t.in_hand) - 1) != 0
    active, outcomes = frames.active[depth + 1], hands.outcome
    for place in range(_NUM_OUTCOMES):
        by_outcome[place] = np.nan
    for i in range(frames.num_active[depth + 1]):
        k = active[i]
        outcome = outcomes[k] if is_showdown else np.int64(0)
        if np.isnan(by_outcome[outcome]):
            t.deck[2 * seat], t.deck[2 * seat + 1] = hands.first[k], hands.second[k]
            if is_showdown:
                award_pots(t)
            by_outcome[outcome] = np.float32(t.payoff[seat]) / unit
        values[k] = by_outcome[outcome]


@kernel
def _learn(frames: Any, depth: Any, states: Any, hands: Any, learner: Any) -> None:
    """Add the regrets of a decision whose actions all have values; pass the value of the policy to the one before."""
    street, legal, row = frames.tables[depth].street, np.int64(frames.tables[depth].legal), frames.row[depth]
    policy, values, active, sums = frames.policy[depth], frames.values[depth], frames.active[depth], frames.sums
    buckets, count, size = hands.bucket[street], hands.num_equal, states.num_buckets[street]
    before = frames.values[depth - 1, frames.action[depth - 1]] if depth > 0 else frames.of_game
    for b in range(size):
        for action in range(policy.shape[1]):
            sums[b, action] = 0
    for i in range(frames.num_active[depth]):
        k = active[i]
        before[k] = _sum_regrets(policy, buckets[k], values, k, legal, count[k], sums)
    if row != _NO_ROW:
        regrets, weight = states.regrets, learner.weight
        for b in range(size):
            for action in range(policy.shape[1]):
                regrets[row + b, action] += weight * sums[b, action]


@kernel
def _sum_regrets(policy: Any, b: Any, values: Any, k: Any, legal: Any, count: Any, sums: Any) -> Any:
    """Add the regrets of the hands of kind k, in bucket b, to `sums` (buckets, num_actions), and return their value."""
    expected = _ZERO
    for action in range(policy.shape[1]):
        share = policy[b, action]
        expected += share * values[action, k] if share > 0 else _ZERO
    for action in range(policy.shape[1]):
        value = values[action, k]
        is_tried = (legal >> action) & 1 != 0 and not np.isnan(value)
        sums[b, action] += count * (value - expected) if is_tried else _ZERO
    return expected
