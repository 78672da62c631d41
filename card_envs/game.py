"""`Game`: the interface of a card game to environments, matches and agents.

A game is a record dtype for its tables and some functions on arrays of such records. Generic code reads these four
fields of a table and no others:

* `rng`     uint64 (4,)   the random stream of this table (see `card_envs.rng`)
* `actor`   integer       seat to act, `NOBODY` when the episode is over
* `is_over` 0 or 1        1 after the last action of an episode
* `payoff`  integer (>= num_seats,)  chips or points won by each seat, zero until the episode is over
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.game_info import GameInfo
from card_envs.observation import Encoder, Layout, find_encoder, mask_records, observation_records, observe_seats_kernel
from card_envs.records import Tables as Tables
from card_envs.rng import seed_streams, wrap_seed

if TYPE_CHECKING:
    from card_envs.typing import Rows

__all__ = ["ILLEGAL", "NOBODY", "Game", "IllegalActionError", "check_actions", "check_count", "check_list", "is_whole"]

NOBODY = -1
"""Returned as the actor when the episode is over."""
ILLEGAL = -2
"""Returned by `Game.step` for an action that is not legal; the table is unchanged."""

_MAX_INT64 = np.iinfo(np.int64).max


class IllegalActionError(ValueError):
    """Raised when an action is not legal; the message lists legal actions, and the table is unchanged."""


def is_whole(value: object) -> TypeGuard[int]:
    """Return True for an integer of Python or NumPy; False for True, False, and NumPy's lengths of time."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def replace_numpy_integers(settings: Any) -> None:
    """Replace NumPy's integers in the fields of a frozen dataclass by Python's: those of 8 bits overflow at 256."""
    for name in (each.name for each in fields(settings)):
        value = getattr(settings, name)
        object.__setattr__(settings, name, tuple(map(_to_int, value)) if type(value) is tuple else _to_int(value))


def _to_int(value: Any) -> Any:
    """Return a NumPy integer as one of Python, and anything else as it is."""
    return int(value) if isinstance(value, np.integer) and is_whole(value) else value


