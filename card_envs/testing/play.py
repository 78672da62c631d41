"""Random play for the checks of `card_envs.testing`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from card_envs.chance import CHANCE, Episode
from card_envs.episode import after_action, after_card, first_episode
from card_envs.game import ILLEGAL, Game, Tables
from card_envs.rng import make_generator

MAX_DECISIONS = 100_000
"""Maximum number of decisions in a deal."""


class CheckFailure(AssertionError):
    """Raised when a game fails a check; the message says what is wrong and where."""


def decisions(game: Game, seed: int, deals: int) -> Iterator[tuple[Tables, int]]:
    """Yield (table, actor) before every decision of random deals, and once after each with actor -1.

    It is always the same table, which changes. Actions are drawn from those that the mask allows.
    """
    rng = make_generator(seed)
    tables = game.seeded_tables(1, seed)
    for _ in range(deals):
        actor = int(game.deal(tables, 0))
        for _ in range(MAX_DECISIONS):
            yield tables, actor
            if actor < 0:
                break
            legal = np.flatnonzero(game.observe(tables, 0, actor)[1])
            if len(legal) == 0:
                raise CheckFailure(f"player_{actor} is to act, but its mask is empty:\n{game.text(tables, 0, None)}")
            actor = int(game.step(tables, 0, int(rng.choice(legal))))
            if actor == ILLEGAL:
                raise CheckFailure(f"the mask allows an action that `step` refuses:\n{game.text(tables, 0, None)}")
        else:
            raise CheckFailure(f"a deal does not end in {MAX_DECISIONS:,} decisions")


def episodes(game: Game, seed: int, deals: int) -> Iterator[Episode]:
    """Yield the episode before every decision of random deals whose cards chance deals one by one."""
    rng, deck = make_generator(seed), CHANCE.require(game).deck
    for _ in range(deals):
        episode = first_episode(game)
        while episode.is_dealing or not episode.tables["is_over"][0]:
            if episode.is_dealing:
                left = [card for card in deck if card not in episode.cards]
                episode = after_card(game, episode, int(rng.choice(left)))
                continue
            yield episode
            legal = game.legal_actions(episode.tables, 0)
            episode = after_action(game, episode, int(rng.choice(legal)))


def digest(game: Game, seed: int, deals: int) -> str:
    """Return a hash of all tables in random deals, and of a third of their states, observations, masks and views."""
    found = hashlib.sha256()
    for number, (tables, actor) in enumerate(decisions(game, seed, deals)):
        found.update(tables.tobytes())
        if number % 3 == 0:
            found.update(game.state(tables, 0).tobytes())
        if number % 3 == 0 and actor >= 0:
            observation, mask = game.observe(tables, 0, actor)
            found.update(observation.tobytes() + mask.tobytes() + game.views(tables, [0], [actor]).tobytes())
    return found.hexdigest()
