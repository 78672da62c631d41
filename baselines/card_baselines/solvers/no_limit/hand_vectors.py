"""Vector operations over all hands that can be held with a board: reach probabilities, terminal values, sums.

The *place* of a hand is its index in the order of strength, weakest first (`Hands`); vectors are indexed by place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker.hands import NUM_HANDS

_ZERO = np.float32(0)


class Hands(NamedTuple):
    """The hands that can be held with a board, by place, and their buckets; `arrange_hands` writes it."""

    size: NDArray[np.int64]
    """(1,): number of hands."""
    first: NDArray[np.int64]
    """(hands,): a card of each hand."""
    second: NDArray[np.int64]
    """(hands,): the other card."""
    end: NDArray[np.int64]
    """(hands,): place after the last hand of equal strength."""
    bucket: NDArray[np.int64]
    """(streets, hands): bucket of each hand."""
    order: NDArray[np.int64]
    """(streets, hands): places sorted by bucket."""
    begin: NDArray[np.int64]
    """(streets, buckets + 1): start of each bucket in `order`."""
    num_buckets: NDArray[np.int64]
    """(streets,): number of buckets on each street."""

    @staticmethod
    def allocate(num_buckets: NDArray[np.int64]) -> Hands:
        """Return arrays for `num_buckets` (streets,) buckets on each street."""
        streets = len(num_buckets)
        return Hands(
            size=np.zeros(1, np.int64),
            first=np.zeros(NUM_HANDS, np.int64),
            second=np.zeros(NUM_HANDS, np.int64),
            end=np.zeros(NUM_HANDS, np.int64),
            bucket=np.zeros((streets, NUM_HANDS), np.int64),
            order=np.zeros((streets, NUM_HANDS), np.int64),
            begin=np.zeros((streets, int(num_buckets.max()) + 2), np.int64),
            num_buckets=num_buckets,
        )


@kernel
def arrange_hands(ranked: Any, buckets: Any, hands: Any) -> None:
    """Write `hands` from a record of `RANKED` and the bucket of each place, (streets, hands)."""
    num = np.int64(ranked.num_hands)
    hands.size[0] = num
    end: Any = num
    for h in range(num - 1, -1, -1):
        hands.first[h], hands.second[h] = ranked.first[h], ranked.second[h]
        if h + 1 < num and ranked.rank[h] != ranked.rank[h + 1]:
            end = h + 1
        hands.end[h] = end
    for street in range(hands.num_buckets.shape[0]):
        begin, size = hands.begin[street], hands.num_buckets[street]
        for b in range(size + 2):
            begin[b] = 0
        for h in range(num):
            hands.bucket[street, h] = buckets[street, h]
            begin[buckets[street, h] + 2] += 1
        for b in range(2, size + 2):
            begin[b] += begin[b - 1]
        for h in range(num):  # begin[b + 1] moves from the start of bucket b to its end
            b = buckets[street, h]
            hands.order[street, begin[b + 1]] = h
            begin[b + 1] += 1


@kernel
def write_zeros(values: Any, hands: Any) -> None:
    """Write 0 for every hand."""
    for h in range(hands.size[0]):
        values[h] = _ZERO


@kernel
def sum_by_bucket(values: Any, hands: Any, street: Any, size: Any, sums: Any) -> None:
    """Write the sum of the values of the hands in each bucket."""
    order, begin = hands.order[street], hands.begin[street]
    for b in range(size):
        total = _ZERO
        for place in range(begin[b], begin[b + 1]):
            total += values[order[place]]
        sums[b] = total


@kernel
def multiply_reach(before: Any, shares: Any, bucket: Any, after: Any, hands: Any) -> None:
    """Write reach probabilities times the probability of an action (buckets,)."""
    for h in range(hands.size[0]):
        after[h] = before[h] * shares[bucket[h]]


@kernel
def keep_chosen(before: Any, chosen: Any, place: Any, after: Any, hands: Any) -> None:
    """Write reach probabilities after the action at `place`, which the responder takes with the hands that chose it."""
    for h in range(hands.size[0]):
        after[h] = before[h] if chosen[h] == place else _ZERO


@kernel
def write_fold_values(reach: Any, stake: Any, hands: Any, by_card: Any, values: Any) -> None:
    """Write the learner's values after a fold: the stake times the reach of the opponent's compatible hands."""
    for card in range(DECK_SIZE):
        by_card[card] = _ZERO
    total = _ZERO
    for h in range(hands.size[0]):
        weight = reach[h]
        by_card[hands.first[h]] += weight
        by_card[hands.second[h]] += weight
        total += weight
    for h in range(hands.size[0]):
        values[h] = stake * (total - by_card[hands.first[h]] - by_card[hands.second[h]] + reach[h])


@kernel
def write_showdown_values(reach: Any, stake: Any, hands: Any, by_card: Any, values: Any) -> None:
    """Write the learner's values at a showdown: stake times (reach of the hands it beats - reach of the better hands).

    Hands are added to running sums in the order of their strength, one group of equal hands after the other: the sums
    before a group are the hands that it beats, the sums after it also contain the hands that it ties with.
    """
    for card in range(DECK_SIZE):
        by_card[card] = _ZERO
    size, total, begin = hands.size[0], _ZERO, np.int64(0)
    for h in range(size):
        values[h] = reach[h]
    end = hands.end[0]
    while begin < size:
        for h in range(begin, end):
            weight = reach[h]
            by_card[hands.first[h]] += weight
            by_card[hands.second[h]] += weight
            total += weight
        following = hands.end[end] if end < size else size
        for h in range(begin, following):
            values[h] += total - by_card[hands.first[h]] - by_card[hands.second[h]]
        begin, end = end, following
    for h in range(size):
        values[h] = stake * (values[h] - (total - by_card[hands.first[h]] - by_card[hands.second[h]] + reach[h]))


@kernel
def sum_actions(values: Any, num: Any, target: Any, hands: Any) -> None:
    """Write the sum of the values after the opponent's `num` actions, which are weighted by its reach."""
    write_zeros(target, hands)
    for k in range(num):
        after = values[k]
        for h in range(hands.size[0]):
            target[h] += after[h]


@kernel
def take_best(values: Any, num: Any, target: Any, chosen: Any, hands: Any) -> None:
    """Write the largest of the values after `num` actions, and the place of the action that has it."""
    for h in range(hands.size[0]):
        target[h], chosen[h] = values[0, h], 0
    for k in range(1, num):
        after = values[k]
        for h in range(hands.size[0]):
            if after[h] > target[h]:
                target[h], chosen[h] = after[h], k


@kernel
def follow_policy(values: Any, policy: Any, num: Any, bucket: Any, target: Any, hands: Any) -> None:
    """Write the mean of the values after `num` actions under the learner's policy (actions, buckets)."""
    write_zeros(target, hands)
    for k in range(num):
        shares, after = policy[k], values[k]
        for h in range(hands.size[0]):
            target[h] += shares[bucket[h]] * after[h]
