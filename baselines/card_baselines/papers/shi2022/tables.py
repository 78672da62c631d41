"""Shi et al. (2022), Optimal Policy of Multiplayer Poker via Actor-Critic Reinforcement Learning: tables 1 to 5.

Every number of the paper is the gain of one player against five copies of another, in small bets per hand. Ours is
played twice: as the paper does (6,000 hands) and with more hands, each deal replayed from all six seats. An agent is
what a run is at its last episode, never the best of its curve; with several seeds, the interval speaks of seeds.

The paper says of its scripted opponents which hands they like, not how loose they are. So each is played strict and
loose, and beside each stands what a player wins that is trained against five of them alone: a lower bound of what can
be won at all. The tree search is ours, `mcts`; it thinks long, so it plays fewer hands.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.papers.shi2022.networks import Shi2022Agent, use_one_thread
from card_baselines.papers.shi2022.training import ENV, SEATS, Config, describe, game_of_paper, main
from card_baselines.registry import AGENTS
from card_baselines.run_folder import EVALUATION, RunFolder
from card_baselines.training import self_play_ppo
from card_envs.agent import Agent, decisions_at, find_agent
from card_envs.match import play_match, summarise

PAPER_HANDS, PAPER_EPISODES = 6000, 20_000
SEARCHING = ("mcts",)
"""Opponents that take milliseconds for a decision."""
UNIT = "small bets per hand"


@dataclass(frozen=True)
class Cell:
    """One number of the paper: what `row` wins per hand against five of `opponent`."""

    table: int
    row: str
    """Algorithm of `training`."""
    opponent: str
    """A scripted player without its variant, or "ALGORITHM HISTORY"."""
    paper: float


def _against_players(table: int, gains: dict[str, tuple[float, float, float, float]]) -> list[Cell]:
    players = ("sklansky", "chen", "shi_rules", "mcts")
    return [
        Cell(table, row, name, gain) for row, four in gains.items() for name, gain in zip(players, four, strict=True)
    ]


CELLS = (
    *_against_players(1, {"apu": (4.083, 0.957, 3.265, 3.895), "dual-apu": (1.833, 0.542, 2.167, 3.376)}),
    Cell(2, "apu", "apu-ctrl", 0.031),
    Cell(2, "dual-apu", "dual-apu-ctrl", 0.003),
    *_against_players(3, {"apu-ctrl": (2.275, 0.676, 2.726, 1.303), "dual-apu-ctrl": (1.981, 0.607, 2.882, 1.804)}),
    Cell(4, "apu", "apu none", 9.728),
    Cell(4, "apu", "apu fc", 1.251),
    Cell(5, "dual-apu", "dual-apu none", 0.918),
    Cell(5, "dual-apu", "dual-apu fc", 0.672),
)
ROWS = tuple(dict.fromkeys(cell.row for cell in CELLS))


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    seeds: int
    hands: int
    """Of a match with replayed deals."""
    paper_hands: int
    search_hands: int
    """Instead of both, against opponents that search."""
    ceiling_minutes: float
    """Processor time of a player that is trained against five of one opponent."""
    changes: dict[str, Any] = field(default_factory=dict)
    """Settings of `training.Config` that are not the default."""


SCALES = {
    "tiny": Scale(
        seeds=1, hands=600, paper_hands=120, search_hands=24, ceiling_minutes=0.02,
        changes={
            "episodes": 8, "num_tables": 24, "updates": 4, "batch_hands": 16, "warm_up": 2, "replay": 6000,
            "agent_period": 4, "update_period": 4, "hidden": 32, "memory": 16, "evaluation_episodes": 4, "panel": (),
            "final_hands": 60,
        },
    ),
    "paper": Scale(
        seeds=3, hands=60_000, paper_hands=PAPER_HANDS, search_hands=300, ceiling_minutes=2.0,
    ),
    "ours": Scale(
        seeds=3, hands=300_000, paper_hands=PAPER_HANDS, search_hands=600, ceiling_minutes=2.0,
        changes={
            "episodes": 120_000, "evaluation_episodes": 8000, "replay": 480_000, "final_share": 0.1,
            "final_panel": (*self_play_ppo.preset("ppo_limit_six_max").panel, "ppo_limit_six_max"),
            "final_hands": 300_000,
        },
    ),
}  # fmt: skip
"""`tiny` shows that everything works and nothing else. `paper` has the paper's 20,000 episodes."""

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


