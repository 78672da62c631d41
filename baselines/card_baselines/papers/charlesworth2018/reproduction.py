"""The experiment of Charlesworth (2018): self-play PPO with the paper's settings, measured as in its figure 2."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from card_baselines.papers.charlesworth2018.preset import PRESET
from card_baselines.papers.charlesworth2018.scales import Scale
from card_baselines.papers.charlesworth2018.tables import EARLIER, RANDOM, UNTRAINED
from card_baselines.papers.protocol import Report, Reproduction, ReproductionOptions
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config
from card_baselines.run_folder import EVALUATION, RunFolder
from card_baselines.runs.run import train


class Charlesworth2018Reproduction(Reproduction[ReproductionOptions, Scale]):
    """Trains a network for each seed; its final evaluation holds the numbers."""

    @property
    def _seeds(self) -> range:
        return range(self.options.seeds or self.scale.seeds)

    def _train(self, row: str, seed: int) -> Path:
        """Return the folder of a finished run; all rows but the control have the same."""
        folder = self.root / (f"untrained-s{seed}" if row == UNTRAINED else f"s{seed}")
        if not (folder / EVALUATION).exists():
            config = replace(PRESET, panel=(RANDOM,), final_hands=self.scale.hands, seed=seed)
            config = replace(config, **self.scale.changes)
            if row == UNTRAINED:
                config = _without_training(config)
            self.say(f"{folder.name}: {config.steps:,} decisions")
            train(ALGORITHM, config, folder)
        return folder

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the gains of each seed's network from random players, with a control, or from its earlier selves."""
        rows = (RANDOM, UNTRAINED) if row == RANDOM else (row,)
        return [
            {"table": table, "row": each, "seed": seed, **match}
            for each in rows
            for seed in self._seeds
            for match in self._load_matches(each, seed)
        ]

    def _load_matches(self, row: str, seed: int) -> list[dict[str, Any]]:
        matches = json.loads((self._train(row, seed) / EVALUATION).read_text(encoding="utf-8"))["matches"]
        return [match for match in matches if (match["opponent"] == RANDOM) == (row != EARLIER)]

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the report with the cost of the runs."""
        runs = [self._describe_cost(seed) for seed in self._seeds]
        decisions = max(run["decisions"] for run in runs)
        notes = (f"{decisions:,} decisions were trained on, in the paper {PRESET.steps:,}.",)
        return Report({**content, "tables": list(tables), "runs": runs}, notes)

    def _describe_cost(self, seed: int) -> dict[str, Any]:
        run = RunFolder(self._train(RANDOM, seed))
        cost = json.loads((run.path / EVALUATION).read_text(encoding="utf-8"))["cost"]
        return {"seed": seed, "folder": run.path.name, **cost, "commit": run.config()["made_of"]["commit"]}


def _without_training(config: Config) -> Config:
    """Return settings whose only update changes a network by no more than rounding errors."""
    return replace(config, minutes=0.0, steps=config.batch, learning_rate=(1e-12,))
