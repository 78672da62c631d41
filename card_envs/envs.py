"""The registry of environments: their ids and versions, and the functions that make games and environments.

The functions that make something import the engine and the compiler, so importing this module takes half the time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from card_envs import plugins
from card_envs.game_factory import Env, UnknownSettingError, build_env, build_game
from card_envs.locations import UnknownNameError, list_choices, load_object, suggest_name

if TYPE_CHECKING:
    from card_envs.aec import GameAEC
    from card_envs.conventional_aec import ConventionalAEC
    from card_envs.cuda.tables import CudaTables
    from card_envs.game import Game
    from card_envs.games.big2.presets import Big2Settings
    from card_envs.games.holdem.presets import LimitHoldemSettings, NoLimitHoldemSettings
    from card_envs.observation import NumberType
    from card_envs.rendering import RenderMode
    from card_envs.vector import VectorTables

    class EnvSettings(LimitHoldemSettings, NoLimitHoldemSettings, Big2Settings, total=False):
        """Arguments of the environments of this package, for type checkers."""

        bet_sizes: Sequence[int]  # of flop hold'em, whose other arguments are those of the limit game
        dtype: NumberType | None


__all__ = [
    "ENVS",
    "EnvEntry",
    "UnknownSettingError",
    "as_game",
    "find_entry",
    "make_env",
    "make_game",
    "make_raw_env",
    "make_vector",
    "register_env",
]


DEVICES = ("cpu", "cuda")
_OWN_GAMES = "card_envs.games."
"""Package of the games whose environments are modules of this package."""


@dataclass(frozen=True)
class EnvEntry:
    """One registered environment. Objects are named by "module:NAME" and imported when first needed."""

    id: str
    """Id with a version, which grows when rules, observations, rewards or masks change."""
    gymnasium_id: str
    """Id in Gymnasium's registry, after "card_envs/"."""
    make_game: str
    """Function that makes the game, "module:function"."""
    summary: str
    """One line for lists of environments."""
    histories: tuple[str, ...] = ()
    """Formats of recorded hands of another package, each "module:NAME" of a `history.formats.HistoryFormat`."""

    @property
    def factory(self) -> Callable[..., Game]:
        """The function `make_game`; its parameters are the environment's arguments."""
        factory: Callable[..., Game] = load_object(self.make_game)
        if not callable(factory):
            raise ValueError(f"{self.id}: {self.make_game} is {factory!r}, not a function that returns a game")
        return factory


ENVS: dict[str, EnvEntry] = {}
"""Id -> entry of all environments, in the order of registration."""
_CALLBACKS: list[Callable[[EnvEntry], None]] = []


def register_env(
    env_id: str,
    make_game: str,
    summary: str,
    *,
    gymnasium_id: str | None = None,
    histories: tuple[str, ...] = (),
) -> EnvEntry:
    """Register a game, also with PettingZoo and Gymnasium.

    Args:
        env_id: Versioned id, such as "my_game-v0".
        make_game: "module:function" that returns the `Game`. Its parameters are the environment's arguments, and all
            must have defaults.
        summary: One line for lists of environments.
        gymnasium_id: Id for Gymnasium; None for MyGame-v0.
        histories: "module:NAME" of each format of recorded hands.

    Returns:
        The entry in `ENVS`; registering the same game twice returns the first.

    Raises:
        ValueError: For an id without a version, and for an id that is registered for another game.
    """
    name, dash, version = env_id.rpartition("-v")
    if not dash or not name or not version.isdecimal():
        raise ValueError(f"environment id {env_id!r} must end in a version, such as my_game-v0")
    capitals = "".join(word.capitalize() for word in name.split("_")) + f"-v{version}"
    entry = EnvEntry(env_id, gymnasium_id or capitals, make_game, summary, histories)
    if env_id in ENVS:
        if ENVS[env_id] != entry:
            raise ValueError(f"environment id {env_id!r} is taken by {ENVS[env_id].make_game}: choose another")
        return ENVS[env_id]
    ENVS[env_id] = entry
    for callback in _CALLBACKS:
        callback(entry)
    return entry


