"""The experiments of Shi et al. (2022): the runs and matches of each number, and their stored results."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.papers.cells import NORMAL_95, Cell, KeptResults
from card_baselines.papers.protocol import Report, Say
from card_baselines.papers.shi2022.networks import Shi2022Agent, use_one_thread
from card_baselines.papers.shi2022.pictures import draw_gains, draw_losses
from card_baselines.papers.shi2022.rendering import describe_readings, describe_report, describe_times
from card_baselines.papers.shi2022.scales import Scale
from card_baselines.papers.shi2022.tables import CELLS, PAPER_HANDS, ROWS, SEARCHING, UNIT
from card_baselines.papers.shi2022.training import ALGORITHM, ENV, SEATS, Config, describe, game_of_paper
from card_baselines.ppo.algorithm import ALGORITHM as SELF_PLAY_PPO
from card_baselines.ppo.config import Config as PpoConfig
from card_baselines.registry import AGENTS
from card_baselines.run_folder import EVALUATION, RunFolder
from card_baselines.runs.run import train
from card_envs.agent import Agent, decisions_at, find_agent
from card_envs.match import play_match, summarise

SIX_NETWORKS: dict[str, dict[str, Any]] = {
    "apu": {"updates": 72, "warm_up": 200},
    "apu-ctrl": {"updates": 12, "warm_up": 200},
}
"""Updates after each round where six networks share the episodes: half as many of each as of Dual-APU's only one, three
times as many in all. (The paper's APU took 1.6 times as long as its Dual-APU.)"""


def config_of(algorithm: str, history: str, seed: int, scale: Scale) -> Config:
    """Return the settings of a run; the stopping rule is the number of episodes."""
    changes = SIX_NETWORKS.get(algorithm, {}) | scale.changes
    return replace(Config(**changes), algorithm=algorithm, history=history, seed=seed)  # type: ignore[arg-type]


def config_without_training(config: Config) -> Config:
    """Return settings of a run that never moves its actor: the control of the learners."""
    return replace(
        config, algorithm="dual-apu", episodes=1, num_tables=SEATS, updates=1, warm_up=1_000_000, panel=(),
        final_panel=(), evaluation_episodes=1, final_hands=SEATS,
    )  # fmt: skip


class Shi2022Reproduction:
    """Trains what is missing, plays, and keeps every result in one folder; interrupted, it continues there."""

    def __init__(self, scale: Scale, history: str, root: Path, seeds: int = 0, say: Say = print) -> None:
        """Use `history` for the rows of all tables; `seeds` 0 are those of the scale."""
        self.scale, self.history, self.root, self._say = scale, history, root, say
        self.seeds = range(seeds or scale.seeds)
        self.game = game_of_paper()
        self._used: set[Path] = set()
        self._finished: set[Path] = set()
        self._matches = KeptResults(root, "matches.json")

    def folder_of(self, config: Config) -> Path:
        """Return where the run with these settings is, or will be."""
        key = hashlib.sha256(json.dumps(describe(config), sort_keys=True).encode()).hexdigest()[:8]
        return self.root / f"{config.algorithm}-{config.history}-s{config.seed}-{key}"

    def train(self, row: str, seed: int) -> Path:
        """Return the folder of a row's finished run, after training what is missing."""
        return self._train_run(row, self.history, seed)

    def _train_run(self, algorithm: str, history: str, seed: int) -> Path:
        folder = self._finish_run(config_of(algorithm, history, seed, self.scale))
        self._used.add(folder)
        return folder

    def _finish_run(self, config: Config) -> Path:
        folder = self.folder_of(config)
        if folder not in self._finished:
            self._say(f"{folder.name}: {config.episodes:,} episodes")
            train(ALGORITHM, config, folder)
            self._finished.add(folder)
        return folder

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return a result for each number of a row, and for each variant of its opponent."""
        cells = [cell for cell in CELLS if (cell.table, cell.row) == (table, row)]
        return [self._result(cell, variant) for cell in cells for variant in self._variants(cell)]

    def _variants(self, cell: Cell) -> list[str]:
        loose = f"{cell.opponent}_loose"
        return [f"{cell.opponent}_strict", loose] if loose in AGENTS else [cell.opponent]

    def _result(self, cell: Cell, variant: str) -> dict[str, Any]:
        played = [self._play_seed(self.train(cell.row, seed), variant, seed) for seed in self.seeds]
        means = np.array([match["ours"]["mean"] for match in played])
        ours = summarise(variant, means) if len(means) > 1 else None
        ci95 = list(ours.ci95) if ours else played[0]["ours"]["ci95"]
        paper_protocol = [match["paper"] for match in played]
        noise = NORMAL_95 * played[0]["sd_of_hand"] / math.sqrt(PAPER_HANDS)
        return asdict(cell) | {
            "history": self.history,
            "variant": variant,
            "mean": float(means.mean()),
            "ci95": ci95,
            "of": "seeds" if ours else "hands of one run",
            "paper_protocol": paper_protocol,
            "seeds": played,
            "noise_of_paper": noise,
            "untrained": self._play_untrained(variant),
            "ceiling": self._ceiling(variant) if variant in AGENTS and variant not in SEARCHING else None,
        }

    def _play_untrained(self, variant: str) -> dict[str, Any] | None:
        """Return the winnings of untrained networks from a scripted opponent: the control of a row."""
        if variant not in AGENTS or variant in SEARCHING:
            return None
        folders = [self._train_control(seed) for seed in self.seeds]
        played = [
            self._play_seed(folder, variant, seed)["ours"] for folder, seed in zip(folders, self.seeds, strict=True)
        ]
        means = np.array([match["mean"] for match in played])
        ci95 = summarise(variant, means).ci95 if len(means) > 1 else played[0]["ci95"]
        return {"mean": float(means.mean()), "ci95": list(ci95)}

    def _train_control(self, seed: int) -> Path:
        return self._finish_run(config_without_training(config_of("dual-apu", self.history, seed, self.scale)))

    def _play_seed(self, folder: Path, variant: str, seed: int) -> dict[str, Any]:
        opponent, key = self._opponent(variant, seed)
        scale = self.scale
        searches = variant in SEARCHING
        hands, paper_hands = (scale.search_hands,) * 2 if searches else (scale.hands, scale.paper_hands)
        key = f"{folder.name} v {key}, {hands} and {paper_hands} hands"
        return self._matches.get(key, lambda: self._matches_of(folder, opponent, hands, paper_hands, seed))

    def _matches_of(self, folder: Path, opponent: Agent, hands: int, paper_hands: int, seed: int) -> dict[str, Any]:
        agents: list[Agent] = [Shi2022Agent(folder, self.game), *[opponent] * (SEATS - 1)]
        ours = play_match(self.game, agents, hands, seed, duplicate=True)
        paper = play_match(self.game, agents, paper_hands, seed + 1)
        return {
            name: {"mean": match.agents[0].mean, "ci95": list(match.agents[0].ci95), "hands": match.hands}
            for name, match in {"ours": ours, "paper": paper}.items()
        } | {"sd_of_hand": paper.hand_sds[0]}

    def _ceiling(self, variant: str) -> dict[str, Any]:
        """Return the gain of a player trained against five of `variant` alone, after training it if it is missing."""
        folder = self.root / f"best-response-{variant}"
        evaluation = folder / EVALUATION
        if not evaluation.exists():
            self._say(f"{folder.name}: {self.scale.ceiling_minutes:g} minutes")
            train(
                SELF_PLAY_PPO,
                PpoConfig(
                    env=ENV, settings=(f"num_players={SEATS}",), opponents=(variant,), mixed=1.0, panel=(variant,),
                    minutes=self.scale.ceiling_minutes, learning_rate=(1e-3, 1e-4), entropy=(0.02, 0.003),
                    evaluation_seconds=math.inf, final_hands=self.scale.hands,
                ),
                folder,
            )  # fmt: skip
        found: dict[str, Any] = json.loads(evaluation.read_text())["matches"][0]
        return {key: found[key] for key in ("mean", "ci95", "hands")}

    def _opponent(self, variant: str, seed: int) -> tuple[Agent, str]:
        """Return an opponent, trained if it has to be, and a name for it that tells settings apart."""
        if variant in AGENTS:
            return find_agent(variant, self.game), variant
        algorithm, _, history = variant.partition(" ")
        folder = self._train_run(algorithm, history or self.history, seed)
        return Shi2022Agent(folder, self.game), folder.name

    def report(self, tables: Sequence[int], rows: Sequence[str] = ROWS) -> Report:
        """Return the results of some of the tables and rows, and draw the losses and gains of their runs."""
        cells = [cell for cell in CELLS if cell.table in tables and cell.row in rows]
        if not cells:
            raise ValueError(f"tables {list(tables)} have no rows {list(rows)}: choose others of {list(ROWS)}")
        pairs = dict.fromkeys((cell.table, cell.row) for cell in cells)
        results = [result for table, row in pairs for result in self.play(table, row)]
        first = self.train(cells[0].row, self.seeds[0])
        content: dict[str, Any] = {
            "paper": "shi2022",
            "unit": UNIT,
            "tables": sorted({cell.table for cell in cells}),
            "scale": self.scale.settings(),
            "results": results,
            "runs": [self._cost(folder) for folder in sorted(self._used)],
            "decision_ms": decision_times(Shi2022Agent(first, self.game)),
        }
        draw_losses(self.root, sorted(self._used))
        draw_gains(self.root, sorted(self._used))
        return Report(content, (describe_readings(content), describe_times(content)), describe_report(content))

    def _cost(self, folder: Path) -> dict[str, Any]:
        run = RunFolder(folder)
        config, rows = run.config(), run.metrics()
        named = {key: config[key] for key in ("algorithm", "history", "seed", "episodes", "reward")}
        seconds = rows[-1]["seconds"] if rows else 0.0
        return named | {"folder": folder.name, "seconds": seconds, "commit": config["made_of"]["commit"], "curve": rows}


def decision_times(agent: Shi2022Agent) -> dict[str, float]:
    """Return milliseconds of processor time per decision, alone and in batches of up to 4,096 (the paper: 7.3).

    PyTorch has one thread from then on.
    """
    use_one_thread()
    return {"single": _time_hands(agent, 1, 20), "batch": _time_hands(agent, 4096, 1)}


def _time_hands(agent: Shi2022Agent, num_tables: int, rounds: int) -> float:
    """Return milliseconds per decision over rounds of hands that the agent plays with itself, one more to warm up."""
    game = game_of_paper()
    tables, rng = game.seeded_tables(num_tables, 0), np.random.default_rng(0)
    rows, rewards = np.arange(num_tables), np.empty((num_tables, SEATS), np.float32)
    is_over = np.empty(num_tables, np.uint8)
    seconds, decisions = 0.0, 0
    for number in range(1 + rounds):
        game.deal_batch(tables, rows)
        agent.deal_starts(rows)
        active = rows
        while len(active):
            asked = decisions_at(game, tables, active, active, rng.random(len(active)))
            start = time.process_time()
            actions = agent.act(asked, rng)
            if number:
                seconds += time.process_time() - start
                decisions += len(active)
            game.step_batch(tables, active, actions, rewards, is_over, False)
            active = active[is_over[: len(active)] == 0]
    return 1000 * seconds / decisions
