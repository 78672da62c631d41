"""The experiment of Charlesworth (2018): self-play PPO with the paper's settings, measured as its figure 2 does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from card_baselines.papers.charlesworth2018.preset import PRESET
from card_baselines.papers.charlesworth2018.scales import Scale
from card_baselines.papers.charlesworth2018.tables import EARLIER, FIGURE, RANDOM, UNTRAINED
from card_baselines.papers.protocol import Report, Say
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config
from card_baselines.run_folder import EVALUATION, RunFolder
from card_baselines.runs.run import train

UNIT = "points per game"


class Charlesworth2018Reproduction:
    """Trains a network for each seed; its final evaluation holds the numbers."""

    def __init__(self, scale: Scale, root: Path, seeds: int, say: Say) -> None:
        """Keep runs in `root`; `seeds` 0 are those of the scale."""
        self._scale, self._root, self._say = scale, root, say
        self._seeds = range(seeds or scale.seeds)

    def train(self, row: str, seed: int) -> Path:
        """Return the folder of a finished run; all rows but the control have the same."""
        folder = self._root / (f"untrained-s{seed}" if row == UNTRAINED else f"s{seed}")
        if not (folder / EVALUATION).exists():
            config = replace(PRESET, panel=(RANDOM,), final_hands=self._scale.hands, seed=seed)
            config = replace(config, **self._scale.changes)
            if row == UNTRAINED:
                config = _without_training(config)
            self._say(f"{folder.name}: {config.steps:,} decisions")
            train(ALGORITHM, config, folder)
        return folder

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the gains of each seed's network from random players, with a control, or from its earlier selves."""
        rows = (RANDOM, UNTRAINED) if row == RANDOM else (row,)
        return [
            {"table": table, "row": each, "seed": seed, **match}
            for each in rows
            for seed in self._seeds
            for match in self._matches(each, seed)
        ]

    def _matches(self, row: str, seed: int) -> list[dict[str, Any]]:
        matches = json.loads((self.train(row, seed) / EVALUATION).read_text())["matches"]
        return [match for match in matches if (match["opponent"] == RANDOM) == (row != EARLIER)]

    def report(self, tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the results of some of the rows; the figure is the only table."""
        runs = [self._cost(seed) for seed in self._seeds]
        content: dict[str, Any] = {
            "paper": "charlesworth2018",
            "unit": UNIT,
            "tables": list(tables),
            "results": [result for row in rows for result in self.play(FIGURE, row)],
            "runs": runs,
        }
        decisions = max(run["decisions"] for run in runs)
        notes = (f"{decisions:,} decisions were trained on, in the paper {PRESET.steps:,}.",)
        return Report(content, notes)

    def _cost(self, seed: int) -> dict[str, Any]:
        run = RunFolder(self.train(RANDOM, seed))
        cost = json.loads((run.path / EVALUATION).read_text())["cost"]
        return {"seed": seed, "folder": run.path.name, **cost, "commit": run.config()["made_of"]["commit"]}


def _without_training(config: Config) -> Config:
    """Return settings that leave a network as it began, but for rounding."""
    return replace(config, minutes=0.0, steps=config.batch, learning_rate=(1e-12,))
