"""`GameInfo`: facts about a game beyond its rules, for matches, reports and wrappers. Every fact has a default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from card_envs.records import Tables as Tables

__all__ = ["ActionParts", "GameInfo", "Positions", "Seats"]


@dataclass(frozen=True)
class Seats:
    """The numbers of seats with which a game can be played."""

    min_players: int
    max_players: int
    setting: str | None = None
    """Argument of the environment that sets the number of seats; None if it is fixed."""


@dataclass(frozen=True)
class Positions:
    """Positions of the seats relative to the first actor, on which results depend as much as on skill."""

    names: tuple[str, ...]
    """Names of the positions, such as ("SB", "BB")."""
    of: Callable[[Tables], NDArray[np.int64]]
    """Function: tables (n,) -> position of every seat (n, num_seats), an index of `names`."""


@dataclass(frozen=True)
class ActionParts:
    """The cards and chips that an action moves, for graphical interfaces."""

    cards: tuple[int, ...] = ()
    """Card ids that the action plays from the actor's hand."""
    raise_to: int | None = None
    """Street commitment of the actor after a bet or raise, in chips; None for other actions."""


def _no_parts(tables: Tables, i: int, action: int, /) -> ActionParts:
    return ActionParts()


@dataclass(frozen=True)
class GameInfo:
    """Facts about a game beyond its rules; see `card_envs.features` for what games can do beyond their rules."""

    seats: Seats | None = None
    """Allowed numbers of seats; None if the number is fixed."""
    positions: Positions | None = None
    """Positions relative to the first actor; None if seats do not rotate, so that a position is a seat."""
    units: Mapping[str, float] = field(default_factory=dict)
    """Units of results: name of a unit per hand -> factor from rewards to it; the default first, {} for `Game.unit`."""
    action_parts: Callable[[Tables, int, int], ActionParts] = _no_parts
    """Function (tables, i, action) -> the cards and chips of a legal action of the actor at table i."""
    private_cards: Callable[[Tables, int, int], list[int]] | None = None
    """Function (tables, i, seat) -> card ids that a seat holds at table i, NO_CARD where a view hides them."""
    shows_hands_at_end: bool = False
    """True if players show all cards at the end of a deal; agents see what `views` show."""
    evaluation_panel: tuple[str, ...] = ()
    """Names of the agents against which others are evaluated; () to leave the choice to the evaluating package."""
