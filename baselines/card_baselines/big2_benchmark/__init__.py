"""The Big 2 benchmark: 10,000 fixed deals, reference players and seatings for comparing Big 2 agents.

`deals.npz` holds one array `owner`, uint8 of shape (10000, 52): `owner[d, c]` is the seat 0 .. 3 that is dealt card c
in deal d, where cards are numbered 3D 3C 3H 3S 4D ... 2S. In this package deal d is that of the benchmark's seed and
table number d.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.fixed_deals import Benchmark, Cards, Kind

__all__ = ["BIG2", "load_deals"]

_DECK_SIZE = 52


def _read_cards(tables: NDArray[Any]) -> Cards:
    cards = tables["held"] | tables["played"]  # dealing leads 3D
    has_card = cards[:, :, None] >> np.arange(_DECK_SIZE) & 1
    return {"owner": np.asarray(has_card.argmax(axis=1), np.uint8)}


BIG2 = Benchmark(
    name="big2-benchmark-v1", env="big2-v0", unit="points a game", seed=20181010,
    file=Path(__file__).with_name("deals.npz"),
    sha256="66cda5995432e814c20995186214e4f1fd597c91cc66612030b90b9cd8ffb6a4",
    read_cards=_read_cards,
    references=("random", "big2_greedy", "big2_planner", "ppo_big2", "ppo_big2:rollout"),
    mixed_table=("big2_greedy", "big2_planner", "ppo_big2"),
    kinds={
        "one_against_three": Kind("one against three", (0,)),
        "neighbours": Kind("two neighbours", (0, 1)),
        "opposite": Kind("two opposite", (0, 2)),
        "two_against_two": Kind("two against two", mean_of=("neighbours", "opposite")),
    },
    deals_of_slow={"ppo_big2:rollout": 200},
)  # fmt: skip
"""The benchmark on `big2-v0` with its default rules."""


def load_deals() -> NDArray[np.uint8]:
    """Return the seat of every card in every deal, shape (10000, 52), cards in the order 3D 3C 3H 3S 4D ... 2S.

    Raises:
        ValueError: The file is not the one that this version of the benchmark plays.
    """
    return BIG2.load_deals()["owner"]
