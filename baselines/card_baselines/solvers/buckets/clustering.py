"""Compute the tables of `HandBuckets`: histograms of equity on all canonical flops and turns, clustered by k-means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import (
    NUM_BINS,
    NUM_GROUPS,
    NUM_STARTING_HANDS,
    STARTING_HANDS,
    HandBuckets,
    compare_with_groups,
    count_equities,
    cumulate,
    nearest,
)
from card_baselines.solvers.buckets.suit_isomorphism import canonical_boards
from card_baselines.solvers.hands import RANKED, rank_hands
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker.hands import BOARD_SIZE, NUM_HANDS
from card_envs.rng import make_generator
from card_envs.typing import Floats32

_SAMPLE = 100_000  # hands that are clustered
_TURN_BOARDS, _RIVER_BOARDS = 1000, 400  # random boards from which these hands are drawn
_AT_ONCE = 1000  # turn boards whose histograms are in memory at a time
_ROUNDS = 15  # iterations of k-means


def make_buckets(width: int, seed: int) -> HandBuckets:
    """Return buckets, width * width on each of flop, turn and river; takes some minutes of one core."""
    rng = make_generator(seed)
    canonical = canonical_boards(3)
    flops = histograms(canonical.boards)
    groups = group_starting_hands(flops, rng)
    drawn = rng.choice(len(canonical.boards), 2 * _SAMPLE, p=canonical.weights)
    flop_tree = grow_centres(_sample_features(flops, drawn, rng), width, rng)
    flop = assign(flop_tree, flops)
    del flops
    turn_tree = grow_centres(_turn_features(rng), width, rng)
    river_tree = grow_centres(_river_features(groups, rng), width, rng)
    return HandBuckets(flop, turn_tree, river_tree, groups)


def turn_table(buckets: HandBuckets) -> NDArray[np.uint16]:
    """Return the bucket of each hand on each canonical turn board, (16432, 1326)."""
    boards = canonical_boards(4).boards
    parts = [assign(buckets.turn, histograms(boards[k : k + _AT_ONCE])) for k in range(0, len(boards), _AT_ONCE)]
    return np.concatenate(parts)


def check_turn_table(buckets: HandBuckets, table: NDArray[np.uint16]) -> None:
    """Raise ValueError unless an array of a file can be the `turn_table` of buckets."""
    shape = len(canonical_boards(4).boards), NUM_HANDS
    if table.dtype != np.uint16 or table.shape != shape or table.max() >= buckets.hands_by_street[2]:
        raise ValueError(
            f"the table of the turn's buckets must be uint16 of shape {shape}, below the number of buckets"
        )


def histograms(boards: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Return the histogram of each hand's equity over all rivers, (boards, 1326, NUM_BINS), for flops or turn boards.

    Histograms of hands that share a card with the board are 0.
    """
    counts = np.zeros((len(boards), NUM_HANDS, NUM_BINS), np.uint16)
    _count_all(boards, counts, np.zeros(1, RANKED), *_workspace(), np.zeros(BOARD_SIZE, np.int64))
    return counts


def _workspace(*columns: int) -> tuple[Floats32, Floats32, Floats32]:
    """Return the scratch arrays `ones` or `members`, `sums` and `values` of the kernels in `hand_buckets`."""
    shapes = [(NUM_HANDS, *columns), (DECK_SIZE + 1, *columns), (2, NUM_HANDS, *columns)[not columns :]]
    return np.ones(shapes[0], np.float32), np.zeros(shapes[1], np.float32), np.zeros(shapes[2], np.float32)


@kernel
def _count_all(boards: Any, counts: Any, ranked: Any, ones: Any, sums: Any, values: Any, board: Any) -> None:
    """Write the result of `histograms`; `board` (5,) is scratch space."""
    known = boards.shape[1]
    for row in range(boards.shape[0]):
        used = np.int64(0)
        for k in range(known):
            board[k] = boards[row, k]
            used |= np.int64(1) << board[k]
        for turn in range(DECK_SIZE if known < 4 else 1):
            if known < 4:
                if (used >> turn) & 1:
                    continue
                board[3] = turn
            for river in range(turn + 1 if known < 4 else 0, DECK_SIZE):
                if (used >> river) & 1 == 0:
                    board[4] = river
                    rank_hands(board, ranked[0])
                    count_equities(ranked[0], ones, sums, values, counts[row])