class Reproduction:
    """Trains what is missing, plays, and keeps every result in one folder; interrupted, it continues there."""

    def __init__(
        self, scale: Scale, history: str, root: Path, seeds: int = 0, say: Callable[[str], None] = print
    ) -> None:
        """Use `history` for the rows of all tables; `seeds` 0 are those of the scale."""
        self.scale, self.history, self.root, self._say = scale, history, root, say
        self.seeds = range(seeds or scale.seeds)
        self.game = game_of_paper()
        self._used: set[Path] = set()
        self._path = root / "matches.json"
        self._matches: dict[str, Any] = json.loads(self._path.read_text()) if self._path.exists() else {}

    def folder_of(self, config: Config) -> Path:
        """Return where the run with these settings is, or will be."""
        key = hashlib.sha256(json.dumps(describe(config), sort_keys=True).encode()).hexdigest()[:8]
        return self.root / f"{config.algorithm}-{config.history}-s{config.seed}-{key}"

    def trained(self, algorithm: str, history: str, seed: int) -> Path:
        """Return the folder of a finished run, after training what is missing."""
        config = config_of(algorithm, history, seed, self.scale)
        folder = self.folder_of(config)
        if folder not in self._used:
            self._say(f"{folder.name}: {config.episodes:,} episodes")
            main(replace(config, folder=str(folder)))
            self._used.add(folder)
        return folder

    def play(self, cell: Cell) -> list[dict[str, Any]]:
        """Return a result for each variant of a cell's opponent."""
        return [self._result(cell, variant) for variant in self._variants(cell)]

    def _variants(self, cell: Cell) -> list[str]:
        loose = f"{cell.opponent}_loose"
        return [f"{cell.opponent}_strict", loose] if loose in AGENTS else [cell.opponent]

    def _result(self, cell: Cell, variant: str) -> dict[str, Any]:
        played = [self._play_seed(cell, variant, seed) for seed in self.seeds]
        means = np.array([match["ours"]["mean"] for match in played])
        ours = summarise(variant, means) if len(means) > 1 else None
        ci95 = list(ours.ci95) if ours else played[0]["ours"]["ci95"]
        paper_protocol = [match["paper"] for match in played]
        noise = 1.96 * played[0]["sd_of_hand"] / math.sqrt(PAPER_HANDS)
        return asdict(cell) | {
            "history": self.history,
            "variant": variant,
            "mean": float(means.mean()),
            "ci95": ci95,
            "of": "seeds" if ours else "hands of one run",
            "paper_protocol": paper_protocol,
            "seeds": played,
            "noise_of_paper": noise,
            "ceiling": self._ceiling(variant) if variant in AGENTS and variant not in SEARCHING else None,
            "verdict": verdict(cell.paper, noise, float(means.mean()), ci95),
        }

    def _play_seed(self, cell: Cell, variant: str, seed: int) -> dict[str, Any]:
        folder = self.trained(cell.row, self.history, seed)
        opponent, key = self._opponent(variant, seed)
        scale = self.scale
        searches = variant in SEARCHING
        hands, paper_hands = (scale.search_hands,) * 2 if searches else (scale.hands, scale.paper_hands)
        key = f"{folder.name} v {key}, {hands} and {paper_hands} hands"
        if key not in self._matches:
            agents: list[Agent] = [Shi2022Agent(folder, self.game), *[opponent] * (SEATS - 1)]
            ours = play_match(self.game, agents, hands, seed, duplicate=True)
            paper = play_match(self.game, agents, paper_hands, seed + 1)
            self._matches[key] = {
                name: {"mean": match.agents[0].mean, "ci95": list(match.agents[0].ci95), "hands": match.hands}
                for name, match in {"ours": ours, "paper": paper}.items()
            } | {"sd_of_hand": paper.hand_sds[0]}
            RunFolder(self.root).write_json(self._path.name, self._matches)
        found: dict[str, Any] = self._matches[key]
        return found

    def _ceiling(self, variant: str) -> dict[str, Any]:
        """Return what a player wins that was trained against five of `variant` alone, after training it if missing."""
        folder = self.root / f"best-response-{variant}"
        evaluation = folder / EVALUATION
        if not evaluation.exists():
            self._say(f"{folder.name}: {self.scale.ceiling_minutes:g} minutes")
            self_play_ppo.main(
                self_play_ppo.Config(
                    env=ENV, set=(f"num_players={SEATS}",), opponents=(variant,), mixed=1.0, panel=(variant,),
                    minutes=self.scale.ceiling_minutes, learning_rate=1e-3, final_entropy=0.003,
                    evaluation_seconds=math.inf, final_hands=self.scale.hands, folder=str(folder),
                )
            )  # fmt: skip
        found: dict[str, Any] = json.loads(evaluation.read_text())["matches"][0]
        return {key: found[key] for key in ("mean", "ci95", "hands")}

    def _opponent(self, variant: str, seed: int) -> tuple[Agent, str]:
        """Return an opponent, trained if it has to be, and a name for it that tells settings apart."""
        if variant in AGENTS:
            return find_agent(variant, self.game), variant
        algorithm, _, history = variant.partition(" ")
        folder = self.trained(algorithm, history or self.history, seed)
        return Shi2022Agent(folder, self.game), folder.name

    def report(self, tables: Sequence[int], rows: Sequence[str] = ROWS) -> dict[str, Any]:
        """Return everything about some of the tables and rows, and write it as JSON and Markdown."""
        cells = [cell for cell in CELLS if cell.table in tables and cell.row in rows]
        if not cells:
            raise ValueError(f"tables {list(tables)} have no rows {list(rows)}: choose others of {list(ROWS)}")
        results = [result for cell in cells for result in self.play(cell)]
        first = self.trained(cells[0].row, self.history, self.seeds[0])
        report = {
            "paper": "shi2022",
            "unit": UNIT,
            "tables": sorted({cell.table for cell in cells}),
            "scale": asdict(self.scale),
            "results": results,
            "runs": [self._cost(folder) for folder in sorted(self._used)],
            "decision_ms": decision_times(Shi2022Agent(first, self.game)),
        }
        run = RunFolder(self.root)
        run.write_json("report.json", report)
        with run.replacing("report.md") as temporary:
            temporary.write_text(markdown(report))
        draw_losses(self.root, sorted(self._used))
        draw_gains(self.root, sorted(self._used))
        return report

    def _cost(self, folder: Path) -> dict[str, Any]:
        run = RunFolder(folder)
        config, rows = run.config(), run.metrics()
        named = {key: config[key] for key in ("algorithm", "history", "seed", "episodes", "reward")}
        seconds = rows[-1]["seconds"] if rows else 0.0
        return named | {"folder": folder.name, "seconds": seconds, "commit": config["made_of"]["commit"], "curve": rows}


