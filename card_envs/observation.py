"""Encoders and the layout of their observations: named blocks, from which sizes, slices and spaces are derived."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import DTypeLike, NDArray

from card_envs import plugins
from card_envs.compiler import kernel, short_kernel
from card_envs.locations import UnknownNameError, find_location, load_object, require_allowed

__all__ = [
    "Block",
    "Encoder",
    "Encoders",
    "Layout",
    "NumberType",
    "block_starts",
    "find_encoder",
    "load_encoder",
    "mask_records",
    "observation_records",
    "observe_kernels",
    "observe_seats_kernel",
    "select_fitting",
]

NumberType: TypeAlias = Literal["float32", "int8"]
"""Types of the numbers of observations, argument `dtype` of the environments."""


@dataclass(frozen=True)
class Block:
    """Consecutive numbers of an observation that belong together, such as the cards of a hand."""

    name: str
    shape: int | tuple[int, ...]
    description: str
    """Meaning of the numbers, for the documentation."""
    low: float = 0.0
    """Smallest value of a number."""
    high: float = 1.0
    """Largest value of a number."""
    private: bool = False
    """True if the numbers depend on cards that only the observing seat sees; all other blocks are public."""

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The shape as a tuple."""
        return (self.shape,) if isinstance(self.shape, int) else self.shape

    @property
    def size(self) -> int:
        """Number of numbers in the block."""
        return int(np.prod(self.dimensions))


@dataclass(frozen=True)
class Layout:
    """The blocks of an observation in their order, and the type of its numbers."""

    blocks: tuple[Block, ...]
    dtype: DTypeLike = np.float32
    is_whole: bool = False
    """True if all numbers are integers although `dtype` is a type of floats: an integer type can then hold them."""
    private_from_cards: bool = False
    """True if private blocks depend only on the seat's own cards and the board, not on the betting: best responses then
    compute them once for each hand."""

    @cached_property
    def size(self) -> int:
        """Length of the observation vector."""
        return sum(block.size for block in self.blocks)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Name of a block -> its slice of the vector."""
        slices, start = {}, 0
        for block in self.blocks:
            slices[block.name] = slice(start, start + block.size)
            start += block.size
        return slices

    @cached_property
    def space(self) -> spaces.Box:
        """The Gymnasium space of one observation vector."""
        low = np.concatenate([np.full(block.size, block.low, self.dtype) for block in self.blocks])
        high = np.concatenate([np.full(block.size, block.high, self.dtype) for block in self.blocks])
        return spaces.Box(low, high, dtype=np.dtype(self.dtype).type)

    def split(self, observation: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Split observations into their blocks.

        Args:
            observation: (..., size) one observation or many.

        Returns:
            Name of a block -> view of its numbers, with the leading axes and then `block.dimensions`.

        Raises:
            ValueError: If the last axis is not `size` long.
        """
        if observation.shape[-1] != self.size:
            raise ValueError(f"the observation has {observation.shape[-1]} numbers, this layout {self.size}")
        leading = observation.shape[:-1]
        return {
            block.name: observation[..., self.slices[block.name]].reshape(*leading, *block.dimensions)
            for block in self.blocks
        }


def block_starts(layouts: Iterable[Layout]) -> NDArray[Any]:
    """Return the starts of blocks as records, which kernels read as constants.

    Args:
        layouts: Layouts with the same blocks in different sizes, such as one layout for each number of seats.

    Returns:
        (number of layouts,) records with an int64 field for each block.
    """
    listed = list(layouts)
    dtype = np.dtype((np.record, [(block.name, np.int64) for block in listed[0].blocks]))
    return np.array([tuple(columns.start for columns in layout.slices.values()) for layout in listed], dtype)


def observe_kernels(
    write: Callable[[Any, Any, Any], Any], write_mask: Callable[[Any, Any, Any], Any]
) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return the two kernels of an encoder from one that writes the observation of a seat.

    Args:
        write: Kernel `write(t, seat, o)` that fills `o.values` with what `seat` sees of the table's record `t`.
        write_mask: The game's kernel `write_mask(t, seat, m)` that fills `m.mask`.

    Returns:
        The kernels `Encoder.observe` and `Encoder.observe_batch`.
    """

    @short_kernel
    def observe(tables: Any, i: Any, seat: Any, observations: Any, masks: Any) -> None:
        me = np.int64(seat)
        write(tables[i], me, observations[0])
        write_mask(tables[i], me, masks[0])

    @kernel
    def observe_batch(tables: Any, rows: Any, observations: Any, masks: Any) -> None:
        for j in range(rows.shape[0]):
            t = tables[rows[j]]
            actor = np.int64(t.actor)
            write(t, actor, observations[j])
            write_mask(t, actor, masks[j])

    return observe, observe_batch


@cache
def observe_seats_kernel(observe: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel (tables, rows, seats, observations, masks) that calls an `Encoder.observe` for many tables.

    It writes what seats[j] sees of table rows[j], and its action mask, into row j. It is compiled if `observe` is.
    """

    def observe_seats(tables: Any, rows: Any, seats: Any, observations: Any, masks: Any) -> None:
        for j in range(rows.shape[0]):
            observe(tables, rows[j], seats[j], observations[j : j + 1], masks[j : j + 1])

    return kernel(observe_seats) if hasattr(observe, "py_func") else observe_seats


