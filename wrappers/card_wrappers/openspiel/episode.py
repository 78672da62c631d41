"""One deal with chance made explicit: cards come one at a time, from outside, before and between decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from card_envs.game import ILLEGAL, Game, IllegalActionError, Tables
from card_envs.observation import Block

BEGIN = -1
"""Stands for the start of the deal among the actions that wait for cards."""

Decision = TypeVar("Decision")


class Episode(NamedTuple, Generic[Decision]):
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
    decisions: tuple[Decision, ...] = ()
    """What everybody saw the seats do."""

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


class Dealing(Protocol[Decision]):
    """What OpenSpiel asks about a game beyond `Game`: its chance events, its bounds, what everybody remembers."""

    game: Game
    deck: tuple[int, ...]
    """Card ids; a chance outcome is a place in this tuple."""
    num_private_cards: int
    """Cards that each seat gets before the first decision, seat after seat."""
    max_decisions: int
    min_return: float
    max_return: float
    recall_blocks: tuple[Block, ...]
    """What an information state has on top of an observation, so that nothing is forgotten; all of it public."""

    def open_table(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Begin the deal with the private cards at the front of `cards`."""
        ...

    def lay_out(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Put the cards that chance has dealt where the table will look for them."""
        ...

    def num_shown(self, tables: Tables) -> int:
        """Return how many cards the table has used: all in hands and on the board."""
        ...

    def seen_decision(self, before: Tables, after: Tables, action: int) -> Decision:
        """Return what the other seats see of an action."""
        ...

    def public_text(self, episode: Episode[Decision]) -> str:
        """Return all that has happened, as everybody saw it."""
        ...

    def private_text(self, cards: Iterable[int]) -> str:
        """Return the cards of a seat."""
        ...

    def write_recall(self, episode: Episode[Decision], pieces: Mapping[str, NDArray[Any]]) -> None:
        """Write the recall blocks, which are all zeros before."""
        ...


def first_episode(dealing: Dealing[Any]) -> Episode[Any]:
    """Return the deal before its first card."""
    return Episode(dealing.game.new_tables(1), dealing.num_private_cards * dealing.game.num_seats)


def after_card(dealing: Dealing[Any], episode: Episode[Any], card: int) -> Episode[Any]:
    """Return the episode with one more card, and with what waited for it."""
    if card in episode.cards or card not in dealing.deck:
        raise IllegalActionError(f"card {card} is not in the deck any more: draw one of chance_outcomes()")
    dealt = episode._replace(cards=(*episode.cards, card))
    if dealt.is_dealing or dealt.waiting is None:
        return dealt
    return _gone_on(dealing, dealt, dealt.waiting, _applied(dealing, dealt, dealt.waiting))


def after_action(dealing: Dealing[Any], episode: Episode[Any], action: int) -> Episode[Any]:
    """Return the episode after the actor's action; an illegal one raises IllegalActionError."""
    tables = _applied(dealing, episode, action)
    decision = dealing.seen_decision(episode.tables, tables, action)
    return _gone_on(dealing, episode._replace(decisions=(*episode.decisions, decision)), action, tables)


def private_cards(dealing: Dealing[Any], episode: Episode[Any], seat: int) -> tuple[int, ...]:
    """Return the card ids that a seat was dealt so far."""
    count = dealing.num_private_cards
    return episode.cards[: count * dealing.game.num_seats][seat * count : (seat + 1) * count]


def _applied(dealing: Dealing[Any], episode: Episode[Any], action: int) -> Tables:
    """Return the table after an action; what it shows of cards that are not dealt yet is meaningless."""
    # as bytes: copying a structured array field by field takes longer than all the rest
    tables = episode.tables.view(np.uint8).copy().view(episode.tables.dtype)
    if action == BEGIN:
        dealing.open_table(tables, episode.cards)
        return tables
    dealing.lay_out(tables, episode.cards)
    if dealing.game.step(tables, 0, action) == ILLEGAL:
        raise IllegalActionError(dealing.game.why_illegal(episode.tables, 0, action))
    return tables


def _gone_on(dealing: Dealing[Any], episode: Episode[Any], action: int, tables: Tables) -> Episode[Any]:
    """Return the episode at the table after `action`, or waiting with it for the cards that it turns up."""
    shown = dealing.num_shown(tables)
    if shown > len(episode.cards):
        return episode._replace(due=shown, waiting=action)
    return episode._replace(due=shown, waiting=None, tables=tables)
