"""`Game`: the few things that environments, matches and agents may ask of a card game.

A game is a record dtype for its tables and a handful of functions on arrays of such records. Generic code reads four
fields of a table and no others:

* `rng`     uint64 (4,)   the random stream of this table (see `card_envs.rng`)
* `actor`   integer       seat to act, `NOBODY` when the episode is over
* `is_over` 0 or 1        1 after the last action of an episode
* `payoff`  integer (>= num_seats,)  chips or points won by each seat, zero until the episode is over
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from card_envs.game_info import GameInfo
from card_envs.game_kernels import (
    ActionText,
    CensorBatch,
    Deal,
    DealBatch,
    DealWith,
    FirstIllegal,
    MaskBatch,
    NewTables,
    RandomBatch,
    Start,
    Step,
    StepBatch,
    TableText,
    WriteState,
)
from card_envs.observation import Encoder, Layout
from card_envs.records import Tables as Tables
from card_envs.rng import seed_streams

NOBODY = -1
"""Returned as the actor when the episode is over."""
ILLEGAL = -2
"""Returned by `Game.step` for an action that is not legal; the table is unchanged."""

_MAX_INT64 = np.iinfo(np.int64).max


class IllegalActionError(ValueError):
    """Raised when an action is not legal; says what came, what is allowed, and leaves the table unchanged."""


def is_whole(value: object) -> TypeGuard[int]:
    """Return True for whole numbers, Python's and NumPy's; not for True and False."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_count(name: str, value: Any) -> int:
    """Return a number of things, at least one, or raise a ValueError that names it."""
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name} {value!r} must be a whole number, at least 1")
    return int(value)


def check_list(name: str, values: Any, wanted: str = "a list") -> list[Any]:
    """Return the entries of a list, tuple, range or array, or raise a ValueError that says what is wanted instead."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ValueError(f"{name} {values!r} must be {wanted}")
    return list(values)


def check_actions(actions: Any, count: int) -> NDArray[np.int64]:
    """Return `actions` as `count` whole numbers, or raise an IllegalActionError; legality is not checked."""
    chosen = np.asarray(actions)
    if chosen.dtype == np.int64 and chosen.shape == (count,) and chosen.flags.c_contiguous:
        return chosen
    if chosen.shape != (count,) or chosen.dtype.kind not in "iu":
        raise IllegalActionError(
            f"actions of shape {chosen.shape} and dtype {chosen.dtype}: {count} integers are needed"
        )
    if chosen.dtype == np.uint64 and chosen.max(initial=0) > _MAX_INT64:
        raise IllegalActionError(f"action {chosen.max()} is not an id")
    return np.ascontiguousarray(chosen, np.int64)


@dataclass(frozen=True, repr=False)
class Game:
    """A card game with its settings and one encoder, as data and functions on arrays of tables.

    `card_envs.make_game` makes games by id; `game_loops.game_loops` makes the functions over many tables from those of
    one table. Games cannot be changed; copies share them, and pickles keep how they were made.

    Example:
        >>> from card_envs import make_game
        >>> game = make_game("kuhn_poker-v0")
        >>> tables = game.seeded_tables(1, seed=0)
        >>> actor = game.deal(tables, 0)
        >>> game.action_name(tables, 0, 1)
        'check'
    """

    name: str
    config: Any
    """The frozen dataclass with all settings."""
    rules_profiles: tuple[str, ...]
    """Names of complete sets of rules that a configuration can choose."""
    encoders: Mapping[str, Encoder]
    """All encoders of the game by name."""
    with_encoder: Callable[[str | Encoder], Game]
    """Encoder or name -> the same game observed through it; tables of one are those of the other. Can be pickled."""
    encoder: Encoder
    layout: Layout
    """Blocks of an observation."""
    state_layout: Layout
    """Blocks of the perfect-information vector."""
    num_seats: int
    num_actions: int
    unit: str
    """Unit of rewards: "bb", "chips" or "points"."""
    chips_per_reward: int
    """Payoff that makes a reward of 1."""
    max_reward: float
    """No reward is larger, nor smaller than its negative."""
    option_names: tuple[str, ...]
    """Keys that `deal_with` understands."""

    # Functions: the protocol that is the type of each says what it gets, returns and changes. Kernels check nothing.
    new_tables: NewTables
    start: Start
    deal: Deal
    deal_batch: DealBatch
    deal_with: DealWith
    step: Step
    first_illegal: FirstIllegal
    step_batch: StepBatch
    random_batch: RandomBatch
    mask_batch: MaskBatch
    censor_batch: CensorBatch
    write_state: WriteState
    action_name: ActionText
    why_illegal: ActionText
    text: TableText
    info: GameInfo = field(default_factory=GameInfo)
    """Facts beyond the rules, for matches, reports, solvers and wrappers."""

    def __repr__(self) -> str:
        return f"<Game {self.name}: {self.num_seats} seats, {self.num_actions} actions, encoder {self.encoder.name}>"

    def __reduce__(self) -> tuple[Callable[[str | Encoder], Game], tuple[str | Encoder]]:
        """Pickle how the game was made: Numba would pickle its kernels by value, a megabyte that compiles anew."""
        is_own = self.encoders.get(self.encoder.name) is self.encoder
        return self.with_encoder, (self.encoder.name if is_own else self.encoder,)

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Game:
        """Return the game itself, which nothing can change."""
        return self

    def with_dtype(self, dtype: str) -> Game:
        """Return the game with observations of another type; the numbers are the same.

        Args:
            dtype: "float32" or "int8".

        Raises:
            ValueError: For an encoder whose numbers the type does not hold, such as fractions; the message names the
                encoders that can.
        """
        try:
            return self.with_encoder(self.encoder.with_dtype(dtype))
        except ValueError as error:
            raise ValueError(f"{error}; encoders that can: {self._encoders_in(dtype) or 'none'}") from error

    def _encoders_in(self, dtype: str) -> list[str]:
        able = []
        for name, encoder in self.encoders.items():
            with contextlib.suppress(ValueError):  # also for encoders that are not for this game
                encoder.with_dtype(dtype).layout(self.config)
                able.append(name)
        return able

    def seeded_tables(self, num_tables: int, seed: int, first_table: int = 0) -> Tables:
        """Return new tables at which nothing is dealt yet.

        Args:
            num_tables: Number of tables.
            seed: Any integer. Seed and table number fix the random stream of a table.
            first_table: Number of the first table.

        Returns:
            (num_tables,) records of the game.

        Raises:
            ValueError: For a seed that is no whole number.
        """
        tables = self.new_tables(num_tables)
        self.seed(tables, seed, first_table)
        return tables

    def seed(self, tables: Tables, seed: int, first_table: int = 0) -> None:
        """Start the random streams of `tables` anew; any integer is a seed, others raise a ValueError."""
        if not is_whole(seed):
            raise ValueError(f"seed {seed!r} must be a whole number")
        seed_streams(tables, np.uint64(int(seed) % 2**64), np.uint64(first_table))
        self.start(tables)
