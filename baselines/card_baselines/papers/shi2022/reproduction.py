"""The experiments of Shi et al. (2022): the runs and matches of each number."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.figures import make_figure, save_figure
from card_baselines.papers.claims import NORMAL_95, summarise_runs
from card_baselines.papers.printed import Cell
from card_baselines.papers.protocol import Report, Reproduction, Say, add_control
from card_baselines.papers.shi2022.config import ENV, SEATS, Config, describe, make_paper_game
from card_baselines.papers.shi2022.networks import Shi2022Agent
from card_baselines.papers.shi2022.paper import (
    FILE,
    SEARCHING,
    Options,
    Scale,
    describe_report,
)
from card_baselines.papers.shi2022.training import ALGORITHM
from card_baselines.ppo.algorithm import ALGORITHM as SELF_PLAY_PPO
from card_baselines.ppo.config import Config as PpoConfig
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import EVALUATION, RunFolder
from card_envs.agent import Agent, find_agent, known_agents
from card_envs.damaged_files import read_json_object
from card_envs.match import play_match


class Shi2022Reproduction(Reproduction[Options, Scale]):
    """Trains learners and plays their matches."""

    def __init__(self, options: Options, scale: Scale, root: Path, say: Say) -> None:
        super().__init__(options, scale, root, say)
        self.game = make_paper_game()
        self._used: set[Path] = set()
        """Folders of the runs behind the results."""

    def _train(self, algorithm: str, seed: int, history: str = "", is_trained: bool = True) -> Path:
        """Return the folder of a finished run, named by its settings, after training it if it is missing.

        The stopping rule is the number of episodes. All algorithms have the same untrained control.
        """
        learner = FILE.others["learners"][self.options.learner]
        settings = FILE.others["six_networks"].get(algorithm, {}) | self.scale.changes | learner
        config = Config(
            **settings, algorithm=algorithm, history=history or self.options.history, seed=seed  # type: ignore[arg-type]
        )  # fmt: skip
        config = config if is_trained else self.disable_training(config)
        key = hashlib.sha256(json.dumps(describe(config), sort_keys=True).encode()).hexdigest()[:8]
        name = f"{config.algorithm}-{config.history}-s{config.seed}-{key}"
        folder = self.finish_run(ALGORITHM, config, name, f"{config.episodes:,} episodes")
        if is_trained:
            self._used.add(folder)
        return folder

    def disable_training(self, config: Any) -> Any:
        """Return settings of a run that never updates its actor."""
        return replace(
            config, algorithm="dual-apu", episodes=1, num_tables=SEATS, updates=1, warm_up=1_000_000, panel=(),
            final_panel=(), evaluation_episodes=1, final_hands=SEATS,
        )  # fmt: skip

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return a result for each number of a row, and for each variant of its opponent."""
        cells = FILE.find_cells(table, row)
        if self.options.learner != "default":
            cells = [cell for cell in cells if cell.opponent not in SEARCHING]
        return [self._measure(cell, variant) for cell in cells for variant in _list_variants(cell)]

    def _measure(self, cell: Cell, variant: str) -> dict[str, Any]:
        """Return our result for a printed number, against one variant of the opponent."""
        matches = self._play_seeds(cell.row, variant)
        is_scripted = variant in known_agents() and variant not in SEARCHING
        has_ceiling = is_scripted and self.options.learner == "default"
        result = asdict(cell) | {
            "history": self.options.history,
            "learner": self.options.learner,
            "variant": variant,
            **summarise_runs([match["ours"] for match in matches]),
            "of": "seeds" if len(matches) > 1 else "hands of one run",
            "paper_protocol": [match["paper"] for match in matches],
            "seeds": matches,
            "noise_of_paper": NORMAL_95 * matches[0]["sd_of_hand"] / math.sqrt(FILE.others["paper_hands"]),
            "ceiling": self._measure_ceiling(variant) if has_ceiling else None,
        }
        controls = self._play_seeds(cell.row, variant, is_trained=False) if is_scripted else []
        return add_control(result, summarise_runs([match["ours"] for match in controls]) if controls else None)

    def _play_seeds(self, row: str, variant: str, is_trained: bool = True) -> list[dict[str, Any]]:
        """Return the matches of the runs of all seeds against a variant of an opponent."""
        return [
            self._play_seed(self._train(row, seed, is_trained=is_trained), variant, seed) for seed in self.seeds
        ]  # fmt: skip

    def _play_seed(self, folder: Path, variant: str, seed: int) -> dict[str, Any]:
        """Return the matches of one run against an opponent: with our number of hands, and as in the paper."""
        opponent, name = self._make_opponent(variant, seed)
        scale = self.scale
        hands, paper_hands = (
            (scale.search_hands,) * 2 if variant in SEARCHING else (scale.hands, scale.paper_hands)
        )  # fmt: skip
        cell = {"run": folder.name, "opponent": name, "hands": hands, "paper_hands": paper_hands}
        found: dict[str, Any] = self.grid.get(
            cell, lambda: self._play_matches(folder, opponent, hands, paper_hands, seed)
        )
        return found

    def _play_matches(self, folder: Path, opponent: Agent, hands: int, paper_hands: int, seed: int) -> dict[str, Any]:
        agents: list[Agent] = [Shi2022Agent(folder, self.game), *[opponent] * (SEATS - 1)]
        with ProgressBar(folder.name, hands + paper_hands) as bar:
            ours = play_match(self.game, agents, hands, seed, duplicate=True, progress=bar.advance)
            paper = play_match(self.game, agents, paper_hands, seed + 1, progress=bar.advance)
        return {
            name: {**match.agents[0].as_json(), "hands": match.hands}
            for name, match in {"ours": ours, "paper": paper}.items()
        } | {"sd_of_hand": paper.hand_sds[0]}

    def _measure_ceiling(self, variant: str) -> dict[str, Any]:
        """Return the gain of a player trained against five of `variant` alone, after training it if it is missing."""
        config = PpoConfig(
            env=ENV, env_args=(f"num_players={SEATS}",), opponents=(variant,), mixed=1.0, panel=(variant,),
            minutes=self.scale.ceiling_minutes, learning_rate=(1e-3, 1e-4), entropy=(0.02, 0.003),
            evaluation_seconds=1e9, final_hands=self.scale.hands,
        )  # fmt: skip
        folder = self.finish_run(
            SELF_PLAY_PPO, config, f"best-response-{variant}", f"{self.scale.ceiling_minutes:g} minutes"
        )
        match: dict[str, Any] = read_json_object(folder / EVALUATION)["matches"][0]
        return {key: match[key] for key in ("mean", "ci95", "hands")}

    def _make_opponent(self, variant: str, seed: int) -> tuple[Agent, str]:
        """Return an opponent, after training it if need be, and a name that is unique for its settings."""
        if variant in known_agents():
            return find_agent(variant, self.game), variant
        algorithm, _, history = variant.partition(" ")
        folder = self._train(algorithm, seed, history)
        return Shi2022Agent(folder, self.game), folder.name

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the report with the runs, and draw their losses and gains."""
        folders = sorted(self._used)
        content |= {"runs": [self._describe_run(folder) for folder in folders]}
        draw_losses(self.root, folders)
        draw_gains(self.root, folders)
        return Report(content, heading=describe_report(content))

    def _describe_run(self, folder: Path) -> dict[str, Any]:
        run = RunFolder(folder)
        config, rows = run.config(), run.metrics()
        named = {key: config[key] for key in ("algorithm", "history", "seed", "episodes", "reward")}
        seconds = rows[-1]["seconds"] if rows else 0.0
        return named | {"folder": folder.name, "seconds": seconds, "commit": config["made_of"]["commit"], "curve": rows}


def _list_variants(cell: Cell) -> list[str]:
    """Return the agents that play for the opponent of a cell: a strict and a loose one where it has both."""
    loose = f"{cell.opponent}_loose"
    return [f"{cell.opponent}_strict", loose] if loose in known_agents() else [cell.opponent]


# --- figures of training runs ---


def draw_losses(root: Path, folders: Sequence[Path]) -> None:
    """Write losses.png: losses of runs over their episodes (figures 4 and 5), mean and range over seeds."""
    _draw_curves(root / "losses.png", folders, {"actor_loss": "P loss", "critic_loss": "Q loss"}, "")


def draw_gains(root: Path, folders: Sequence[Path]) -> None:
    """Write gains.png: winnings of runs against the panel during training, mean and range over seeds."""
    panel = RunFolder(folders[0]).config()["panel"]
    if panel:
        _draw_curves(root / "gains.png", folders, {f"v {name}": f"against five {name}" for name in panel}, FILE.unit)


def _draw_curves(path: Path, folders: Sequence[Path], columns: dict[str, str], unit: str) -> None:
    from matplotlib import colormaps

    kinds: dict[str, list[dict[float, dict[str, float]]]] = {}
    for folder in folders:
        run = RunFolder(folder)
        rows = {row["episodes"]: row for row in run.metrics()}  # a run that was killed may have measured twice
        kinds.setdefault(_describe_kind(run.config()), []).append(rows)
    figure = make_figure(1.0 + 3.6 * len(columns), 3.6)
    for axes, (column, title) in zip(figure.subplots(1, len(columns), sharey=bool(unit)), columns.items(), strict=True):
        for number, (kind, runs) in enumerate(kinds.items()):
            colour, episodes = colormaps["tab10"](number), np.array(list(runs[0])) / 1000
            values = np.array([[row[column] for row in rows.values()] for rows in runs])
            axes.plot(episodes, values.mean(axis=0), color=colour, linewidth=1.5, marker=".", markersize=5, label=kind)
            axes.fill_between(episodes, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, linewidth=0)
        axes.set_xlabel("thousand episodes")
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.3)
        if unit:
            axes.axhline(0, color="black", linewidth=0.8)
    if unit:
        figure.axes[0].set_ylabel(unit)
    lines = figure.axes[0].get_legend_handles_labels()
    figure.legend(*lines, loc="outside lower center", ncols=min(4, len(kinds)), frameon=False, fontsize=9)
    save_figure(figure, path)


def _describe_kind(config: dict[str, Any]) -> str:
    return f"{config['algorithm']}, {config['history']}"
