"""A response that is learned against one agent: what it wins is a lower bound of how exploitable that agent is.

One run of a learner says little: it may be stuck, or cut off while it still rises. So several begin, from scratch, from
the agent itself where it is a network, and from whoever wins most from it among the scripted players and the local best
response; each with several seeds. In every round all that are left train equally long, and the worse half leaves. The
last one goes on until its curve is flat or the budget is used. If the best teacher itself wins more on the same deals,
it is the response. Whoever it is then plays a match of its own, with deals by which nothing was chosen: that is the
result.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.mlp_policy import MlpAgent
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import EVALUATION, RunFolder
from card_baselines.settings import parse_settings
from card_baselines.training import ppo
from card_baselines.training.imitation import Shown, imitate
from card_baselines.training.learned_response import won_by_response
from card_baselines.training.response_config import ResponseConfig
from card_baselines.training.teachers import Lesson, Teacher, best_lesson, lesson_of
from card_envs.agent import Agent, find_agent
from card_envs.analysis.variance.control_variates import play_and_summarise
from card_envs.envs import find_entry, make_game
from card_envs.game import Game
from card_envs.match import MatchResult, Summary, play_match
from card_envs.match.callbacks import MatchCallback

SCRATCH = "scratch"
"""The start of learners that had no teacher."""
FLAT, BUDGET = "flat", "budget"
"""Why learning stopped."""
_TEACHING = 0.05
"""Share of the budget in which each teacher plays, at most."""
_COMPARING = 2
"""Times as many hands as it taught in, at most, the best teacher plays to be compared: a tenth of the budget."""
_LOOKS = 12
"""At the curve of the last learner at most, spread over its round."""
_UPDATES = 8
"""Between two looks at least: a curve of fewer looks flat because little was learned, not because little is left."""
_WINDOW = 3
"""Points of a curve that are compared with as many before."""


@dataclass(frozen=True)
class Point:
    """What a learner won in a match for comparison, after so many seconds of its own training."""

    seconds: float
    mean: float
    half_width: float
    """Of the 95 % interval."""


@dataclass(kw_only=True)
class Candidate(ABC):
    """Somebody who may be the best response."""

    start: str
    seed: int = 0
    run: RunFolder
    """Where its results are kept."""
    callbacks: Sequence[MatchCallback] = ()
    """Of its matches."""
    num_tables: int = 4096
    most_hands: float = math.inf
    """Of the last match, which would otherwise take longer than the whole search if the player thinks for long."""
    seconds: float = 0.0
    """Of processor time that it learned."""
    curve: list[Point] = field(default_factory=list)

    @property
    @abstractmethod
    def plays_from(self) -> str | None:
        """The run folder that plays it, None if there is none."""

    @abstractmethod
    def player(self, game: Game) -> Agent:
        """Return who plays for it as it is now."""

    def seated(self, game: Game, victim: Agent) -> list[Agent]:
        """Return its player at one seat, and the agent at all others."""
        return [self.player(game), *[victim] * (game.num_seats - 1)]

    def measure(self, game: Game, victim: Agent, hands: int, seed: int) -> None:
        """Add a point to the curve, a match with duplicate deals against the agent."""
        players = self.seated(game, victim)
        result = play_match(
            game, players, hands, seed, duplicate=True, num_tables=self.num_tables, callbacks=self.callbacks
        )
        won = result.agents[0]
        self.curve.append(Point(self.seconds, won.mean, (won.ci95[1] - won.ci95[0]) / 2))


@dataclass(kw_only=True)
class Learner(Candidate):
    """A network in training."""

    learner: ppo.Ppo
    updates: int = 0

    @property
    def plays_from(self) -> str | None:
        """Its run folder."""
        return str(self.run.path)

    def player(self, game: Game) -> Agent:
        """Return the policy as it is, which is saved for it."""
        self.learner.save_policy(self.run)
        return find_agent(str(self.run.path), game)

    def train(self, seconds: float, whole: float) -> None:
        """Learn for so many seconds of processor time; rates come down along `whole`, the seconds of the last one."""
        begin, before = time.process_time(), self.seconds
        while self.seconds < before + seconds:
            self.learner.update(min(1.0, self.seconds / whole))
            self.seconds = before + time.process_time() - begin
            self.updates += 1

    def measure(self, game: Game, victim: Agent, hands: int, seed: int) -> None:
        """Add a point to the curve, and a row to the metrics of the run."""
        super().measure(game, victim, hands, seed)
        point = self.curve[-1]
        self.run.log({"seconds": point.seconds, "decisions": self.learner.done, "mean": point.mean})


@dataclass(kw_only=True)
class TeacherItself(Candidate):
    """A teacher as it is: it learns nothing, and no learner may fall below it."""

    agent: Agent

    @property
    def plays_from(self) -> str | None:
        """None: it is no network."""
        return None

    def player(self, game: Game) -> Agent:
        """Return the teacher."""
        return self.agent


@dataclass(frozen=True)
class Response:
    """What was found."""

    result: MatchResult
    """The last match: the response first, the agent in all other seats."""
    won: Summary
    """What the response won in it, plain or with chance taken off."""
    best: Candidate
    candidates: Sequence[Candidate]
    stopped: str
    """`FLAT`, or `BUDGET` where the curve of the last learner may still rise."""
    seconds: float
    """Processor time of everything but the last match."""

    def as_json(self) -> dict[str, Any]:
        """Return what JSON can hold; means are per hand, in the unit of the game."""
        return {
            **won_by_response(self.result, self.won),
            "is_lower_bound": True,
            "seconds": round(self.seconds, 1),
            "stopped": self.stopped,
            "start": self.best.start,
            "starts": [_of(candidate) for candidate in self.candidates],
            "run": self.best.plays_from,
        }


def _of(candidate: Candidate) -> dict[str, Any]:
    seconds, last = round(candidate.seconds, 1), candidate.curve[-1]
    return {"start": candidate.start, "seed": candidate.seed, "seconds": seconds, "mean": last.mean}


def learn_response(config: ResponseConfig) -> Response:
    """Return the best response that was found within the budget; its folder holds `evaluation.json`.

    Raises ValueError for an agent that remembers deals, and for a game or settings that there are not.
    """
    torch.set_num_threads(1)
    search = _Search(config)
    with ProgressBar("learning a response", 60 * config.minutes) as search.bar:
        search.begin()
        stopped = search.run()
    best, seconds = search.best(), search.used()
    hands = int(min(config.hands, best.most_hands))
    result, won = play_and_summarise(
        search.game, best.seated(search.game, search.victim), hands, config.seed, True, best.num_tables,
        control_variates=config.control_variates, callbacks=best.callbacks,
    )  # fmt: skip
    response = Response(result, won[0], best, search.candidates(), stopped, seconds)
    best.run.path.mkdir(parents=True, exist_ok=True)
    best.run.write_json(EVALUATION, {"env": config.env, "agent": config.agent, "unit": search.game.unit,
                                     **response.as_json()})  # fmt: skip
    return response


class _Search:
    """The learners, those that are left, the best teacher, and the time that is used."""

    bar: ProgressBar

    def __init__(self, config: ResponseConfig) -> None:
        self.config = config
        self.game = make_game(find_entry(config.env).id, **parse_settings(config.settings()))
        self.victim = find_agent(config.agent, self.game)
        self.root = Path(config.folder) if config.folder else _new_folder(config)
        self.budget = 60.0 * config.minutes
        self.compared = min(config.hands, config.selection_hands)
        """Hands of each match for comparison."""
        self.learners: list[Learner] = []
        self.teacher: TeacherItself | None = None
        self._compile()
        self._start = time.process_time()
        self._measuring = 0.0
        """Seconds that the latest match for comparison took."""

    def _compile(self) -> None:
        """Let kernels compile, which is no part of the budget: a first match and a first update, both thrown away."""
        settings = self.config.learner(self.game, self._seed(0))
        ppo.Ppo(replace(settings, num_tables=64, batch=64), self.game).update(0.0)
        play_match(self.game, [self.victim] * self.game.num_seats, 1, self._seed(0), duplicate=True)

    def used(self) -> float:
        """Return the seconds of processor time so far."""
        return time.process_time() - self._start

    def candidates(self) -> list[Candidate]:
        """Return the learners and the best teacher."""
        return [*self.learners, *([self.teacher] if self.teacher else [])]

    def best(self) -> Candidate:
        """Return who won more in the match for comparison: the last learner or the teacher."""
        last = self.left[0]
        return max(last, self.teacher or last, key=lambda candidate: candidate.curve[-1].mean)

    def begin(self) -> None:
        """Make the learners of all starts, and measure the best teacher."""
        config, seconds = self.config, _TEACHING * self.budget
        lessons: dict[str, Shown | None] = {SCRATCH: None}
        if isinstance(self.victim, MlpAgent):
            itself = Teacher(self.victim.name, self.victim)
            lessons[itself.name] = lesson_of(self.game, itself, self.victim, seconds, self._seed(1)).shown
        if (lesson := best_lesson(self.game, self.victim, seconds, self._seed(2))) is not None:
            lessons[lesson.teacher.name] = lesson.shown
            self.teacher = self._measured(lesson)
        for start, shown in lessons.items():
            for seed in range(config.seeds):
                self.learners.append(self._learner(start, seed, shown))
        self.left = list(self.learners)

    def _measured(self, lesson: Lesson) -> TeacherItself:
        """Return the teacher of a lesson with what it wins on the deals by which learners are compared."""
        teacher, start = lesson.teacher, f"{lesson.teacher.name} itself"
        found = TeacherItself(
            start=start, run=RunFolder(self.root / _folder_name(start)), agent=teacher.agent,
            callbacks=teacher.callbacks, num_tables=teacher.num_tables,
            most_hands=round(lesson.hands / _TEACHING),
        )  # fmt: skip
        hands = min(self.compared, _COMPARING * lesson.hands)
        found.measure(self.game, self.victim, hands, self._seed(4))
        return found

    def _learner(self, start: str, seed: int, shown: Shown | None) -> Learner:
        settings = self.config.learner(self.game, self._seed(3, seed))
        learner = ppo.Ppo(settings, self.game)
        if shown is not None:
            imitate(learner.network, shown, settings.reward_scale, settings.seed)
            learner.playing.load_state_dict(learner.network.state_dict())
        run = RunFolder(self.root / f"{_folder_name(start)}-s{seed}")
        run.start(ppo.describe(settings) | {"start": start, "greedy": True})
        return Learner(start=start, seed=seed, run=run, learner=learner)

    def run(self) -> str:
        """Train, and let the worse half go after every round; returns why the last learner stopped."""
        rounds = max(1, len(self.left).bit_length())
        share = (self.budget - self.used()) / rounds
        whole = sum(share / max(1, len(self.left) >> number) for number in range(rounds))
        while len(self.left) > 1:
            for learner in self.left:
                self._train(learner, share / len(self.left), whole)
            self.left.sort(key=lambda learner: learner.curve[-1].mean, reverse=True)
            self.left = self.left[: len(self.left) // 2]
        best, seconds = self.left[0], max(0.0, self.budget - self.used())
        before, looks = len(best.curve), self._num_looks(best, seconds)
        for _ in range(looks):
            self._train(best, seconds / looks, whole)
            if is_flat(best.curve[before:]):
                return FLAT
            if self.used() >= self.budget:
                break
        return BUDGET

    def _num_looks(self, best: Learner, seconds: float) -> int:
        """Return how often to look at a curve within so many seconds, the matches for comparison included."""
        if not best.updates:  # the only learner: how fast it learns is not known yet
            return 1
        spacing = _UPDATES * best.seconds / best.updates + self._measuring
        return max(1, min(_LOOKS, int(seconds / spacing)))

    def _train(self, learner: Learner, seconds: float, whole: float) -> None:
        """Train and measure within so many seconds, of which the match takes its part."""
        learner.train(max(0.0, seconds - self._measuring), whole)
        trained = self.used()
        learner.measure(self.game, self.victim, self.compared, self._seed(4))
        self._measuring = self.used() - trained
        self.bar.update(min(self.used(), self.budget), f"{learner.start}: {learner.curve[-1].mean:+.3f}")

    def _seed(self, *purpose: int) -> int:
        """Return a seed that is not that of the last match."""
        return int(np.random.SeedSequence([self.config.seed % 2**64, 77, *purpose]).generate_state(1)[0])


def is_flat(curve: Sequence[Point]) -> bool:
    """Return True if the latest points are not above those before by as much as chance leaves to a difference.

    All points are matches with the same deals, so half of a single point's 95 % interval is more than chance.
    """
    if len(curve) < 2 * _WINDOW:
        return False
    late, early = curve[-_WINDOW:], curve[-2 * _WINDOW : -_WINDOW]
    gain = float(np.mean([point.mean for point in late]) - np.mean([point.mean for point in early]))
    return gain < late[-1].half_width / math.sqrt(_WINDOW) / 2


def _folder_name(start: str) -> str:
    return start.replace(" ", "_")


def _new_folder(config: ResponseConfig) -> Path:
    name = Path(config.agent).name.replace(":", "_")
    return RunFolder.named(Path("runs"), find_entry(config.env).id, f"response-{name}", config.seed).path
