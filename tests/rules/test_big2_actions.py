"""The 1,695 action ids of Charlesworth (2018, appendix B)."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest

from card_envs.games.big2 import actions
from card_envs.games.big2.actions import NUM_ACTIONS, PASS, POSITIONS, action_of, five_card_action

SAMPLES = {
    (0,): 0, (12,): 12, (0, 1): 13, (0, 2): 14, (0, 3): 15, (1, 2): 16, (9, 12): 42, (11, 12): 45,
    (0, 1, 2): 46, (0, 1, 3): 47, (0, 2, 3): 48, (1, 2, 3): 49, (9, 11, 12): 75, (10, 11, 12): 76,
    (0, 1, 2, 3): 77, (0, 1, 2, 4): 78, (0, 1, 2, 5): 79, (0, 1, 3, 4): 80, (0, 2, 3, 4): 104, (0, 3, 4, 5): 128,
    (1, 2, 3, 4): 149, (4, 6, 8, 11): 331, (9, 10, 11, 12): 406, (0, 1, 2, 3, 4): 407, (0, 1, 2, 3, 5): 408,
    (0, 2, 4, 6, 8): 616, (3, 5, 7, 9, 11): 1518, (8, 9, 10, 11, 12): 1693, (): 1694,
}  # fmt: skip


@pytest.mark.parametrize("positions", SAMPLES)
def test_sample_ids(positions: tuple[int, ...]) -> None:
    assert action_of(positions) == action_of(positions[::-1]) == SAMPLES[positions]
    assert POSITIONS[SAMPLES[positions]] == positions


def test_blocks_by_number_of_cards() -> None:
    sizes = [len(positions) for positions in POSITIONS]
    assert [sizes.count(size) for size in range(6)] == [1, 13, 33, 31, 330, 1287]
    assert sizes[:PASS] == sorted(sizes[:PASS])
    assert NUM_ACTIONS == 1695
    assert PASS == 1694


def test_ids_and_their_tables_are_pinned() -> None:
    tables = [
        actions.ACTION_SIZE, actions.ACTION_POSITIONS, actions.PAIR_ACTIONS, actions.TRIPLE_ACTIONS,
        actions.FOUR_CARD_ACTIONS, actions.FIVE_CARD_TERMS,
    ]  # fmt: skip
    pinned = hashlib.sha256(repr(POSITIONS).encode() + b"".join(table.tobytes() for table in tables))
    assert pinned.hexdigest() == "9440de0ed6c8f7ac7a7afea2e94656209e59fcfa1af083b894ae0a75cde34db1"


def test_the_closed_form_for_five_cards() -> None:
    fives = [positions for positions in POSITIONS if len(positions) == 5]
    assert [five_card_action(*np.array(positions)) for positions in fives] == [action_of(p) for p in fives]


def test_tables_for_pairs_triples_and_four_cards_hold_every_id_of_their_size() -> None:
    assert set(actions.PAIR_ACTIONS.ravel()) == {*range(13, 46), PASS}
    assert set(actions.TRIPLE_ACTIONS.ravel()) == {*range(46, 77), PASS}
    assert set(actions.FOUR_CARD_ACTIONS.ravel()) == {*range(77, 407), PASS}


def test_triples_without_the_third_of_four_cards_are_the_ten_dead_ids() -> None:
    dead = [actions.TRIPLE_ACTIONS[first, 2] for first in range(10)]
    assert [POSITIONS[action] for action in dead] == [(first, first + 1, first + 3) for first in range(10)]


@pytest.mark.parametrize("positions", [(0, 4), (0, 1, 4), (0, 4, 5, 6), (0, 0), (13,), (-1,), (0, 1, 2, 3, 4, 5)])
def test_positions_that_no_action_plays(positions: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=re.escape(str(sorted(positions)))):
        action_of(positions)
