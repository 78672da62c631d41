"""`GameInfo`: facts about a game beyond the rules in `Game`, for matches, reports, solvers and wrappers.

Every field has a default, with which the game can be played in all environments and matches; a field that is filled
opens what needs it: explicit chance opens OpenSpiel and the check for leaks, an enumeration exact best responses,
hidden hands the local best response. Games fill it in their own folders; nothing else knows a game by name.
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
    """Puts table 0 on a `card_envs.canvas.Canvas`, as a seat sees it, or with all cards for None."""

    def __call__(
        self, make_canvas: type[Any], tables: Tables, seat: int | None, names: Sequence[str] | None = None, /
    ) -> Any:
        """Return a canvas of the kind asked for; `names` are those of the seats."""
        ...


@dataclass(frozen=True)
class Seats:
    """The numbers of seats at which a game can be played."""

    fewest: int
    most: int
    setting: str | None = None
    """The argument of the environment that chooses, None where nothing is to choose."""


@dataclass(frozen=True)
class Positions:
    """Positions of the seats relative to the first actor: results depend on them as much as on skill."""

    names: tuple[str, ...]
    of: Callable[[Tables], NDArray[np.int64]]
    """Tables -> (n, num_seats): the position of every seat, an index of `names`."""


class Enumeration(Protocol):
    """All deals of a game in which no card decides what is legal, as exact best responses need them."""

    num_deals: int
    """Deals, all equally likely; the order of the cards counts."""

    def deal_all(self) -> Tables:
        """Return every deal once, as a table at its first decision; all have the same seat to act."""
        ...

    def deal_indices(self, tables: Tables) -> Rows:
        """Return (n,): the index in `deal_all` of each table's deal, wherever its button is."""
        ...

    def visible_cards(self, tables: Tables, seat: int) -> NDArray[Any]:
        """Return (n, k): the cards that `seat` sees at each table; rows are equal where it cannot tell them apart.

        The same actions were taken at all tables.
        """
        ...


@dataclass(frozen=True, eq=False)
class ControlUnits:
    """Units of controls: a scale for those that have hardly varied yet."""

    is_stake: NDArray[np.bool_]
    """(k,): True for a stake times a number within -1 .. 1, False for numbers of that size alone."""
    least_stake: float
    """Smallest scale of a stake, in rewards: smaller stakes say nothing about larger ones."""


@dataclass(frozen=True, eq=False)
class Controls:
    """Control variates of an agent's rewards: numbers whose mean is zero whatever the agents do."""

    correction: Floats
    """(hands,): subtracted from the rewards as it is (the AIVAT correction)."""
    terms: Floats
    """(hands, k): subtracted with coefficients that a regression finds."""


class ControlTerms(Protocol):
    """Computes the control variates of a match that it observes as a callback does.

    The caller asks the agents for their action probabilities at counterfactual tables.
    """

    @property
    def units(self) -> ControlUnits:
        """Units of the controls, in their order."""
        ...

    def on_deal(self, batch: Hands, /) -> None:
        """Prepare for the hands of `batch`."""
        ...

    def counterfactual_tables(self, batch: Hands, rows: Rows, /) -> tuple[Tables, Rows]:
        """Return tables at which the actors' action probabilities are needed, and which of `rows` each was copied from.

        The second array, (k,), holds positions in `rows`.
        """
        ...

    def on_actions(self, batch: Hands, rows: Rows, actions: Rows, chances: Floats, /) -> None:
        """Called before actions are applied, with the action probabilities at the counterfactual tables.

        Args:
            batch: The hands.
            rows: (m,) indices of the tables at which an action is taken.
            actions: (m,) legal actions.
            chances: (k, num_actions) probabilities at the k counterfactual tables; NaN for agents that cannot be asked.
        """
        ...

    def compute_controls(self, batch: Hands, agents: Sequence[int], /) -> list[Controls]:
        """Return the controls of each of `agents` (indices); all hands of the batch are over."""
        ...


class HiddenHands(Protocol):
    """The hands that a seat of a heads-up game may hold, for best responses that keep a range."""

    num_hands: int
    """Number of hands; a hand is an index below it."""
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
        """Return (n, num_hands): True for hands that the other seat may hold, given what seats[j] sees."""
        ...

    def boards(self, tables: Tables) -> NDArray[Any]:
        """Return (n, k): the public cards; rows are equal where tables have the same board."""
        ...

    def equities(self, tables: Tables, seats: Rows, random_numbers: Floats, num_boards: int) -> Floats:
        """Return (n, num_hands): the equity of seats[j] against each hand, from `num_boards` random boards at most."""
        ...

    def stakes(self, tables: Tables, seats: Rows) -> tuple[Floats, Floats, Floats]:
        """Return the pot, the chips to call and the hand commitment of seats[j]: (n,) chips each."""
        ...


