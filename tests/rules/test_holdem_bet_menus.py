"""Hold'em: what action ids mean under each bet menu. Blinds are 1 and 2; heads-up seat 1 has the button and opens."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from card_envs import no_limit_holdem_v0
from card_envs.games.holdem.bet_menu import BetMenu
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.illegal import why_illegal
from card_envs.games.holdem.kernels import LOOPS, decision_is_legal
from card_envs.games.holdem.state import RAISE, RECENT_ACTIONS
from card_envs.observation import mask_records
from tests.helpers.holdem_hands import OneTable

FOLD, CALL = 0, 1
ID_OF_1 = 2
"""Of the menu `integers`: raise to one chip, and so on."""
THESIS_MENU = "chips:4,8,16,32,64,100,200"


def meanings(menu: BetMenu | str | list[float], decisions: str = "", stacks: int = 200) -> dict[int, int]:
    """Return the raise-to amount of every legal raise id after some decisions; fold and call are checked here."""
    table = OneTable(HoldemConfig.no_limit(2, stacks, bet_menu=menu)).play(decisions)
    legal = table.legal_actions()
    assert (CALL in legal) and ((FOLD in legal) == (table.options().to_call > 0))
    actor, found = table.actor, {}
    for action in legal[legal.index(CALL) + 1 :]:
        copy = OneTable(table.config).play(decisions).step(action)
        found[action] = int(copy.t.recent_amount[copy.t.num_decisions - 1])
        assert copy.t.recent_move[copy.t.num_decisions - 1] // 4 == actor
    return found


OFFERED: dict[str, dict[str, dict[int, int]]] = {
    "fcpa": {
        "": {2: 6, 3: 200},  # pot of 3, 1 to call: 2 + 4
        "c": {2: 6, 3: 200},  # pot of 4
        "6": {2: 18, 3: 200},  # pot of 8, 4 to call: 6 + 12
        "6 18": {2: 54, 3: 200},
        "6 18 54": {2: 162, 3: 200},
        "6 18 54 162": {3: 200},  # a pot would exceed the stack
        "6 18 54 162 200": {},
        "c c": {2: 4, 3: 198},
        "c c 4": {2: 16, 3: 198},
    },
    "fchpa": {  # half the pot too
        "": {2: 4, 3: 6, 4: 200},
        "6": {2: 12, 3: 18, 4: 200},
        "20": {2: 40, 3: 60, 4: 200},
        "4 12": {2: 24, 3: 36, 4: 200},
        "5": {2: 10, 3: 15, 4: 200},
        "50 150": {4: 200},
        "c c": {2: 2, 3: 4, 4: 198},
        "5 c 3": {2: 11, 3: 19, 4: 195},  # pot of 13, 3 to call: 3 + 8, 3 + 16
    },
    "pot:0.25,0.75,2,all_in": {  # fractions below the smallest raise are illegal
        "": {3: 5, 4: 10, 5: 200},
        "6": {3: 15, 4: 30, 5: 200},
        "c c": {3: 3, 4: 8, 5: 198},
    },
    "pot:0.33,0.66": {"c c": {3: 2}, "5 c": {2: 3, 3: 6}},  # rounded down to chips
    THESIS_MENU: {  # amounts to raise to
        "": {2: 4, 3: 8, 4: 16, 5: 32, 6: 64, 7: 100, 8: 200},
        "4": {3: 8, 4: 16, 5: 32, 6: 64, 7: 100, 8: 200},
        "8": {4: 16, 5: 32, 6: 64, 7: 100, 8: 200},
        "16": {5: 32, 6: 64, 7: 100, 8: 200},
        "8 16 32": {6: 64, 7: 100, 8: 200},
        "64": {8: 200},
        "200": {},
        "4 c": {2: 4, 3: 8, 4: 16, 5: 32, 6: 64, 7: 100},
    },
}
"""Menu -> decisions -> action ids of the raises that are legal then, and the amounts to which they raise."""


@pytest.mark.parametrize(
    ("menu", "decisions"), [(menu, played) for menu, offers in OFFERED.items() for played in offers]
)
def test_what_a_menu_offers(menu: str, decisions: str) -> None:
    assert meanings(menu, decisions) == OFFERED[menu][decisions]


def test_a_menu_may_be_a_list_of_fractions() -> None:
    assert meanings([0.25, 0.75, 2]) == OFFERED["pot:0.25,0.75,2,all_in"][""]


@pytest.mark.parametrize(
    ("structure", "decisions", "action", "reason"),
    [
        ("pot_limit", "", 3, "raise to 6 (action 3) is the largest raise, which is action 4"),
        ("pot_limit", "6 18 54 162", 3, "raise to 486 (action 3) is above the maximum 200"),
        ("no_limit", "c c 48 c 50", 2, "raise to 150 (action 2) is all-in, which is action 4"),
    ],
)
def test_sizes_that_are_left_to_the_last_id_say_why(structure: str, decisions: str, action: int, reason: str) -> None:
    table = OneTable(HoldemConfig.no_limit(2, 200, bet_menu="fchpa", structure=structure)).play(decisions)
    assert why_illegal(table.tables, 0, action).startswith(reason)


def test_a_size_that_is_all_in_is_left_to_the_all_in_id() -> None:
    assert meanings("fcpa", stacks=6) == {3: 6}
    assert meanings("fcp", stacks=6) == {2: 6}
    assert meanings("fcp", stacks=5) == {}


@pytest.mark.parametrize(
    ("decisions", "low", "high"), [("", 4, 20), ("c", 4, 20), ("7", 12, 20), ("7 13", 19, 20), ("7 15", 20, 20)]
)
def test_integers_are_amounts_to_raise_to(decisions: str, low: int, high: int) -> None:
    assert meanings("integers", decisions, stacks=20) == {amount + 1: amount for amount in range(low, high + 1)}


def test_a_single_chip_may_be_bet() -> None:
    env = no_limit_holdem_v0.raw_env(stacks=10, bet_menu="integers")
    env.reset(options={"button": 0, "deck": ["As", "Ah", "Ks", "Kh", "Qd", "Jd", "9c", "5c", "2d"]})
    for action in (ID_OF_1 + 8, CALL):  # raise to 9 of 10 chips
        env.step(action)
    assert env.infos[env.agent_selection]["action_mask"].nonzero()[0].tolist() == [CALL, ID_OF_1]
    assert [env.action_name(action) for action in (CALL, ID_OF_1)] == ["check", "bet 1 all-in"]
    for action in (ID_OF_1, CALL):
        env.step(action)
    assert env.rewards == {"player_0": 5, "player_1": -5}


@settings(max_examples=200, deadline=None)
@given(
    stacks=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    blinds=st.sampled_from([(0, 1), (1, 1), (1, 2), (2, 5)]),
    ante=st.integers(0, 2),
    structure=st.sampled_from(["no_limit", "pot_limit"]),
    rules=st.sampled_from(["standard", "acpc"]),
    seed=st.integers(0, 2**32),
)
def test_integers_offer_every_amount_that_the_rules_allow(
    stacks: list[int], blinds: tuple[int, int], ante: int, structure: str, rules: str, seed: int
) -> None:
    """The amounts are tried one by one, whatever the menu; what an id does is seen in the table's record."""
    config = HoldemConfig.no_limit(
        len(stacks), stacks, *blinds, ante=ante, bet_menu="integers", structure=structure, rules=rules
    )
    rng, table = random.Random(seed), OneTable(config, seed=seed)
    mask = np.empty((1, config.num_actions), np.int8)
    while not table.is_over:
        allowed = {a + 1: a for a in range(12) if decision_is_legal(table.t, RAISE, a)}
        LOOPS["mask_batch"](table.tables, np.array([0]), mask_records(mask))
        masked = [action for action in mask[0].nonzero()[0].tolist() if action > CALL]
        assert masked == [action for action in table.legal_actions() if action > CALL] == list(allowed)
        action = rng.choice([CALL, *allowed, *allowed])
        seat, decision = table.actor, int(table.t.num_decisions) % RECENT_ACTIONS
        table.step(action)
        if action > CALL:
            assert int(table.t.recent_move[decision]) == 4 * seat + RAISE
            assert int(table.t.recent_amount[decision]) == allowed[action]


@pytest.mark.parametrize(
    ("menu", "num_actions"),
    [("fcpa", 4), ("fchpa", 5), ("fcp", 3), ([0.5], 4), (THESIS_MENU, 9), ("integers", 202), ("chips:4,all_in", 4)],
)
def test_number_of_actions(menu: str | list[float], num_actions: int) -> None:
    assert HoldemConfig.no_limit(2, 200, bet_menu=menu).num_actions == num_actions


@pytest.mark.parametrize(
    ("decisions", "legal"), [("", [0, 1, 2]), ("c", [1, 2]), ("4 6", [0, 1, 2]), ("4 6 8", [0, 1]), ("c c", [1, 2])]
)
def test_limit_ids_are_fold_call_raise(decisions: str, legal: list[int]) -> None:
    assert OneTable(HoldemConfig.limit(2)).play(decisions).legal_actions() == legal
