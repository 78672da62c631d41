"""Rounds: the same members at the same seats for thousands of hands; tasks that any process can play."""

from __future__ import annotations

import functools
import inspect
import json
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.seated import Absent, Seated, Student
from card_baselines.league.trainee import Trainee, trainee_class
from card_envs.agent import Agent, find_agent
from card_envs.agent.loading import require_playable
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.locations import registered_names_only
from card_envs.match import Fault, MatchResult, play_match
from card_envs.play_statistics import PlayCounter, Statistic

Files = Mapping[str, bytes]
"""The files of a folder: path below it -> content."""


@dataclass(frozen=True)
class Entrant:
    """A member as it enters a round, with everything that makes it play in any process."""

    member: int
    """Its number in the league."""
    name: str
    spec: str
    """Name: of an agent, see `find_agent`; of a trainee, see `trainee_class`."""
    is_trainee: bool = False
    files: Files | None = None
    """Files that the trainee saved last; None for one that begins, and for agents."""
    learns: bool = False
    seed: int = 0
    """Seed of a trainee that begins."""


@dataclass(frozen=True)
class RoundTask:
    """A round to be played."""

    round: int
    """Its number in the league."""
    env: str
    settings: Mapping[str, Any]
    """Settings of the environment."""
    entrants: tuple[Entrant, ...]
    """The different members that play, at least one."""
    seating: tuple[int, ...]
    """The numbers of the members in their order around the table; a member may have several seats."""
    hands: int
    seed: int
    duplicate: bool = False
    """Play every deal once for each way to move the members around the table; not for rounds in which one learns."""
    hands_at_once: int | None = None
    """Played side by side, after which students learn; None for all hands of the round."""
    statistics: bool = False
    """Whether to count how the members play."""
    allowed: frozenset[str] | None = None
    """Code that the user lets specs and settings name besides what is registered; None: the user typed them all."""


@dataclass(frozen=True)
class Earnings:
    """Winnings of a member in a round, over all its seats."""

    seats: int
    """Number of seats that it had."""
    total: int
    """Chips or points over all hands and seats."""
    squares: float
    """Sum of the squares of what it won in each independent sample (deal), over all seats."""


@dataclass(frozen=True)
class RoundOutcome:
    """Outcome of a round."""

    round: int
    hands: int
    samples: int
    """Independent ones: deals."""
    earnings: Mapping[int, Earnings]
    """Member -> what it won."""
    cashflow: NDArray[np.float64]
    """(seats, seats) in the order of the seating: what the row pays the column, in units of the game per hand."""
    faults: Mapping[int, Fault]
    """Member -> how often it failed, how it began."""
    learned: Mapping[int, Files]
    """Student -> what it saved; those that failed are missing, and stay what they were."""
    measures: Mapping[int, Mapping[str, float]]
    """Student -> what its learning returned last."""
    statistics: Mapping[int, tuple[Statistic, ...]] = field(default_factory=dict)
    """Member -> how it played, where the task asked for it; of its first seat."""
    seconds: float = 0.0


def play_round(task: RoundTask) -> RoundOutcome:
    """Play a round to its end.

    The outcome depends on the task alone, as far as the code of the members does.

    Args:
        task: The round.

    Returns:
        Its outcome, with the faults of members that failed: these forfeit their decisions.
    """
    start = time.perf_counter()
    seats: dict[int, Agent] = {}
    faults: dict[int, Fault] = {}
    with nullcontext() if task.allowed is None else registered_names_only("the league", task.allowed):
        game = _game(task.env, json.dumps(dict(task.settings), sort_keys=True))
        for entrant in task.entrants:
            seats[entrant.member], fault = _make_player(entrant, game, task.seed)
            if fault is not None:
                faults[entrant.member] = fault
    counter = game.info.statistics() if task.statistics and game.info.statistics is not None else None
    result = play_match(
        game, [seats[member] for member in task.seating], task.hands, task.seed, task.duplicate,
        task.hands_at_once or task.hands, on_error="forfeit", callbacks=[counter] if counter else [],
    )  # fmt: skip
    members = {entrant.name: entrant.member for entrant in task.entrants}
    faults |= {members[fault.agent]: fault for fault in result.faults}
    learned, measures = _save_students(task, seats, faults)
    return RoundOutcome(
        round=task.round,
        hands=result.hands,
        samples=len(result.deal_means),
        earnings=_earnings(task.seating, result),
        cashflow=result.cashflow,
        faults=faults,
        learned=learned,
        measures=measures,
        statistics=_statistics(task.seating, counter),
        seconds=time.perf_counter() - start,
    )


