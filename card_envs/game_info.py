"""`GameInfo`: facts about a game beyond the rules in `Game`, for matches, reports, solvers and wrappers.

Every field is optional: without any, the game can be played in all environments and matches. Each field enables a
feature, such as `chance` OpenSpiel and the check for leaks, `enumeration` exact best responses, and `hidden_hands` the
local best response. Games fill the fields in their own folders, so that generic code needs no game by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.chance import Chance
from card_envs.play_statistics import Hands, PlayCounter
from card_envs.records import Tables as Tables
from card_envs.typing import Floats, Rows


class Painting(Protocol):
    """Function that describes a picture of table 0."""

    def __call__(self, tables: Tables, seat: int | None, names: Sequence[str] | None = None, /) -> Any:
        """Return a `card_envs.canvas.Canvas` with table 0 as a seat sees it, with all cards for None.

        `names` are the names of the seats.
        """
        ...


@dataclass(frozen=True)
class Seats:
    """The numbers of seats with which a game can be played."""

    fewest: int
    most: int
    setting: str | None = None
    """Argument of the environment that sets the number of seats; None if it is fixed."""


@dataclass(frozen=True)
class Positions:
    """Positions of the seats relative to the first actor, on which results depend as much as on skill."""

    names: tuple[str, ...]
    """Names of the positions, such as ("SB", "BB")."""
    of: Callable[[Tables], NDArray[np.int64]]
    """Function: tables (n,) -> position of every seat (n, num_seats), an index of `names`."""


class Enumeration(Protocol):
    """All deals of a game whose legal actions do not depend on cards, for exact best responses."""

    num_deals: int
    """Number of deals, all equally likely; deals with the same cards in another order are different."""

    def deal_all(self) -> Tables:
        """Return a table for each deal, before its first decision; the same seat acts at all of them."""
        ...

    def deal_indices(self, tables: Tables) -> Rows:
        """Return (n,): the index in `deal_all` of each table's deal; the button may be at any seat."""
        ...

    def visible_cards(self, tables: Tables, seat: int) -> NDArray[Any]:
        """Return (n, k): the cards that `seat` sees at each table, after the same actions at all tables.

        Rows are equal if the seat cannot tell the tables apart.
        """
        ...


@dataclass(frozen=True, eq=False)
class ControlUnits:
    """Units of control variates: the scale of those whose observed variance is small."""

    is_stake: NDArray[np.bool_]
    """(k,): True for a stake times a number within -1 .. 1, False for a number within -1 .. 1."""
    least_stake: float
    """Smallest scale of a stake, in rewards."""


@dataclass(frozen=True, eq=False)
class Controls:
    """Control variates of an agent's rewards: numbers with mean zero for any strategies."""

    correction: Floats
    """(hands,): the AIVAT correction, which is subtracted from the rewards with coefficient 1."""
    terms: Floats
    """(hands, k): control variates that are subtracted with coefficients fitted by a regression."""


class ControlTerms(Protocol):
    """Computes the control variates of a match, which it observes like a callback.

    The caller computes the agents' action probabilities at counterfactual tables.
    """

    @property
    def units(self) -> ControlUnits:
        """Units of the k control variates, in their order."""
        ...

    def on_deal(self, batch: Hands, /) -> None:
        """Prepare for the hands of `batch`."""
        ...

    def counterfactual_tables(self, batch: Hands, rows: Rows, /) -> tuple[Tables, Rows]:
        """Return tables at which the actors' action probabilities are needed.

        Args:
            batch: The hands.
            rows: (m,) indices of the tables at which an action is taken next.

        Returns:
            (k,) counterfactual tables, and for each the index in `rows` of the table that it was copied from, (k,).
        """
        ...

    def on_actions(self, batch: Hands, rows: Rows, actions: Rows, chances: Floats, /) -> None:
        """Called before actions are applied, with the action probabilities at the counterfactual tables.

        Args:
            batch: The hands.
            rows: (m,) indices of the tables at which an action is taken.
            actions: (m,) legal actions.
            chances: (k, num_actions) action probabilities at the k counterfactual tables; NaN where they are unknown.
        """
        ...

    def compute_controls(self, batch: Hands, agents: Sequence[int], /) -> list[Controls]:
        """Return the control variates of each agent, given by its index; all hands of the batch are over."""
        ...


class HiddenHands(Protocol):
    """The possible hands of a seat of a heads-up game, for best responses that keep a range."""

    num_hands: int
    """Number of possible hands, which are numbered from 0."""
    fold: int
    """Action id of a fold."""
    call: int
    """Action id of a check or call."""
    raises: range
    """Action ids of bets and raises."""

    def assign_hands(self, tables: Tables, seats: Rows, hands: Rows) -> None:
        """Replace the hand of seats[j] at tables[j] by hands[j], in place."""
        ...

    def possible_hands(self, tables: Tables, seats: Rows) -> NDArray[np.bool_]:
        """Return (n, num_hands): True for hands that the opponent may hold, given what seats[j] sees."""
        ...

    def boards(self, tables: Tables) -> NDArray[Any]:
        """Return (n, k): the public cards; rows are equal where tables have the same board."""
        ...

    def equities(self, tables: Tables, seats: Rows, random_numbers: Floats, num_boards: int) -> Floats:
        """Return (n, num_hands): the equity of seats[j] against each hand, from at most `num_boards` random boards."""
        ...

    def stakes(self, tables: Tables, seats: Rows) -> tuple[Floats, Floats, Floats]:
        """Return the pot, the chips to call and the hand commitment of seats[j], each (n,), in chips."""
        ...


