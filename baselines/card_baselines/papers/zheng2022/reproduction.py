"""The experiments of Zheng et al. (2022) at one scale, in one folder, and what they show."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_baselines.papers.cells import Cell, KeptResults
from card_baselines.papers.protocol import Report, Say
from card_baselines.papers.zheng2022.belief import compare
from card_baselines.papers.zheng2022.cheatem import CheatemAgent
from card_baselines.papers.zheng2022.duel import Duels, Learners, game_of_paper
from card_baselines.papers.zheng2022.experiments import (
    MAIN,
    MAKE,
    REWARD_IDEAS,
    TABLE_OPTIONS,
    TRAINED_OPTIONS,
    Experiment,
)
from card_baselines.papers.zheng2022.networks import NetworkAgent
from card_baselines.papers.zheng2022.scales import SCALES, Scale
from card_baselines.papers.zheng2022.shares import share_of_types
from card_baselines.papers.zheng2022.sheet import Sheet, load_sheet, pretrain, save_sheet
from card_baselines.papers.zheng2022.strong import (
    against_best_responses,
    against_learned_response,
    against_strong_players,
)
from card_baselines.papers.zheng2022.table_player import TablePlayer
from card_baselines.papers.zheng2022.tables import (
    CELLS,
    CHEATEM,
    FIXED,
    LEARNERS,
    OPTIONS_TABLE,
    PAPER_HANDS,
    RAISE,
    RANDOM,
    REWARDS_TABLE,
    RULE,
    SHARES,
    SHARES_TABLE,
    STATIC,
    STRONG_TABLE,
    TABLE,
    UNIT,
)
from card_baselines.run_folder import CONFIG, git_commit
from card_envs.agent import Agent, find_agent
from card_envs.match import play_match, summarise

_MATCH_SEED = 2022


class Zheng2022Reproduction:
    """Trains sheets and learners once, keeps them, and plays them."""

    def __init__(self, scale: Scale, root: Path, seeds: int, say: Say) -> None:
        """Keep everything in `root`; `seeds` 0 are those of the scale."""
        self._scale, self._root, self._say = scale, root, say
        self._seeds = seeds or scale.seeds
        self._option_seeds = min(seeds or scale.option_seeds, self._seeds)
        self._game = game_of_paper()
        self._kept = KeptResults(root, "results.json")
        torch.set_num_threads(1)  # tiny networks: threads would wait for each other

    # --- training ---

    def sheet(self, seed: int, repaired: bool = False) -> Sheet:
        """Return the cheating sheet of a seed, after pre-training it if it is missing."""
        path = self._root / "sheets" / f"{'repaired-' * repaired}s{seed}.csv"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            save_sheet(pretrain(self._scale.sheet_hands, seed, repaired=repaired), path)
        return load_sheet(path)

    def train(self, row: str, seed: int) -> Path:
        """Return the folder of a learner trained against Rule, after training it with all others of its experiment."""
        experiment = next(e for e in MAIN if e.name == row and RULE in e.rivals)
        self._train(experiment, max(self._seeds, seed + 1))
        return self._folder(row, RULE, seed)

    def _folder(self, name: str, rival: str, seed: int) -> Path:
        return self._root / "runs" / name.replace(" ", "-") / rival / f"s{seed}"

    def _train(self, experiment: Experiment, seeds: int) -> None:
        """Train an experiment unless all its learners are there."""
        wanted = [(rival, seed) for rival in experiment.rivals for seed in range(seeds)]
        if all((self._folder(experiment.name, *one) / CONFIG).exists() for one in wanted):
            return
        self._say(f"training {experiment.name} against {', '.join(experiment.rivals)}: {len(wanted)} runs")
        began = time.process_time()
        numbers = [seed for _, seed in wanted]
        sheets = [self.sheet(seed) for seed in numbers]
        learners = experiment.make(numbers, sheets)
        rivals = self._rivals(experiment.rivals, numbers, sheets)
        Duels(learners, rivals, len(wanted), seed=_MATCH_SEED).play(self._scale.training_hands)
        facts = {
            "hands": self._scale.training_hands,
            "processor_seconds_of_all": round(time.process_time() - began, 1),
            "commit": git_commit(),
        }
        for k, (rival, seed) in enumerate(wanted):
            self._save(learners.make_player(k), self._folder(experiment.name, rival, seed), rival, seed, facts)
            if isinstance(rivals, Learners):  # it learned too, from this learner
                folder = self._folder(rival, experiment.name, seed)
                self._save(rivals.make_player(k), folder, experiment.name, seed, facts)

    def _rivals(self, names: Sequence[str], seeds: Sequence[int], sheets: Sequence[Sheet]) -> Learners | list[Agent]:
        if names[0] in LEARNERS:
            return MAKE[names[0]]([seed + 500_000 for seed in seeds], sheets)
        per_rival = len(seeds) // len(names)
        fixed = {name: find_agent(FIXED[name], self._game) for name in names if name in FIXED}
        return [
            TablePlayer(sheet) if (name := names[k // per_rival]) == TABLE else fixed[name]
            for k, sheet in enumerate(sheets)
        ]

    @staticmethod
    def _save(agent: Any, folder: Path, rival: str, seed: int, facts: dict[str, Any]) -> None:
        agent.save(folder, rival=rival, seed=seed, **facts)

    # --- playing ---

    def _player(self, name: str, rival: str, seed: int) -> Any:
        if name in FIXED:
            return find_agent(FIXED[name], self._game)
        if name == TABLE:
            return TablePlayer(self.sheet(seed))
        folder = self._folder(name, rival, seed)
        return (CheatemAgent if "cheatem" in name else NetworkAgent)(folder)

    def _gain(self, cell: Cell) -> dict[str, Any]:
        """Return the winnings of a player from a rival, over seeds where either was trained or has a sheet."""
        name, rival = cell.row, cell.opponent
        is_fixed = name in FIXED and rival in FIXED
        played = [self._match(name, rival, seed) for seed in range(1 if is_fixed else self._seeds)]
        return {
            "row": name, "rival": rival, "paper": cell.paper, **_summarise_runs(played),
            "of": "hands" if is_fixed else "seeds", "untrained": self._control_gain(name, rival),
        }  # fmt: skip

    def _control_gain(self, name: str, rival: str) -> dict[str, Any] | None:
        """Return the winnings of an untrained learner from a rival that does not learn: the control of a row."""
        if name not in LEARNERS or rival in LEARNERS:
            return None
        return _summarise_runs([self._play_control(name, rival, seed) for seed in range(self._seeds)])

    def _play_control(self, name: str, rival: str, seed: int) -> dict[str, Any]:
        def play() -> dict[str, Any]:
            learner = MAKE[name]([seed], [self.sheet(seed)]).make_player(0)
            return self._play([learner, self._player(rival, name, seed)], seed)

        return self._kept.get(f"{name} untrained v {rival} s{seed}", play)

    def _match(self, name: str, rival: str, seed: int) -> dict[str, Any]:
        def play() -> dict[str, Any]:
            agents = [self._player(name, rival, seed), self._player(rival, name, seed)]
            return self._play(agents, seed)

        return self._kept.get(f"{name} v {rival} s{seed}", play)

    def _play(self, agents: list[Any], seed: int) -> dict[str, Any]:
        result = play_match(self._game, agents, self._scale.hands, _MATCH_SEED + seed, duplicate=True)
        won = result.agents[0]
        return {"mean": won.mean, "ci95": list(won.ci95), "hands": result.hands, "commit": git_commit()}

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return a result for each number of a row, after training and playing what is missing."""
        cells = [cell for cell in CELLS if (cell.table, cell.row) == (table, row)]
        for cell in cells:
            self._train_for(cell)
        return [{"table": table, **self._gain(cell)} for cell in cells]

    def _train_for(self, cell: Cell) -> None:
        for experiment in MAIN:
            pairs = {(experiment.name, rival) for rival in experiment.rivals}
            if (cell.row, cell.opponent) in pairs or (cell.opponent, cell.row) in pairs:
                self._train(experiment, self._seeds)

    # --- tables that are not the paper's ---

    def _table(self, number: int, rows: Sequence[str]) -> list[dict[str, Any]]:
        """Return the results of a table; `rows` choose within tables 2 and 3."""
        others = {
            SHARES_TABLE: _shares,
            OPTIONS_TABLE: self._options,
            REWARDS_TABLE: self._reward_ideas,
            STRONG_TABLE: self._strong,
        }
        if number in others:
            return others[number]()
        return [result for row in rows for result in self.play(number, row)]

    def _options(self) -> list[dict[str, Any]]:
        results = []
        for option in TABLE_OPTIONS:
            for rival in (RULE, RANDOM, RAISE):
                found = [self._table_option(option, rival, seed) for seed in range(self._seeds)]
                results.append(self._summary(OPTIONS_TABLE, option.name, rival, found, option.about))
        for experiment in (*MAIN[:1], *TRAINED_OPTIONS):
            results += self._play_trained(OPTIONS_TABLE, experiment)
        return results

    def _table_option(self, option: Any, rival: str, seed: int) -> dict[str, Any]:
        def play() -> dict[str, Any]:
            player = option.player(self.sheet(seed, option.repaired))
            return self._play([player, find_agent(FIXED[rival], self._game)], seed)

        return self._kept.get(f"{option.name} v {rival} s{seed}", play)

    def _play_trained(self, table: int, experiment: Experiment) -> list[dict[str, Any]]:
        seeds = self._seeds if experiment in MAIN else self._option_seeds
        self._train(experiment, seeds)
        return [
            self._summary(
                table, experiment.name, rival, [self._match(experiment.name, rival, seed) for seed in range(seeds)],
                experiment.about,
            )
            for rival in experiment.rivals
        ]  # fmt: skip

    @staticmethod
    def _summary(table: int, name: str, rival: str, played: list[dict[str, Any]], about: str) -> dict[str, Any]:
        return {"table": table, "row": name, "rival": rival, "paper": None, **_summarise_runs(played), "about": about}

    def _reward_ideas(self) -> list[dict[str, Any]]:
        plain = [experiment for experiment in MAIN if experiment.name != STATIC and RULE in experiment.rivals]
        found = [row for experiment in (*plain, *REWARD_IDEAS) for row in self._play_trained(REWARDS_TABLE, experiment)]
        return [row for row in found if row["rival"] == RULE]

    def _strong(self) -> list[dict[str, Any]]:
        self._train(MAIN[0], self._seeds)
        hands, decisions = self._scale.strong_hands, self._scale.response_decisions
        cheatem = self._folder(CHEATEM, TABLE, 0)
        found = []
        for name, agent, spec in (
            (TABLE, TablePlayer(), "zheng2022_table"),
            (CHEATEM, CheatemAgent(cheatem), str(cheatem)),
        ):
            folder = self._root / "runs" / f"responses-{decisions}" / name
            self._say(f"responses to {name}")
            for about, play in (
                ("local", partial(against_best_responses, agent, hands)),
                ("learned", partial(against_learned_response, spec, folder, decisions, hands)),
                ("strong", partial(against_strong_players, agent, hands)),
            ):
                rows = self._kept.get(
                    f"{about} response to {name}, {hands} hands, {decisions} decisions", partial(_rows, play)
                )["rows"]
                found += [{"table": STRONG_TABLE, "row": name, "paper": None, "seeds": 1, **row} for row in rows]
        return [*found, *self._belief()]

    def _belief(self) -> list[dict[str, Any]]:
        """Return the gain of self-play PPO that sees a sheet's values from one that does not, and of both from Rule."""
        self._say("learners with and without a sheet's values")
        return [row for decisions in self._scale.belief_decisions for row in self._belief_of(decisions)]

    def _belief_of(self, decisions: int) -> list[dict[str, Any]]:
        root, hands = self._root / "runs" / f"belief-{decisions}", self._scale.hands
        found = [
            self._kept.get(f"belief of {decisions} s{seed}", partial(compare, root, seed, decisions, hands))
            for seed in range(self._option_seeds)
        ]
        names, about = ("PPO with sheet", "PPO without sheet"), f"{decisions:,} decisions of self-play"
        results = [self._summary(STRONG_TABLE, names[0], names[1], found, about)]
        for k, name in enumerate(names):
            from_rule = [{**one, "mean": one["from_rule"][k]} for one in found]
            results.append(self._summary(STRONG_TABLE, name, RULE, from_rule, about))
        return results

    def report(self, tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return everything about some of the tables; rows choose within tables 2 and 3."""
        results = [result for number in tables for result in self._table(number, rows)]
        scale = self._scale
        content = {
            "paper": "zheng2022", "command": _command(scale, tables), "commit": git_commit(), "unit": UNIT,
            "tables": list(tables), "results": results,
            "scale": {
                "seeds": self._seeds, "option_seeds": self._option_seeds, "sheet_hands": scale.sheet_hands,
                "training_hands": scale.training_hands, "hands": scale.hands,
            },
        }  # fmt: skip
        notes = (
            f"{scale.sheet_hands:,} hands for a sheet, {scale.training_hands:,} for a learner, matches of "
            f"{scale.hands:,} hands with each deal replayed; the paper played {PAPER_HANDS:,}. Intervals are over "
            "seeds, each with its own sheet.",
        )
        return Report(content, notes)


def _shares() -> list[dict[str, Any]]:
    """Return table 1: the share of each card type, counted here, beside the printed one."""
    counted = share_of_types()
    results = []
    for name, (hands, types, printed) in SHARES.items():
        percent = 100 * float(counted[list(types)].sum())
        results.append({
            "table": SHARES_TABLE, "row": name, "rival": hands, "paper": printed, "mean": percent, "ci95": None,
            "seeds": "",
        })  # fmt: skip
    return results


def _command(scale: Scale, tables: Sequence[int]) -> str:
    names = [name for name, known in SCALES.items() if known == scale]
    return f"card-envs reproduce zheng2022 --scale {names[0] if names else '...'} --table {' '.join(map(str, tables))}"


def _rows(play: Callable[[], list[dict[str, Any]]]) -> dict[str, Any]:
    return {"rows": play()}


def _summarise_runs(played: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return mean and interval over the runs of some matches, or over the hands of a single one."""
    means = np.array([match["mean"] for match in played])
    return {
        "mean": float(means.mean()),
        "ci95": list(summarise("", means).ci95) if len(means) > 1 else played[0]["ci95"],
        "seeds": len(means), "by_seed": [round(float(mean), 4) for mean in means],
        "hands": sum(match["hands"] for match in played),
    }  # fmt: skip