def check_switch(name: str, value: Any) -> bool:
    """Return True or False, also NumPy's, or raise a ValueError that names the argument."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} {value!r} must be True or False")
    return bool(value)


def check_switches(settings: Any) -> None:
    """Raise a ValueError, naming the field, unless all fields `bool` of a dataclass are True or False."""
    for name in (each.name for each in fields(settings) if each.type == "bool"):
        check_switch(name, getattr(settings, name))


def check_count(name: str, value: Any) -> int:
    """Return a positive integer, or raise a ValueError that names the argument."""
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name} {value!r} must be a whole number, at least 1")
    return int(value)


def check_list(name: str, values: Any, wanted: str = "a list") -> list[Any]:
    """Return the entries of a list, tuple, range or array, or raise a ValueError that names what is `wanted`.

    Integers of NumPy become those of Python.
    """
    is_one = isinstance(values, (str, bytes)) or (isinstance(values, np.ndarray) and values.ndim == 0)
    if is_one or isinstance(values, (Mapping, Set)) or not isinstance(values, Iterable):
        raise ValueError(f"{name} {values!r} must be {wanted}")
    return list(map(_to_int, values))


def check_action(action: Any, num_actions: int) -> int:
    """Return an action id, or raise an IllegalActionError for what is none; range and legality are not checked."""
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    if is_whole(action) and -_MAX_INT64 <= action <= _MAX_INT64:
        return int(action)
    raise IllegalActionError(
        f"action {action!r} of type {type(action).__name__} is not an id: "
        f"pass a whole number in 0..{num_actions - 1} whose action_mask is 1"
    )


def check_actions(actions: Any, count: int) -> NDArray[np.int64]:
    """Return `actions` as an int64 array (count,), or raise an IllegalActionError; legality is not checked."""
    try:
        chosen = np.asarray(actions)
    except ValueError as error:
        raise IllegalActionError(f"actions are no array: {error}; {count} integers are needed") from error
    if chosen.dtype == np.int64 and chosen.shape == (count,) and chosen.flags.c_contiguous:
        return chosen
    if chosen.shape != (count,) or chosen.dtype.kind not in "iu":
        raise IllegalActionError(
            f"actions of shape {chosen.shape} and dtype {chosen.dtype}: {count} integers are needed"
        )
    if chosen.dtype == np.uint64 and chosen.max(initial=0) > _MAX_INT64:
        raise IllegalActionError(f"action {chosen.max()} is not an action id: it does not fit a 64-bit integer")
    return np.ascontiguousarray(chosen, np.int64)


def check_indices(name: str, indices: Any, count: int) -> NDArray[np.int64]:
    """Return indices (n,) as an int64 array; ValueError unless all are whole numbers in 0..count-1."""
    chosen = np.asarray(indices)
    if chosen.dtype.kind in "iu" or not chosen.size:
        chosen = np.ascontiguousarray(chosen, np.int64)
        if chosen.ndim == 1 and not _count_outside(chosen, count):
            return chosen
    raise ValueError(f"{name} {np.array2string(chosen, threshold=8)} must be whole numbers in 0..{count - 1}")


@kernel
def _count_outside(indices: Any, count: Any) -> Any:
    outside = 0
    for k in range(indices.shape[0]):
        outside += 0 if 0 <= indices[k] < count else 1
    return outside


@dataclass(frozen=True, repr=False)
class Game:
    """A card game with its settings: data, and functions on arrays of tables.

    `card_envs.make_game` makes a game by its id. `game_loops.game_loops` makes the functions on many tables from those
    on one table. A game is immutable: copies return the game itself, and a pickle holds how to make it again.

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
    """All settings, a frozen dataclass."""
    rules_profiles: tuple[str, ...]
    """Names of the complete sets of rules that the settings can choose from."""
    encoders: Mapping[str, Encoder]
    """All encoders of the game by name."""
    make: Callable[[], Game]
    """Function without arguments that makes the game anew, with its default encoder. Can be pickled."""
    encoder: Encoder
    """Encoder of environments and of agents without one of their own: any of `encoders`, or another one."""
    state_layout: Layout
    """Blocks of the perfect-information vector."""
    num_seats: int
    num_actions: int
    unit: str
    """Unit of rewards: "bb", "chips" or "points"."""
    chips_per_reward: int
    """Payoff that equals a reward of 1."""
    max_reward: float
    """Bound of the absolute value of rewards."""
    option_names: tuple[str, ...]
    """Options of `deal_with`."""

    # Functions; all but `new_tables`, `deal_with` and the texts are kernels, which check nothing. Observations, masks
    # and states are arrays viewed as records, see `observation_records` and `mask_records`.
    new_tables: Callable[[int], Tables]
    """Function (num_tables) -> (num_tables,) records with the settings; nothing is dealt, streams not seeded."""
    start: Callable[[Tables], None]
    """Function (tables): prepares newly seeded tables for their first episode, for example with a random button."""
    deal: Callable[[Tables, int], int]
    """Function (tables, i): begins the next episode at table i with random cards. Returns the actor, NOBODY if it is
    over at once. What options of the previous episode changed, such as stacks, is restored."""
    deal_batch: Callable[[Tables, Rows], None]
    """Function (tables, rows): `deal` at each table of `rows`. Some episodes may be over at once."""
    deal_with: Callable[[Tables, int, Mapping[str, Any]], int]
    """Function (tables, i, options): `deal` with the cards, stacks or other options that are given, for this episode
    only; {} for none. For options that do not fit it raises a ValueError, and the table does not change."""
    step: Callable[[Tables, int, int], int]
    """Function (tables, i, action): applies an action. Returns the next actor, NOBODY if the episode is over, and
    ILLEGAL, without any change, for an action that is not legal."""
    first_illegal: Callable[[Tables, Rows, Rows], int]
    """Function (tables, rows, actions) -> the first j for which actions[j] is illegal at tables[rows[j]], or -1."""
    step_batch: Callable[[Tables, Rows, Rows, NDArray[np.float32], NDArray[np.uint8], bool], int]
    """Function (tables, rows, actions, rewards, is_over, redeal): applies actions[j] at tables[rows[j]], and writes
    rewards (n, num_seats), zero unless over, and is_over (n,). Returns -1, or the first j whose action is illegal; then
    no table has changed. With `redeal`, tables whose episode is over begin the next one."""
    random_batch: Callable[[Tables, Rows, NDArray[Any], Rows], None]
    """Function (tables, rows, streams, actions): writes into actions[j] a uniformly random legal action of the actor at
    tables[rows[j]], drawn from streams[rows[j]]."""
    mask_batch: Callable[[Tables, Rows, NDArray[Any]], None]
    """Function (tables, rows, masks): writes the mask of the actor of tables[rows[j]] into row j, zeros at the end."""
    censor_batch: Callable[[Tables, Rows, Rows, Tables], None]
    """Function (tables, rows, seats, views): writes into views[j] the view that seats[j] has of tables[rows[j]], a copy
    without anything that it cannot see."""
    state_batch: Callable[[Tables, Rows, NDArray[Any]], None]
    """Function (tables, rows, states): writes the perfect-information vector of tables[rows[j]] into row j."""
    forced_batch: Callable[[Tables, Rows, Rows], None]
    """Function (tables, rows, actions): writes into actions[j] the only legal action at tables[rows[j]]; -1 if there is
    another one or none."""
    action_name: Callable[[Tables, int, int], str]
    """Function (tables, i, action) -> the name of an action of the actor at table i, such as "raise to 6"."""
    why_illegal: Callable[[Tables, int, int], str]
    """Function (tables, i, action) -> why an action of the actor at table i is illegal, and which actions are legal."""
    text: Callable[[Tables, int, int | None], str]
    """Function (tables, i, seat) -> table i in lines of text, as a seat sees it, or with all cards for None."""
    info: GameInfo = field(default_factory=GameInfo)
    """Facts beyond the rules, for matches, reports and wrappers."""
    family: str = ""
    """Name of the modules with the features of the game, see `card_envs.features`; games with the same records and
    rules, such as all of hold'em, are a family. "" for games whose features are registered by the name of the game."""
    features: Mapping[str, str | Callable[[Game], Any] | None] = field(default_factory=dict)
    """Feature -> function of the game that returns it, or its "module:NAME"; None hides a feature of the family."""
    found_features: dict[str, Any] = field(default_factory=dict, init=False, compare=False)
    """Features that were asked for, so that each is made once."""
    found_layouts: dict[Encoder, Layout] = field(default_factory=dict, init=False, compare=False)
    """Layouts that were asked for."""

    def __repr__(self) -> str:
        return f"<Game {self.name}: {self.num_seats} seats, {self.num_actions} actions, encoder {self.encoder.name}>"

    def __eq__(self, other: object) -> bool:
        """Return True for a game with the same rules, settings and encoder, made by the same functions."""
        from card_envs.equality import are_equal  # rarely needed

        return isinstance(other, Game) and are_equal(self, other)

    def __hash__(self) -> int:
        return hash((self.name, self.num_seats, self.num_actions, self.encoder.name))

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Callable[[], Game], str | Encoder]]:
        """Pickle how to make the game: Numba would pickle kernels by value, a megabyte that is compiled again."""
        is_own = self.encoders.get(self.encoder.name) is self.encoder
        return _remake, (self.make, self.encoder.name if is_own else self.encoder)

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Game:
        """Return the game itself, which is immutable."""
        return self

    @cached_property
    def layout(self) -> Layout:
        """Blocks of an observation in the encoder of the game."""
        return self.find_layout(self.encoder)

    def find_layout(self, encoder: Encoder) -> Layout:
        """Return the blocks of an observation in any encoder; ValueError for encoders that are not for this game."""
        if encoder not in self.found_layouts:
            self.found_layouts[encoder] = encoder.layout(self.config)
        return self.found_layouts[encoder]

    @property
    def observation_space(self) -> spaces.Space[Any]:
        """A new Gymnasium space of {"observation": vector of `layout`, "action_mask": int8 (num_actions,)}."""
        mask = spaces.Box(0, 1, (self.num_actions,), np.int8)
        return spaces.Dict({"observation": self.layout.space, "action_mask": mask})

    def observe(self, tables: Tables, i: int, seat: int) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return the observation (layout.size,) and the action mask (num_actions,) of a seat at table i."""
        observation = np.zeros((1, self.layout.size), self.layout.dtype)
        mask = np.zeros((1, self.num_actions), np.int8)
        check_indices("table", [i], len(tables))
        check_indices("seat", [seat], self.num_seats)
        self.encoder.observe(tables, i, seat, observation_records(observation), mask_records(mask))
        return observation[0], mask[0]

    def observe_actors(self, tables: Tables, rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return the observations (n, layout.size) and action masks (n, num_actions) of the actors at tables[rows].

        No deal at these tables may be over.
        """
        rows = check_indices("rows", rows, len(tables))
        observation = np.empty((len(rows), self.layout.size), self.layout.dtype)
        mask = np.empty((len(rows), self.num_actions), np.int8)
        self.encoder.observe_batch(tables, rows, observation_records(observation), mask_records(mask))
        return observation, mask

    def observe_seats(
        self, tables: Tables, rows: NDArray[np.int64], seats: NDArray[np.int64], encoder: Encoder | None = None
    ) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return what seats[j] sees of tables[rows[j]], over or not: observations and masks as in `observe_actors`.

        The mask is zero for a seat that is not to act. `encoder` is None for that of the game.
        """
        rows, seats = self._check_rows_and_seats(tables, rows, seats)
        layout = self.layout if encoder is None else self.find_layout(encoder)
        observation = np.empty((len(rows), layout.size), layout.dtype)
        mask = np.empty((len(rows), self.num_actions), np.int8)
        observe = observe_seats_kernel((encoder or self.encoder).observe)
        observe(tables, rows, seats, observation_records(observation), mask_records(mask))
        return observation, mask

    def legal_actions(self, tables: Tables, i: int) -> list[int]:
        """Return the legal action ids of the actor at table i, in increasing order; [] if the episode is over."""
        mask = np.empty((1, self.num_actions), np.int8)
        self.mask_batch(tables, check_indices("table", [i], len(tables)), mask_records(mask))
        return [int(action) for action in np.flatnonzero(mask[0])]

    def views(
        self, tables: Tables, rows: NDArray[np.int64] | Sequence[int], seats: NDArray[np.int64] | Sequence[int]
    ) -> Tables:
        """Return the views (n,) that seats[j] has of tables[rows[j]]: copies without anything that it cannot see."""
        rows, seats = self._check_rows_and_seats(tables, rows, seats)
        views = np.empty(len(rows), tables.dtype)
        self.censor_batch(tables, rows, seats, views)
        return views

    def _check_rows_and_seats(self, tables: Tables, rows: Any, seats: Any) -> tuple[Rows, Rows]:
        """Return indices of tables and seats (n,), as many of each; ValueError for those that do not exist."""
        rows, seats = check_indices("rows", rows, len(tables)), check_indices("seats", seats, self.num_seats)
        if len(rows) != len(seats):
            raise ValueError(f"{len(rows)} rows and {len(seats)} seats: name a seat for each row")
        return rows, seats

    def state(self, tables: Tables, i: int) -> NDArray[Any]:
        """Return the perfect-information vector of table i, (state_layout.size,)."""
        vector: NDArray[Any] = self.states(tables, np.array([i]))[0]
        return vector

    def states(self, tables: Tables, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the perfect-information vectors of tables[rows], (n, state_layout.size)."""
        rows = check_indices("rows", rows, len(tables))
        vectors: NDArray[Any] = np.empty((len(rows), self.state_layout.size), self.state_layout.dtype)
        self.state_batch(tables, rows, observation_records(vectors))
        return vectors

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names of the positions relative to the first actor, such as ("SB", "BB"), which `positions` numbers."""
        positions = self.info.positions
        return positions.names if positions else tuple(f"seat {seat}" for seat in range(1, self.num_seats + 1))

    def positions(self, tables: Tables) -> NDArray[np.int64]:
        """Return the position of every seat, (n, num_seats), an index of `position_names`."""
        positions = self.info.positions
        return positions.of(tables) if positions else np.tile(np.arange(self.num_seats), (len(tables), 1))

    def unknown_options(self, options: Any) -> list[str]:
        """Return the keys of reset options that the game does not know, sorted; TypeError if they are no mapping."""
        if not isinstance(options, Mapping):
            raise TypeError(f"reset options {options!r} must be a dict")
        return sorted(map(str, set(options) - set(self.option_names)))

    def check_options(self, options: Any) -> dict[str, Any]:
        """Return the known reset options, {} for None, and warn of others; values are checked by `deal_with`.

        Raises:
            TypeError: If the options are no mapping.
        """
        if options is None:
            return {}
        if unknown := self.unknown_options(options):  # no error, because PettingZoo's tests pass some
            warnings.warn(f"reset options {unknown} are ignored: known are {list(self.option_names)}", stacklevel=3)
        return {name: value for name, value in options.items() if name in self.option_names}

    def seeded_tables(self, num_tables: int, seed: int, first_table: int = 0) -> Tables:
        """Return new tables at which nothing is dealt yet.

        Args:
            num_tables: Number of tables.
            seed: Any integer. The random stream of a table depends on the seed and the table number only.
            first_table: Number of the first table.

        Returns:
            (num_tables,) records of the game.

        Raises:
            ValueError: For a seed that is no integer.
        """
        tables = self.new_tables(num_tables)
        self.seed(tables, seed, first_table)
        return tables

    def seed(self, tables: Tables, seed: int, first_table: int = 0) -> None:
        """Restart the random streams of `tables`; ValueError for a seed that is no integer."""
        seed_streams(tables, np.uint64(wrap_seed(seed)), np.uint64(first_table))
        self.start(tables)


def _remake(make: Callable[[], Game], encoder: str | Encoder) -> Game:
    """Return the game that `make` returns, with an encoder."""
    game = make()
    return replace(game, encoder=find_encoder(game.encoders, encoder))
