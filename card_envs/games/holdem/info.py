"""What hold'em tells of itself to matches, reports, solvers and wrappers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from card_envs.game import Tables
from card_envs.game_info import GameInfo, Positions, Seats
from card_envs.games.holdem.chance import DealWith, HoldemChance
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.control_terms import HoldemControlTerms
from card_envs.games.holdem.enumeration import HoldemEnumeration
from card_envs.games.holdem.positions import position_names, positions_of
from card_envs.games.holdem.state import MAX_SEATS
from card_envs.games.holdem.statistics import HoldemStatistics

_SMALL_GAME_PANEL = ("random", "always_call", "always_raise")
_PANEL = (*_SMALL_GAME_PANEL, "chen", "sklansky", "loose_passive", "tight_aggressive", "equity")


def holdem_info(name: str, config: HoldemConfig, deal_with: DealWith) -> GameInfo:
    """Return what generic code may know of a hold'em game."""
    return GameInfo(
        seats=Seats(2, MAX_SEATS, "num_players"),
        positions=Positions(position_names(config), partial(positions_of, config.num_players)),
        units=units_of(config),
        chance=HoldemChance(config, deal_with),
        enumeration=HoldemEnumeration(config, deal_with),
        statistics=partial(HoldemStatistics, config.num_players),
        control_terms=partial(HoldemControlTerms, config) if config.is_texas else None,
        paint=partial(_paint, name, config),
        panel=_PANEL if config.is_texas else _SMALL_GAME_PANEL,
    )


def unit_of(config: HoldemConfig) -> str:
    """Return what rewards count: "bb", or "chips" in games without blinds."""
    return "bb" if any(config.blinds) else "chips"


def units_of(config: HoldemConfig) -> dict[str, float]:
    """Return the units in which people read results -> how many of each make one big blind (or chip) per hand."""
    if not any(config.blinds):
        return {"chips/hand": 1.0}
    units = {"bb/100": 100.0, "mbb/hand": 1000.0}
    small_blind = config.blinds[0]
    return units | ({"sb/hand": config.reward_unit / small_blind} if small_blind else {})


def _paint(
    name: str,
    config: HoldemConfig,
    make_canvas: type[Any],
    tables: Tables,
    seat: int | None,
    names: Sequence[str] | None = None,
    /,
) -> Any:
    from card_envs.games.holdem.render import paint_table  # only pictures need Pillow

    return paint_table(name, config, make_canvas, tables, seat, names)