@dataclass(frozen=True)
class ActionParts:
    """The cards and chips that an action moves, for people who choose by pointing."""

    cards: tuple[int, ...] = ()
    """Card ids that leave the actor's hand."""
    raise_to: int | None = None
    """Chips that the actor has put in on this street afterwards; None for actions that raise nothing."""


@dataclass(frozen=True)
class TextInterface:
    """A game in words, for people who type and for language models; see `card_envs.text`."""

    rules: str
    """The rules with the settings of this game, in a few sentences."""
    describe: Callable[[Tables, int, int, bool], list[str]]
    """(views, i, seat, verbose) -> lines that say what `seat` sees of table i; views are censored for it."""
    stage: Callable[[Tables, int], str]
    """(tables, i) -> public heading of the actions of this part of the deal, such as "flop 7c 8c 2s"; "" for none."""
    describe_legal: Callable[[Tables, int], str]
    """(tables, i) -> the actor's legal actions in one line; ranges of amounts and long lists are shortened."""
    describe_outcome: Callable[[Tables, int], str]
    """(tables, i) -> what everybody sees at the end of the deal, such as the hands of a showdown; "" for nothing."""
    read_action: Callable[[Tables, int, str], int]
    """(tables, i, words in small letters) -> the legal action that they name; ValueError says what is wrong."""


def _moves_nothing(tables: Tables, i: int, action: int, /) -> ActionParts:
    return ActionParts()


@dataclass(frozen=True)
class GameInfo:
    """Facts about a game beyond its rules, for matches, reports, solvers and wrappers."""

    seats: Seats | None = None
    """None: as many as this game has, and no other number."""
    positions: Positions | None = None
    """None: a position is a seat."""
    units: Mapping[str, float] = field(default_factory=dict)
    """Units of results: name of a unit per hand -> number of them in a reward of 1. The first is the usual one.

    Empty: `Game.unit` per hand.
    """
    statistics: Callable[[], PlayCounter] | None = None
    """Makes a counter of how the agents play."""
    chance: Chance | None = None
    """The cards as events of their own."""
    enumeration: Enumeration | None = None
    control_terms: Callable[[int, Sequence[int]], ControlTerms] | None = None
    """(seed of a match, number of counterfactual hands per agent, 1 if it cannot be asked) -> control variates."""
    hidden_hands: HiddenHands | None = None
    paint: Painting | None = None
    """None: there is text alone (`Game.text`)."""
    action_parts: Callable[[Tables, int, int], ActionParts] = _moves_nothing
    """(tables, i, action): the cards and chips of a legal action of the actor at table i."""
    private_cards: Callable[[Tables, int, int], list[int]] | None = None
    """(tables, i, seat): the card ids that a seat holds at table i, NO_CARD where a view hides them."""
    redeal: Callable[[Tables, int, np.random.Generator], None] | None = None
    """(copies of one view, the seat that is to act and sees it, rng): deal what it cannot see at random, in place."""
    shows_hands_at_end: bool = False
    """Whether players lay all cards open when a deal is over, for people who play; agents see what `views` show."""
    equity: Callable[[Tables, int], float] | None = None
    """(view of a seat, seat) -> share of the pot, 0 to 1, that its hand wins against unknown hands if nobody folds."""
    evaluation_panel: tuple[str, ...] = ()
    """Names of the agents against which others are measured; empty: the measuring package chooses."""
    text: TextInterface | None = None
    """None: tables are described by `Game.text`, and actions read by their names alone."""

    def make_play_counter(self) -> PlayCounter:
        """Return a match callback that counts how the agents play; ValueError for a game without play statistics."""
        if self.statistics is None:
            raise ValueError("this game has no play statistics: it fills no GameInfo.statistics")
        return self.statistics()

    def require_paint(self) -> Painting:
        """Return `paint`, or raise a ValueError for a game without."""
        if self.paint is None:
            raise ValueError("this game draws no pictures: choose render_mode='ansi', which is text")
        return self.paint

    def draw(self, tables: Tables, seat: int | None) -> NDArray[np.uint8]:
        """Return table 0 as a picture, (height, width, 3) RGB, as `seat` sees it, or with all cards for None."""
        from card_envs.canvas import PixelCanvas  # needs Pillow, which is an extra

        picture: NDArray[np.uint8] = self.require_paint()(PixelCanvas, tables, seat).array()
        return picture
