"""Observations of another type of numbers than the encoder's own: argument `dtype` of the environments."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache, partial
from typing import Any

import numpy as np

from card_envs.game import Game
from card_envs.observation import Encoder, Layout, select_fitting

OBSERVATION_TYPES = {"float32": 2**24, "int8": 127}
"""Types of numbers for observations -> the number up to which the type holds all integers."""


def convert_observations(game: Game, dtype: str) -> Game:
    """Return the game with the same observations as numbers of another type, one of `OBSERVATION_TYPES`.

    A type that cannot hold the encoder's numbers, such as fractions, is a ValueError; the message names encoders whose
    numbers it can hold.
    """
    if dtype not in list(OBSERVATION_TYPES):
        raise ValueError(f"dtype {dtype!r} is not known: choose one of {list(OBSERVATION_TYPES)}")
    typed = convert_encoder(game.encoder, dtype)
    try:
        game.find_layout(typed)
    except ValueError as error:
        others = {name: convert_encoder(each, dtype) for name, each in game.encoders.items()}
        fitting = select_fitting(others, game.config)
        raise ValueError(f"{error}; encoders that can: {list(fitting) or 'none'}") from error
    return replace(game, encoder=typed)


@dataclass(frozen=True)
class _TypedEncoder(Encoder):
    """An encoder with another type of numbers. Its kernels are the same: they write into records of any type."""

    plain: Encoder
    dtype: str

    def __reduce__(self) -> tuple[Any, ...]:
        return convert_encoder, (self.plain, self.dtype)


def convert_encoder(encoder: Encoder, dtype: str) -> Encoder:
    """Return the encoder with numbers of another type; if it cannot hold them, `layout` raises a ValueError."""
    return _convert_plain(encoder.plain if isinstance(encoder, _TypedEncoder) else encoder, dtype)


@cache  # so that equal encoders are one: functions of `partial` are never equal
def _convert_plain(plain: Encoder, dtype: str) -> Encoder:
    own = {each.name: getattr(plain, each.name) for each in fields(Encoder)}
    return _TypedEncoder(**own | {"layout": partial(_find_layout, plain, dtype)}, plain=plain, dtype=dtype)


def _find_layout(encoder: Encoder, dtype: str, config: Any) -> Layout:
    try:
        return convert_layout(encoder.layout(config), dtype)
    except ValueError as error:
        raise ValueError(f"encoder {encoder.name!r}: {error}") from error


def convert_layout(layout: Layout, dtype: str) -> Layout:
    """Return the same blocks with numbers of another type; ValueError for one that cannot hold all numbers."""
    if not np.can_cast(layout.dtype, dtype):
        _check_whole(layout, dtype, OBSERVATION_TYPES[dtype])
    return replace(layout, dtype=np.dtype(dtype).type)


def _check_whole(layout: Layout, dtype: str, most: int) -> None:
    """Raise a ValueError if a type that holds integers up to `most` cannot hold all numbers."""
    wanted = f"dtype {dtype!r} holds integers up to {most}"
    if not layout.is_whole and not np.issubdtype(layout.dtype, np.integer):
        raise ValueError(f"{wanted}, and some of its numbers are fractions")
    for block in layout.blocks:
        if block.low < -most or block.high > most:
            raise ValueError(f"{wanted}, and block {block.name!r} goes from {block.low:g} to {block.high:g}")
