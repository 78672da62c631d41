"""Results are what they were when they were pinned: see `refresh.py` for when pins may change.

`pytest -m slow tests/pinned` runs all, `-k "environments"` one group, `-k "big2"` what has this in its name. Hashes of
floating-point results are compared on the machine where they were made (`pin.machine`), elsewhere only sums.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.pinned import pins, store
from tests.pinned.pin import machine

CASES = [(group, name) for group in pins.GROUPS for name in store.read(group)["pins"]]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what a training run or a match warns of is not what is tested here
@pytest.mark.parametrize(("group", "name"), CASES, ids=[f"{group}: {name}" for group, name in CASES])
def test_results_are_those_that_are_pinned(group: str, name: str) -> None:
    pinned = store.read(group)
    found, expected = pins.GROUPS[group].compute(name), pinned["pins"][name]
    assert found["exact"] == expected["exact"]
    if machine() == pinned["machine"]:
        assert found.get("same_machine") == expected.get("same_machine")
    assert_close(found.get("close", {}), expected.get("close", {}))


def assert_close(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=1e-2, abs=1e-3), key


@pytest.mark.slow
@pytest.mark.parametrize("group", pins.GROUPS)
def test_nothing_is_missing(group: str) -> None:
    missing = set(pins.GROUPS[group].names()) - set(store.read(group)["pins"])
    assert not missing, f"python -m tests.pinned.refresh --new {group}"
