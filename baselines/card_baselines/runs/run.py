"""One training run: folder, budget, checkpoints, evaluations, frozen selves, curve, progress, and how it goes on.

Every algorithm uses it. An algorithm supplies a `Learner` (update, save, load, the policy) and an `AlgorithmSpec`; the
loop is `Run.train`. Of several processes, process 0 keeps the clock and writes; the others do the same updates.
"""

from __future__ import annotations

import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch

from card_envs.files import replace_file
from card_baselines.progress import RunProgress
from card_baselines.run_folder import CONFIG, EVALUATION, WEIGHTS, RunFolder
from card_baselines.runs.budget import Budget, Periodic
from card_baselines.runs.checkpoint import STATE
from card_baselines.runs.distributed import ALONE, World
from card_baselines.runs.evaluation import evaluate, half_widths_of, means_of, require_measurable
from card_baselines.runs.config import GameRunConfig as GameRunConfig  # what algorithms need of both modules
from card_baselines.runs.config import RunConfig as RunConfig
from card_baselines.runs.config import describe_game_run as describe_game_run
from card_baselines.runs.config import require as require
from card_baselines.runs.config import require_above_0 as require_above_0
from card_baselines.runs.config import require_shares as require_shares
from card_baselines.runs.config import start_folder
from card_baselines.runs.config import what_it_is as what_it_is
from card_baselines.runs.tensorboard import Board
from card_envs.envs import find_entry
from card_envs.game import Game

FROZEN = "frozen"
"""Folder, within that of the run, of agents as they were after each quarter."""
_QUARTERS = 4
_PICTURE_SECONDS = 30.0
"""Between drawings of the measures, which in small games take longer than an evaluation."""


class TrainingDivergedError(ValueError):
    """Raised when a loss, a gradient or a weight is no number; says where, and what is left."""

    def kept_in(self, run: RunFolder) -> TrainingDivergedError:
        """Write what explains it into the run folder; return the error, which then says so."""
        return self


@dataclass(frozen=True)
class Curve:
    """A picture of some columns of the metrics."""

    labels: Mapping[str, str]
    """Column -> label."""
    y_label: str
    picture: str
    log: bool = False


class Learner(ABC):
    """What an algorithm supplies: something that plays, learns, can be kept and continued, and has a policy."""

    checkpoint = STATE
    """Name of the file that `save` writes."""

    @property
    @abstractmethod
    def done(self) -> int:
        """How much it has done, in what the budget counts: decisions, episodes, iterations."""

    @abstractmethod
    def update(self, fraction: float) -> dict[str, float]:
        """Play and learn once; returns measures. `fraction` is the used share of the budget."""

    @abstractmethod
    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write everything that `load` needs to continue, and what the run wants back then.

        All processes call it, process 0 writes.
        """

    @abstractmethod
    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; returns the progress that was kept there."""

    @abstractmethod
    def save_policy(self, run: RunFolder) -> None:
        """Write the files with which the run folder plays. Process 0 alone calls it, and what follows here."""

    def start_from(self, run: RunFolder) -> None:
        """Begin with the weights of another run; raises ValueError where that is not possible."""
        raise ValueError("start_from is not possible with this algorithm")

    def follow(self, fraction: Callable[[], float]) -> None:  # noqa: B027  a hook: the default is to do nothing
        """Hear where the used share of the budget can be asked for within an update."""

    def measure(self) -> dict[str, float]:
        """Return what an evaluation measures besides matches."""
        return {}

    def curves(self) -> Sequence[Curve]:
        """Return pictures besides that of the panel."""
        return ()

    def evaluated(self, run: RunFolder) -> None:  # noqa: B027  a hook: the default is to do nothing
        """Hear that the policy in the run folder is new, at the beginning and after evaluations."""


AnyConfig = TypeVar("AnyConfig", bound=RunConfig)


