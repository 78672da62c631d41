"""Deals with explicit chance, played card by card and action by action; and dealt again as a seat may imagine them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from card_envs.chance import BEGIN, Chance, Episode
from card_envs.game import ILLEGAL, Game, IllegalActionError, Tables

_TRIES = 100
"""Deals drawn at random until one fits what was seen; in most games the first does."""
_SWAPS = 100
"""Steps of the walk among deals that fit, where random ones hardly ever do."""


def chance_of(game: Game) -> Chance:
    """Return the cards of a game as events of their own, or raise a ValueError for a game that does not tell."""
    if game.info.chance is None:
        raise ValueError(f"{game.name} has no explicit chance: fill `GameInfo.chance`")
    return game.info.chance


def first_episode(game: Game) -> Episode:
    """Return the deal before its first card."""
    return Episode(game.new_tables(1), chance_of(game).num_private_cards * game.num_seats)


def after_card(game: Game, episode: Episode, card: int) -> Episode:
    """Return the episode with one more card, and with what waited for it."""
    if card in episode.cards or card not in chance_of(game).deck:
        raise IllegalActionError(f"card {card} is not in the deck any more: draw one of chance_outcomes()")
    dealt = episode._replace(cards=(*episode.cards, card))
    if dealt.is_dealing or dealt.waiting is None:
        return dealt
    return _advance(game, dealt, dealt.waiting, _apply(game, dealt, dealt.waiting))


def after_action(game: Game, episode: Episode, action: int) -> Episode:
    """Return the episode after the actor's action; an illegal one raises IllegalActionError."""
    tables = _apply(game, episode, action)
    decision = chance_of(game).public_decision(episode.tables, tables, action)
    return _advance(game, episode._replace(decisions=(*episode.decisions, decision)), action, tables)


def private_cards(game: Game, episode: Episode, seat: int) -> tuple[int, ...]:
    """Return the card ids that a seat was dealt so far."""
    count = chance_of(game).num_private_cards
    return episode.cards[: count * game.num_seats][seat * count : (seat + 1) * count]


def _apply(game: Game, episode: Episode, action: int) -> Tables:
    """Return the table after an action; what it shows of cards that are not dealt yet is meaningless."""
    # as bytes: copying a structured array field by field takes longer than all the rest
    tables = episode.tables.view(np.uint8).copy().view(episode.tables.dtype)
    if action == BEGIN:
        chance_of(game).open_table(tables, episode.cards)
        return tables
    chance_of(game).place_cards(tables, episode.cards)
    if game.step(tables, 0, action) == ILLEGAL:
        raise IllegalActionError(game.why_illegal(episode.tables, 0, action))
    return tables


def _advance(game: Game, episode: Episode, action: int, tables: Tables) -> Episode:
    """Return the episode at the table after `action`, or waiting with it for the cards that it turns up."""
    shown = chance_of(game).num_cards_dealt(tables)
    if shown > len(episode.cards):
        return episode._replace(due=shown, waiting=action)
    return episode._replace(due=shown, waiting=None, tables=tables)


def resample_episode(game: Game, episode: Episode, seat: int, uniform: Callable[[], float]) -> Episode:
    """Return a deal in which `seat` has seen the same: its own cards and all that is public stay, others are drawn.

    `uniform` returns random numbers in [0, 1). All deals that fit are equally likely, whatever the others would have
    done with them; where they are hard to find (an action tells that a seat lacks cards), nearly so.
    """
    known = _hide_unknown_cards(game, episode, seat)
    for _ in range(_TRIES):
        found = _like(game, episode, _draw_unknown_cards(game, known, uniform))
        if found is not None:
            return found
    return _walk_randomly(game, episode, known, uniform)


def replay_episode(game: Game, cards: tuple[int, ...], decisions: Sequence[Any]) -> Episode | None:
    """Return the episode in which chance deals `cards` and the seats do as seen; None if they cannot."""
    episode, chance = first_episode(game), chance_of(game)
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


def _like(game: Game, episode: Episode, cards: tuple[int, ...]) -> Episode | None:
    """Return the episode with other cards, None unless the same is seen and the same seat acts."""
    found = replay_episode(game, cards, episode.decisions)
    return found if found is not None and found.tables["actor"][0] == episode.tables["actor"][0] else None


def _hide_unknown_cards(game: Game, episode: Episode, seat: int) -> list[int | None]:
    """Return the cards in the order of the deal, None for those that `seat` does not know."""
    chance = chance_of(game)
    shown = chance.face_up_cards(episode)
    num_private = chance.num_private_cards * game.num_seats
    known: list[int | None] = list(episode.cards)
    for place in range(min(num_private, len(known))):
        owner = place // chance.num_private_cards
        if owner != seat and episode.cards[place] not in shown[owner]:
            known[place] = None
    return known


def _draw_unknown_cards(game: Game, known: Sequence[int | None], uniform: Callable[[], float]) -> tuple[int, ...]:
    """Return the cards with those that are not known drawn from the rest of the deck."""
    rest = [card for card in chance_of(game).deck if card not in known]
    return tuple(rest.pop(int(uniform() * len(rest))) if card is None else card for card in known)


def _walk_randomly(game: Game, episode: Episode, known: Sequence[int | None], uniform: Callable[[], float]) -> Episode:
    """Return the deal that a random walk among fitting deals reaches; each step swaps a hidden card with another."""
    rest = [card for card in chance_of(game).deck if card not in episode.cards]
    hidden = [place for place, card in enumerate(known) if card is None]
    pool, found = [*episode.cards, *rest], episode
    swappable = [*hidden, *range(len(known), len(pool))]
    for _ in range(_SWAPS if hidden else 0):
        one, other = hidden[int(uniform() * len(hidden))], swappable[int(uniform() * len(swappable))]
        pool[one], pool[other] = pool[other], pool[one]
        tried = _like(game, episode, tuple(pool[: len(known)]))
        if tried is None:
            pool[one], pool[other] = pool[other], pool[one]
        else:
            found = tried
    return found
