"""Random games for the fuzz, and random play in them through what every game offers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game, Tables
from card_envs.games.big2.encoders import ENCODERS as BIG2_ENCODERS
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders import ENCODERS as HOLDEM_ENCODERS
from card_envs.games.holdem.game import holdem_game
from tests.differential.against_pokerkit import ANTES, STRUCTURES, random_config
from tests.helpers.kinds_of_games import OPTION_SETS, PRESETS, make_kind
from tests.helpers.wide_games import widen
from tests.properties.encoder_play import serves

ENCODERS = (*HOLDEM_ENCODERS, *BIG2_ENCODERS)
FOLD, CALL = 0, 1


@dataclass(frozen=True)
class Named:
    """A game, and in words how it was made."""

    words: str
    game: Game


def random_game(rng: random.Random, encoder: str | None = None) -> Named:
    """Return a game that `encoder` serves, any game without one."""
    encoder = encoder or rng.choice(ENCODERS)
    if encoder not in BIG2_ENCODERS:
        return holdem(rng, encoder)
    rules = rng.choice(list(OPTION_SETS))
    return Named(f"Big 2, {rules}, encoder {encoder}", make_kind(rules, encoder))


def holdem(rng: random.Random, encoder: str) -> Named:
    """Return one of the kinds of hold'em that tests know, or one with random stakes and stacks."""
    if rng.random() < 0.5:
        name = rng.choice([name for name, config in PRESETS.items() if serves(HOLDEM_ENCODERS[encoder], config)])
        return Named(f"hold'em, {name}, encoder {encoder}", make_kind(name, encoder))
    config = random_config(rng, rng.choice(STRUCTURES), rng.choice(ANTES))
    while not (has_decisions(config) and serves(HOLDEM_ENCODERS[encoder], config)):
        config = random_config(rng, rng.choice(STRUCTURES), rng.choice(ANTES))
    return Named(f"{config}, encoder {encoder}", widen(holdem_game("hold'em", config, encoder)))


def has_decisions(config: HoldemConfig) -> bool:
    """False where blinds and antes may put everybody all-in in every deal: then no next deal has a decision."""
    return sorted(config.stack_list)[-2] > max(config.blinds) + max(config.ante_list)


def dealt(game: Game, num_tables: int, seed: int, first_table: int = 0) -> Tables:
    """Return tables whose first deal with a decision has begun."""
    tables = game.seeded_tables(num_tables, seed, first_table)
    waiting = np.arange(num_tables)
    while len(waiting):
        game.deal_batch(tables, waiting)
        waiting = waiting[tables["is_over"][waiting] == 1]
    return tables


def states(game: Game, num_tables: int, seed: int, decisions: int) -> Iterator[Tables]:
    """Yield the same tables again and again: as dealt, after each of so many decisions, ended deals too."""
    rng = np.random.default_rng(seed)
    tables = dealt(game, num_tables, seed)
    rewards, is_over = np.zeros((num_tables, game.num_seats), np.float32), np.zeros(num_tables, np.uint8)
    for _ in range(decisions):
        yield tables
        over = np.flatnonzero(tables["is_over"])
        if len(over):
            game.deal_batch(tables, over)
        rows = np.flatnonzero(tables["is_over"] == 0)
        chosen = chosen_actions(game, tables, rows, rng)
        assert game.step_batch(tables, rows, chosen, rewards, is_over, False) == -1
    yield tables


def chosen_actions(game: Game, tables: Tables, rows: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Return random actions, in hold'em with few folds, so that hands reach the river."""
    chosen = np.zeros(len(rows), np.int64)
    game.random_batch(tables, rows, tables, chosen)
    if isinstance(game.config, HoldemConfig):
        chosen[(chosen == FOLD) & (rng.random(len(rows)) < 0.8)] = CALL
    return chosen
