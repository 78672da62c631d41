"""Deals with explicit chance: playing them card by card, and resampling the cards that a seat does not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from card_envs.chance import BEGIN, CHANCE, Episode
from card_envs.game import ILLEGAL, Game, IllegalActionError, Tables

_TRIES = 100
"""Maximum number of random deals until one is consistent with the observations; in most games the first is."""
_SWAPS = 100
"""Number of steps of the random walk among consistent deals, if random deals are hardly ever consistent."""


def first_episode(game: Game) -> Episode:
    """Return the deal before its first card."""
    return Episode(game.new_tables(1), CHANCE.require(game).num_private_cards * game.num_seats)


def after_card(game: Game, episode: Episode, card: int) -> Episode:
    """Return the episode after chance deals a card; the action that waits for it is applied if it is the last."""
    if card in episode.cards or card not in CHANCE.require(game).deck:
        raise IllegalActionError(f"card {card} is no longer in the deck: choose one of chance_outcomes()")
    dealt = episode._replace(cards=(*episode.cards, card))
    if dealt.is_dealing or dealt.waiting is None:
        return dealt
    return _advance(game, dealt, dealt.waiting, _apply(game, dealt, dealt.waiting))


def after_action(game: Game, episode: Episode, action: int) -> Episode:
    """Return the episode after the actor's action; an illegal one raises IllegalActionError."""
    tables = _apply(game, episode, action)
    decision = CHANCE.require(game).public_decision(episode.tables, tables, action)
    return _advance(game, episode._replace(decisions=(*episode.decisions, decision)), action, tables)


def private_cards(game: Game, episode: Episode, seat: int) -> tuple[int, ...]:
    """Return the private card ids that a seat was dealt so far."""
    count = CHANCE.require(game).num_private_cards
    return episode.cards[: count * game.num_seats][seat * count : (seat + 1) * count]


def _apply(game: Game, episode: Episode, action: int) -> Tables:
    """Return the table after an action; cards that are not dealt yet are arbitrary."""
    # copied as bytes: copying a structured array field by field takes longer than everything else
    tables = episode.tables.view(np.uint8).copy().view(episode.tables.dtype)
    if action == BEGIN:
        CHANCE.require(game).open_table(tables, episode.cards)
        return tables
    CHANCE.require(game).place_cards(tables, episode.cards)
    if game.step(tables, 0, action) == ILLEGAL:
        raise IllegalActionError(game.why_illegal(episode.tables, 0, action))
    return tables


def _advance(game: Game, episode: Episode, action: int, tables: Tables) -> Episode:
    """Return the episode after `action`, or the one in which `action` waits for cards."""
    shown = CHANCE.require(game).num_cards_dealt(tables)
    if shown > len(episode.cards):
        return episode._replace(due=shown, waiting=action)
    return episode._replace(due=shown, waiting=None, tables=tables)


def resample_episode(game: Game, episode: Episode, seat: int, uniform: Callable[[], float]) -> Episode:
    """Return a random deal in which `seat` sees the same: its own cards and all public events are kept.

    All consistent deals are equally likely, for any strategies of the other seats. If they are hard to find (because an
    action reveals that a seat lacks cards), probabilities are approximate. `uniform` returns random numbers in [0, 1).
    """
    known = _hide_unknown_cards(game, episode, seat)
    for _ in range(_TRIES):
        rest = [card for card in CHANCE.require(game).deck if card not in known]
        drawn = tuple(rest.pop(int(uniform() * len(rest))) if card is None else card for card in known)
        found = _replace_cards(game, episode, drawn)
        if found is not None:
            return found
    return _walk_randomly(game, episode, known, uniform)


def replay_episode(game: Game, cards: tuple[int, ...], decisions: Sequence[Any]) -> Episode | None:
    """Return the episode with these cards and public decisions; None if a decision is impossible."""
    episode, chance = first_episode(game), CHANCE.require(game)
    left = list(decisions)
    while left or len(episode.cards) < len(cards):
        if episode.is_dealing:
            if len(episode.cards) == len(cards):
                return None
            episode = after_card(game, episode, cards[len(episode.cards)])
            continue
        if not left:
            return None
        decision = left.pop(0)
        action = chance.action_of(episode.tables, decision)
        if action < 0:
            return None
        episode = after_action(game, episode, action)
        if episode.decisions[-1] != decision:
            return None
    return episode


def _replace_cards(game: Game, episode: Episode, cards: tuple[int, ...]) -> Episode | None:
    """Return the episode with other cards; None unless the public decisions and the seat to act are the same."""
    found = replay_episode(game, cards, episode.decisions)
    return found if found is not None and found.tables["actor"][0] == episode.tables["actor"][0] else None


def _hide_unknown_cards(game: Game, episode: Episode, seat: int) -> list[int | None]:
    """Return the cards in the order of the deal, with None for cards that `seat` does not know."""
    chance = CHANCE.require(game)
    shown = chance.face_up_cards(episode)
    num_private = chance.num_private_cards * game.num_seats
    known: list[int | None] = list(episode.cards)
    for place in range(min(num_private, len(known))):
        owner = place // chance.num_private_cards
        if owner != seat and episode.cards[place] not in shown[owner]:
            known[place] = None
    return known


def _walk_randomly(game: Game, episode: Episode, known: Sequence[int | None], uniform: Callable[[], float]) -> Episode:
    """Return the end of a random walk among consistent deals; each step swaps a hidden card with another card."""
    rest = [card for card in CHANCE.require(game).deck if card not in episode.cards]
    hidden = [place for place, card in enumerate(known) if card is None]
    pool, found = [*episode.cards, *rest], episode
    swappable = [*hidden, *range(len(known), len(pool))]
    for _ in range(_SWAPS if hidden else 0):
        one, other = hidden[int(uniform() * len(hidden))], swappable[int(uniform() * len(swappable))]
        pool[one], pool[other] = pool[other], pool[one]
        tried = _replace_cards(game, episode, tuple(pool[: len(known)]))
        if tried is None:
            pool[one], pool[other] = pool[other], pool[one]
        else:
            found = tried
    return found
