"""Rounds: thousands of hands between the same members, as tasks that any process can play."""

from __future__ import annotations

import functools
import inspect
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.trainee import Choices, Experience, Trainee
from card_envs import plugins
from card_envs.agent import Agent, Decisions, DuckTypedAgent, find_agent
from card_envs.agent.loading import class_at, require_playable
from card_envs.envs import make_game
from card_envs.formatting import describe_error
from card_envs.game import Game, check_actions
from card_envs.locations import (
    UnknownNameError,
    list_choices,
    load_object,
    registered_names_only,
    require_allowed,
    suggest_name,
)
from card_envs.match import Fault, MatchResult, play_match
from card_envs.rng import derive_seed

Files = Mapping[str, bytes]
"""The files of a folder: path below it -> content."""


@dataclass(frozen=True)
class Entrant:
    """A member of a round, with everything that is needed to play it in any process."""

    member: int
    """Id of the member."""
    name: str
    spec: str
    """Name of an agent (see `find_agent`) or of a class of trainees (see `trainee_class`)."""
    is_trainee: bool = False
    files: Files | None = None
    """Files that the trainee saved last; None for a new trainee, and for agents."""
    learns: bool = False
    seed: int = 0
    """Seed of a new trainee."""


@dataclass(frozen=True)
class RoundTask:
    """A round to be played."""

    round: int
    """Id of the round."""
    env: str
    settings: Mapping[str, Any]
    """Settings of the environment."""
    entrants: tuple[Entrant, ...]
    """The different members that play, at least one."""
    seating: tuple[int, ...]
    """Ids of the members in their order around the table; a member may have several seats."""
    hands: int
    """Number of hands."""
    seed: int
    duplicate: bool = False
    """Play every deal once for each way to move the members around the table; not in rounds with students."""
    hands_at_once: int | None = None
    """Number of hands that are played side by side, after which students learn; None for all hands of the round."""
    allowed: frozenset[str] | None = None
    """Code that specs and settings may name besides registered names; None if the user typed all of them."""


@dataclass(frozen=True)
class Earnings:
    """Winnings of a member in a round, over all its seats."""

    seats: int
    """Number of seats of the member."""
    total: int
    """Chips or points over all hands and seats."""
    squares: float
    """Sum over independent samples (deals) of the squared winnings, over all seats."""


@dataclass(frozen=True)
class RoundOutcome:
    """Outcome of a round; of one that could not be played to its end, the reason alone."""

    round: int
    """Id of the round."""
    hands: int = 0
    """Number of hands."""
    samples: int = 0
    """Number of independent samples: deals."""
    earnings: Mapping[int, Earnings] = field(default_factory=dict)
    """Member -> winnings."""
    faults: Mapping[int, Fault] = field(default_factory=dict)
    """Member -> its faults."""
    learned: Mapping[int, Files] = field(default_factory=dict)
    """Student -> files that it saved; students that failed are missing, and keep their former files."""
    measures: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """Student -> measures of its last update."""
    seconds: float = 0.0
    lost: str | None = None
    """Reason why the round could not be played; None if it was."""

    @cached_property
    def scores(self) -> dict[int, float]:
        """The winnings of each member per seat, in chips or points over the whole round."""
        return {member: won.total / won.seats for member, won in self.earnings.items()}


def play_round(task: RoundTask) -> RoundOutcome:
    """Play a round. The outcome depends on the task alone, as far as the code of the members is deterministic.

    Args:
        task: The round.

    Returns:
        The outcome, with the faults of members that failed. These forfeited their decisions.
    """
    start = time.perf_counter()
    with nullcontext() if task.allowed is None else registered_names_only("the league", task.allowed):
        game = _make_game(task.env, json.dumps(dict(task.settings), sort_keys=True))
        seats = {entrant.member: _make_player(entrant, game, task.seed) for entrant in task.entrants}
    result = play_match(
        game, [seats[member] for member in task.seating], task.hands, task.seed, task.duplicate,
        task.hands_at_once or task.hands, on_error="forfeit",
    )  # fmt: skip
    members = {entrant.name: entrant.member for entrant in task.entrants}
    faults = {members[fault.agent]: fault for fault in result.faults}
    learned: dict[int, Files] = {}
    measures: dict[int, Mapping[str, float]] = {}
    for member, player in seats.items():
        if isinstance(player, Student) and member not in faults:
            try:
                learned[member] = save_to_files(player.trainee.save)
                measures[member] = player.measures
            except Exception as error:  # a member is anybody's code
                reason = f"agent {player.name!r} cannot be saved: {type(error).__name__}: {error}"
                faults[member] = Fault(player.name, 0, reason)
    return RoundOutcome(
        round=task.round,
        hands=result.hands,
        samples=len(result.deal_means),
        earnings=_sum_earnings(task.seating, result),
        faults=faults,
        learned=learned,
        measures=measures,
        seconds=time.perf_counter() - start,
    )


def save_to_files(save: Callable[[Path], None]) -> Files:
    """Return the files that `save` writes into a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="card-envs-") as folder:
        save(Path(folder))
        return read_files(Path(folder))


def read_files(folder: Path) -> Files:
    """Return the files below a folder."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def write_files(files: Files, folder: Path) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def make_trainee(spec: str, files: Files | None, game: Game, seed: int) -> Trainee:
    """Return the trainee that was saved in `files`, or a new one for None."""
    kind = trainee_class(spec)
    if files is None:
        parameters = inspect.signature(kind).parameters
        arguments = {"game": game, "seed": seed}
        trainee = kind(**{name: value for name, value in arguments.items() if name in parameters})
    else:
        with tempfile.TemporaryDirectory(prefix="card-envs-") as folder:
            write_files(files, Path(folder))
            trainee = kind.load(Path(folder), game)
    require_playable(trainee, game)
    return trainee