def save_to_files(save: Callable[[Path], None]) -> Files:
    """Return the files that `save` writes into a folder that is given to it."""
    with tempfile.TemporaryDirectory(prefix="card-envs-") as name:
        folder = Path(name)
        save(folder)
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }


def write_files(files: Files, folder: Path) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def make_trainee(spec: str, files: Files | None, game: Game, seed: int) -> Trainee:
    """Return the trainee that was saved in `files`, or a new one if there are none."""
    kind = trainee_class(spec)
    if files is None:
        offered = {"game": game, "seed": seed}
        taken = inspect.signature(kind).parameters
        trainee = kind(**{name: value for name, value in offered.items() if name in taken})
    else:
        with tempfile.TemporaryDirectory(prefix="card-envs-") as folder:
            write_files(files, Path(folder))
            trainee = kind.load(Path(folder), game)
    require_playable(trainee, game)
    return trainee


@functools.lru_cache(maxsize=8)
def _game(env: str, settings: str) -> Game:
    return make_game(env, **json.loads(settings))


def _make_player(entrant: Entrant, game: Game, seed: int) -> tuple[Agent, Fault | None]:
    """Return the entrant, ready to play, and None; or whoever plays in its place, and why."""
    seed = int(np.random.SeedSequence([seed % 2**64, entrant.member]).generate_state(1)[0])
    try:
        if not entrant.is_trainee:
            return Seated(entrant.name, find_agent(entrant.spec, game)), None
        trainee = make_trainee(entrant.spec, entrant.files, game, entrant.seed)
        if entrant.learns:
            return Student(entrant.name, trainee, np.random.default_rng(seed)), None
        return Seated(entrant.name, trainee), None
    except Exception as error:  # whatever the code of a member does when it is imported and made
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = f"cannot be made: {type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {error}"
        return Seated(entrant.name, Absent()), Fault(entrant.name, 0, f"agent {entrant.name!r} {what}")


def _save_students(
    task: RoundTask, seats: Mapping[int, Agent], faults: dict[int, Fault]
) -> tuple[dict[int, Files], dict[int, Mapping[str, float]]]:
    """Return the files saved by students that did not fail, and their measures; adds failures to save to `faults`."""
    learned: dict[int, Files] = {}
    measures: dict[int, Mapping[str, float]] = {}
    for entrant in task.entrants:
        student = seats[entrant.member]
        if not isinstance(student, Student) or entrant.member in faults:
            continue
        try:
            learned[entrant.member] = save_to_files(student.trainee.save)
            measures[entrant.member] = student.measures
        except Exception as error:
            what = f"cannot be saved: {type(error).__name__}: {error}"
            faults[entrant.member] = Fault(entrant.name, 0, f"agent {entrant.name!r} {what}")
    return learned, measures


def _earnings(seating: tuple[int, ...], result: MatchResult) -> dict[int, Earnings]:
    samples = result.payoffs.reshape(-1, result.hands_per_sample, len(seating)).sum(axis=1)
    earnings = {}
    for member in dict.fromkeys(seating):
        mine = samples[:, [each == member for each in seating]].sum(axis=1)
        squares = float((mine.astype(np.float64) ** 2).sum())
        earnings[member] = Earnings(seating.count(member), int(mine.sum()), squares)
    return earnings


def _statistics(seating: tuple[int, ...], counter: PlayCounter | None) -> dict[int, tuple[Statistic, ...]]:
    if counter is None:
        return {}
    of_places = counter.compute_statistics()
    return {member: of_places[seating.index(member)] for member in dict.fromkeys(seating)}