@dataclass(frozen=True)
class AlgorithmSpec(Generic[AnyConfig]):
    """What tells the runs of one algorithm from those of another."""

    name: str
    describe: Callable[[AnyConfig], dict[str, Any]]
    """Settings -> what config.json holds."""
    make_learner: Callable[[AnyConfig, Game, World], Learner]
    game: Callable[[AnyConfig], Game]
    budget: Callable[[AnyConfig, Callable[[], int]], Budget]
    evaluations: Callable[[AnyConfig, Budget, Learner], Periodic]
    """When the learner is measured."""
    folder_name: Callable[[AnyConfig], str] | None = None
    """Settings -> name of the folder that holds such runs; by default the name of the algorithm."""
    counts: str = "decisions"
    """What the budget counts; a column of the metrics."""
    final_panel: Callable[[AnyConfig], Sequence[str]] = lambda config: config.panel
    may_change: tuple[str, ...] = ("minutes", "steps")
    """Settings that may differ when a run is continued; the change is recorded."""
    duplicate: bool = False
    """Replay the deals of evaluations from all seats."""
    keeps_frozen_selves: bool = False
    logs_means: bool = False
    """Log the means of measures since the last evaluation, instead of those of the latest update."""


def train(spec: AlgorithmSpec[AnyConfig], config: AnyConfig, world: World = ALONE) -> RunFolder:
    """Train, evaluate, and return the run folder; a run that is finished is returned as it is."""
    torch.set_num_threads(config.threads)
    described = spec.describe(config)
    require_measurable(spec.game(config), config.panel)
    folder = RunFolder(Path(config.folder)) if config.folder else _new_folder(spec, config, described["env"])
    with ExitStack() as stack:
        if world.is_first:
            stack.enter_context(folder.locked())
            folder.start(described, (*spec.may_change, "agent"))  # earlier versions named a class as the agent
        try:
            return Run(spec, config, folder, world).train()
        except KeyboardInterrupt:
            if config.progress and world.is_first:
                print(f"interrupted: the same command with --folder {folder.path} goes on", file=sys.stderr)
            raise


def _new_folder(spec: AlgorithmSpec[AnyConfig], config: AnyConfig, env: str) -> RunFolder:
    name = spec.folder_name(config) if spec.folder_name else spec.name
    return RunFolder.named(Path("runs"), find_entry(env).id, name, config.seed)


@dataclass
class _Measures:
    """Measures of updates since the last evaluation."""

    means: bool
    values: dict[str, list[float]] = field(default_factory=dict)

    def note(self, measures: Mapping[str, float]) -> None:
        for name, value in measures.items():
            kept = self.values.setdefault(name, [])
            if not self.means:
                kept.clear()
            kept.append(float(value))

    def taken(self) -> dict[str, float]:
        values, self.values = self.values, {}
        return {name: float(np.mean(several)) for name, several in values.items()}


