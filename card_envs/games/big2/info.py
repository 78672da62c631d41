"""The `GameInfo` of Big 2, for matches, reports and wrappers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.game import Tables
from card_envs.game_info import GameInfo, Positions, Seats
from card_envs.game_kernels import DealWith
from card_envs.games.big2.chance import Big2Chance
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.evaluation.control_terms import Big2ControlTerms
from card_envs.games.big2.state import NUM_SEATS
from card_envs.games.big2.statistics import Big2Statistics
from card_envs.games.big2.view import action_parts, private_cards
from card_envs.games.big2.words import text_interface


def big2_info(name: str, config: Big2Config, deal_with: DealWith) -> GameInfo:
    """Return the `GameInfo` of Big 2."""
    return GameInfo(
        seats=Seats(NUM_SEATS, NUM_SEATS),
        positions=Positions(tuple(f"seat {place}" for place in range(1, NUM_SEATS + 1)), positions_of),
        units={"points/hand": 1.0},
        statistics=Big2Statistics,
        chance=Big2Chance(config, deal_with),
        control_terms=Big2ControlTerms,
        paint=partial(_paint, name),
        action_parts=action_parts,
        private_cards=private_cards,
        redeal=redeal,
        shows_hands_at_end=True,
        text=text_interface(config),
    )


def positions_of(tables: Tables) -> NDArray[np.int64]:
    """Return (n, 4): the position of each seat, counted from the seat that opens."""
    first = tables["opener"].astype(np.int64)
    return np.asarray((np.arange(NUM_SEATS) - first[:, None]) % NUM_SEATS, np.int64)


def redeal(views: Tables, seat: int, rng: np.random.Generator) -> None:
    """Replace the hands of the other seats in copies of one view by random cards, as many as each seat holds."""
    first = views[0]
    gone = int(first.held[seat]) | int(np.bitwise_or.reduce(first.played))
    unseen = np.array([order for order in range(DECK_SIZE) if not gone >> order & 1], np.uint8)
    cards = rng.permuted(np.tile(unseen, (len(views), 1)), axis=1)
    start = 0
    for other in (k for k in range(NUM_SEATS) if k != seat):
        end = start + int(first.num_cards[other])
        dealt = np.sort(cards[:, start:end], axis=1)
        views["hand"][:, other, : end - start] = dealt
        views["held"][:, other] = (np.int64(1) << dealt.astype(np.int64)).sum(axis=1)
        start = end


def _paint(name: str, tables: Tables, seat: int | None, names: Sequence[str] | None = None, /) -> Any:
    from card_envs.games.big2.render import paint_table  # only pictures need Pillow

    return paint_table(name, tables, seat, names)