@functools.lru_cache(maxsize=8)
def _make_game(env: str, settings: str) -> Game:
    return make_game(env, **json.loads(settings))


def _make_player(entrant: Entrant, game: Game, seed: int) -> Agent:
    """Return the agent of an entrant; one that fails at each decision, and so forfeits it, if it cannot be made."""
    try:
        if not entrant.is_trainee:
            return NamedAgent(entrant.name, find_agent(entrant.spec, game))
        trainee = make_trainee(entrant.spec, entrant.files, game, entrant.seed)
    except Exception as error:  # a member is anybody's code
        return Missing(entrant.name, f"it cannot be made: {describe_error(error)}")
    if entrant.learns:
        return Student(entrant.name, trainee, np.random.default_rng(derive_seed(seed, entrant.member)))
    return NamedAgent(entrant.name, trainee)


def _sum_earnings(seating: tuple[int, ...], result: MatchResult) -> dict[int, Earnings]:
    samples = result.payoffs.reshape(-1, result.hands_per_sample, len(seating)).sum(axis=1)
    earnings = {}
    for member in dict.fromkeys(seating):
        mine = samples[:, [each == member for each in seating]].sum(axis=1)
        squares = float((mine.astype(np.float64) ** 2).sum())
        earnings[member] = Earnings(seating.count(member), int(mine.sum()), squares)
    return earnings


# --- members as the agents of a match ---


class NamedAgent(DuckTypedAgent):
    """An agent with the name of its member."""

    def __init__(self, name: str, agent: Agent) -> None:
        super().__init__(agent)
        self.name = name


class Missing(Agent):
    """Fails at each decision, in the place of a member that cannot be made."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self._reason = name, reason

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Raise ValueError with the reason."""
        raise ValueError(self._reason)


class Student(NamedAgent):
    """A trainee that explores, and learns from each batch of hands at their end."""

    def __init__(self, name: str, trainee: Trainee, rng: np.random.Generator) -> None:
        """Wrap a trainee; `rng` is the generator for `Trainee.learn`."""
        super().__init__(name, trainee)
        vars(self).pop("deal_ends")  # that of this class, not the trainee's alone
        self.trainee, self.rng = trainee, rng
        self.measures: Mapping[str, float] = {}
        """Measures that `learn` returned last."""
        self._taken: list[tuple[Decisions, Choices]] = []

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the trainee's exploring actions, and remember them if they are legal."""
        actions, notes = self.trainee.explore(decisions, rng)
        actions = check_actions(actions, len(decisions))
        if notes is not None and len(notes) != len(decisions):
            raise ValueError(f"it wrote {len(notes)} notes for {len(decisions)} decisions: one for each is needed")
        known = (actions >= 0) & (actions < decisions.game.num_actions)
        if not known.all() or not decisions.action_mask[np.arange(len(actions)), actions].all():
            return actions  # the match refuses them and asks again: they are not remembered
        _ = decisions.observation  # made now: the tables move on
        self._taken.append((decisions, Choices(actions, notes)))
        return actions

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        """Let the trainee learn from the hands that end."""
        self.trainee.deal_ends(table_ids, payoffs)
        taken, self._taken = self._taken, []
        if taken:
            self.measures = dict(self.trainee.learn(_make_experience(taken, table_ids, payoffs), self.rng))


def _make_experience(
    taken: list[tuple[Decisions, Choices]], table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]
) -> Experience:
    """Return the experience of decisions at tables `table_ids` (hands,), which ended with `payoffs` (hands, seats)."""
    decisions, choices = zip(*taken, strict=True)
    order = np.argsort(table_ids)
    ids, seats = (np.concatenate([getattr(each, name) for each in decisions]) for name in ("table_ids", "seats"))
    hands = order[np.searchsorted(table_ids, ids, sorter=order)]
    has_notes = all(each.notes is not None for each in choices)
    return Experience(
        game=decisions[0].game,
        observations=np.concatenate([each.observation for each in decisions]),
        action_masks=np.concatenate([each.action_mask for each in decisions]),
        actions=np.concatenate([each.actions for each in choices]),
        notes=np.concatenate([each.notes for each in choices if each.notes is not None]) if has_notes else None,
        hands=hands,
        seats=seats,
        rewards=payoffs[hands, seats],
        num_hands=len(table_ids),
    )


# --- classes of trainees by name ---


def trainee_class(spec: str) -> type[Trainee]:
    """Return a class of trainees.

    Args:
        spec: A registered name (entry points `card_envs.trainees`), "module:Class" or "path/to/file.py:Class"; or an
            `Algorithm` in a module or file, such as "path/to/file.py:ALGORITHM", whose learner is a `StateDictLearner`.

    Raises:
        ValueError: There is no such class.
        UntrustedNameError: The name was read from a store, and the user did not allow it.
    """
    known = plugins.list_plugins(plugins.TRAINEES)
    if spec not in known and ":" not in spec:
        raise UnknownNameError(
            f"trainee {spec!r} is not known{suggest_name(spec, known)}{list_choices(sorted(known))}, or pass "
            '"module:Class" or "path/to/file.py:Class"'
        )
    if spec not in known:
        require_allowed("trainee", spec)
    location = known.get(spec, spec)
    named: object = Trainee
    with suppress(AttributeError, ImportError, FileNotFoundError):  # which `class_at` explains
        named = load_object(location)
    if not callable(named):  # an algorithm
        from card_baselines.league.learner_trainee import make_trainee_class  # which imports PyTorch

        return make_trainee_class(named, spec)
    found: type = class_at(spec, location)
    if not issubclass(found, Trainee):
        raise ValueError(f"{spec!r} is no trainee: a student is of a class derived from card_baselines.league.Trainee")
    return found
