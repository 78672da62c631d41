"""Models of play: how probable an action is, given the strength of a hand, the pot and the street (section 3.2).

The paper describes its two expert models (tight-aggressive and loose-passive) but does not print them. Those in
`models.toml` are ours. For each street and each fifth of hand strength they give the percentages of fold, call and
raise in a small pot and in a large one; pots between lie on the line between the two. "Call" includes checking, "raise"
includes betting.

Tight-aggressive: a hand in the lower half is given up unless the pot is large, a hand in the upper fifth is raised, and
little is merely called. The later the street, the fewer hands can still improve, so weak ones are folded more often.
Loose-passive: nearly every hand is called to the end, since "anything can win"; raises mean a hand of the upper fifth,
and even that one is often only called. Both give every action some chance, so that no history is impossible.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

STREETS = ("flop", "turn", "river")
NUM_STRENGTHS = 5
"""Fifths of hand strength, the chance to win against a random hand: below 0.2, 0.2 to 0.4, ... from 0.8."""
NUM_POTS = 24
"""Sizes of the pot that are told apart: below 2 big blinds, below 4, ... from 46 (heads-up pots end at 48)."""
NUM_ACTIONS = 3
"""Fold, call, raise."""
_LARGE_POT = 12
"""Pot of 24 big blinds and more: the columns "large" hold."""

Model = Mapping[str, Sequence[Sequence[Sequence[int]]]]
"""Street -> for each fifth of strength, weakest first: (fold, call, raise) in a small pot and in a large one."""
_MODELS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TIGHT_AGGRESSIVE: Model = _MODELS["tight_aggressive"]
LOOSE_PASSIVE: Model = _MODELS["loose_passive"]
LOOSENESS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the loose-passive model in the five strategies, which are convex combinations of the two models."""


def model_table(model: Model) -> NDArray[np.float64]:
    """Return the probabilities (3 streets, 5 strengths, 24 pots, 3 actions) of a model."""
    rows = np.array([model[street] for street in STREETS], np.float64)
    size = np.minimum(np.arange(NUM_POTS) / (_LARGE_POT - 1), 1.0)[:, None]  # 0 in the smallest pot, 1 in a large one
    table = rows[:, :, None, 0] * (1 - size) + rows[:, :, None, 1] * size
    return np.asarray(table / 100, np.float64)


def strategy_tables(looseness: tuple[float, ...] = LOOSENESS) -> NDArray[np.float64]:
    """Return the models of the strategies, (strategies, 3, 5, 24, 3): one convex combination for each share."""
    tight, loose = model_table(TIGHT_AGGRESSIVE), model_table(LOOSE_PASSIVE)
    if not looseness or not all(0 <= share <= 1 for share in looseness):
        raise ValueError(f"shares of the loose-passive model {looseness} must be one or more numbers in 0..1")
    return np.stack([(1 - share) * tight + share * loose for share in looseness])
