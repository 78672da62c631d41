"""The experiments of Zheng et al. (2022): sheets, learners and their matches."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_baselines.papers.matches import MatchReproduction
from card_baselines.papers.protocol import Report, ReproductionOptions, Say
from card_baselines.papers.zheng2022.card_types import measure_type_shares
from card_baselines.papers.zheng2022.cheatem import CheatemLearners
from card_baselines.papers.zheng2022.dqn import DqnLearners
from card_baselines.papers.zheng2022.duel import Duels, Learners, make_paper_game
from card_baselines.papers.zheng2022.paper import (
    ACTIONS_TABLE,
    BAD_TYPES,
    CHEATEM,
    DQN,
    FILE,
    FIXED,
    GOOD_TYPES,
    LEARNERS,
    PPO,
    RAISE,
    RANDOM,
    RULE,
    SHARES_TABLE,
    STATIC,
    TABLE,
    Scale,
)
from card_baselines.papers.zheng2022.ppo import PpoLearners
from card_baselines.papers.zheng2022.sheet import Sheet, load_sheet, pretrain, save_sheet
from card_baselines.papers.zheng2022.situation import COLUMNS, NUM_COLUMNS, column_of
from card_baselines.papers.zheng2022.table_player import TablePlayer
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import CONFIG, git_commit
from card_envs.agent import Agent, find_agent
from card_envs.compiler import kernel
from card_envs.match import MatchBatch, MatchCallback, play_match
from card_envs.match.summary import summarise
from card_envs.typing import Rows

_SEED = 2022
MAKE: Mapping[str, Callable[[Sequence[int], Sequence[Sheet]], Learners]] = {
    CHEATEM: lambda seeds, sheets: CheatemLearners(seeds, sheets),
    STATIC: lambda seeds, sheets: CheatemLearners(seeds, sheets, updates_sheet=False),
    PPO: lambda seeds, sheets: PpoLearners(seeds),
    DQN: lambda seeds, sheets: DqnLearners(seeds),
}
"""Learner -> function of seeds and sheets that makes some."""
_FIRST = (TABLE, RAISE, RULE, RANDOM)
TRAININGS: Sequence[tuple[str, tuple[str, ...]]] = (
    *((learner, _FIRST) for learner in (CHEATEM, STATIC, PPO)),
    *((DQN, (rival,)) for rival in _FIRST),
    *((CHEATEM, (rival,)) for rival in (PPO, DQN)),
    (PPO, (DQN,)),
)
"""Learner, and the rivals that it is trained against side by side; two kinds of learners learn from each other.

