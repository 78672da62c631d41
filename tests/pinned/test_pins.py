"""Results are what they were when they were pinned: see `refresh.py` for when pins may change.

`pytest -m slow tests/pinned` runs all, `-k "environments"` one group, `-k "big2"` what has this in its name. Deals,
observations, and the actions of scripts and of solvers' tables are the same on every processor. Networks, and results
that rest on them, are compared bit by bit on the machine where they were made (`pin.machine`); elsewhere sums are
compared to one percent, and counts of drawn actions to their sampling error.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from card_envs.agent import known_agents
from tests.pinned import pins, store
from tests.pinned.pin import machine

STANDARD_ERRORS = 4
"""Most standard errors by which counts of drawn actions may differ on another processor."""
SAME_EVERYWHERE = ("card_envs.", "card_baselines.agents.scripted.", "card_baselines.solvers.")
"""Beginnings of the locations of agents whose actions do not depend on the processor."""

CASES = [(group, name) for group in pins.GROUPS for name in store.read(group)["pins"]]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what a training run or a match warns of is not what is tested here
@pytest.mark.parametrize(("group", "name"), CASES, ids=[f"{group}: {name}" for group, name in CASES])
def test_results_are_those_that_are_pinned(group: str, name: str) -> None:
    pinned = store.read(group)
    found, expected = pins.GROUPS[group].compute(name), pinned["pins"][name]
    assert found["exact"] == expected["exact"]
    if machine() == pinned["machine"] or is_the_same_everywhere(group, name):
        assert found.get("same_machine") == expected.get("same_machine")
    elif group == "agents":
        assert_counts_close(found["close"], expected["close"], expected["same_machine"]["decisions"])
    else:
        assert_close(found.get("close", {}), expected.get("close", {}))


def is_the_same_everywhere(group: str, name: str) -> bool:
    """Environments, and agents that compute with no network, are the same on every processor."""
    return group == "environments" or (
        group == "agents" and known_agents()[name.partition(" ")[0]].startswith(SAME_EVERYWHERE)
    )


def assert_counts_close(found: dict[str, int], expected: dict[str, int], decisions: int) -> None:
    """Compare counts of actions with those of as many decisions: as two independent samples, or nearer, they differ.

    The last digits of a network's probabilities depend on the processor. Where they move a random number to another
    action, the rest of the hand is another one; all other hands stay as they are.
    """
    for action, count in expected.items():
        share = count / decisions
        error = math.sqrt(2 * decisions * share * (1 - share))
        assert abs(found.get(action, 0) - count) <= STANDARD_ERRORS * error, action


@pytest.mark.parametrize(("found", "is_close"), [(3687, True), (3629, True), (3400, False), (3970, False)])
def test_counts_have_a_tolerance_from_their_sampling_error(found: int, is_close: bool) -> None:
    """The first differs from the second as on two processors; four standard errors are 273 decisions."""
    try:
        assert_counts_close({"2": found}, {"2": 3687}, 10_000)
    except AssertionError:
        assert not is_close
    else:
        assert is_close
    with pytest.raises(AssertionError):
        assert_counts_close({"1": 9_999}, {"1": 10_000}, 10_000)


def assert_close(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=1e-2, abs=1e-3), key


@pytest.mark.slow
@pytest.mark.parametrize("group", pins.GROUPS)
def test_nothing_is_missing(group: str) -> None:
    missing = set(pins.GROUPS[group].names()) - set(store.read(group)["pins"])
    assert not missing, f"python -m tests.pinned.refresh --new {group}"
