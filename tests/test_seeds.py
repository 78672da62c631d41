"""Seeds: any integer, in every part of the packages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.match import play_match
from card_envs.rng import derive_seed, make_generator
from card_envs.testing import CHECKS, check
from tests.third_game.game import dozen

ROOT = Path(__file__).parents[1]
FROM_SEED = re.compile(r"default_rng\(\(?(?:self\.|config\.|self\.config\.)?seed\b(?! \+)")


@pytest.mark.parametrize("name", CHECKS)
def test_checks_take_any_seed(name: str) -> None:
    check(dozen(), name, seed=-3, deals=1)


def test_a_generator_takes_any_seed_and_purposes() -> None:
    assert make_generator(-1).random() == make_generator(2**64 - 1).random()
    assert make_generator(7).random() == np.random.default_rng(7).random(), "streams stay as they were"
    assert make_generator(7, 1).random() != make_generator(7, 2).random()


NUMPY_SEEDS = [np.int32(-5), np.int64(7), np.uint64(2**63)]


@pytest.mark.parametrize("seed", NUMPY_SEEDS, ids=repr)
def test_numpy_integers_are_seeds(seed: Any) -> None:
    """NumPy 2 refuses np.int64(7) % 2**64."""
    assert derive_seed(seed, 1) == derive_seed(int(seed), 1)
    assert make_generator(seed).random() == make_generator(int(seed)).random()
    played = [play_match("kuhn_poker-v0", ["random", "random"], hands=20, seed=each) for each in (seed, int(seed))]
    np.testing.assert_array_equal(played[0].payoffs, played[1].payoffs)


@pytest.mark.parametrize("seed", [1.5, "a", True, None], ids=repr)
def test_what_is_no_seed_is_named(seed: Any) -> None:
    with pytest.raises(ValueError, match="must be a whole number"):
        play_match("kuhn_poker-v0", ["random", "random"], hands=20, seed=seed)
    with pytest.raises(ValueError, match="must be a whole number"):
        make_generator(seed)


def test_no_module_hands_a_seed_to_numpy_as_it_is() -> None:
    """NumPy refuses negative seeds, which all our commands and functions take."""
    files = [
        file for part in ("card_envs", "wrappers", "baselines/card_baselines") for file in (ROOT / part).rglob("*.py")
    ]
    assert len(files) > 500
    assert [str(file) for file in files if FROM_SEED.search(file.read_text(encoding="utf-8"))] == []
