"""Run folders: one folder per training run with settings, commit, metrics, checkpoints, evaluation and a curve.

Files are written to a temporary name and then renamed, so a run that is killed at any moment leaves no broken file.
Metrics are appended row by row; a row that was cut off is skipped.
"""

from __future__ import annotations

import csv
import importlib.metadata
import json
import platform
import subprocess
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from card_envs.damaged_files import explain_damage, read_json_object
from card_envs.files import replace_file

CONFIG, METRICS, EVALUATION = "config.json", "metrics.csv", "evaluation.json"
CURVE, WEIGHTS, LOCK = "curve.png", "policy.safetensors", ".lock"
INTERVAL = " half_width"
"""Suffix of a metrics column that holds half of the 95 % interval of the column without it."""
_PACKAGES = ("card-envs", "numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable-baselines3", "sb3-contrib")


class FolderInUseError(ValueError):
    """Raised when another process trains in a folder; `holder` describes it."""

    def __init__(self, path: Path, holder: str) -> None:
        self.holder = holder
        super().__init__(f"{path} is in use: {holder} trains there. Wait until it ends, or choose another folder")


class RunFolder:
    """A folder of one training run, new or left by an interruption."""

    def __init__(self, path: Path) -> None:
        """Use the folder `path`; it is made when the configuration is written."""
        self.path = path

    @classmethod
    def new(cls, root: Path, env: str, algorithm: str, seed: int) -> RunFolder:
        """Return a new folder below `root`, named by environment, algorithm, seed and time."""
        return cls(root / env / algorithm / f"s{seed}-{time.strftime('%Y%m%d-%H%M%S')}")

    @property
    def is_started(self) -> bool:
        """True if a run has already written its configuration here."""
        return (self.path / CONFIG).exists()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder, so that one process at a time trains in it. Without effect on Windows.

        Raises:
            FolderInUseError: Another process holds the lock.
            ValueError: The folder cannot be written.
        """
        from card_baselines.file_lock import LockedError, hold_lock  # only training needs it

        with ExitStack() as stack:
            try:
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(hold_lock(self.path / LOCK))
            except LockedError as error:
                raise FolderInUseError(self.path, error.holder) from None
            except OSError as error:
                raise ValueError(f"cannot write the run folder {self.path}: {error.strerror}") from error
            yield

    def start(self, config: Mapping[str, Any], may_change: Collection[str] = ()) -> None:
        """Write the configuration of a new run with commit and versions, or compare that of a continued run.

        Args:
            config: The configuration.
            may_change: Settings that a continued run may change. Their old values are kept under "changes".

        Raises:
            ValueError: The folder holds a run with other settings, or something else, or cannot be written.
        """
        made_of: dict[str, Any] = {
            "commit": git_commit(),
            "python": platform.python_version(),
            "packages": package_versions(_PACKAGES),
        }
        if self.is_started:
            before = self.config()
            self.require_same(config, may_change)
            with explain_damage(self.path / CONFIG):
                commits = [before["made_of"]["commit"], *before["made_of"].get("continued_at", [])]
                if made_of["commit"] != commits[-1]:
                    commits.append(made_of["commit"])
                changes = [*before["made_of"].get("changes", []), *self._changes(before, config, may_change)]
                changed = {"changes": changes} if changes else {}
                made_of = {**before["made_of"], "continued_at": commits[1:], **changed}
        elif self.path.is_dir() and (others := sorted(path.name for path in self.path.iterdir() if path.name != LOCK)):
            raise ValueError(f"{self.path} exists and holds no run, but {others[0]!r}: choose another folder")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self.write_json(CONFIG, {**config, "made_of": made_of})
        except OSError as error:
            raise ValueError(f"cannot write the run folder {self.path}: {error.strerror}") from error

    @staticmethod
    def _changes(
        before: Mapping[str, Any], config: Mapping[str, Any], may_change: Collection[str]
    ) -> list[dict[str, Any]]:
        """Return the settings that a continued run changes."""
        return [
            {"setting": key, "from": before[key], "to": config[key]}
            for key in may_change
            if key in config and key in before and before[key] != json.loads(json.dumps(config[key]))
        ]

    def require_same(self, config: Mapping[str, Any], may_change: Collection[str] = ()) -> None:
        """Raise ValueError if the run in the folder has other settings, apart from those in `may_change`."""
        before, wanted = self.config(), json.loads(json.dumps(config))
        for key in [*wanted, *(key for key in before if key not in wanted and key != "made_of")]:
            if before.get(key) != wanted.get(key) and key not in may_change:
                raise ValueError(
                    f"{self.path} holds a run with {key} = {before.get(key)!r}, not {wanted.get(key)!r}: "
                    "continue it with the same settings, or choose another folder"
                )

    def config(self) -> dict[str, Any]:
        """Return the configuration."""
        return read_config(self.path)

    def make_inner(self, name: str, **changes: Any) -> RunFolder:
        """Make a folder inside this one for another agent of the run, with the configuration after some changes."""
        folder = RunFolder(self.path / name)
        folder.path.mkdir(exist_ok=True)
        folder.write_json(CONFIG, {**self.config(), **changes})
        return folder

    def write_json(self, name: str, content: Mapping[str, Any]) -> None:
        """Write a file of the folder as JSON."""
        with replace_file(self.path / name) as temporary:
            temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    def log(self, row: Mapping[str, float]) -> None:
        """Append a row to the metrics; the first row decides the columns."""
        with (self.path / METRICS).open("a+", encoding="utf-8", newline="") as file:
            file.seek(0)
            text = file.read()
            columns = next(csv.reader(text.splitlines()), list(row))
            writer = csv.DictWriter(file, columns, extrasaction="ignore", restval="")
            if not text:
                writer.writeheader()
            elif not text.endswith("\n"):  # a row was cut off
                file.write("\n")
            writer.writerow({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()})

    def metrics(self) -> list[dict[str, float]]:
        """Return all complete rows of the metrics."""
        path = self.path / METRICS
        if not path.exists():
            return []
        with explain_damage(path), path.open(encoding="utf-8", newline="") as file:
            try:
                rows = list(csv.DictReader(file))
            except csv.Error as error:
                raise ValueError(str(error)) from error
            return [{k: float(value) for k, value in row.items() if value} for row in rows if None not in row.values()]


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration in a folder; ValueError if it is no JSON object."""
    config = read_json_object(folder / CONFIG)  # earlier versions call env_args "settings"
    return {"env_args" if key == "settings" else key: value for key, value in config.items()}


def git_commit() -> str:
    """Return the commit of the current folder, with "+changes" if files differ from it; "" outside a repository."""
    git: Callable[..., str] = lambda *args: subprocess.run(  # noqa: E731  local shorthand
        ["git", *args], capture_output=True, encoding="utf-8", check=True, timeout=60
    ).stdout.strip()
    try:
        return git("rev-parse", "HEAD") + ("+changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def package_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    versions = {}
    for package in packages:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return versions