def register_installed_games() -> None:
    """Register the games of other distributions, from the entry points `card_envs.games`, without importing them.

    A game whose id has no version or is taken by another game is left out with a warning.
    """
    histories = plugins.list_plugins(plugins.HISTORIES)
    for env_id, location in plugins.list_plugins(plugins.GAMES).items():
        recorded_as = (histories[env_id],) if env_id in histories else ()
        summary = f"a game of the package {location.partition('.')[0].partition(':')[0]}"
        try:
            register_env(env_id, location, summary, histories=recorded_as)
        except ValueError as error:
            warnings.warn(f"the game {location!r} is left out: {error}", RuntimeWarning, stacklevel=2)


def on_registration(callback: Callable[[EnvEntry], None]) -> None:
    """Call `callback` with every entry, now for registered ones and later for new ones."""
    _CALLBACKS.append(callback)
    for entry in ENVS.values():
        callback(entry)


for _id, _function, _summary in (
    ("limit_holdem-v0", "holdem.presets:limit_holdem", "limit Texas hold'em, 2 to 10 seats"),
    ("no_limit_holdem-v0", "holdem.presets:no_limit_holdem", "no-limit and pot-limit Texas hold'em, 2 to 10 seats"),
    ("big2-v0", "big2.presets:big2", "Big 2 for four seats, 1,695 actions, house rules as options"),
    (
        "flop_holdem-v0",
        "holdem.presets:flop_holdem",
        "flop hold'em: limit hold'em of two streets, the benchmark of neural CFR papers",
    ),
    ("leduc_holdem-v0", "holdem.presets:leduc_holdem", "Leduc hold'em: six cards, two streets, exact solutions known"),
    ("kuhn_poker-v0", "holdem.presets:kuhn_poker", "Kuhn poker: three cards, one bet, value -1/18"),
):
    register_env(_id, f"{_OWN_GAMES}{_function}", _summary)


def find_entry(env_id: str) -> EnvEntry:
    """Return the entry of an id.

    Args:
        env_id: Id with or without its version and "card_envs/"; without a version, the newest one is returned.

    Raises:
        ValueError: For an unknown id; the message suggests the nearest known one.
        TypeError: For anything but a text.
    """
    if not isinstance(env_id, str):
        raise TypeError(f"{env_id!r} is no environment id: pass a text such as 'limit_holdem-v0'")
    name = env_id.removeprefix("card_envs/")
    if name in ENVS:
        return ENVS[name]
    versions = [known for known in ENVS if known.rpartition("-v")[0] == name]
    if versions:
        return ENVS[max(versions, key=lambda known: int(known.rpartition("-v")[2]))]
    hint = suggest_name(name, ENVS)
    raise UnknownNameError(f"environment {env_id!r} is not known{hint}{list_choices(sorted(ENVS))}", "environment")


def make_game(env_id: str, *, dtype: Any = None, **settings: Any) -> Game:  # Any: so that **dict[str, int] will do
    """Return the game of an environment id.

    Args:
        env_id: Id such as "limit_holdem-v0"; see `find_entry`.
        dtype: Type of the numbers in observations, "float32" or "int8"; None for the encoder's own. The numbers are the
            same, see `observation_types`. Every function that takes an environment's settings takes `dtype` too.
        **settings: Arguments of the environment, such as `num_players`; see its page.

    Raises:
        UnknownSettingError: For an argument that the environment does not have; the message lists its arguments.
        ValueError: For an unknown id, and for values that the game refuses.

    Example:
        >>> make_game("limit_holdem-v0", num_players=6)
        <Game limit_holdem: 6 seats, 3 actions, encoder default>
    """
    entry = find_entry(env_id)
    return build_game(entry.factory, entry.id, {**settings, "dtype": dtype})


def as_game(game: Game | str, **settings: Any) -> Game:
    """Return a game as it is, and for an environment id its game: what accepts games also accepts ids.

    Args:
        game: A game, or an id such as "limit_holdem-v0".
        **settings: Arguments of the environment, for an id.

    Raises:
        TypeError: For anything else, and for a game with settings, which it has already.
        ValueError: For an unknown id, and for values that the game refuses.

    Example:
        >>> as_game("leduc_holdem-v0")
        <Game leduc_holdem: 2 seats, 3 actions, encoder default>
    """
    if isinstance(game, str):
        return make_game(game, **settings)
    from card_envs.game import Game

    if not isinstance(game, Game):
        raise TypeError(f"{game!r} is no game: pass an environment id such as 'limit_holdem-v0', or make_game(id, ...)")
    if settings:
        raise TypeError(f"{game} has its settings already: pass its id with {sorted(settings)}, or make_game(id, ...)")
    return game