def group_starting_hands(flops: NDArray[np.uint16], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the group (169,) of each starting hand, by its distribution of equity; group 0 is the weakest."""
    by_hand = np.einsum("f,fhb->hb", canonical_boards(3).counts.astype(np.float64), flops.astype(np.float64))
    totals = np.zeros((NUM_STARTING_HANDS, NUM_BINS))
    np.add.at(totals, STARTING_HANDS, by_hand)
    features = np.cumsum(totals / totals.sum(axis=1, keepdims=True), axis=1)[:, :-1].astype(np.float32)
    centres = k_means(features[STARTING_HANDS], NUM_GROUPS, rng)
    centres = centres[np.argsort(-centres.sum(axis=1))]
    return _closest(features, centres)


def _sample_features(counts: NDArray[np.uint16], boards: NDArray[np.int64], rng: np.random.Generator) -> Floats32:
    """Return the features of a random hand on each of the rows `boards` of `counts`, at most `_SAMPLE` of them."""
    taken = counts[boards, rng.integers(NUM_HANDS, size=len(boards))].astype(np.float32)
    taken = taken[taken.sum(axis=1) > 0][:_SAMPLE]
    features = np.cumsum(taken, axis=1) / taken.sum(axis=1, keepdims=True)
    return np.ascontiguousarray(features[:, :-1], np.float32)


def _turn_features(rng: np.random.Generator) -> Floats32:
    """Return the features of random hands on random turn boards."""
    boards = np.array([rng.choice(DECK_SIZE, 4, replace=False) for _ in range(_TURN_BOARDS)], np.int64)
    return _sample_features(histograms(boards), np.repeat(np.arange(len(boards)), 2 * _SAMPLE // len(boards)), rng)


def _river_features(groups: NDArray[np.int64], rng: np.random.Generator) -> Floats32:
    """Return the features of random hands on random river boards."""
    ranked, (members, sums, values) = np.zeros(1, RANKED), _workspace(NUM_GROUPS)
    features, taken = np.zeros((NUM_HANDS, NUM_GROUPS), np.float32), []
    for _ in range(_RIVER_BOARDS):
        rank_hands(rng.choice(DECK_SIZE, BOARD_SIZE, replace=False).astype(np.int64), ranked[0])
        compare_with_groups(ranked[0], groups, members, sums, values, features)
        hands = rng.choice(int(ranked[0].num_hands), _SAMPLE // _RIVER_BOARDS, replace=False)
        taken.append(features[hands])
    return np.concatenate(taken)


# --- clusters -------------------------------------------------------------------------------------------------------


def grow_centres(features: Floats32, width: int, rng: np.random.Generator) -> Floats32:
    """Return a tree of centres (1 + width, features, width): `width` clusters, each split into `width` clusters."""
    tree = np.zeros((1 + width, features.shape[1], width), np.float32)
    top = k_means(features, width, rng)
    tree[0] = top.T
    groups = _closest(features, top)
    for group in range(width):
        tree[group + 1] = k_means(features[groups == group], width, rng).T
    return tree


def k_means(points: Floats32, num_centres: int, rng: np.random.Generator) -> Floats32:
    """Return centres (num_centres, features) by Lloyd's algorithm; empty clusters restart at random points."""
    centres = points[rng.choice(len(points), num_centres, replace=len(points) < num_centres)].copy()
    for _ in range(_ROUNDS):
        owner = _closest(points, centres)
        sizes = np.bincount(owner, minlength=num_centres)
        for d in range(points.shape[1]):
            sums = np.bincount(owner, points[:, d], minlength=num_centres)
            centres[:, d] = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres[:, d])
        empty = np.flatnonzero(sizes == 0)
        centres[empty] = points[rng.integers(len(points), size=len(empty))]
    return centres


def _closest(points: Floats32, centres: Floats32) -> NDArray[np.int64]:
    """Return the index of the nearest centre of each point."""
    return np.asarray(((centres**2).sum(axis=1) - 2 * points @ centres.T).argmin(axis=1), np.int64)


def assign(tree: Floats32, counts: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return the bucket of each hand on each board, (boards, 1326), given histograms; 0 where they share a card."""
    table = np.zeros(counts.shape[:2], np.uint16)
    _assign_all(tree, counts, table, np.zeros((1, NUM_BINS - 1), np.float32), np.zeros(tree.shape[2], np.float32))
    return table


@kernel
def _assign_all(tree: Any, counts: Any, table: Any, features: Any, distances: Any) -> None:
    """Write the result of `assign`; `features` and `distances` are scratch space."""
    for row in range(counts.shape[0]):
        for hand in range(counts.shape[1]):
            total = np.int64(0)
            for k in range(NUM_BINS):
                total += counts[row, hand, k]
            if total > 0:
                cumulate(counts[row], hand, features, 0)
                table[row, hand] = nearest(tree, features, 0, distances)