def verdict(paper: float, noise: float, mean: float, ci95: Sequence[float]) -> str:
    """Return "agrees", "differs" or "undecided", and whether the signs do.

    `noise` is half the 95 % interval that 6,000 hands leave around the paper's number. They differ if the interval of
    the difference excludes zero; they agree if it does not and our sign is decided.
    """
    half = (ci95[1] - ci95[0]) / 2
    if not math.isfinite(half):
        return "undecided"
    is_decided = ci95[0] > 0 or ci95[1] < 0
    sign = "" if not is_decided else ", same sign" if mean * paper > 0 else ", other sign"
    if abs(mean - paper) > math.hypot(half, noise):
        return "differs" + sign
    return "agrees" + sign if is_decided else "undecided"


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


HEADER = ("player", "against", "paper", "ours", "95 % interval", "of", "as the paper played", "ceiling", "verdict")


def rows_of(report: dict[str, Any], table: int) -> list[list[str]]:
    """Return the lines of a table, under `HEADER`."""
    return [_line(result) for result in report["results"] if result["table"] == table]


def _line(result: dict[str, Any]) -> list[str]:
    begin = [f"{result['row']} ({result['history']})", result["variant"], f"{result['paper']:+.3f}"]
    low, high = result["ci95"]
    theirs = ", ".join(f"{match['mean']:+.2f}" for match in result["paper_protocol"])
    ceiling = f"{result['ceiling']['mean']:+.2f}" if result["ceiling"] else "-"
    ours = [f"{result['mean']:+.3f}", f"{low:+.3f} .. {high:+.3f}", result["of"], theirs]
    return [*begin, *ours, ceiling, result["verdict"]]


