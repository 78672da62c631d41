"""The registry: which ids exist, what they are made of, how they are made. Versions live here and nowhere else."""

from __future__ import annotations

import difflib
import importlib
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.aec import ConventionalAEC, Drawing, GameAEC
from card_envs.agent import choose
from card_envs.game import Game, Tables
from card_envs.single_seat import SingleSeatTables
from card_envs.vector import VectorTables


@dataclass(frozen=True)
class EnvEntry:
    """One environment id. Factories and drawings are "module:name", imported when first needed."""

    id: str
    """Versioned: the version grows when rules, observations, rewards or masks change, not when speed does."""
    gymnasium_id: str
    make_game: str
    drawing: str
    summary: str

    @property
    def factory(self) -> Callable[..., Game]:
        """The function that makes the game; its parameters are the environment's arguments."""
        factory: Callable[..., Game] = _resolve(self.make_game)
        return factory

    @property
    def draw(self) -> Drawing:
        """The function that draws a table as pixels; it imports what it needs when it is called."""
        return partial(_draw, self.drawing)

    @property
    def paint(self) -> Callable[..., Any]:
        """The function that puts a table on a canvas: (type of canvas, game, tables, seat or None, names) -> canvas."""
        paint: Callable[..., Any] = _resolve(self.drawing)
        return paint


ENVS = {
    entry.id: entry
    for entry in (
        EnvEntry(
            id="limit_holdem-v0",
            gymnasium_id="LimitHoldem-v0",
            make_game="card_envs.games.holdem.presets:limit_holdem",
            drawing="card_envs.games.holdem.render:paint_table",
            summary="limit Texas hold'em, 2 to 10 seats",
        ),
        EnvEntry(
            id="no_limit_holdem-v0",
            gymnasium_id="NoLimitHoldem-v0",
            make_game="card_envs.games.holdem.presets:no_limit_holdem",
            drawing="card_envs.games.holdem.render:paint_table",
            summary="no-limit and pot-limit Texas hold'em, 2 to 10 seats",
        ),
        EnvEntry(
            id="big2-v0",
            gymnasium_id="Big2-v0",
            make_game="card_envs.games.big2.presets:big2",
            drawing="card_envs.games.big2.render:paint_table",
            summary="Big 2 for four seats, 1,695 actions, house rules as options",
        ),
        EnvEntry(
            id="leduc_holdem-v0",
            gymnasium_id="LeducHoldem-v0",
            make_game="card_envs.games.holdem.presets:leduc_holdem",
            drawing="card_envs.games.holdem.render:paint_table",
            summary="Leduc hold'em: six cards, two streets, exact solutions known",
        ),
        EnvEntry(
            id="kuhn_poker-v0",
            gymnasium_id="KuhnPoker-v0",
            make_game="card_envs.games.holdem.presets:kuhn_poker",
            drawing="card_envs.games.holdem.render:paint_table",
            summary="Kuhn poker: three cards, one bet, value -1/18",
        ),
    )
}


def find_entry(env_id: str) -> EnvEntry:
    """Return the entry of an id, with or without version and "card_envs/"; else a ValueError with the nearest id."""
    name = env_id.removeprefix("card_envs/")
    if name in ENVS:
        return ENVS[name]
    versions = sorted(known for known in ENVS if known.rpartition("-v")[0] == name)
    if versions:
        return ENVS[versions[-1]]
    nearest = difflib.get_close_matches(name, ENVS, n=1, cutoff=0.3)
    hint = f" (did you mean {nearest[0]!r}?)" if nearest else ""
    raise ValueError(f"environment {env_id!r} is not known{hint}: choose one of {sorted(ENVS)}")


def make_game(env_id: str, **settings: Any) -> Game:
    """Return the game of an environment id; unknown settings raise a TypeError that lists the known ones."""
    factory = find_entry(env_id).factory
    known = inspect.signature(factory).parameters
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise TypeError(f"{env_id} has no setting {unknown[0]!r}: known are {list(known)}")
    return factory(**settings)


def make_vector(
    env_id: str, num_tables: int, seed: int | None = None, num_threads: int = 1, **settings: Any
) -> VectorTables:
    """Return the batched engine: `num_tables` tables of the environment's game."""
    return VectorTables(make_game(env_id, **settings), num_tables, seed, num_threads)


def warmup(env_id: str, **settings: Any) -> float:
    """Compile all that an environment needs, or load it where it is compiled already; return the seconds it took.

    The kernels of one table and of many, with the environment's encoder. Without a call of this, each is compiled when
    it is first used. Call it once before starting worker processes: they find everything compiled.
    """
    start = time.perf_counter()
    game = make_game(env_id, **settings)
    env = make_raw_env(env_id, **settings)
    env.reset(seed=0)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    env.state()
    tables = VectorTables(game, 2, seed=0)
    tables.reset()
    tables.step(tables.sample_actions())
    learner = SingleSeatTables(game, 2, "random", seed=0)
    learner.step(choose(learner.reset().action_mask, np.zeros(2)))
    return time.perf_counter() - start


def make_raw_env(env_id: str, render_mode: str | None = None, **settings: Any) -> GameAEC:
    """Return the AEC environment that checks everything itself and raises IllegalActionError: the fast path."""
    entry = find_entry(env_id)
    return GameAEC(make_game(entry.id, **settings), _versioned_name(entry), render_mode, entry.draw)


def make_env(env_id: str, render_mode: str | None = None, **settings: Any) -> ConventionalAEC:
    """Return the AEC environment with PettingZoo's conventions for illegal actions (see `ConventionalAEC`)."""
    entry = find_entry(env_id)
    return ConventionalAEC(make_game(entry.id, **settings), _versioned_name(entry), render_mode, entry.draw)


def _versioned_name(entry: EnvEntry) -> str:
    return entry.id.replace("-", "_")


def _draw(path: str, game: Game, tables: Tables, seat: int | None) -> NDArray[np.uint8]:
    from card_envs.canvas import PixelCanvas  # needs Pillow, which is an extra

    picture: NDArray[np.uint8] = _resolve(path)(PixelCanvas, game, tables, seat).array()
    return picture


def _resolve(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
