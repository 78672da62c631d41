"""The experiments of Zheng et al. (2022): sheets, learners and their matches."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_baselines.papers.cells import StoredResults, summarise_runs
from card_baselines.papers.printed import Cell
from card_baselines.papers.protocol import Report, Reproduction, ReproductionOptions, Say
from card_baselines.papers.zheng2022.belief import compare_encoders
from card_baselines.papers.zheng2022.cheatem import CheatemAgent
from card_baselines.papers.zheng2022.duel import Duels, Learners, make_paper_game
from card_baselines.papers.zheng2022.experiments import (
    MAIN,
    MAKE,
    REWARD_IDEAS,
    TABLE_OPTIONS,
    TRAINED_OPTIONS,
    Experiment,
    TableOption,
)
from card_baselines.papers.zheng2022.networks import NetworkAgent
from card_baselines.papers.zheng2022.scales import Scale
from card_baselines.papers.zheng2022.shares import (
    measure_action_shares,
    measure_bad_types,
    measure_good_types,
    measure_type_shares,
)
from card_baselines.papers.zheng2022.sheet import Sheet, load_sheet, pretrain, save_sheet
from card_baselines.papers.zheng2022.situation import COLUMNS
from card_baselines.papers.zheng2022.strong import (
    play_best_responses,
    play_learned_response,
    play_strong_players,
)
from card_baselines.papers.zheng2022.table_player import TablePlayer
from card_baselines.papers.zheng2022.tables import (
    ACTIONS_TABLE,
    BAD_TYPES,
    CELLS,
    CHEATEM,
    DQN,
    FIXED,
    GOOD_TYPES,
    LEARNERS,
    OPTIONS_TABLE,
    PAPER_HANDS,
    PPO,
    RAISE,
    RANDOM,
    REWARDS_TABLE,
    RULE,
    SHARES,
    SHARES_TABLE,
    STATIC,
    STRONG_TABLE,
    TABLE,
)
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import CONFIG, git_commit
from card_envs.agent import Agent, find_agent
from card_envs.match import play_match
from card_envs.match.summary import summarise

_MATCH_SEED = 2022


class Zheng2022Reproduction(Reproduction[ReproductionOptions, Scale]):
    """Trains sheets and learners once, and plays their matches."""

    def __init__(self, options: ReproductionOptions, scale: Scale, root: Path, say: Say) -> None:
        super().__init__(options, scale, root, say)
        self._seeds = options.seeds or scale.seeds
        self._option_seeds = min(options.seeds or scale.option_seeds, self._seeds)
        self._game = make_paper_game()
        self._kept = StoredResults(root, "results.json")
        torch.set_num_threads(1)  # tiny networks: threads would wait for each other

    # --- training ---

    def _load_sheet(self, seed: int, repaired: bool = False) -> Sheet:
        """Return the cheating sheet of a seed, after pre-training it if it is missing."""
        path = self.root / "sheets" / f"{'repaired-' * repaired}s{seed}.csv"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            save_sheet(pretrain(self.scale.sheet_hands, seed, repaired=repaired), path)
        return load_sheet(path)

    def _folder(self, name: str, rival: str, seed: int) -> Path:
        """Return the folder of a learner that is trained against a rival."""
        return self.root / "runs" / name.replace(" ", "-") / rival / f"s{seed}"

    def _train(self, experiment: Experiment, seeds: int) -> None:
        """Train the learners of an experiment, unless all their folders exist."""
        runs = [(rival, seed) for rival in experiment.rivals for seed in range(seeds)]
        if all((self._folder(experiment.name, *run) / CONFIG).exists() for run in runs):
            return
        self.say(f"training {experiment.name} against {', '.join(experiment.rivals)}: {len(runs)} runs")
        start = time.process_time()
        run_seeds = [seed for _, seed in runs]
        sheets = [self._load_sheet(seed) for seed in run_seeds]
        learners = experiment.make(run_seeds, sheets)
        rivals = self._make_rivals(experiment.rivals, run_seeds, sheets)
        with ProgressBar(f"training {experiment.name}", len(runs) * self.scale.training_hands) as bar:
            Duels(learners, rivals, len(runs), seed=_MATCH_SEED).play(self.scale.training_hands, bar.advance)
        metadata = {
            "hands": self.scale.training_hands,
            "processor_seconds_of_all": round(time.process_time() - start, 1),
            "commit": git_commit(),
        }
        for k, (rival, seed) in enumerate(runs):
            learner: Any = learners.make_player(k)
            learner.save(self._folder(experiment.name, rival, seed), rival=rival, seed=seed, **metadata)
            if isinstance(rivals, Learners):  # the rival learned too, against this learner
                other: Any = rivals.make_player(k)
                other.save(self._folder(rival, experiment.name, seed), rival=experiment.name, seed=seed, **metadata)

    def _make_rivals(
        self, names: Sequence[str], seeds: Sequence[int], sheets: Sequence[Sheet]
    ) -> Learners | list[Agent]:
        """Return the rivals of all runs: learners of one kind, or a fixed agent for each run."""
        if names[0] in LEARNERS:
            return MAKE[names[0]]([seed + 500_000 for seed in seeds], sheets)
        per_rival = len(seeds) // len(names)
        fixed = {name: find_agent(FIXED[name], self._game) for name in names if name in FIXED}
        return [
            TablePlayer(sheet) if (name := names[k // per_rival]) == TABLE else fixed[name]
            for k, sheet in enumerate(sheets)
        ]

    # --- matches ---

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return a result for each number of a row, after training and playing what is missing."""
        cells = [cell for cell in CELLS if (cell.table, cell.row) == (table, row)]
        for cell in cells:
            for experiment in MAIN:
                pairs = {(experiment.name, rival) for rival in experiment.rivals}
                if (cell.row, cell.opponent) in pairs or (cell.opponent, cell.row) in pairs:
                    self._train(experiment, self._seeds)
        return [{"table": table, **self._measure(cell)} for cell in cells]

    def _measure(self, cell: Cell) -> dict[str, Any]:
        """Return our result for a printed number, over seeds if one of the players was trained or has a sheet."""
        name, rival = cell.row, cell.opponent
        is_fixed = name in FIXED and rival in FIXED
        matches = [self._match(name, rival, seed) for seed in range(1 if is_fixed else self._seeds)]
        control = None
        if name in LEARNERS and rival not in LEARNERS:
            control = _summarise([self._play_untrained(name, rival, seed) for seed in range(self._seeds)])
        return {
            "row": name, "rival": rival, "paper": cell.paper, **_summarise(matches),
            "of": "hands" if is_fixed else "seeds", "untrained": control,
        }  # fmt: skip

    def _match(self, name: str, rival: str, seed: int) -> dict[str, Any]:
        def play() -> dict[str, Any]:
            return self._play([self._load_player(name, rival, seed), self._load_player(rival, name, seed)], seed)

        return self._kept.get(f"{name} v {rival} s{seed}", play)

    def _play_untrained(self, name: str, rival: str, seed: int) -> dict[str, Any]:
        """Return the match of an untrained learner: the control of a row."""

        def play() -> dict[str, Any]:
            learner = MAKE[name]([seed], [self._load_sheet(seed)]).make_player(0)
            return self._play([learner, self._load_player(rival, name, seed)], seed)

        return self._kept.get(f"{name} untrained v {rival} s{seed}", play)

    def _load_player(self, name: str, rival: str, seed: int) -> Any:
        """Return a player; a learner is the one that was trained against `rival`."""
        if name in FIXED:
            return find_agent(FIXED[name], self._game)
        if name == TABLE:
            return TablePlayer(self._load_sheet(seed))
        folder = self._folder(name, rival, seed)
        return (CheatemAgent if "cheatem" in name else NetworkAgent)(folder)

    def _play(self, agents: list[Any], seed: int) -> dict[str, Any]:
        result = play_match(self._game, agents, self.scale.hands, _MATCH_SEED + seed, duplicate=True)
        won = result.agents[0]
        return {"mean": won.mean, "ci95": list(won.ci95), "hands": result.hands, "commit": git_commit()}

    # --- tables without printed numbers, and table 1 ---

    def play_table(self, table: int, rows: Sequence[str]) -> list[dict[str, Any]]:
        """Return the results of a table; the rows of tables 1 and 4 to 6 cannot be chosen."""
        if table == ACTIONS_TABLE:
            return self._measure_actions(rows)
        others = {
            SHARES_TABLE: _measure_shares,
            OPTIONS_TABLE: self._measure_options,
            REWARDS_TABLE: self._measure_reward_ideas,
            STRONG_TABLE: self._measure_strength,
        }
        return others[table]() if table in others else super().play_table(table, rows)

    def _measure_options(self) -> list[dict[str, Any]]:
        results = []
        for option in TABLE_OPTIONS:
            for rival in (RULE, RANDOM, RAISE):
                matches = [self._play_table_option(option, rival, seed) for seed in range(self._seeds)]
                results.append(_make_result(OPTIONS_TABLE, option.name, rival, matches, option.about))
        for experiment in (*MAIN[:1], *TRAINED_OPTIONS):
            results += self._measure_experiment(OPTIONS_TABLE, experiment)
        return results

    def _play_table_option(self, option: TableOption, rival: str, seed: int) -> dict[str, Any]:
        def play() -> dict[str, Any]:
            player = option.make_player(self._load_sheet(seed, option.repaired))
            return self._play([player, find_agent(FIXED[rival], self._game)], seed)

        return self._kept.get(f"{option.name} v {rival} s{seed}", play)

    def _measure_experiment(self, table: int, experiment: Experiment) -> list[dict[str, Any]]:
        """Return a result for each rival of an experiment, after training it."""
        seeds = self._seeds if experiment in MAIN else self._option_seeds
        self._train(experiment, seeds)
        name = experiment.name
        by_rival = {rival: [self._match(name, rival, seed) for seed in range(seeds)] for rival in experiment.rivals}
        return [_make_result(table, name, rival, matches, experiment.about) for rival, matches in by_rival.items()]

    def _measure_reward_ideas(self) -> list[dict[str, Any]]:
        plain = [experiment for experiment in MAIN if experiment.name != STATIC and RULE in experiment.rivals]
        by_experiment = [self._measure_experiment(REWARDS_TABLE, each) for each in (*plain, *REWARD_IDEAS)]
        return [result for results in by_experiment for result in results if result["rival"] == RULE]

    def _measure_actions(self, rows: Sequence[str]) -> list[dict[str, Any]]:
        """Return the values of sheets for good and bad card types, and the actions of PPO and DQN."""
        results = []
        if TABLE in rows:
            sheets = [self._load_sheet(seed) for seed in range(self._seeds)]
            for name, measure, what in (
                (BAD_TYPES, measure_bad_types, "share at which a fold has the highest value"),
                (GOOD_TYPES, measure_good_types, "share at which call and raise are worth more than a fold"),
            ):
                shares, counts = zip(*map(measure, sheets), strict=True)
                results.append(_make_shares(name, "", shares, f"{what}; {min(counts)} to {max(counts)} types a sheet"))
        for experiment in MAIN:
            if experiment.name in (PPO, DQN) and experiment.name in rows and {RULE, RANDOM} & set(experiment.rivals):
                self._train(experiment, self._option_seeds)
                for rival in experiment.rivals:
                    results += self._measure_action_shares(experiment.name, rival)
        return results

    def _measure_action_shares(self, name: str, rival: str) -> list[dict[str, Any]]:
        """Return the share of each action of a trained learner against the rival that it was trained against."""
        hands = min(self.scale.hands, PAPER_HANDS)

        def play(seed: int) -> dict[str, Any]:
            agents = [self._load_player(name, rival, seed), self._load_player(rival, name, seed)]
            return {"shares": measure_action_shares(agents, hands, _MATCH_SEED + seed)}

        played = [
            self._kept.get(f"actions of {name} v {rival} s{seed}, {hands} hands", partial(play, seed))["shares"]
            for seed in range(self._option_seeds)
        ]
        return [_make_shares(name, rival, [shares[column] for shares in played], column) for column in COLUMNS]

    def _measure_strength(self) -> list[dict[str, Any]]:
        """Return results of the table player and Cheat'em against responses and strong players, and of the encoders."""
        self._train(MAIN[0], self._seeds)
        hands, decisions = self.scale.strong_hands, self.scale.response_decisions
        cheatem = self._folder(CHEATEM, TABLE, 0)
        players: list[tuple[str, Agent, str]] = [
            (TABLE, TablePlayer(), "zheng2022_table"), (CHEATEM, CheatemAgent(cheatem), str(cheatem)),
        ]  # fmt: skip
        results = []
        for name, agent, spec in players:
            self.say(f"responses to {name}")
            folder = self.root / "runs" / f"responses-{decisions}" / name
            matches: dict[str, Callable[[], list[dict[str, Any]]]] = {
                "local": partial(play_best_responses, agent, hands),
                "learned": partial(play_learned_response, spec, folder, decisions, hands),
                "strong": partial(play_strong_players, agent, hands),
            }
            for kind, play in matches.items():
                key = f"{kind} response to {name}, {hands} hands, {decisions} decisions"
                rows = self._kept.get(key, lambda play=play: {"rows": play()})["rows"]  # type: ignore[misc]
                results += [{"table": STRONG_TABLE, "row": name, "paper": None, "seeds": 1, **row} for row in rows]
        self.say("learners with and without a sheet's values")
        return results + [row for count in self.scale.belief_decisions for row in self._measure_encoders(count)]

    def _measure_encoders(self, decisions: int) -> list[dict[str, Any]]:
        """Return the gain of self-play PPO that sees a sheet's values from one that does not, and of both from Rule."""
        root, hands = self.root / "runs" / f"belief-{decisions}", self.scale.hands
        matches = [
            self._kept.get(f"belief of {decisions} s{seed}", partial(compare_encoders, root, seed, decisions, hands))
            for seed in range(self._option_seeds)
        ]
        names, about = ("PPO with sheet", "PPO without sheet"), f"{decisions:,} decisions of self-play"
        results = [_make_result(STRONG_TABLE, names[0], names[1], matches, about)]
        for k, name in enumerate(names):
            against_rule = [{**match, "mean": match["from_rule"][k]} for match in matches]
            results.append(_make_result(STRONG_TABLE, name, RULE, against_rule, about))
        return results

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the report with the scale."""
        scale = self.scale
        chosen = " ".join(map(str, tables))
        content |= {
            "command": f"card-envs reproduce zheng2022 --scale {self.options.scale} --table {chosen}",
            "commit": git_commit(),
            "tables": list(tables),
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


def _measure_shares() -> list[dict[str, Any]]:
    """Return table 1: the share of each card type, counted here, beside the printed one."""
    counted = measure_type_shares()
    results = []
    for name, (hands, types, printed) in SHARES.items():
        percent = 100 * float(counted[list(types)].sum())
        results.append({
            "table": SHARES_TABLE, "row": name, "rival": hands, "paper": printed, "mean": percent, "ci95": None,
            "seeds": "",
        })  # fmt: skip
    return results


def _summarise(matches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return mean and interval over the matches of several runs, with the means and the hands."""
    return {
        **summarise_runs(matches),
        "seeds": len(matches),
        "by_seed": [round(float(match["mean"]), 4) for match in matches],
        "hands": sum(match["hands"] for match in matches),
    }


def _make_shares(name: str, rival: str, shares: Sequence[float], about: str) -> dict[str, Any]:
    """Return the result of shares, one for each seed."""
    found = summarise("", np.array(shares)) if len(shares) > 1 else None
    return {
        "table": ACTIONS_TABLE, "row": name, "rival": rival, "paper": None, "mean": float(np.mean(shares)),
        "ci95": list(found.ci95) if found else None, "seeds": len(shares),
        "by_seed": [round(float(share), 4) for share in shares], "about": about,
    }  # fmt: skip


def _make_result(table: int, name: str, rival: str, matches: Sequence[Mapping[str, Any]], about: str) -> dict[str, Any]:
    """Return the result of matches without a printed number."""
    return {"table": table, "row": name, "rival": rival, "paper": None, **_summarise(matches), "about": about}
