"""The training loop of all algorithms: budget, checkpoints, evaluations, curves, progress, resuming.

`train` makes the learner of an algorithm and calls `Run.train`, the loop.
"""

from __future__ import annotations

import errno
import math
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic

import numpy as np
import torch
from safetensors import SafetensorError

from card_baselines.pretrained import PRETRAINED, find_pretrained
from card_baselines.run_folder import CONFIG, CURVE, EVALUATION, WEIGHTS, RunFolder
from card_baselines.runs.algorithm import Algorithm, AnyConfig
from card_baselines.runs.budget import Periodic, RunProgress
from card_baselines.runs.curves import draw_curve
from card_baselines.runs.evaluation import (
    evaluate,
    half_widths_of,
    label_opponents,
    means_of,
    require_measurable,
    require_opponents,
)
from card_baselines.runs.interruption import Interruption
from card_baselines.runs.learner import Curve, Learner
from card_baselines.runs.tracker import Tracker, require_tracker
from card_envs.damaged_files import explain_damage
from card_envs.envs import find_entry
from card_envs.files import delete_temporaries, replace_file
from card_envs.match.result import main_unit_of

__all__ = ["train"]

FROZEN = "frozen"
"""Folder inside the run folder with the agent as it was after each quarter of the budget."""
_QUARTERS = 4
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Errors of a disk that is full, used up by the user's quota or a limit, damaged or read-only."""
_PICTURE_SECONDS = 30.0
"""Processor time between drawings of the curves, which can take longer than an evaluation in a small game."""


def find_write_error(error: OSError | SafetensorError) -> str | None:
    """Return why a file could not be written, such as "No space left on device"; None for other errors."""
    number = error.errno if isinstance(error, OSError) else None
    if number is None and (found := re.search(r"\(os error (\d+)\)", str(error))):  # the words of safetensors
        number = int(found[1])
    return os.strerror(number) if number in _WRITE_ERRORS else None


def train(
    algorithm: Algorithm[AnyConfig],
    config: AnyConfig,
    folder: Path | str | None = None,
    *,
    progress: bool = True,
    tracker: str = "",
) -> RunFolder:
    """Train an agent, evaluate it, and return its run folder.

    Args:
        algorithm: The training algorithm.
        config: Settings of the run, an object of the algorithm's `config` class.
        folder: Run folder. An interrupted run there is continued, a finished one is returned unchanged. By default a
            new folder below `runs/`.
        progress: Show progress on the error stream.
        tracker: Name of one of `tracker.TRACKERS`, which gets the measures: "tensorboard", "trackio" or "wandb".

    Returns:
        The run folder, which is an agent: `find_agent(str(folder.path), game)`.

    Raises:
        ValueError: For settings that the game or the algorithm does not support, for a folder that holds a run with
            other settings, and if a file cannot be written, such as on a full disk.
        KeyboardInterrupt: On Ctrl-C and, as the subclass `Terminated`, on SIGTERM, after the update in progress was
            finished and saved. A second signal ends it at once, and the last checkpoint is kept.

    Example:
        `train(ALGORITHM, Config(env="kuhn_poker-v0", minutes=0.5), "runs/kuhn")`, with both of `ppo.algorithm`.
    """
    torch.set_num_threads(1)  # small networks gain little from more threads, which are slow on busy machines
    described, game = algorithm.describe(config), config.game()
    require_measurable(game, config.panel)
    if config.start_from:
        start_folder(config.start_from)
    learner = algorithm.make_learner(config, game)  # before anything is written, since it may raise ValueError
    if folder:
        run = RunFolder(Path(folder))
    else:
        run = RunFolder.new(Path("runs"), find_entry(described["env"]).id, algorithm.name, config.seed)
    with run.lock():
        if run.is_started:
            run.require_same(described, algorithm.may_change)
        training = Run(algorithm, config, learner, run, progress=progress, tracker=tracker)
        if training.is_finished:
            return run
        require_opponents(game, config.panel)  # the first evaluation can be hours away
        delete_temporaries(run.path)
        run.start(described, algorithm.may_change)
        try:
            return training.train()
        except KeyboardInterrupt:
            if progress:
                state = "saved" if training.is_saved else "the last checkpoint is kept"
                print(f"interrupted, {state}: the same command with --folder {run.path} goes on", file=sys.stderr)
            raise
        except (OSError, SafetensorError) as error:
            reason = find_write_error(error)
            if reason is None:
                raise
            raise ValueError(
                f"{run.path} cannot be written: {reason}. The last checkpoint is kept: make room, then the same "
                f"command with --folder {run.path} goes on"
            ) from error


