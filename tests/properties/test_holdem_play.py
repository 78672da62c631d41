"""Hold'em: what holds in every hand of every kind of game."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_envs.game import ILLEGAL
from card_envs.games.holdem import actions, kernels
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from tests.helpers.holdem_hands import OneTable, random_hand
from tests.properties.holdem_random_play import NO_FAULT, PRESETS, digest, new_tables, play_hands

ROOT = Path(__file__).parents[2]

all_presets = pytest.mark.parametrize("preset", PRESETS)


@all_presets
def test_chips_are_conserved_at_every_step_and_every_hand_ends(preset: str) -> None:
    assert play_hands(new_tables(PRESETS[preset], 100, seed=1), 50) == (NO_FAULT, -1)


@pytest.mark.slow
@all_presets
def test_chips_are_conserved_in_half_a_million_hands(preset: str) -> None:
    assert play_hands(new_tables(PRESETS[preset], 500, seed=2), 1000) == (NO_FAULT, -1)


@all_presets
def test_a_hand_accepts_the_ids_of_its_mask_and_rejects_others_untouched(preset: str) -> None:
    config = PRESETS[preset]
    tables, rng = new_tables(config, 1, seed=3), random.Random(3)
    masks = np.zeros(1, np.dtype((np.record, [("mask", np.int8, (config.num_actions,))])))
    kernels.deal(tables, 0)
    for _ in range(200):
        actor = int(tables[0].actor)
        if tables[0].is_over:
            kernels.deal(tables, 0)
            continue
        actions.write_mask(tables[0], actor, masks[0])
        before = tables.tobytes()
        for action in (*range(config.num_actions), -1, config.num_actions, 2**40, -(2**40)):
            copy = tables.copy()
            accepted = kernels.step(copy, 0, action) != ILLEGAL
            assert accepted == (0 <= action < config.num_actions and masks[0].mask[action] == 1)
            assert accepted or copy.tobytes() == before
        kernels.step(tables, 0, rng.choice(np.flatnonzero(masks[0].mask).tolist()))


@all_presets
def test_the_mask_of_a_seat_that_is_not_to_act_is_empty(preset: str) -> None:
    config = PRESETS[preset]
    masks = np.ones(1, np.dtype((np.record, [("mask", np.int8, (config.num_actions,))])))
    table = OneTable(config)
    for seat in range(config.num_players):
        actions.write_mask(table.t, seat, masks[0])
        assert masks[0].mask.any() == (seat == table.actor)


def play_batch(tables: Any, decisions: int) -> None:
    rows, is_over = np.arange(len(tables)), np.zeros(len(tables), np.uint8)
    rewards, chosen = np.zeros((len(tables), int(tables[0].num_seats)), np.float32), np.zeros(len(tables), np.int64)
    for i in rows:
        while kernels.deal(tables, i) < 0:
            pass
    for _ in range(decisions):
        kernels.LOOPS["random_batch"](tables, rows, tables, chosen)
        assert kernels.LOOPS["step_batch"](tables, rows, chosen, rewards, is_over, True) == -1


@all_presets
def test_a_batch_of_many_is_many_batches_of_one(preset: str) -> None:
    together = new_tables(PRESETS[preset], 20, seed=4)
    alone = [new_tables(PRESETS[preset], 1, seed=4, first_table=number) for number in range(20)]
    for tables in (together, *alone):
        play_batch(tables, decisions=100)
    assert together.tobytes() == b"".join(table.tobytes() for table in alone)


def test_seed_and_table_number_fix_the_deal() -> None:
    def deals(num_tables: int, seed: int, first_table: int) -> list[tuple[int, ...]]:
        tables = new_tables(PRESETS["no-limit, 6 seats"], num_tables, seed, first_table)
        for i in range(num_tables):
            kernels.deal(tables, i)
        return [(int(t.button), *t.deck.tolist()) for t in tables]

    many = deals(50, seed=7, first_table=0)
    assert deals(10, seed=7, first_table=20) == many[20:30]
    assert len(set(many)) == 50
    assert not set(many) & set(deals(50, seed=8, first_table=0))


@all_presets
def test_a_copied_record_is_an_independent_clone(preset: str) -> None:
    tables = new_tables(PRESETS[preset], 5, seed=6)
    play_batch(tables, decisions=30)
    before, clone = tables.tobytes(), tables.copy()
    play_batch(clone, decisions=30)
    assert tables.tobytes() == before != clone.tobytes()
    play_batch(tables, decisions=30)
    assert tables.tobytes() == clone.tobytes()


def test_plain_python_plays_the_same_hands_as_compiled_code() -> None:
    process = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.properties.holdem_random_play"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == digest(num_tables=4, hands=10, seed=5)


@pytest.mark.parametrize("preset", [name for name in PRESETS if "no-limit" in name])
def test_only_positions_matter_not_seats(preset: str) -> None:
    rng = random.Random(preset)
    for _ in range(20):
        hand = random_hand(rng, PRESETS[preset])
        table = replay_with_other_button(hand, rng)
        assert table.is_over
        assert table.by_position("payoff") == hand.payoffs


def replay_with_other_button(hand: Any, rng: random.Random) -> OneTable:
    n = hand.config.num_players
    button = rng.randrange(n)
    position = [(seat - button - 1) % n for seat in range(n)]
    cards = [card for seat in range(n) for card in hand.hole_cards[position[seat]]]
    table = OneTable(hand.config, button=button, stacks=[hand.stacks[p] for p in position], deck=[*cards, *hand.board])
    for decision in hand.decisions:
        table.decide(*decision)
    return table


@given(
    stacks=st.lists(st.integers(1, 300), min_size=2, max_size=10),
    structure=st.sampled_from(["no_limit", "pot_limit", "limit"]),
    ante=st.integers(0, 3),
    rules=st.sampled_from(["standard", "acpc", "rlcard"]),
    seed=st.integers(0, 2**32),
    choices=st.lists(st.tuples(st.sampled_from([FOLD, CALL, RAISE, RAISE]), st.floats(0, 1)), max_size=60),
)
def test_nobody_loses_more_than_the_stack_nor_wins_more_than_was_called(
    stacks: list[int], structure: str, ante: int, rules: str, seed: int, choices: list[tuple[int, float]]
) -> None:
    config = HoldemConfig(
        structure=structure, num_players=len(stacks), stacks=tuple(stacks), antes=ante, max_raises=None, rules=rules
    )
    table = OneTable(config, seed=seed)
    remaining = iter(choices)
    while not table.is_over:
        options = table.options()
        kind, share = next(remaining, (CALL, 0.0))
        if kind == RAISE and options.raise_to is not None:
            low, high = options.raise_to
            table.decide(RAISE, low + round(share * (high - low)))
        else:
            table.decide(FOLD if kind == FOLD and options.may_fold else CALL)
    payoffs, commits = table.by_seat("payoff"), table.by_seat("hand_commit")
    assert sum(payoffs) == 0
    for payoff, commit, stack in zip(payoffs, commits, stacks, strict=True):
        assert -commit <= payoff
        assert commit <= stack
        dead = ante * len(stacks)  # antes above a short stack's share may go to it too
        if rules != "rlcard":  # who may fold for free may leave chips behind that nobody called
            assert payoff <= sum(min(commit, other) for other in commits) - commit + dead