@overload
def make_vector(
    env_id: Game | str, num_tables: int, seed: int | None = None, num_threads: int = 1, device: Literal["cpu"] = "cpu",
    skip_forced: bool = False, **settings: Unpack[EnvSettings],
) -> VectorTables: ...  # fmt: skip


@overload
def make_vector(
    env_id: Game | str, num_tables: int, seed: int | None = None, num_threads: int = 1, *, device: Literal["cuda"],
    **settings: Unpack[EnvSettings],
) -> CudaTables: ...  # fmt: skip


def make_vector(
    env_id: Game | str, num_tables: int, seed: int | None = None, num_threads: int = 1, device: str = "cpu",
    skip_forced: bool = False, **settings: Unpack[EnvSettings],
) -> VectorTables | CudaTables:  # fmt: skip
    """Return the batched engine of an environment; see `VectorTables`.

    Args:
        env_id: Id such as "no_limit_holdem-v0", or a game, such as one of `make_game`.
        num_tables: Number of tables.
        seed: Seed of the deals; None: unpredictable.
        num_threads: Number of threads that share the work of a step.
        device: "cpu", or "cuda" (extra `cuda`) for tables on a GPU; see `card_envs.cuda`.
        skip_forced: Whether decisions with one legal action are taken without being shown.
        **settings: Arguments of the environment, as for `make_game`. dtype="int8" reduces the memory of observations to
            a quarter, for encoders whose numbers are whole. Type checkers know the arguments of this package's
            environments: pass games of other packages made with theirs.

    Raises:
        UnknownSettingError: For an argument that the environment does not have.
        ValueError: For an unknown id or device, and for values out of range.

    Example:
        >>> tables = make_vector("no_limit_holdem-v0", num_tables=4096, seed=0)
        >>> tables.reset().action_mask.shape
        (4096, 5)
    """
    from card_envs.memory import explain_memory
    from card_envs.vector import VectorTables

    game = as_game(env_id, **settings)
    if device not in DEVICES:
        raise ValueError(f"device {device!r} is not known: choose one of {list(DEVICES)}")
    with explain_memory(game, num_tables):
        if device == "cpu":
            return VectorTables(game, num_tables, seed, num_threads, skip_forced)
        for name, value, usual in (("num_threads", num_threads, 1), ("skip_forced", skip_forced, False)):
            if value != usual:
                raise ValueError(f"{name} {value!r} is for the processor: omit it with device={device!r}")
        from card_envs.cuda.tables import CudaTables  # imported here because it imports Numba's CUDA

        return CudaTables(game, num_tables, seed)


def make_raw_env(env_id: str, render_mode: RenderMode | None = None, **settings: Any) -> GameAEC:
    """Return the AEC environment of an id whose `step` raises IllegalActionError; arguments as for `make_env`."""
    from card_envs.aec import GameAEC

    return _make(env_id, GameAEC, "Raw", render_mode, settings)


def make_env(env_id: str, render_mode: RenderMode | None = None, **settings: Any) -> ConventionalAEC:
    """Return the AEC environment of an id with PettingZoo's conventions for illegal actions (see `ConventionalAEC`).

    Args:
        env_id: Id such as "leduc_holdem-v0".
        render_mode: "ansi", "rgb_array", "human" or None.
        **settings: Arguments of the environment, and `dtype`, see `make_game`.

    Raises:
        UnknownSettingError: For an argument that the environment does not have; the message lists its arguments.
    """
    from card_envs.conventional_aec import ConventionalAEC

    return _make(env_id, ConventionalAEC, "", render_mode, settings)


def _make(
    env_id: str, general: type[Env], prefix: str, render_mode: RenderMode | None, settings: Mapping[str, Any]
) -> Env:
    """Return the environment of an id, of the class of this package that has its rules as docstring if there is one."""
    entry = find_entry(env_id)
    env_class = general
    if entry.make_game.startswith(_OWN_GAMES):
        module = entry.id.replace("-", "_")
        env_class = load_object(f"card_envs.{module}:{prefix}{entry.gymnasium_id.partition('-')[0]}")
    return build_env(env_class, entry.id, entry.factory, {**settings, "render_mode": render_mode})