DQN trains after every hand, so side by side with a rival that makes long hands the others would wait for it.
"""


class Zheng2022Reproduction(MatchReproduction[ReproductionOptions, Scale]):
    """Trains sheets and learners once, and plays their matches."""

    file, learners, fixed = FILE, LEARNERS, tuple(FIXED)
    game = make_paper_game()

    def __init__(self, options: ReproductionOptions, scale: Scale, root: Path, say: Say) -> None:
        super().__init__(options, scale, root, say)
        self._action_seeds = self.seeds[: options.seeds or scale.action_seeds]
        torch.set_num_threads(1)  # tiny networks: threads would wait for each other

    # --- training ---

    def _load_sheet(self, seed: int) -> Sheet:
        """Return the cheating sheet of a seed, after pre-training it if it is missing."""
        path = self.root / "sheets" / f"s{seed}.csv"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            save_sheet(pretrain(self.scale.sheet_hands, seed), path)
        return load_sheet(path)

    def _folder(self, name: str, rival: str, seed: int) -> Path:
        """Return the folder of a learner that is trained against a rival."""
        return self.root / "runs" / name / rival / f"s{seed}"

    def _train(self, name: str, opponents: Sequence[str], seeds: range) -> None:
        """Train a learner with some seeds against each of some rivals, unless all their folders exist."""
        runs = [(rival, seed) for rival in opponents for seed in seeds]
        folders = [self._folder(name, *run) for run in runs]
        if not all((folder / CONFIG).exists() for folder in folders):
            about = f"training {name} against {', '.join(opponents)}: {len(runs)} runs"
            self.finish(folders, about, lambda: self._play_duels(name, opponents, runs))

    def _play_duels(self, name: str, opponents: Sequence[str], runs: Sequence[tuple[str, int]]) -> None:
        """Train a learner in runs (rival, seed) side by side, and save the players that they become."""
        start = time.process_time()
        run_seeds = [seed for _, seed in runs]
        sheets = [self._load_sheet(seed) for seed in run_seeds]
        learners = MAKE[name](run_seeds, sheets)
        rivals = self._make_rivals(opponents, run_seeds, sheets)
        with ProgressBar(f"training {name}", len(runs) * self.scale.training_hands) as bar:
            Duels(learners, rivals, len(runs), seed=_SEED).play(self.scale.training_hands, bar.advance)
        metadata = {
            "hands": self.scale.training_hands,
            "processor_seconds_of_all": round(time.process_time() - start, 1),
            "commit": git_commit(),
        }
        for k, (rival, seed) in enumerate(runs):
            learner: Any = learners.make_player(k)
            learner.save(self._folder(name, rival, seed), rival=rival, seed=seed, **metadata)
            if isinstance(rivals, Learners):  # the rival learned too, against this learner
                other: Any = rivals.make_player(k)
                other.save(self._folder(rival, name, seed), rival=name, seed=seed, **metadata)

    def _make_rivals(
        self, names: Sequence[str], seeds: Sequence[int], sheets: Sequence[Sheet]
    ) -> Learners | list[Agent]:
        """Return the rivals of all runs: learners of one kind, or a fixed agent for each run."""
        if names[0] in LEARNERS:
            return MAKE[names[0]]([seed + 500_000 for seed in seeds], sheets)
        per_rival = len(seeds) // len(names)
        fixed = {name: find_agent(FIXED[name], self.game) for name in names if name in FIXED}
        return [
            TablePlayer(sheet) if (name := names[k // per_rival]) == TABLE else fixed[name]
            for k, sheet in enumerate(sheets)
        ]

    # --- matches ---

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return a result for each number of a row, after training and playing what is missing."""
        for cell in FILE.find_cells(table, row):
            for name, rivals in TRAININGS:
                pairs = {(name, rival) for rival in rivals}
                if (cell.row, cell.opponent) in pairs or (cell.opponent, cell.row) in pairs:
                    self._train(name, rivals, self.seeds)
        return super().play(table, row)

    def make_player(self, name: str, rival: str, seed: int, is_trained: bool) -> Agent:
        """Return a player; a learner is the one that was trained against `rival`."""
        if name in FIXED:
            return find_agent(FIXED[name], self.game)
        if name == TABLE:
            return TablePlayer(self._load_sheet(seed))
        if not is_trained:
            return MAKE[name]([seed], [self._load_sheet(seed)]).make_player(0)
        return find_agent(str(self._folder(name, rival, seed)), self.game)

    # --- shares ---

    def play_table(self, table: int, rows: Sequence[str]) -> list[dict[str, Any]]:
        """Return the results of a table; the rows of table 1 cannot be chosen."""
        if table == ACTIONS_TABLE:
            return self._measure_actions(rows)
        return _measure_shares() if table == SHARES_TABLE else super().play_table(table, rows)

    def _measure_actions(self, rows: Sequence[str]) -> list[dict[str, Any]]:
        """Return the values of sheets for good and bad card types, and the actions of PPO and DQN."""
        results = []
        if TABLE in rows:
            sheets = [self._load_sheet(seed) for seed in self.seeds]
            for name, are_good, what in (
                (BAD_TYPES, False, "share at which a fold has the highest value"),
                (GOOD_TYPES, True, "share at which call and raise are worth more than a fold"),
            ):
                shares, counts = zip(*(sheet.measure_types(are_good) for sheet in sheets), strict=True)
                results.append(_make_shares(name, "", shares, f"{what}; {min(counts)} to {max(counts)} types a sheet"))
        for name, rivals in TRAININGS:
            if name in (PPO, DQN) and name in rows and {RULE, RANDOM} & set(rivals):
                self._train(name, rivals, self._action_seeds)
                for rival in rivals:
                    results += self._measure_action_shares(name, rival)
        return results

    def _measure_action_shares(self, name: str, rival: str) -> list[dict[str, Any]]:
        """Return the share of each action of a trained learner against the rival that it was trained against."""
        hands = min(self.scale.hands, int(FILE.others["paper_hands"]))

        def count(cell: Mapping[str, Any]) -> dict[str, float]:
            seed = cell["seed"]
            agents = [self.make_player(name, rival, seed, True), self.make_player(rival, name, seed, True)]
            return measure_action_shares(agents, hands, _SEED + seed)

        cells = [{"actions": name, "rival": rival, "seed": seed, "hands": hands} for seed in self._action_seeds]
        shares = self.grid.fill(cells, count)
        return [_make_shares(name, rival, [each[column] for each in shares], column) for column in COLUMNS]

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the report with the amounts of training and play."""
        scale = self.scale
        notes = (
            f"{scale.sheet_hands:,} hands for a sheet, {scale.training_hands:,} for a learner, matches of "
            f"{scale.hands:,} hands with each deal replayed; the paper played {FILE.others['paper_hands']:,}. "
            "Intervals are over seeds, each with its own sheet.",
        )
        return Report(content, notes)


class ActionCounter(MatchCallback):
    """A callback that counts the actions of the first agent of a match."""

    def __init__(self) -> None:
        self.counts = np.zeros(NUM_COLUMNS, np.int64)
        """(4,): calls, raises, folds, checks."""

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Count the actions of the first agent."""
        is_first = batch.agent_indices(rows, batch.tables["actor"][rows].astype(np.int64)) == 0
        count_columns(batch.tables, rows[is_first], actions[is_first], self.counts)


@kernel
def count_columns(tables: Any, rows: Any, actions: Any, counts: Any) -> None:
    """Add the action taken at the table of each row to the counts of the four columns."""
    for j in range(rows.shape[0]):
        counts[column_of(tables[rows[j]], actions[j])] += 1


def measure_action_shares(agents: Sequence[Agent], hands: int, seed: int = 0) -> dict[str, float]:
    """Return the share of each action among the decisions of the first of two agents."""
    counter = ActionCounter()
    play_match(make_paper_game(), list(agents), hands, seed, duplicate=True, callbacks=[counter])
    return dict(zip(COLUMNS, (counter.counts / counter.counts.sum()).tolist(), strict=True))


def _measure_shares() -> list[dict[str, Any]]:
    """Return table 1: the share of each card type, counted here, beside the printed one."""
    counted = measure_type_shares()
    return [
        {
            "table": SHARES_TABLE, "row": name, "rival": hands, "paper": printed, "ci95": None, "seeds": "",
            "mean": 100 * float(counted[first : last + 1].sum()),
        }
        for name, (hands, first, last, printed) in FILE.others["shares"].items()
    ]  # fmt: skip


def _make_shares(name: str, rival: str, shares: Sequence[float], about: str) -> dict[str, Any]:
    """Return the result of shares, one for each seed."""
    return {
        "table": ACTIONS_TABLE, "row": name, "rival": rival, "paper": None,
        **summarise("", np.array(shares)).as_json(), "seeds": len(shares),
        "by_seed": [round(float(share), 4) for share in shares], "about": about,
    }  # fmt: skip
