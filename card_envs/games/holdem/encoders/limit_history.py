"""Decoding the betting of a limit hand from the blocks of the `default` encoder.

A seat decides at most once at each bet level of a street. Therefore the hand can be replayed: the seat to act called or
raised if the history blocks show it at this level, folded if it is not in the hand, and otherwise is to act now.
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


def decode_betting(
    config: HoldemConfig, blocks: Mapping[str, NDArray[Any]], largest_amount: int
) -> list[tuple[int, int, str]]:
    """Return all decisions in their order: (street, seat counted from the observing one, "fold" | "call" | "raise").

    After a hand is over, the stack of a winner does not show whether it was all-in; if it was, the list ends before the
    decision that it would have had to take.

    Args:
        config: Settings of the game.
        blocks: Blocks of an observation.
        largest_amount: Number of chips that corresponds to 1 in the blocks.
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
    """Return the decision of a seat at a bet level; None if it has not decided yet."""
    caps = config.max_raises or ()
    if blocks["callers"][sum(caps[:street]) + street + level, seat]:
        return CALL
    if level < caps[street] and blocks["raisers"][sum(caps[:street]) + level, seat]:
        return RAISE
    return None if blocks["in_hand"][seat] else FOLD
