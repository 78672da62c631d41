"""One deal with chance made explicit: cards come one at a time, from outside, before and between decisions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

from numpy.typing import NDArray

from card_envs.observation import Block
from card_envs.records import Tables as Tables

BEGIN = -1
"""Pseudo action for the start of the deal, among the actions that wait for cards."""


class Episode(NamedTuple):
    """A deal in progress. Nothing in it changes, so that a copy of a state can share it.

    While `len(cards) < due`, chance deals: `waiting` is the action whose consequences need those cards, and the table
    is still the one before it.
    """

    tables: Tables
    """One table; nothing is dealt at it before the first `due` cards are there."""
    due: int
    """Cards that lie on the table or in hands when the game goes on."""
    waiting: int | None = BEGIN
    cards: tuple[int, ...] = ()
    """Card ids in the order in which chance dealt them."""
    decisions: tuple[Any, ...] = ()
    """Public decisions so far, as `Chance.public_decision` returns them."""

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Self:
        """Return the episode itself."""
        return self

    @property
    def is_dealing(self) -> bool:
        """Whether the next card comes before the next decision."""
        return len(self.cards) < self.due

    @property
    def has_begun(self) -> bool:
        """Whether the table has been opened: before, there is nothing to observe but one's own cards."""
        return self.waiting != BEGIN


class Chance(Protocol):
    """The cards of a game as events of their own, its bounds, and what everybody remembers.

    Each seat gets its private cards before the first decision, seat after seat; all cards after them lie open.
    """

    deck: tuple[int, ...]
    """Card ids; all that are left are equally likely to come."""
    num_private_cards: int
    """Cards that each seat gets."""
    max_cards: int
    """Cards that are dealt at most."""
    max_decisions: int
    min_return: float
    """Smallest return of one seat, in rewards."""
    max_return: float
    recall_blocks: tuple[Block, ...]
    """Blocks of an information state beyond those of an observation, for perfect recall; all of it public."""

    def card_name(self, card: int) -> str:
        """Return a card in words."""
        ...

    def open_table(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Begin the deal at table 0 with the private cards at the front of `cards`."""
        ...

    def place_cards(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Put the cards that chance has dealt where table 0 will look for them."""
        ...

    def num_cards_dealt(self, tables: Tables) -> int:
        """Return how many cards table 0 has used: all in hands and on the board."""
        ...

    def public_decision(self, before: Tables, after: Tables, action: int) -> Any:
        """Return the public part of an action, as a value that can be compared."""
        ...

    def action_of(self, tables: Tables, decision: Any) -> int:
        """Return the action with which the actor at table 0 does what was seen, negative if it cannot."""
        ...

    def face_up_cards(self, episode: Episode) -> Sequence[Collection[int]]:
        """Return for each seat its private cards that everybody knows of."""
        ...

    def public_text(self, episode: Episode) -> str:
        """Return all that has happened, as everybody saw it."""
        ...

    def private_text(self, cards: Iterable[int]) -> str:
        """Return the cards of a seat."""
        ...

    def write_recall(self, episode: Episode, pieces: Mapping[str, NDArray[Any]]) -> None:
        """Write the recall blocks, which are all zeros before."""
        ...
