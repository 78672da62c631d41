"""The experiment of Charlesworth (2018): self-play PPO with the paper's settings, measured as in its figure 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from card_baselines.papers.charlesworth2018.paper import EARLIER, RANDOM, UNTRAINED, Scale
from card_baselines.papers.protocol import Report, Reproduction, ReproductionOptions
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.presets import BIG2
from card_baselines.run_folder import EVALUATION, RunFolder
from card_envs.damaged_files import read_json_object

PRESET = replace(  # his batches hold 20 steps of each game, ours finished games
    BIG2, minutes=0.0, steps=131_000_000, num_tables=48, batch=960, minibatch=240, epochs=5,
    learning_rate=(2.5e-4, 1e-6), entropy=(0.01,), clip=(0.2, 0.0), clip_value=True, gamma=0.995, skip_forced=False,
)  # fmt: skip
"""Settings of section 5, for `card-envs train self_play_ppo --preset charlesworth2018`."""


class Charlesworth2018Reproduction(Reproduction[ReproductionOptions, Scale]):
    """Trains a network for each seed; its final evaluation holds the numbers."""

    def _train(self, row: str, seed: int) -> Path:
        """Return the folder of a finished run; all rows but the control have the same."""
        config = replace(PRESET, panel=(RANDOM,), final_hands=self.scale.hands, seed=seed)
        config = replace(config, **self.scale.changes)
        return self.finish_run(ALGORITHM, config, f"s{seed}", f"{config.steps:,} decisions", row != UNTRAINED)

    def _read_evaluation(self, row: str, seed: int) -> dict[str, Any]:
        return read_json_object(self._train(row, seed) / EVALUATION)

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the gains of each seed's network from random players, with a control, or from its earlier selves."""
        return [
            {"table": table, "row": each, "seed": seed, **match}
            for each in ((RANDOM, UNTRAINED) if row == RANDOM else (row,))
            for seed in self.seeds
            for match in self._read_evaluation(each, seed)["matches"]
            if (match["opponent"] == RANDOM) == (each != EARLIER)
        ]

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the report with the cost of the runs."""
        runs = [
            {
                "seed": seed, "folder": self._train(RANDOM, seed).name, **self._read_evaluation(RANDOM, seed)["cost"],
                "commit": RunFolder(self._train(RANDOM, seed)).config()["made_of"]["commit"],
            }
            for seed in self.seeds
        ]  # fmt: skip
        decisions = max(run["decisions"] for run in runs)
        notes = (f"{decisions:,} decisions were trained on, in the paper {PRESET.steps:,}.",)
        return Report({**content, "runs": runs}, notes)
