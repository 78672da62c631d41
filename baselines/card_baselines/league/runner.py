"""Plays the rounds of a league: plans them, hands them out, stores what came of them, lets students be cloned.

Which rounds are played, with which results, depends on the league alone and not on who plays them or when: a division
draws its next rounds when those before are stored, from a stream of its own for every round.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from card_baselines.league.divisions import KINDS, DivisionSettings, Matchup, Standing
from card_baselines.league.pools import LostRound, Pool
from card_baselines.league.ratings import Rating, update_ratings
from card_baselines.league.rounds import (
    Earnings,
    Entrant,
    Files,
    RoundOutcome,
    RoundTask,
    make_trainee,
    save_to_files,
    write_files,
)
from card_baselines.league.store import DivisionRow, LeagueError, Member, PlannedRound, Store
from card_baselines.run_folder import git_commit
from card_envs.game import Game

_AT_ONCE = 10_000
"""Hands that are played side by side where nobody learns."""
Progress = Callable[[str, int, RoundOutcome | LostRound], None]
"""Called after every round that is stored: division, how many rounds it has now, what came of it."""


@dataclass
class _Division:
    """A division while it plays; everything in it follows from the store."""

    row: DivisionRow
    target: int
    settings: DivisionSettings
    members: tuple[int, ...]
    open: dict[int, PlannedRound] = field(default_factory=dict)
    """Planned rounds that are not played yet, by their numbers in the league."""
    planned: int = 0
    """Number of rounds planned so far."""
    unrated: dict[int, tuple[int, dict[int, Earnings]]] = field(default_factory=dict)
    """Number within the division -> round and earnings, of rounds whose predecessors are missing."""
    done: int = 0
    """Number of rounds that, from the first on without a gap, are stored and update_ratings."""
    ratings: dict[int, Rating] = field(default_factory=dict)
    meetings: Counter[frozenset[int]] = field(default_factory=Counter)
    points: Counter[int] = field(default_factory=Counter)

    @property
    def played(self) -> int:
        return self.planned - len(self.open)


class Runner:
    """Plays rounds in one process that writes, with a pool that plays."""

    def __init__(
        self, folder: Path, store: Store, game: Game, pool: Pool, progress: Progress | None, allowed: Collection[str]
    ) -> None:
        """Use a store that is open for writing, in the folder of the league; see `RoundTask.allowed`."""
        self._folder, self._store, self._game, self._pool, self._progress = folder, store, game, pool, progress
        self._allowed = frozenset(allowed)
        self._meta = store.meta()
        self._made_by = git_commit()
        self._divisions: dict[int, _Division] = {}
        self._playing: dict[int, _Division] = {}
        """Rounds that were handed out."""

    def run(self, rounds: Mapping[str, tuple[DivisionRow, int]]) -> dict[str, int]:
        """Play until every division has as many rounds as asked for; return how many it has."""
        self._divisions = {row.id: self._restore_division(row, count) for row, count in rounds.values()}
        self._hand_out()
        while self._playing:
            self._keep(self._pool.next())
            self._hand_out()
        return {division.row.name: division.played for division in self._divisions.values()}

    # --- what was played before ---

    def _restore_division(self, row: DivisionRow, target: int) -> _Division:
        """Return a division as its rounds left it."""
        division = _Division(row, target, DivisionSettings.from_mapping(row.settings), self._store.entries(row.id))
        for planned in self._store.rounds(row.id):
            self._count(division, planned)
        division.open = {planned.id: planned for planned in self._store.rounds(row.id, played=False)}
        for _, member, mu, sigma in self._store.ratings(row.id):
            division.ratings[member] = Rating(mu, sigma)
        for planned in self._store.rounds(row.id):
            if planned.id not in division.open:
                division.unrated[planned.number] = planned.id, self._store.earnings(planned.id)
        while division.done in division.unrated:  # update_ratings when it was stored
            self._score(division, division.unrated.pop(division.done)[1])
            division.done += 1
        return division

    def _count(self, division: _Division, planned: PlannedRound) -> None:
        different = sorted(set(planned.seating))
        division.meetings.update(frozenset((a, b)) for a in different for b in different if a < b)
        division.planned = planned.number + 1

    @staticmethod
    def _score(division: _Division, earnings: Mapping[int, Earnings]) -> None:
        scores = {member: won.total / won.seats for member, won in earnings.items()}
        if len(set(scores.values())) == 1:
            division.points.update(dict.fromkeys(scores, 0.5))
        elif scores:
            division.points[max(scores, key=lambda member: scores[member])] += 1

    # --- what is played next ---

    def _hand_out(self) -> None:
        """Give rounds to the pool as long as it has room and there are some."""
        while len(self._playing) < self._pool.capacity:
            found = next(filter(None, map(self._next_round, self._sort_by_need())), None)
            if found is None:
                return
            division, planned = found
            self._playing[planned.id] = division
            self._pool.submit(self._task(division, planned))

    def _sort_by_need(self) -> list[_Division]:
        """Return the divisions that have rounds to play, those that are behind first."""
        short = [division for division in self._divisions.values() if division.played < division.target]
        return sorted(short, key=lambda division: division.played / division.target)

    def _next_round(self, division: _Division) -> tuple[_Division, PlannedRound] | None:
        waiting = [planned for number, planned in division.open.items() if number not in self._playing]
        if not waiting and self._may_plan(division):
            waiting = self._plan(division)
        return (division, waiting[0]) if waiting else None

    @staticmethod
    def _may_plan(division: _Division) -> bool:
        waits = KINDS[division.row.kind].needs_results and (division.open or division.unrated)
        return not waits and division.planned < division.target

    def _plan(self, division: _Division) -> list[PlannedRound]:
        """Draw and store the next rounds of a division."""
        rng = np.random.default_rng([self._meta["seed"], division.row.id, division.planned])
        drawn = KINDS[division.row.kind].draw(self._find_standing(division), division.settings, rng)
        planned = []
        with self._store.transaction():
            for i, matchup in enumerate(drawn):
                planned.append(self._store_plan(division, division.planned + i, matchup, int(rng.integers(2**62))))
        for each in planned:
            self._count(division, each)
            division.open[each.id] = each
        return planned

    def _store_plan(self, division: _Division, number: int, matchup: Matchup, seed: int) -> PlannedRound:
        id = self._store.plan(division.row.id, number, seed, matchup.seating, matchup.students)
        return PlannedRound(id, division.row.id, number, seed, matchup.seating, matchup.students)

    def _find_standing(self, division: _Division) -> Standing:
        members = self._store.members()
        chosen = [members[number] for number in division.members] if division.members else list(members.values())
        students = [member.id for member in chosen if member.learns and member.division == division.row.id]
        teachers = [member.id for member in chosen if not member.learns]
        if len(teachers) < (1 if KINDS[division.row.kind].trains else 2):
            raise LeagueError(
                f"division {division.row.name!r} has {len(teachers)} members that do not learn, which is too few: "
                "add agents, or let students train first, so that there are clones"
            )
        return Standing(
            self._game.num_seats, students, teachers, division.ratings, division.meetings, dict(division.points)
        )

    def _task(self, division: _Division, planned: PlannedRound) -> RoundTask:
        members, settings = self._store.members(), division.settings
        trains = len(planned.students) > 0
        return RoundTask(
            round=planned.id,
            env=self._meta["env"],
            settings=self._meta["settings"],
            entrants=tuple(
                self._entrant(members[number], number in planned.students) for number in dict.fromkeys(planned.seating)
            ),
            seating=planned.seating,
            hands=settings.hands,
            seed=planned.seed,
            duplicate=settings.duplicate and not trains,
            hands_at_once=settings.hands_at_once if trains else min(settings.hands, _AT_ONCE),
            statistics=settings.statistics and not trains,
            allowed=self._allowed,
        )

    def _entrant(self, member: Member, learns: bool) -> Entrant:
        folder = self._store.last_save(member.id) if member.learns else member.folder
        files = None if folder is None else read_files(self._folder, folder)
        seed = self._seed_of(member.id)
        return Entrant(member.id, member.name, member.spec, member.is_trainee, files, learns, seed)

    def _seed_of(self, member: int) -> int:
        """Return the seed with which a trainee begins."""
        return int(np.random.SeedSequence([self._meta["seed"], member]).generate_state(1)[0])

    # --- what came of it ---

    def _keep(self, outcome: RoundOutcome | LostRound) -> None:
        """Store what came of a round, and what follows from it."""
        division = self._playing.pop(outcome.round)
        planned = division.open.pop(outcome.round)
        made_by = f"{self._made_by[:12]} on {socket.gethostname()}"
        with self._store.transaction():
            if isinstance(outcome, LostRound):
                self._store.add_lost(outcome.round, outcome.why, made_by)
                division.unrated[planned.number] = outcome.round, {}
            else:
                saved = {
                    member: self._write_folder(files, f"students/{member}/{outcome.round}")
                    for member, files in outcome.learned.items()
                }
                self._store.add_outcome(outcome, saved, made_by)
                division.unrated[planned.number] = outcome.round, dict(outcome.earnings)
            self._follow(division)
        for member in planned.students:
            self._remove_old(member)
        if self._progress is not None:
            self._progress(division.row.name, division.played, outcome)

    def _follow(self, division: _Division) -> None:
        """Rate the rounds whose turn has come, and clone students when it is time. Within a transaction."""
        every = division.settings.clone_every
        while division.done in division.unrated:
            round, earnings = division.unrated.pop(division.done)
            new = update_ratings(division.ratings, earnings)
            division.ratings |= new
            self._store.add_ratings(round, {member: (rating.mu, rating.sigma) for member, rating in new.items()})
            self._score(division, earnings)
            division.done += 1
            if KINDS[division.row.kind].trains and every and division.done % every == 0:
                self._clone(division, round, division.done // every)

    def _clone(self, division: _Division, round: int, generation: int) -> None:
        """Add a teacher that is what each student of the division is after a round. Within a transaction."""
        members = self._store.members()
        clones = []
        for number in division.members:
            student = members[number]
            if not student.learns:
                continue
            name = f"{student.name}/{generation}"
            folder = self._store.last_save(student.id, round)
            files = None if folder is None else read_files(self._folder, folder)
            trainee = make_trainee(student.spec, files, self._game, self._seed_of(student.id))
            folder = self._write_folder(save_to_files(trainee.save_policy), f"clones/{student.id}-{generation}")
            clones.append(self._store.add_member(
                name, student.spec, is_trainee=True, learns=False, parent=student.id, generation=generation,
                division=division.row.id, folder=folder,
            ))  # fmt: skip
        self._store.add_entries(division.row.id, clones)
        division.members = (*division.members, *clones)

    def _write_folder(self, files: Files, name: str) -> str:
        """Write files into a folder below the league's, complete or not at all; return its name."""
        final = self._folder / name
        temporary = final.with_name(f".{os.getpid()}-{final.name}")
        try:
            write_files(files, temporary)
            if final.exists():  # of a run that was killed before it could store the round
                shutil.rmtree(final)
            temporary.rename(final)
        except OSError as error:
            raise LeagueError(
                f"{final.parent} cannot be written: {error.strerror or error}. The rounds stored so far are kept; go "
                "on with `league run`"
            ) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return name

    def _remove_old(self, member: int) -> None:
        """Remove what a student saved before the last two times; clones stay."""
        root = self._folder / "students" / str(member)
        saves = sorted((int(path.name), path) for path in root.glob("[0-9]*")) if root.is_dir() else []
        for _, path in saves[:-2]:
            shutil.rmtree(path, ignore_errors=True)


def read_files(league: Path, name: str) -> Files:
    """Return the files below a folder of a league, which its store names; LeagueError for a folder elsewhere."""
    folder = league / name
    if not folder.resolve().is_relative_to(league.resolve()):
        raise LeagueError(f"the store of {league} names the folder {name!r}, which is not below it: it is damaged")
    found = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items()}