@dataclass(frozen=True)
class Encoder:
    """A way to turn what a seat sees into numbers. The two kernels also write the action mask.

    Kernels write into records, not arrays: passing array rows between compiled functions costs more than the encoding
    itself, because of reference counting. `observation_records` and `mask_records` view arrays as records.
    """

    name: str
    version: int
    layout: Callable[[Any], Layout]
    """Function: settings of a game -> layout."""
    observe: Callable[..., None]
    """Kernel (tables, i, seat, observations, masks): writes what `seat` sees of table i into row 0.

    The table may be over. `seat` must be a seat of the table: nothing is checked.
    """
    observe_batch: Callable[..., None]
    """Kernel (tables, rows, observations, masks): writes what the actor of table rows[j] sees into row j.

    No table may be over. Nothing is checked: without an actor, memory outside the arrays may be read or written. Use
    `observe` for tables that are over.
    """
    decode: Callable[[Any, NDArray[Any]], dict[str, Any]]
    """Function (settings, observation vector) -> the contents of the vector, with names and words of the game."""

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle the location of the encoder: its kernels would be pickled by value, and compiled again."""
        location = find_location(self, self.layout.__module__)
        return super().__reduce_ex__(2) if location is None else (load_encoder, (location,))


def observation_records(observations: NDArray[Any]) -> NDArray[Any]:
    """View an array of observations as records, which kernels write faster than array rows.

    Args:
        observations: (N, size), C-contiguous and writeable.

    Returns:
        (N,) records with one field `values`, sharing memory.

    Raises:
        ValueError: If the array does not fulfil that.
    """
    return _as_records(observations, "values")


def mask_records(masks: NDArray[np.int8]) -> NDArray[Any]:
    """View an array of action masks as records, which kernels write faster than array rows.

    Args:
        masks: (N, num_actions) int8, C-contiguous and writeable.

    Returns:
        (N,) records with one field `mask`, sharing memory.

    Raises:
        ValueError: If the array does not fulfil that.
    """
    return _as_records(masks, "mask")


def _as_records(array: NDArray[Any], field: str) -> NDArray[Any]:
    if array.ndim != 2 or not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"a writeable C-contiguous array with two axes is needed, not {array.shape} {array.flags}")
    return np.ndarray(len(array), _record_dtype(field, array.dtype, array.shape[1]), array)


@cache
def _record_dtype(field: str, dtype: np.dtype[Any], size: int) -> np.dtype[Any]:
    return np.dtype((np.record, [(field, dtype, (size,))]))


class Encoders(Mapping[str, Encoder]):
    """The encoders of a family of games by name. An encoder is imported when it is first asked for.

    Encoders that other packages register as "family.name" (entry points `card_envs.encoders`) are listed after the
    family's own.

    Args:
        family: Name of the family, such as "holdem".
        locations: Name of an encoder -> "module:NAME".
    """

    def __init__(self, family: str, locations: Mapping[str, str]) -> None:
        self._family, self._own = family, locations

    def _locations(self) -> dict[str, str]:
        registered, start = plugins.list_plugins(plugins.ENCODERS), f"{self._family}."
        added = {name.removeprefix(start): registered[name] for name in registered if name.startswith(start)}
        return {**self._own, **added, **self._own}

    def __getitem__(self, name: str) -> Encoder:
        """Return the encoder with a name."""
        return load_encoder(self._own.get(name) or self._locations()[name])

    def __contains__(self, name: object) -> bool:
        """Return True for the name of an encoder; entry points are read only if the family has none of this name."""
        return name in self._own or name in self._locations()

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over the names."""
        return iter(self._locations())

    def __len__(self) -> int:
        """Return the number of encoders."""
        return len(self._locations())


def select_fitting(encoders: Mapping[str, Encoder], config: Any) -> dict[str, Layout]:
    """Return the layouts of the encoders that fit the settings of a game, by name; some are for few games."""
    layouts = {}
    for name, encoder in encoders.items():
        with contextlib.suppress(ValueError):
            layouts[name] = encoder.layout(config)
    return layouts


def find_encoder(encoders: Mapping[str, Encoder], name: str | Encoder, config: Any = None) -> Encoder:
    """Return an encoder by name.

    Args:
        encoders: The encoders of a game by name.
        name: One of these names; "default" for the first one, in games without an encoder of that name; "module:NAME",
            "path/to/file.py:NAME", or an encoder, which is returned unchanged.
        config: Settings of the game: the error for an unknown name lists the encoders that fit them. None: all.

    Raises:
        ValueError: For an unknown name.
    """
    if isinstance(name, Encoder):
        return name
    if isinstance(name, str) and ":" in name:
        require_allowed("encoder", name)
        return load_encoder(name)
    if name == "default" and name not in encoders and encoders:
        name = next(iter(encoders))
    if not isinstance(name, str) or name not in encoders:
        fitting = encoders if config is None else select_fitting(encoders, config)
        raise UnknownNameError(
            f"encoder {name!r} is not known: choose one of {sorted({'default', *fitting})}, an Encoder of your own, "
            "module:NAME or file.py:NAME",
            "encoder",
        )
    return encoders[name]


def load_encoder(location: str) -> Encoder:
    """Return the encoder at "module:NAME" or "path/to/file.py:NAME"; ValueError if there is none."""
    try:
        found = load_object(location)
    except (ImportError, AttributeError, FileNotFoundError) as error:
        raise ValueError(f"encoder {location!r} cannot be found: {error}") from error
    if not isinstance(found, Encoder):
        raise ValueError(f"{location} is a {type(found).__name__}, not an Encoder")
    return found
