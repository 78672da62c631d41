"""Ctrl-C, SIGTERM, a full disk and killed runs: what is saved, what is said, and what is left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from safetensors import SafetensorError

from card_baselines import cli
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.ppo import Ppo
from card_baselines.run_folder import METRICS
from card_baselines.runs import run as runs
from card_baselines.runs.checkpoint import STATE, load_state
from card_baselines.runs.interruption import Interruption, Terminated
from card_baselines.runs.run import find_write_error, train
from tests.runs.test_run import TINY

COMMAND = (
    sys.executable, "-m", "card_baselines.cli.main", "train", "self_play_ppo", "--env", "kuhn_poker-v0",
    "--batch", "128", "--num-tables", "16", "--hidden", "8", "--minibatch", "64",
    "--panel", "random", "--evaluation-hands", "10", "--final-hands", "10", "--minutes", "0", "--no-progress",
    "--evaluation-seconds", "1000",
)  # fmt: skip
needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM that a process can handle")


def updates_of(folder: Path) -> int:
    return int(load_state(folder / STATE)[1]["updates"])


def start_run(folder: Path, **options: Any) -> subprocess.Popen[str]:
    """Start a run, and return when its first checkpoint, of no update, is there."""
    process = subprocess.Popen(
        [*COMMAND, "--folder", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )
    while not (folder / STATE).exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


@pytest.mark.slow  # a process that trains
@needs_signals
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_after_it_has_saved(number: signal.Signals, code: int, tmp_path: Path) -> None:
    process = start_run(tmp_path / "run")
    assert updates_of(tmp_path / "run") == 0
    time.sleep(3.0)  # by now it is training: checkpoints come once a minute
    process.send_signal(number)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == code, (output, errors)
    assert "Traceback" not in errors
    updates = updates_of(tmp_path / "run")
    assert updates > 0, "what came since the last checkpoint is lost"
    assert not list(tmp_path.glob("run/.*"))
    again = subprocess.run(
        [*COMMAND, "--folder", str(tmp_path / "run"), "--steps", "1"], capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr  # its budget was used up long ago: the final evaluation alone is missing
    assert updates_of(tmp_path / "run") == updates


class Signals(Ppo):
    """Sends itself signals in the middle of updates."""

    plan: dict[int, int] = {}  # noqa: RUF012  set by each test
    """Number of an update, from 0 -> number of signals."""

    def update(self, fraction: float) -> dict[str, float]:
        for _ in range(self.plan.get(self.updates, 0)):
            os.kill(os.getpid(), signal.SIGINT)
        return super().update(fraction)


def run_with(plan: dict[int, int], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr(Signals, "plan", plan)
    train(replace(ALGORITHM, make_learner=Signals), replace(TINY, steps=100_000), folder, progress=True)


def test_the_update_in_progress_is_finished_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run_with({2: 1}, tmp_path, monkeypatch)
    assert updates_of(tmp_path) == 3
    said = capsys.readouterr().err
    assert "finishing this update, then saving; once more to stop at once" in said
    assert f"interrupted, saved: the same command with --folder {tmp_path} goes on" in said
    assert signal.getsignal(signal.SIGINT) is before


def test_the_second_signal_ends_at_once_and_keeps_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_with({2: 2}, tmp_path, monkeypatch)
    assert updates_of(tmp_path) == 0  # half an update is no state to continue from
    assert "interrupted, the last checkpoint is kept: the same command" in capsys.readouterr().err


def test_a_signal_during_an_evaluation_changes_no_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(runs, "evaluate", interrupt)
    with pytest.raises(Terminated):
        train(ALGORITHM, TINY, tmp_path)
    assert updates_of(tmp_path) == 2 and not (tmp_path / METRICS).exists()


def test_another_thread_keeps_the_handlers_of_the_program(tmp_path: Path) -> None:
    before, found = signal.getsignal(signal.SIGTERM), []

    def look() -> None:
        with Interruption():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [before]


# --- a full disk ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [
    OSError(28, "No space left on device"),
    SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"),
])  # fmt: skip
def test_a_full_disk_ends_in_one_sentence(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(self: Ppo, path: Path, progress: Any) -> None:
        if self.updates:
            path.write_bytes(b"half of a checkp")
            raise error
        save(self, path, progress)

    save = Ppo.save
    monkeypatch.setattr(Ppo, "save", fill)
    assert cli.main([*COMMAND[3:], "--steps", "300", "--folder", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path} cannot be written: No space left on device. The last checkpoint is kept: make room" in said
    assert said.count("\n") <= 2 and "Traceback" not in said
    assert updates_of(tmp_path) == 0 and not list(tmp_path.glob(".*"))


@pytest.mark.slow
@needs_signals
def test_a_limit_on_the_size_of_files_ends_in_one_sentence(tmp_path: Path) -> None:
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    done = subprocess.run(
        [*COMMAND, "--steps", "300", "--folder", str(tmp_path)],
        capture_output=True, text=True, preexec_fn=limit, check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert re.search(r"cannot be written: File too large\. The last checkpoint is kept", done.stderr), done.stderr
    assert "Traceback" not in done.stderr


def test_other_errors_of_the_system_are_not_taken_for_a_full_disk() -> None:
    assert find_write_error(FileNotFoundError(2, "No such file or directory")) is None
    assert find_write_error(SafetensorError("header too small")) is None


# --- killed runs ------------------------------------------------------------------------------------------------------


def test_the_next_start_deletes_what_a_killed_run_was_writing(tmp_path: Path) -> None:
    run = train(ALGORITHM, TINY, tmp_path)
    left = [run.path / f".0123abcd-{STATE}", run.path / "frozen" / ".89abcdef-config.json"]
    left[1].parent.mkdir(exist_ok=True)
    other = [run.path / ".notes", run.path / ".0123abcd"]
    for path in (*left, *other):
        path.write_text("half")
    from dataclasses import replace

    train(ALGORITHM, replace(TINY, steps=600), tmp_path)
    assert not any(path.exists() for path in left) and all(path.exists() for path in other)
