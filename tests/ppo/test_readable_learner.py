"""How much somebody reads to know what self-play PPO does: the files that its script imports, and its settings."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from tests.helpers.processes import run_python

pytest.importorskip("torch")

from card_baselines.ppo.config import Config

NAMES = ("card_baselines.registry", "card_baselines.pretrained")
"""Imported by the package itself: tables of names alone."""
MAX_FILES, MAX_LINES, MAX_SETTINGS = 16, 2236, 35
"""Ceilings that should come down; lines went up by 205 for the checks of checkpoints that others wrote, by 65 for what
the learner of another device replaces, by 29 because one place saves and restores the parts of every learner, and by
137, with one file, because every memory keeps its rows in one class, and learners on all devices have one pool."""
LIST_IMPORTS = """
import sys
import card_baselines.ppo.ppo
for name, module in sorted(sys.modules.items()):
    if name.startswith("card_baselines.") and not hasattr(module, "__path__"):
        print(name, module.__file__)
"""


def test_the_learner_stays_small_enough_to_be_read() -> None:
    printed = run_python("-c", LIST_IMPORTS).stdout
    files = dict(line.split(maxsplit=1) for line in printed.splitlines())
    for name in NAMES:
        del files[name]
    assert "card_baselines.ppo.rollout" in files and "card_baselines.runs.run" not in files
    lines = sum(len(Path(path).read_text().splitlines()) for path in files.values())
    assert (len(files) <= MAX_FILES, lines <= MAX_LINES) == (True, True), (len(files), lines, sorted(files))
    assert len(fields(Config)) <= MAX_SETTINGS
