"""Runs a league: plans rounds, gives them to a pool, stores their outcomes, and clones students.

The rounds and their results depend on the league alone, not on the pool or the time: a division draws its next rounds
when those before are stored, with a random generator that is seeded anew for every round.
"""

from __future__ import annotations

import shutil
import socket
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from card_baselines.league.divisions import KINDS, DivisionSettings, Standing
from card_baselines.league.pools import Pool
from card_baselines.league.ratings import Rating, final_ratings, update_trueskill
from card_baselines.league.rounds import (
    Entrant,
    Files,
    RoundOutcome,
    RoundTask,
    make_trainee,
    read_files,
    save_to_files,
    write_files,
)
from card_baselines.league.store import DivisionRow, LeagueError, Member, PlannedRound, Store
from card_baselines.run_folder import git_commit
from card_envs.game import Game
from card_envs.rng import derive_seed, make_generator

_BATCH_HANDS = 10_000
"""Maximum number of hands that are played side by side in rounds without students."""
Progress = Callable[[str, int, RoundOutcome], None]
"""Function that is called after every stored round with the division, its number of rounds and the outcome."""


@dataclass
class _Division:
    """State of a division, which follows from the store."""

    row: DivisionRow
    target: int
    """Number of rounds to play in all."""
    settings: DivisionSettings
    members: tuple[int, ...]
    open: dict[int, PlannedRound] = field(default_factory=dict)
    """Id -> planned round that is not played yet."""
    planned: int = 0
    """Number of planned rounds."""
    unrated: dict[int, RoundOutcome] = field(default_factory=dict)
    """Number within the division -> stored round that waits for an earlier one to be rated."""
    done: int = 0
    """Number of rounds that are stored and rated, from the first on without a gap."""
    ratings: dict[int, Rating] = field(default_factory=dict)
    meetings: Counter[frozenset[int]] = field(default_factory=Counter)

    @property
    def played(self) -> int:
        """Number of rounds that are stored."""
        return self.planned - len(self.open)


