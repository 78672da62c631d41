"""Explicit chance: a deal whose cards are dealt one at a time by the caller, before and between decisions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import NO_CARD, card_name
from card_envs.features import Feature
from card_envs.observation import Block
from card_envs.records import Tables as Tables

__all__ = ["BEGIN", "CHANCE", "EQUITY", "REDEAL", "Chance", "Episode", "Equity", "Redeal", "redeal_deck"]

Redeal = Callable[[Tables, int, np.random.Generator], None]
Equity = Callable[[Tables, int], float]

BEGIN = -1
"""Pseudo action that starts the deal, see `Episode.waiting`."""


class Episode(NamedTuple):
    """A deal in progress. It is immutable, so that copies of a state can share it.

    While `len(cards) < due`, chance deals the next card. The action `waiting` is applied after `due` cards; the table
    is the one before that action.
    """

    tables: Tables
    """(1,): the table; nothing is dealt at it before the first `due` cards are known."""
    due: int
    """Number of cards that must be dealt before the next decision."""
    waiting: int | None = BEGIN
    """Action that is applied when `due` cards are dealt; None if no action waits for cards."""
    cards: tuple[int, ...] = ()
    """Card ids in the order in which chance dealt them."""
    decisions: tuple[Any, ...] = ()
    """Public decisions so far, as `Chance.public_decision` returns them."""

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Self:
        """Return the episode itself."""
        return self

    @property
    def is_dealing(self) -> bool:
        """True if the next event is a card, not a decision."""
        return len(self.cards) < self.due

    @property
    def has_begun(self) -> bool:
        """True after the private cards are dealt; before, there is nothing to observe but one's own cards."""
        return self.waiting != BEGIN


class Chance(Protocol):
    """The chance events of a game, bounds of its size, and its information states.

    Each seat gets its private cards before the first decision, one seat after the other; all later cards are public.
    """

    deck: tuple[int, ...]
    """Card ids; all cards that are left are equally likely."""
    num_private_cards: int
    """Number of private cards of each seat."""
    max_cards: int
    """Maximum number of cards that are dealt."""
    max_decisions: int
    """Maximum number of decisions."""
    min_return: float
    """Smallest return of a seat, in rewards."""
    max_return: float
    """Largest return of a seat, in rewards."""
    recall_blocks: tuple[Block, ...]
    """Blocks that an information state (with perfect recall) has beyond those of an observation; all are public."""

    def card_name(self, card: int) -> str:
        """Return the name of a card id; by default that of `cards.card_name`, such as "As"."""
        return card_name(card)

    def open_table(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Begin the deal at table 0; the first of `cards` are the private cards."""
        ...

    def place_cards(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Write the cards that chance has dealt into table 0; by default nothing, for games that deal all at first."""
        return

    def num_cards_dealt(self, tables: Tables) -> int:
        """Return the number of cards that table 0 needs: those in hands and on the board."""
        ...

    def public_decision(self, before: Tables, after: Tables, action: int) -> Any:
        """Return the public part of an action, as a value that can be compared."""
        ...

    def action_of(self, tables: Tables, decision: Any) -> int:
        """Return the actor's action at table 0 whose public part is `decision`; negative if there is none."""
        ...

    def face_up_cards(self, episode: Episode) -> Sequence[Collection[int]]:
        """Return the private cards of each seat that have become public."""
        ...

    def public_text(self, episode: Episode) -> str:
        """Return the public history as text."""
        ...

    def private_text(self, cards: Iterable[int]) -> str:
        """Return the cards of a seat as text."""
        ...

    def write_recall(self, episode: Episode, pieces: Mapping[str, NDArray[Any]]) -> None:
        """Write the recall blocks, which must be all zeros."""
        ...


def redeal_deck(deck: Collection[int], num_dealt: int, views: Tables, seat: int, rng: np.random.Generator) -> None:
    """Replace the hidden cards of a view in games with a field `deck`, see `REDEAL`.

    `deck` are all cards of the game; hidden ones are `NO_CARD` among the first `num_dealt` of the field.
    """
    known = views["deck"][0, :num_dealt].tolist()
    hidden = [place for place, card in enumerate(known) if card == NO_CARD]
    unseen = np.array([card for card in deck if card not in known], np.uint8)
    views["deck"][:, hidden] = rng.permuted(np.tile(unseen, (len(views), 1)), axis=1)[:, : len(hidden)]


CHANCE: Feature[Chance] = Feature("chance", __name__, "explicit chance")
"""The cards of a game as separate events, for OpenSpiel, resampled deals and the check for leaks."""
REDEAL: Feature[Redeal] = Feature("redeal", __name__, "random hidden cards")
"""Function (views, seat, rng): replaces the hidden cards in copies of one view of a seat by random ones, in place."""
EQUITY: Feature[Equity] = Feature("equity", __name__, "equity of hands")
"""Function (view, seat) -> estimate of the equity, 0 to 1, of a seat's hand against unknown hands if nobody folds."""
