"""The six-max benchmarks: 10,000 fixed deals of hold'em at six seats, in limit and in no-limit.

`deals.npz` holds the array `deck`, uint8 of shape (10000, 17), and `button`, uint8 of shape (10000,). In deal d seat s
holds the cards `deck[d, 2 * s]` and `deck[d, 2 * s + 1]`, the board is `deck[d, 12:17]`, and `button[d]` is the seat of
the dealer button. Card c has the rank `23456789TJQKA"[c // 4]` and the suit `"cdhs"[c % 4]`. In this package deal d is
that of the benchmark's seed and table number d.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.fixed_deals import Benchmark, Cards, Kind

__all__ = ["LIMIT", "NO_LIMIT", "load_deals"]

_NUM_SEATS = 6
_NUM_CARDS = 2 * _NUM_SEATS + 5


def _read_cards(tables: NDArray[Any]) -> Cards:
    return {
        "deck": np.asarray(tables["deck"][:, :_NUM_CARDS], np.uint8),
        "button": np.asarray(tables["button"], np.uint8),
    }


_SCRIPTS = ("always_call", "equity", "tight_aggressive", "position_ranges")

NO_LIMIT = Benchmark(
    name="six-max-no-limit-v4", env="no_limit_holdem-v0", settings={"num_players": _NUM_SEATS}, unit="bb/100",
    per_hand=100.0, seed=20261127, file=Path(__file__).with_name("deals.npz"),
    sha256="6badbe7d34c6f8a8cb649599c8be0c159be178287097f168f0b4b664d48d8833",
    read_cards=_read_cards,
    references=(*_SCRIPTS, "ppo_no_limit_six_max", "cfr_no_limit_six_max"),
    mixed_table=(*_SCRIPTS[1:], "ppo_no_limit_six_max", "cfr_no_limit_six_max"),
    kinds={"one_against_five": Kind("one against five", (0,))},
    control_variates=True,
)  # fmt: skip
"""No-limit with 100 big blinds in each hand, on the default bet menu of `no_limit_holdem-v0`."""

_LIMIT_PLAYERS = (*_SCRIPTS, "ppo_limit_six_max", "cfr_limit_six_max")
LIMIT = replace(
    NO_LIMIT, name="six-max-limit-v1", env="limit_holdem-v0", references=_LIMIT_PLAYERS, mixed_table=_LIMIT_PLAYERS[1:]
)
"""Limit, with the same deals."""


def load_deals() -> dict[str, NDArray[np.uint8]]:
    """Return the arrays `deck` (10000, 17) and `button` (10000,), see above.

    Raises:
        ValueError: The file is not the one that this version of the benchmarks plays.
    """
    return NO_LIMIT.load_deals()