@dataclass(frozen=True)
class ActionParts:
    """The cards and chips that an action moves, for graphical interfaces."""

    cards: tuple[int, ...] = ()
    """Card ids that the action plays from the actor's hand."""
    raise_to: int | None = None
    """Street commitment of the actor after a bet or raise, in chips; None for other actions."""


@dataclass(frozen=True)
class TextInterface:
    """Functions that describe a game in words and read actions from text; see `card_envs.text`."""

    rules: str
    """The rules of the game with its settings, in a few sentences."""
    describe: Callable[[Tables, int, int, bool], list[str]]
    """Function (views, i, seat, verbose) -> lines that describe table i; views are censored for `seat`."""
    stage: Callable[[Tables, int], str]
    """Function (tables, i) -> heading for the actions of this stage of the deal, such as "flop 7c 8c 2s", or ""."""
    describe_legal: Callable[[Tables, int], str]
    """Function (tables, i) -> the actor's legal actions in one line, with long lists and ranges shortened."""
    describe_outcome: Callable[[Tables, int], str]
    """Function (tables, i) -> public outcome of the deal, such as the hands of a showdown, or ""."""
    read_action: Callable[[Tables, int, str], int]
    """Function (tables, i, text in lower case) -> the legal action that the text names; ValueError if there is none."""


def _no_parts(tables: Tables, i: int, action: int, /) -> ActionParts:
    return ActionParts()


@dataclass(frozen=True)
class GameInfo:
    """Facts about a game beyond its rules, for matches, reports, solvers and wrappers."""

    seats: Seats | None = None
    """Allowed numbers of seats; None if the number is fixed."""
    positions: Positions | None = None
    """Positions relative to the first actor; None if seats do not rotate, so that a position is a seat."""
    units: Mapping[str, float] = field(default_factory=dict)
    """Units of results: name of a unit per hand -> factor from rewards to it; the default first, {} for `Game.unit`."""
    statistics: Callable[[], PlayCounter] | None = None
    """Function that makes a counter of play statistics."""
    chance: Chance | None = None
    """Explicit chance: the cards as separate events."""
    enumeration: Enumeration | None = None
    """All deals, for exact best responses."""
    control_terms: Callable[[int, Sequence[int]], ControlTerms] | None = None
    """Function (seed of a match, number of counterfactual hands of each agent, 1 for none) -> control variates."""
    hidden_hands: HiddenHands | None = None
    """Possible hands of a seat, for best responses that keep a range."""
    paint: Painting | None = None
    """Function that draws a table; None for games that are rendered as text only."""
    action_parts: Callable[[Tables, int, int], ActionParts] = _no_parts
    """Function (tables, i, action) -> the cards and chips of a legal action of the actor at table i."""
    private_cards: Callable[[Tables, int, int], list[int]] | None = None
    """Function (tables, i, seat) -> card ids that a seat holds at table i, NO_CARD where a view hides them."""
    redeal: Callable[[Tables, int, np.random.Generator], None] | None = None
    """Function (copies of one view, its seat, rng): replaces the hidden cards by random ones, in place."""
    shows_hands_at_end: bool = False
    """True if players show all cards at the end of a deal; agents see what `views` show."""
    equity: Callable[[Tables, int], float] | None = None
    """Function (view of a seat, seat) -> equity of the seat's hand, 0 to 1, against unknown hands if nobody folds."""
    evaluation_panel: tuple[str, ...] = ()
    """Names of the agents against which others are evaluated; () to leave the choice to the evaluating package."""
    text: TextInterface | None = None
    """The game in words; None to describe tables by `Game.text` and to read actions by their names only."""

    def make_play_counter(self) -> PlayCounter:
        """Return a match callback that counts play statistics; ValueError for a game without any."""
        if self.statistics is None:
            raise ValueError("this game has no play statistics: fill GameInfo.statistics")
        return self.statistics()

    def require_paint(self) -> Painting:
        """Return `paint`, or raise a ValueError for a game without pictures."""
        if self.paint is None:
            raise ValueError("this game has no pictures: choose render_mode='ansi'")
        return self.paint

    def draw(self, tables: Tables, seat: int | None) -> NDArray[np.uint8]:
        """Return a picture, (height, width, 3) RGB, of table 0 as `seat` sees it, or with all cards for None."""
        from card_envs.canvas import draw_pixels  # needs Pillow, which is an extra

        return draw_pixels(self.require_paint()(tables, seat))
