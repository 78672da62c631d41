"""The betting of a limit hand, decision by decision, read back from the blocks of the `default` encoder.

A seat decides at most once at each bet level of a street. So the hand can be played again: whoever is to act called or
raised if the history blocks say so at this level, folded if it is out of the hand, and else is the one to act now.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.games.holdem.betting import act, start_hand
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE, Table

KIND_NAMES = {FOLD: "fold", CALL: "call", RAISE: "raise"}


def betting_history(
    config: HoldemConfig, blocks: Mapping[str, NDArray[Any]], largest_amount: int
) -> list[tuple[int, int, str]]:
    """Return all decisions, (street, seat counted from the one that looks, "fold" | "call" | "raise"), in their order.

    Amounts of the blocks are in units of `largest_amount` chips. Once a hand is over, a winner's stack no longer tells
    whether it was all-in; if it was, the list ends where it would have had to act.
    """
    tables = config.new_tables(1)
    t: Table = tables[0]
    t.stack[: config.num_players] = np.rint((blocks["stack"] + blocks["hand_commit"]) * largest_amount)
    t.button = config.num_players - 1 - int(np.argmax(blocks["position"]))
    start_hand(t)
    history = []
    while not t.is_over:
        street, seat = int(t.street), int(t.actor)
        kind = _decision(config, blocks, street, seat, int(t.street_raises[street]))
        if kind is None:
            break
        history.append((street, seat, KIND_NAMES[kind]))
        act(t, kind, int(t.max_raise_to))
    return history


def _decision(
    config: HoldemConfig, blocks: Mapping[str, NDArray[Any]], street: int, seat: int, level: int
) -> int | None:
    """Return the decision of a seat at a bet level, or None if it has not decided yet."""
    caps = config.max_raises or ()
    if blocks["callers"][sum(caps[:street]) + street + level, seat]:
        return CALL
    if level < caps[street] and blocks["raisers"][sum(caps[:street]) + level, seat]:
        return RAISE
    return None if blocks["in_hand"][seat] else FOLD
