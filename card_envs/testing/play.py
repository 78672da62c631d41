"""Random play that the checks share."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.chance import Episode
from card_envs.episode import after_action, after_card, chance_of, first_episode
from card_envs.game import ILLEGAL, Game, Tables
from card_envs.observation import mask_records, observation_records

ROW = np.zeros(1, np.int64)
MAX_DECISIONS = 100_000
"""Maximum number of decisions in a deal."""


class CheckFailure(AssertionError):
    """Raised by a check that fails; the message says what is wrong, where, and what was found."""


@dataclass(frozen=True)
class SeatView:
    """Observation, mask and view of one seat at a table."""

    observation: NDArray[Any]
    mask: NDArray[np.int8]


def observe(game: Game, tables: Tables, seat: int) -> SeatView:
    """Return observation and mask of `seat` at table 0, written by the kernel for one table."""
    observation = np.zeros((1, game.layout.size), game.layout.dtype)
    mask = np.zeros((1, game.num_actions), np.int8)
    game.encoder.observe(tables, 0, seat, observation_records(observation), mask_records(mask))
    return SeatView(observation[0], mask[0])


def observe_batch(game: Game, tables: Tables, rows: NDArray[np.int64]) -> SeatView:
    """Return observations and masks (n, ...) of the actors of tables[rows], written by the batch kernel."""
    observation = np.zeros((len(rows), game.layout.size), game.layout.dtype)
    mask = np.zeros((len(rows), game.num_actions), np.int8)
    game.encoder.observe_batch(tables, rows, observation_records(observation), mask_records(mask))
    return SeatView(observation, mask)


def view(game: Game, tables: Tables, seat: int) -> Tables:
    """Return the censored copy of table 0 that an agent at `seat` gets."""
    views = game.new_tables(1)
    game.censor_batch(tables, ROW, np.array([seat]), views)
    return views


def decisions(game: Game, seed: int, deals: int) -> Iterator[tuple[Tables, int]]:
    """Yield (table, actor) before every decision of random deals, and once after each with actor -1.

    The table moves on. Actions are drawn from those that the mask allows.
    """
    rng = np.random.default_rng(seed)
    tables = game.seeded_tables(1, seed)
    for _ in range(deals):
        actor = int(game.deal(tables, 0))
        for _ in range(MAX_DECISIONS):
            yield tables, actor
            if actor < 0:
                break
            legal = np.flatnonzero(observe(game, tables, actor).mask)
            if len(legal) == 0:
                raise CheckFailure(f"player_{actor} is to act, its mask is empty:\n{game.text(tables, 0, None)}")
            actor = int(game.step(tables, 0, int(rng.choice(legal))))
            if actor == ILLEGAL:
                raise CheckFailure(f"an action that the mask allows is refused:\n{game.text(tables, 0, None)}")
        else:
            raise CheckFailure(f"a deal does not end in {MAX_DECISIONS:,} decisions")


def episodes(game: Game, seed: int, deals: int) -> Iterator[Episode]:
    """Yield the episode before every decision of random deals whose cards chance deals one by one."""
    rng, deck = np.random.default_rng(seed), chance_of(game).deck
    for _ in range(deals):
        episode = first_episode(game)
        while episode.is_dealing or not episode.tables["is_over"][0]:
            if episode.is_dealing:
                left = [card for card in deck if card not in episode.cards]
                episode = after_card(game, episode, int(rng.choice(left)))
                continue
            yield episode
            legal = np.flatnonzero(observe(game, episode.tables, int(episode.tables["actor"][0])).mask)
            episode = after_action(game, episode, int(rng.choice(legal)))


def digest(game: Game, seed: int, deals: int) -> str:
    """Return a hash of all tables, observations, masks and views in random deals."""
    found = hashlib.sha256()
    for tables, actor in decisions(game, seed, deals):
        found.update(tables.tobytes())
        if actor >= 0:
            seen = observe(game, tables, actor)
            found.update(seen.observation.tobytes() + seen.mask.tobytes() + view(game, tables, actor).tobytes())
    return found.hexdigest()