class Runner:
    """Runs divisions: this process writes the store, a pool plays the rounds."""

    def __init__(
        self, folder: Path, store: Store, game: Game, pool: Pool, progress: Progress | None, allowed: Collection[str]
    ) -> None:
        """Use a store that is open for writing, in the folder of the league; see `RoundTask.allowed`."""
        self._folder, self._store, self._game, self._pool, self._progress = folder, store, game, pool, progress
        self._allowed = frozenset(allowed)
        self._meta = store.meta()
        self._made_by = f"{git_commit()[:12]} on {socket.gethostname()}"
        self._divisions: dict[int, _Division] = {}
        self._playing: dict[int, _Division] = {}
        """Id of a round in the pool -> its division."""

    def run(self, rounds: Mapping[str, tuple[DivisionRow, int]]) -> dict[str, int]:
        """Play until every division has its number of rounds; return the numbers by division."""
        self._divisions = {row.id: self._restore_division(row, count) for row, count in rounds.values()}
        self._fill_pool()
        while self._playing:
            self._store_outcome(self._pool.next())
            self._fill_pool()
        return {division.row.name: division.played for division in self._divisions.values()}

    # --- the state of divisions ---

    def _restore_division(self, row: DivisionRow, target: int) -> _Division:
        """Return the state of a division after its stored rounds."""
        division = _Division(row, target, DivisionSettings.from_mapping(row.settings), self._store.entries(row.id))
        division.ratings, outcomes = final_ratings(self._store.ratings(row.id)), self._store.outcomes(row.id)
        for planned in self._store.rounds(row.id):
            self._count(division, planned)
            if planned.id in outcomes:
                division.unrated[planned.number] = outcomes[planned.id]
            else:
                division.open[planned.id] = planned
        while division.unrated.pop(division.done, None) is not None:  # these were rated when they were stored
            division.done += 1
        return division

    def _count(self, division: _Division, planned: PlannedRound) -> None:
        different = sorted(set(planned.seating))
        division.meetings.update(frozenset((a, b)) for a in different for b in different if a < b)
        division.planned = planned.number + 1

    # --- the next rounds ---

    def _fill_pool(self) -> None:
        """Submit rounds until the pool is full or none can be played."""
        while len(self._playing) < self._pool.capacity:
            unfinished = [division for division in self._divisions.values() if division.played < division.target]
            for division in sorted(unfinished, key=lambda division: division.played / division.target):
                if planned := self._next_round(division):
                    self._playing[planned.id] = division
                    self._pool.submit(self._make_task(division, planned))
                    break
            else:
                return

    def _next_round(self, division: _Division) -> PlannedRound | None:
        """Return a round of a division that can be played now, planned if need be; None if there is none."""
        waiting = [planned for number, planned in division.open.items() if number not in self._playing]
        if not waiting and self._may_plan(division):
            waiting = self._plan(division)
        return waiting[0] if waiting else None

    def _may_plan(self, division: _Division) -> bool:
        """Return True if the next rounds can be drawn. Those of all members wait until no more clones are added."""
        others = self._divisions.values()
        if not division.members and any(KINDS[each.row.kind].trains and each.played < each.target for each in others):
            return False
        waits = KINDS[division.row.kind].needs_results and (division.open or division.unrated)
        return not waits and division.planned < division.target

    def _plan(self, division: _Division) -> list[PlannedRound]:
        """Draw and store the next rounds of a division."""
        rng = make_generator(self._meta["seed"], division.row.id, division.planned)
        drawn = KINDS[division.row.kind].draw(self._make_standing(division), division.settings, rng)
        with self._store.transaction():
            planned = [
                self._store.plan(division.row.id, number, int(rng.integers(2**62)), matchup.seating, matchup.students)
                for number, matchup in enumerate(drawn, division.planned)
            ]
        for each in planned:
            self._count(division, each)
            division.open[each.id] = each
        return planned

    def _make_standing(self, division: _Division) -> Standing:
        members = self._store.members()
        chosen = [members[number] for number in division.members] if division.members else list(members.values())
        students = [member.id for member in chosen if member.learns and member.division == division.row.id]
        teachers = [member.id for member in chosen if not member.learns]
        if len(teachers) < (1 if KINDS[division.row.kind].trains else 2):
            raise LeagueError(
                f"division {division.row.name!r} has {len(teachers)} members that do not learn, which is too few: "
                "add agents, or let students train first, so that there are clones"
            )
        return Standing(self._game.num_seats, students, teachers, division.ratings, division.meetings)

    def _make_task(self, division: _Division, planned: PlannedRound) -> RoundTask:
        members, settings = self._store.members(), division.settings
        trains = len(planned.students) > 0
        return RoundTask(
            round=planned.id,
            env=self._meta["env"],
            settings=self._meta["settings"],
            entrants=tuple(
                self._make_entrant(members[member], member in planned.students)
                for member in dict.fromkeys(planned.seating)
            ),
            seating=planned.seating,
            hands=settings.hands,
            seed=planned.seed,
            duplicate=settings.duplicate and not trains,
            hands_at_once=settings.hands_at_once if trains else min(settings.hands, _BATCH_HANDS),
            allowed=self._allowed,
        )

    def _make_entrant(self, member: Member, learns: bool) -> Entrant:
        folder = self._store.last_save(member.id) if member.learns else member.folder
        files, seed = self._read_files(folder), derive_seed(self._meta["seed"], member.id)
        return Entrant(member.id, member.name, member.spec, member.is_trainee, files, learns, seed)

    def _read_files(self, name: str | None) -> Files | None:
        """Return the files in a folder that the store names; raise LeagueError if it is not below the league."""
        if name is None:
            return None
        if not (self._folder / name).resolve().is_relative_to(self._folder.resolve()):
            raise LeagueError(
                f"the store of {self._folder} names the folder {name!r}, which is not below it: it is damaged"
            )
        return read_files(self._folder / name)

    # --- outcomes ---

    def _store_outcome(self, outcome: RoundOutcome) -> None:
        """Store the outcome of a round, rate the members, and clone students when it is time."""
        division = self._playing.pop(outcome.round)
        planned = division.open.pop(outcome.round)
        with self._store.transaction():
            saved = {
                member: self._write_folder(files, f"students/{member}/{outcome.round}")
                for member, files in outcome.learned.items()
            }
            self._store.add_outcome(outcome, saved, self._made_by)
            division.unrated[planned.number] = outcome
            self._rate_in_order(division)
        for member in planned.students:
            self._remove_old_files(member)
        if self._progress is not None:
            self._progress(division.row.name, division.played, outcome)

    def _rate_in_order(self, division: _Division) -> None:
        """Rate stored rounds in order, and clone students when it is time, within a transaction."""
        every = division.settings.clone_every
        while division.done in division.unrated:
            rated = division.unrated.pop(division.done)
            new = update_trueskill(division.ratings, rated.scores)
            division.ratings |= new
            self._store.add_ratings(rated.round, new)
            division.done += 1
            if KINDS[division.row.kind].trains and every and division.done % every == 0:
                self._clone(division, rated.round, division.done // every)

    def _clone(self, division: _Division, round: int, generation: int) -> None:
        """Add a clone of each student of the division after a round as a teacher, within a transaction."""
        members = self._store.members()
        clones = []
        for number in division.members:
            student = members[number]
            if not student.learns:
                continue
            name = f"{student.name}/{generation}"
            files = self._read_files(self._store.last_save(student.id, round))
            trainee = make_trainee(student.spec, files, self._game, derive_seed(self._meta["seed"], student.id))
            folder = self._write_folder(save_to_files(trainee.save_policy), f"clones/{student.id}-{generation}")
            clones.append(self._store.add_member(
                name, student.spec, is_trainee=True, learns=False, parent=student.id, generation=generation,
                division=division.row.id, folder=folder,
            ))  # fmt: skip
        self._store.add_entries(division.row.id, clones)
        division.members = (*division.members, *clones)

    def _write_folder(self, files: Files, name: str) -> str:
        """Write files into a folder of the league and return its name, which the store does not have yet."""
        folder = self._folder / name
        try:
            with suppress(FileNotFoundError):
                shutil.rmtree(folder)  # left by a run that was killed before it could store the round
            write_files(files, folder)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise LeagueError(
                f"{folder.parent} cannot be written: {error.strerror or error}. The rounds stored so far are kept; go "
                "on with `league run`"
            ) from error
        return name

    def _remove_old_files(self, member: int) -> None:
        """Remove the files of a student except for its last two saves. Clones have files of their own."""
        root = self._folder / "students" / str(member)
        for path in sorted(root.glob("[0-9]*"), key=lambda path: int(path.name))[:-2]:
            shutil.rmtree(path, ignore_errors=True)