def scale_of(report: dict[str, Any]) -> str:
    """Return how much was trained and played, in words."""
    scale, runs = report["scale"], report["runs"]
    episodes = max(run["episodes"] for run in runs)
    text = f"{episodes:,} episodes, {scale['hands']:,} hands; as the paper played: {scale['paper_hands']:,} hands."
    return text if episodes >= PAPER_EPISODES else f"{text} Too few episodes to judge the paper by."


def times_of(report: dict[str, Any]) -> str:
    """Return what a decision costs, in words."""
    times = report["decision_ms"]
    return f"A decision takes {times['single']:.2f} ms alone, {times['batch']:.4f} ms in a batch (paper: 7.3 ms)."


def markdown(report: dict[str, Any]) -> str:
    """Return the report as Markdown, one table for each of the paper."""
    lines = [f"Gains in {report['unit']}, one player against five copies of another. {scale_of(report)}", ""]
    for table in report["tables"]:
        lines += [
            f"Table {table}",
            "",
            *map(_markdown_row, [HEADER, ["---"] * len(HEADER), *rows_of(report, table)]),
            "",
        ]
    return "\n".join([*lines, times_of(report)]) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def draw_losses(root: Path, folders: Sequence[Path]) -> None:
    """Draw the losses of runs over their episodes (figures 4 and 5) into losses.png: mean and range of the seeds."""
    _draw(root / "losses.png", folders, {"actor_loss": "P loss", "critic_loss": "Q loss"}, "")


def draw_gains(root: Path, folders: Sequence[Path]) -> None:
    """Draw what runs win from the panel in the course of their training into gains.png: mean and range of the seeds."""
    panel = RunFolder(folders[0]).config()["panel"]
    if panel:
        _draw(root / "gains.png", folders, {f"v {name}": f"against five {name}" for name in panel}, UNIT)


def _draw(path: Path, folders: Sequence[Path], columns: dict[str, str], unit: str) -> None:
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    kinds: dict[str, list[dict[float, dict[str, float]]]] = {}
    for folder in folders:
        run = RunFolder(folder)
        rows = {row["episodes"]: row for row in run.metrics()}  # a run that was killed may have measured twice
        kinds.setdefault(_kind(run.config()), []).append(rows)
    figure = Figure(figsize=(1.0 + 3.6 * len(columns), 3.6), dpi=150, layout="constrained")
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
    with RunFolder(path.parent).replacing(path.name) as temporary:
        figure.savefig(temporary)


def _kind(config: dict[str, Any]) -> str:
    return f"{config['algorithm']}, {config['history']}"
