"""The experiment of Charlesworth (2018): self-play PPO with the paper's settings, measured as in its figure 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.figures import draw_band, draw_zero_line, hide_frame, make_figure, save_figure
from card_baselines.papers.charlesworth2018.paper import EARLIER, FILE, RANDOM, UNTRAINED, Scale
from card_baselines.papers.protocol import Report, Reproduction, ReproductionOptions
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.presets import PRESETS
from card_baselines.run_folder import EVALUATION, RunFolder
from card_envs.damaged_files import read_json_object

PRESET = PRESETS["charlesworth2018"]


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
        """Return the report with the cost of the runs, and draw figure 2."""
        runs = [
            {
                "seed": seed, "folder": self._train(RANDOM, seed).name, **self._read_evaluation(RANDOM, seed)["cost"],
                "commit": RunFolder(self._train(RANDOM, seed)).config()["made_of"]["commit"],
            }
            for seed in self.seeds
        ]  # fmt: skip
        draw_figure(self.root, [run["folder"] for run in runs], content["results"])
        decisions = max(run["decisions"] for run in runs)
        notes = (f"{decisions:,} decisions were trained on, in the paper {PRESET.steps:,}.",)
        return Report({**content, "runs": runs}, notes)


def draw_figure(root: Path, folders: Sequence[str], results: Sequence[Mapping[str, Any]]) -> None:
    """Write figure2.png: winnings from random players during the training, and after it from earlier selves."""
    figure = make_figure(8.4, 3.4)
    left, right = figure.subplots(1, 2)
    gain = f"v {RANDOM}"
    for place, folder in enumerate(folders):
        run = RunFolder(root / folder)
        seed, rows = run.config()["seed"], [row for row in run.metrics() if gain in row]
        points = [(row["decisions"] / 1e6, row[gain], row[f"{gain} half_width"]) for row in rows]
        draw_band(left, *np.array(points).reshape(-1, 3).T, label=f"seed {seed}")
        earlier = [each for each in results if each["row"] == EARLIER and each["seed"] == seed]
        means = np.array([each["mean"] for each in earlier])
        bounds = np.array([each["ci95"] or (None, None) for each in earlier], float)  # None becomes NaN, without a bar
        errors = np.abs(bounds.reshape(-1, 2) - means[:, None]).T
        quarters = [int(each["opponent"].split("_")[1]) + 0.06 * (place - len(folders) // 2) for each in earlier]
        right.errorbar(quarters, means, errors, fmt="o", markersize=4, capsize=2)
    left.set_xlabel("million decisions")
    left.set_ylabel(FILE.unit)
    left.set_title("against three random players", fontsize=10)
    left.legend(frameon=False, fontsize=9, loc="lower right")
    right.set_xticks([1, 2, 3], ["1/4", "2/4", "3/4"])
    right.set_xlim(0.7, 3.3)
    right.set_xlabel("share of the training of the earlier self")
    right.set_title("the final network against three earlier selves", fontsize=10)
    draw_zero_line(right)
    hide_frame(left, right)
    save_figure(figure, root / "figure2.png")