class Run(Generic[AnyConfig]):
    """A run that begins or goes on in a folder."""

    def __init__(self, spec: AlgorithmSpec[AnyConfig], config: AnyConfig, folder: RunFolder, world: World) -> None:
        """Make the learner, and continue where the last checkpoint is, if there is one."""
        self._spec, self._config, self.folder, self._world = spec, config, folder, world
        self._game = spec.game(config)
        self.learner = spec.make_learner(config, self._game, world)
        self._measures = _Measures(spec.logs_means)
        self._budget = spec.budget(config, lambda: self.learner.done)
        self.learner.follow(self._budget.fraction)
        if config.tensorboard and world.is_first:
            Board.require()
        if (folder.path / self.learner.checkpoint).exists():
            self._resume()
        elif config.start_from:
            self.learner.start_from(RunFolder(start_folder(config.start_from)))

    def _resume(self) -> None:
        progress = self.learner.load(self.folder.path / self.learner.checkpoint)
        rows = [] if "seconds" in progress else self.folder.metrics()
        self._budget.before = float(progress.get("seconds", rows[-1]["seconds"] if rows else 0.0))
        self._measures.values = progress.get("measures", {})

    def train(self) -> RunFolder:
        """Update until the budget is used up, with what is due between updates; then evaluate; return the folder."""
        if self._is_finished():
            return self.folder
        self._prepare()
        with self._progress, self._board:
            fraction = self._fraction()
            while fraction < 1.0:
                measures = self._update(fraction)
                self._budget.begin()  # after the first update, which compiles
                fraction = self._fraction()
                self._after_update(measures, is_last=fraction >= 1.0)
            self._finish()
        return self.folder

    def _update(self, fraction: float) -> dict[str, float]:
        try:
            return self.learner.update(fraction)
        except TrainingDivergedError as error:
            raise error.kept_in(self.folder) from None

    def _is_finished(self) -> bool:
        done = self._budget.fraction() >= 1.0 and (self.folder.path / EVALUATION).exists()
        return bool(self._world.from_first([float(done)])[0])

    def _fraction(self) -> float:
        return self._world.from_first([self._budget.fraction()])[0]

    def _prepare(self) -> None:
        config, budget = self._config, self._budget
        self._checkpoint = Periodic(config.checkpoint_seconds, budget.seconds)
        self._evaluation = self._spec.evaluations(config, budget, self.learner)
        self._picture = Periodic(_PICTURE_SECONDS, budget.seconds)
        self._quarter = int(_QUARTERS * budget.fraction())
        shown = config.progress and self._world.is_first
        self._progress = RunProgress(f"training {self._spec.name}", budget, self._spec.counts, shown)
        self._board = Board(self.folder.path if config.tensorboard and self._world.is_first else None)
        if budget.fraction() < 1.0:
            self._save()
            if self._world.is_first:
                self.learner.evaluated(self.folder)

    def _after_update(self, measures: Mapping[str, float], is_last: bool) -> None:
        """Do what is due; process 0 decides, since it keeps the clock."""
        self._measures.note(measures)
        self._board.add(measures, self.learner.done)
        evaluates = float(self._evaluation.is_due() or is_last)
        saves = float(bool(evaluates) or self._checkpoint.is_due())
        saves, evaluates = self._world.from_first([saves, evaluates])
        if saves:
            self._save()
        if not self._world.is_first:
            return
        if evaluates:
            self._evaluate()
        if self._picture.is_due():
            self._draw()
        self._freeze_after_quarters()
        self._progress.update(self.learner.done)

    def _save(self) -> None:
        """Write the state (to continue) and the policy (to play); all processes take part."""
        progress = {"seconds": self._budget.seconds(), "measures": self._measures.values}
        if not self._world.is_first:
            self.learner.save(self.folder.path, progress)
            return
        with replace_file(self.folder.path / self.learner.checkpoint) as temporary:
            self.learner.save(temporary, progress)
        self.learner.save_policy(self.folder)

    def _evaluate(self) -> None:
        config = self._config
        row = {self._spec.counts: self.learner.done, **self._measures.taken()}
        matches = self._matches(config.panel, config.evaluation_hands, 1)["matches"]
        results = self.learner.measure() | means_of(matches)
        self.folder.log({"seconds": self._budget.seconds(), **row, **results, **half_widths_of(matches)})
        self._board.add(results, self.learner.done)
        self._progress.note(results)
        self.learner.evaluated(self.folder)

    def _matches(self, panel: Sequence[str], hands: int, seed: int) -> dict[str, Any]:
        return evaluate(self.folder, self._game, panel, hands, seed, self._spec.duplicate)

    def _draw(self) -> None:
        labels = {f"v {name}": name for name in self._config.panel}
        self.folder.draw_curve(self._spec.counts, labels, f"{self._game.unit} per hand")
        for curve in self.learner.curves():
            self.folder.draw_curve(self._spec.counts, curve.labels, curve.y_label, curve.picture, curve.log)

    def _freeze_after_quarters(self) -> None:
        """Keep the agent as it is now, in a folder that plays, when another quarter of the budget is used."""
        quarter = int(_QUARTERS * self._budget.fraction())
        if self._spec.keeps_frozen_selves and self._quarter < quarter < _QUARTERS:
            self._quarter = quarter
            self._save_policy_in(self.folder.path / FROZEN / f"after_{quarter}_of_{_QUARTERS}")

    def _save_policy_in(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.learner.save_policy(self.folder)
        for name in (CONFIG, WEIGHTS):
            shutil.copyfile(self.folder.path / name, folder / name)

    def _finish(self) -> None:
        """Write the last checkpoint and pictures, and the evaluation against the panel and the frozen agents."""
        self._save()
        if not self._world.is_first:
            return
        self._draw()
        frozen = sorted(str(folder) for folder in (self.folder.path / FROZEN).glob("*"))
        panel = (*self._spec.final_panel(self._config), *frozen)
        cost = {"seconds": round(self._budget.seconds()), self._spec.counts: self.learner.done}
        self._progress.say("final evaluation")
        evaluation = self._matches(panel, self._config.final_hands, self._config.seed)
        self.folder.write_json(EVALUATION, {**evaluation, **self.learner.measure(), "cost": cost})
