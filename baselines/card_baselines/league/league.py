"""A league: a folder with its store and the files of its trainees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Self

from card_baselines.file_lock import LockedError, hold_lock
from card_baselines.league.divisions import KINDS, DivisionSettings
from card_baselines.league.pools import InProcess, Pool
from card_baselines.league.ratings import Rating, final_ratings
from card_baselines.league.rounds import trainee_class
from card_baselines.league.runner import Progress, Runner
from card_baselines.league.store import DivisionRow, LeagueError, Member, Store
from card_baselines.run_folder import LOCK, git_commit
from card_envs.agent import find_agent
from card_envs.agent.loading import code_in
from card_envs.damaged_files import explain_damage
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.locations import registered_names_only, require_allowed

STORE = "league.sqlite"


class League:
    """A population that plays rounds in divisions. Any process may read it; one at a time may add to it or run it."""

    def __init__(self, folder: Path, store: Store, allow: Iterable[str] = ()) -> None:
        """Use an open store. `new` and `open` make leagues."""
        self.folder, self.store = folder, store
        self.meta = store.meta()
        self._allowed = {code_in(spec) or spec for spec in allow}

    @classmethod
    def new(cls, folder: str | Path, env: str, *, seed: int = 0, **settings: Any) -> Self:
        """Make a league in a new folder.

        Args:
            folder: New or empty folder.
            env: Environment id that all rounds are played in.
            seed: Fixes all rounds, together with the order in which divisions and members are added.
            **settings: Arguments of the environment, such as num_players=6.

        Returns:
            The league, open.

        Raises:
            LeagueError: The folder is not empty or cannot be made.
            ValueError: The environment is not known, or has no such setting.

        Example:
            >>> League.new("leagues/first", "limit_holdem-v0", num_players=6)  # doctest: +SKIP
        """
        path = Path(folder)
        game = make_game(env, **settings)
        meta = {"env": env, "settings": settings, "game": game.name, "seed": seed, "commit": git_commit()}
        if path.exists() and any(path.iterdir()):
            raise LeagueError(f"{path} exists and is not empty: choose another folder for a new league")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LeagueError(f"cannot make the folder {path}: {error.strerror}") from error
        Store.create(path / STORE, meta).close()
        return cls.open(path, allow=[value for value in settings.values() if isinstance(value, str)])

    @classmethod
    def open(cls, folder: str | Path, allow: Iterable[str] = ()) -> Self:
        """Return the league in a folder.

        Args:
            folder: Folder of the league.
            allow: Code, "module:NAME" or "path/to/file.py:NAME", that members and settings of the store may name. Other
                code is refused when it is needed, since the folder may come from somebody else.

        Raises:
            LeagueError: There is no league in the folder.
        """
        path = Path(folder)
        return cls(path, Store.open(path / STORE), allow)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.store.close()

    @property
    def game(self) -> Game:
        """The game that all rounds are played in."""
        with self.restrict_names(), explain_damage(self.folder / STORE):
            return make_game(self.meta["env"], **self.meta["settings"])

    def restrict_names(self) -> AbstractContextManager[None]:
        """Return a context in which only registered names, and those that the user allowed, can be loaded."""
        advice = "If you trust the code, add --allow {name} (in Python: League.open(folder, allow=[...]))"
        return registered_names_only(self.folder / STORE, self._allowed, advice)

    @property
    def members(self) -> dict[int, Member]:
        """Members by their ids."""
        return self.store.members()

    @property
    def divisions(self) -> dict[str, DivisionRow]:
        """Divisions by their names; LeagueError if one is of an unknown kind."""
        divisions = self.store.divisions()
        for row in divisions.values():
            if row.kind not in KINDS:
                raise LeagueError(f"{self.folder / STORE} is damaged: division {row.name!r} is of no kind {row.kind!r}")
        return divisions

    def division(self, name: str) -> DivisionRow:
        """Return the division of a name; raise LeagueError if there is none."""
        divisions = self.divisions
        if name not in divisions:
            known = ", ".join(divisions) or "none yet: `card-envs league add` adds one"
            raise LeagueError(f"division {name!r} is not known: there is {known}")
        return divisions[name]

    def ratings(self, division: str) -> dict[int, Rating]:
        """Return the latest TrueSkill ratings in a division, by member."""
        return final_ratings(self.store.ratings(self.division(division).id))

    def add_agents(self, *specs: str, division: str | None = None) -> list[int]:
        """Add agents that do not learn. An agent whose spec is in the league already is not added again.

        Args:
            *specs: Registered names, "module:Class", "path/to/file.py:Class" or run folders.
            division: Name of a division in which they play from now on.

        Returns:
            The members' ids, in the order of `specs`.

        Raises:
            ValueError: An agent is not known or cannot play the game.
            LeagueError: The division is unknown, or plays all members of the league anyway.
        """
        game = self.game
        for spec in specs:
            find_agent(spec, game)  # raises ValueError before anything is written
        self._allowed |= {code_in(spec) for spec in specs}
        row = None if division is None else self.division(division)
        with self._open_store_for_writing() as store, store.transaction():
            ids = [_add_agent(store, spec) for spec in specs]
            if row is not None:
                present = store.entries(row.id)
                if not present and not KINDS[row.kind].trains:
                    raise LeagueError(f"division {row.name!r} plays all members of the league: none needs to be added")
                store.add_entries(row.id, [member for member in dict.fromkeys(ids) if member not in present])
        return ids

    def add_division(
        self, name: str, kind: str, *, students: Sequence[str] = (), teachers: Sequence[str] = (), **settings: Any
    ) -> None:
        """Add a division with its members.

        Args:
            name: Name of the division.
            kind: A key of `divisions.KINDS`: random or climbing train; similar, direct and round_robin evaluate.
            students: Trainees that learn in it: registered names, "module:Class" or "path/to/file.py:Class".
            teachers: Agents that do not learn. An evaluating division without teachers plays all members of the league
                that do not learn.
            **settings: Fields of `DivisionSettings`, such as hands=10_000.

        Raises:
            LeagueError: The kind is unknown, or settings or members do not fit it.
            ValueError: A student or teacher is not known or cannot play the game.
        """
        if kind not in KINDS:
            raise LeagueError(f"kind {kind!r} is not known: choose one of {', '.join(KINDS)}")
        DivisionSettings.from_mapping(settings)
        trains = KINDS[kind].trains
        if trains and not (students and teachers):
            raise LeagueError(f"a division of kind {kind!r} needs at least one student and one teacher")
        if students and not trains:
            raise LeagueError(f"a division of kind {kind!r} evaluates: it takes no students, only teachers")
        game = self.game
        for spec in students:
            trainee_class(spec)
        for spec in teachers:
            find_agent(spec, game)
        self._allowed |= {*students, *(code_in(spec) for spec in teachers)}
        with self._open_store_for_writing() as store, store.transaction():
            number = store.add_division(name, kind, settings)
            entries = [_add_agent(store, spec) for spec in dict.fromkeys(teachers)]
            for spec in students:
                label = _find_free_name(store, f"{name}.{_shorten(spec)}")
                entries.append(store.add_member(label, spec, is_trainee=True, learns=True, division=number))
            store.add_entries(number, entries)

    def run(
        self, rounds: Mapping[str, int], pool: Pool | None = None, progress: Progress | None = None
    ) -> dict[str, int]:
        """Play rounds until each division has a number of them. Rounds that an earlier run planned come first.

        Divisions play side by side as far as the pool can, but those that play all members of the league begin after
        those that train. An interrupted run keeps all rounds that ended.

        Args:
            rounds: Division -> number of rounds in all, those of earlier runs included.
            pool: Pool that plays, which is not closed; this process by default.
            progress: Called after each round with the division, its number of rounds and the outcome.

        Returns:
            Division -> number of rounds now.

        Raises:
            LeagueError: A division is unknown, or the folder cannot be written.
            UntrustedNameError: The store names code that `allow` does not.
        """
        chosen = {name: (self.division(name), count) for name, count in rounds.items()}
        self._require_allowed_members()
        with self._open_store_for_writing() as store, self.restrict_names():
            return Runner(self.folder, store, self.game, pool or InProcess(), progress, self._allowed).run(chosen)

    def count_missing(self, rounds: Mapping[str, int]) -> int:
        """Return the number of rounds that `run` would play; LeagueError if a division is unknown."""
        counts = (
            (len(self.store.rounds(self.division(name).id, played=True)), count) for name, count in rounds.items()
        )
        return sum(max(0, count - played) for played, count in counts)

    def _require_allowed_members(self) -> None:
        """Raise UntrustedNameError, before anything is played, if the store names code that the user did not allow."""
        with self.restrict_names():
            for member in self.members.values():
                if member.is_trainee:
                    trainee_class(member.spec)
                elif code := code_in(member.spec):
                    require_allowed("agent", code)

    @contextmanager
    def _open_store_for_writing(self) -> Iterator[Store]:
        """Yield the store, to which no other process can write meanwhile."""
        with ExitStack() as stack:
            try:
                stack.enter_context(hold_lock(self.folder / LOCK))
            except LockedError as error:
                raise LeagueError(
                    f"the league in {self.folder} is in use by {error.holder}: wait until it ends; `rank`, `report` "
                    "and `watch` can be used meanwhile"
                ) from None
            except OSError as error:  # a full disk
                raise LeagueError(
                    f"{self.folder} cannot be written: {error.strerror}. The rounds stored so far are kept"
                ) from error
            yield stack.enter_context(closing(Store.open(self.folder / STORE, writes=True)))


def _add_agent(store: Store, spec: str) -> int:
    """Return the id of the member that is this agent, added if it is new."""
    for member in store.members().values():
        if member.spec == spec and not member.is_trainee:
            return member.id
    return store.add_member(_find_free_name(store, _shorten(spec)), spec, is_trainee=False, learns=False)


def _shorten(spec: str) -> str:
    """Return a short name: "Class" for "path/to/file.py:Class", the last part of the path of a run folder."""
    return spec.rpartition(":")[2] if ":" in spec else Path(spec).name


def _find_free_name(store: Store, wanted: str) -> str:
    """Return the wanted name of a member, with a number behind it if the name is taken."""
    used = {member.name for member in store.members().values()}
    names = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(used) + 2))
    return next(name for name in names if name not in used)
