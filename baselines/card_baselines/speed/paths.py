"""Loops to be timed: uniformly random legal play through each interface of a game, and evaluation of hands.

Every function returns a `Work` that continues where it stopped. Units are decisions, or hands that are evaluated.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.speed.stopwatch import Work
from card_envs.cards import DECK_SIZE
from card_envs.game import NOBODY, Game
from card_envs.observation import mask_records
from card_envs.poker_hands import hand_rank, hand_rank_of_set, hand_ranks
from card_envs.rng import seeded_streams
from card_envs.single_seat import SingleSeatTables
from card_envs.vector import VectorTables

DECISIONS = 250
"""Decisions of one call, in loops over single tables."""
TABLES = 1024
"""Tables of a batch."""
BATCH_STEPS = 20
"""Steps of one call, in loops over batches."""
_HAND_SIZE = 7
"""Cards of the hands that are evaluated."""
_SINGLE_HANDS = 2_000
"""Hands of one call, evaluated one by one."""
_BATCH_HANDS = 200_000
"""Hands of one call, evaluated together."""


def random_legal(mask: NDArray[Any]) -> int:
    """Return a random legal action, with as little Python as possible."""
    legal = mask.nonzero()[0]
    return int(legal[int(random.random() * len(legal))])


def aec_loop(env: Any) -> Work:
    """Play any AEC environment as PettingZoo's documentation shows: agent_iter, last, step, dead steps included."""
    env.reset(seed=0)

    def run() -> int:
        decisions = 0
        while decisions < DECISIONS:
            env.reset()
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                else:
                    env.step(random_legal(observation["action_mask"]))
                    decisions += 1
        return decisions

    return run


def step_loop(env: Any) -> Work:
    """Play an AEC environment of this package without PettingZoo's conventions: observe, step, reset after the deal."""
    env.reset(seed=0)

    def run() -> int:
        for _ in range(DECISIONS):
            agent = env.agent_selection
            env.step(random_legal(env.observe(agent)["action_mask"]))
            if env.terminations[agent]:
                env.reset()
        return DECISIONS

    return run


def kernel_loop(game: Game) -> Work:
    """Play one table from Python by calling its kernels: mask, step, deal; nothing is observed."""
    tables, rows = game.seeded_tables(1, seed=0), np.zeros(1, np.int64)
    mask = np.empty((1, game.num_actions), np.int8)
    masks, row = mask_records(mask), mask[0]
    game.deal(tables, 0)

    def run() -> int:
        for _ in range(DECISIONS):
            game.mask_batch(tables, rows, masks)
            if game.step(tables, 0, random_legal(row)) == NOBODY:
                game.deal(tables, 0)
        return DECISIONS

    return run


def rules(game: Game) -> Work:
    """Play a batch of tables by its kernels: choose, step, deal; nothing is observed."""
    tables, streams = game.seeded_tables(TABLES, seed=0), seeded_streams(TABLES, 1)
    rows, actions = np.arange(TABLES), np.empty(TABLES, np.int64)
    rewards, is_over = np.empty((TABLES, game.num_seats), np.float32), np.empty(TABLES, np.uint8)
    game.deal_batch(tables, rows)

    def run() -> int:
        for _ in range(BATCH_STEPS):
            game.random_batch(tables, rows, streams, actions)
            game.step_batch(tables, rows, actions, rewards, is_over, True)
        return BATCH_STEPS * TABLES

    return run


def batch(game: Game) -> Work:
    """Play the batched engine by its public interface: sample_actions and step, with new observations and masks."""
    tables = VectorTables(game, TABLES, seed=0)
    tables.reset()

    def run() -> int:
        for _ in range(BATCH_STEPS):
            tables.step(tables.sample_actions())
        return BATCH_STEPS * TABLES

    return run


def single_seat(game: Game) -> Work:
    """Play one seat of each table against `random`; only the decisions of that seat count."""
    tables = SingleSeatTables(game, TABLES, "random", seed=0)
    turns, rng = tables.reset(), np.random.default_rng(0)

    def run() -> int:
        nonlocal turns
        for _ in range(BATCH_STEPS):
            scores = (1.0 - rng.random(turns.action_mask.shape, np.float32)) * turns.action_mask  # random() may be 0
            turns = tables.step(scores.argmax(axis=1))
        return BATCH_STEPS * TABLES

    return run


def random_hands(width: int, count: int) -> NDArray[np.uint8]:
    """Return (count, width) card ids of random hands without repeated cards; the same at every call."""
    rng = np.random.default_rng(width)
    hands = np.empty((count, width), np.uint8)
    for part in np.array_split(hands, 16):  # views; sixteen, because the random numbers take 60 times the space
        part[:] = rng.random((len(part), DECK_SIZE)).argpartition(width)[:, :width]
    return hands


def evaluate_one_by_one() -> Work:
    """Rank hands by one call each, cards given as lists of ids."""
    hands = random_hands(_HAND_SIZE, _SINGLE_HANDS).tolist()

    def run() -> int:
        for hand in hands:
            hand_rank(hand)
        return _SINGLE_HANDS

    return run


def evaluate_sets_one_by_one() -> Work:
    """Rank hands by one call each, cards given as bit sets."""
    sets = [sum(1 << card for card in hand) for hand in random_hands(_HAND_SIZE, _SINGLE_HANDS).tolist()]

    def run() -> int:
        for cards in sets:
            hand_rank_of_set(cards)
        return _SINGLE_HANDS

    return run


def evaluate_batch() -> Work:
    """Rank hands by one call for all, input checks included."""
    hands = random_hands(_HAND_SIZE, _BATCH_HANDS)

    def run() -> int:
        hand_ranks(hands)
        return _BATCH_HANDS

    return run