def start_folder(name: str) -> Path:
    """Return the folder of a run or of a trained agent of this package; raises ValueError if there is none."""
    folder = Path(name) if (Path(name) / CONFIG).exists() else find_pretrained(name)
    if folder is None:
        known = ", ".join(sorted(PRETRAINED))
        raise ValueError(f"start_from {name!r} is neither a run folder nor one of the trained agents {known}")
    return folder


class Run(Generic[AnyConfig]):
    """A training run in a folder, new or continued."""

    def __init__(
        self,
        algorithm: Algorithm[AnyConfig],
        config: AnyConfig,
        learner: Learner,
        folder: RunFolder,
        *,
        progress: bool = True,
        tracker: str = "",
    ) -> None:
        """Load the checkpoint of the folder, if there is one; further arguments as of `train`."""
        self._algorithm, self._config, self.learner, self.folder = algorithm, config, learner, folder
        self._game = config.game()
        self._measures: dict[str, list[float]] = {}
        """Measures of updates since the last evaluation: of the latest update, or of all if their means are logged."""
        self._budget = algorithm.budget(config, lambda: self.learner.num_steps)
        self.learner.set_budget(self._budget.fraction)
        self._shows_progress, self._tracker_name = progress, tracker
        self._interruption = Interruption(announces=progress)
        self.is_saved = True
        """Whether the checkpoint holds the latest update."""
        require_tracker(tracker)
        if (folder.path / self.learner.checkpoint).exists():
            self._resume()
        elif (folder.path / WEIGHTS).exists():
            raise ValueError(
                f"{folder.path} has {WEIGHTS} but no {self.learner.checkpoint}: it holds a trained agent, or a run of "
                "an earlier version, which cannot go on. Choose another folder"
            )
        elif config.start_from:
            begins_from = start_folder(config.start_from)
            with explain_damage(begins_from):
                self.learner.start_from(RunFolder(begins_from))

    def _resume(self) -> None:
        path = self.folder.path / self.learner.checkpoint
        with explain_damage(path):
            progress = self.learner.load(path)
            seconds = float(progress["seconds"])
            if not 0 <= seconds < math.inf:
                raise ValueError(f"seconds {seconds} is no time")
            values = {str(name): [float(value) for value in kept] for name, kept in progress["measures"].items()}
        self._budget.before, self._measures = seconds, values

    @property
    def is_finished(self) -> bool:
        """Whether the budget is used up and the final evaluation is done."""
        return self._budget.fraction() >= 1.0 and (self.folder.path / EVALUATION).exists()

    def train(self) -> RunFolder:
        """Update until the budget is used up, with checkpoints and evaluations; then do the final evaluation."""
        budget = self._budget
        self._prepare()
        with self._progress, self._tracker, self._interruption:
            try:
                fraction = budget.fraction()
                while fraction < 1.0:
                    self._update(fraction)
                    fraction = budget.fraction()
                    self._after_update(is_last=fraction >= 1.0)
                self._finish()
            except KeyboardInterrupt:
                if not (self.is_saved or self._interruption.is_cut_off):
                    self._save()
                raise
        return self.folder

    def _update(self, fraction: float) -> None:
        """Update the learner and log its measures; a signal meanwhile takes effect afterwards."""
        self.is_saved = False
        with self._interruption.finish_first():
            measures = self.learner.update(fraction)
            self._budget.begin()  # after the first update, which compiles kernels
            for name, value in measures.items():
                kept = self._measures.setdefault(name, [])
                if not self._algorithm.logs_means:
                    kept.clear()
                kept.append(float(value))
            self._tracker.add(measures, self.learner.num_steps)

    def _prepare(self) -> None:
        config, budget = self._config, self._budget
        self._checkpoint = Periodic(self._algorithm.checkpoint_seconds, budget.seconds)
        self._evaluation = self._algorithm.evaluation_timer(config, budget, self.learner)
        self._picture = Periodic(_PICTURE_SECONDS, budget.seconds)
        self._quarter = int(_QUARTERS * budget.fraction())
        label = f"training {self._algorithm.name}"
        self._progress = RunProgress(label, budget, self._algorithm.counts, self._shows_progress)
        self._tracker = Tracker(self._tracker_name, self.folder.path, self._algorithm.describe(self._config))
        if budget.fraction() < 1.0:
            self._save()
            self.learner.on_evaluation(self.folder)

    def _after_update(self, is_last: bool) -> None:
        """Save, evaluate and draw if due."""
        self._freeze_after_quarters()  # before the checkpoint, so that a run that is continued has passed no quarter
        evaluates = self._evaluation.is_due() or is_last
        if evaluates or self._checkpoint.is_due():
            self._save()
        if evaluates:
            self._evaluate()
        if self._picture.is_due():
            self._draw()
        self._progress.update(self.learner.num_steps)

    def _save(self) -> None:
        """Write a checkpoint and the policy."""
        progress = {"seconds": self._budget.seconds(), "measures": self._measures}
        with replace_file(self.folder.path / self.learner.checkpoint) as temporary:
            self.learner.save(temporary, progress)
        self.learner.save_policy(self.folder)
        self.is_saved = True

    def _evaluate(self) -> None:
        config = self._config
        means = {name: float(np.mean(values)) for name, values in self._measures.items()}
        row, self._measures = {self._algorithm.counts: self.learner.num_steps, **means}, {}
        matches = self._play_matches(config.panel, config.evaluation_hands, 1)["matches"]
        results = self.learner.measure() | means_of(matches)
        self.folder.log({"seconds": self._budget.seconds(), **row, **results, **half_widths_of(matches)})
        self._tracker.add(results, self.learner.num_steps)
        self._progress.note(results)
        self.learner.on_evaluation(self.folder)

    def _play_matches(self, panel: Sequence[str], hands: int, seed: int) -> dict[str, Any]:
        def show(opponent: str, played: int) -> None:
            self._progress.name_step(f"match {played + 1} of {len(panel)}, v {opponent}")

        return evaluate(self.folder, self._game, panel, hands, seed, self._algorithm.duplicate, show)

    def _draw(self, last: Mapping[str, float] | None = None) -> None:
        """Draw the curves, with a last row that is not in the metrics."""
        labels = label_opponents(self._config.panel).values()
        unit, factor = main_unit_of(self._game)
        panel = Curve({f"v {label}": label for label in labels}, f"winnings, {unit}", CURVE, factor)
        for curve in (panel, *self.learner.curves()):
            draw_curve(self.folder, self._algorithm.counts, curve, last)

    def _freeze_after_quarters(self) -> None:
        """Save the agent in a folder of its own when another quarter of the budget is used."""
        quarter = int(_QUARTERS * self._budget.fraction())
        if self._algorithm.keeps_frozen_selves and self._quarter < quarter < _QUARTERS:
            self._quarter = quarter
            folder = self.folder.path / FROZEN / f"after_{quarter}_of_{_QUARTERS}"
            folder.mkdir(parents=True, exist_ok=True)
            self.learner.save_policy(self.folder)
            for name in (CONFIG, WEIGHTS):
                shutil.copyfile(self.folder.path / name, folder / name)

    def _finish(self) -> None:
        """Write the last checkpoint, the curves, and the final evaluation against the panel and the frozen agents."""
        self._save()
        self._draw()
        frozen = sorted(str(folder) for folder in (self.folder.path / FROZEN).glob("*"))
        panel = (*self._algorithm.final_panel(self._config), *frozen)
        cost = {"seconds": round(self._budget.seconds()), self._algorithm.counts: self.learner.num_steps}
        hands, seed = self._config.final_hands, self._config.seed
        self._progress.say(f"final evaluation: {hands:,} hands against each opponent, {len(panel)} in all")
        evaluation = self._play_matches(panel, hands, seed)
        measured, matches = self.learner.measure(), evaluation["matches"]
        self.folder.write_json(EVALUATION, {**evaluation, **measured, "cost": cost})
        results = measured | means_of(matches) | half_widths_of(matches)
        self._draw({self._algorithm.counts: self.learner.num_steps, **results})
