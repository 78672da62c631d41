"""How often the 95 % intervals of small matches hold the true mean, for scripted players and networks.

    python benchmarks/interval_coverage.py                                    # all pairs, about an hour of one core
    python benchmarks/interval_coverage.py --pairs "limit, chen v random" --matches 2000
    python benchmarks/interval_coverage.py --json docs/results/interval_coverage.json

The file is that of the table in docs/results/variance_reduction.md. Of each pair one long match of duplicate deals is
played. Small matches are drawn from its deals at random, each without repetition: all plays of a deal for a duplicate
match, one of them, in turn, for a plain one. Each has an estimate of its own, by the functions that `card-envs match`
calls. The truth is the estimate of the long match. A cell has the share of the intervals that hold it, their mean width
over the width that is needed, and the share of matches whose interval is refused.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from results import circumstances, write_json

from card_baselines.cli.console import print_table
from card_envs import make_game
from card_envs.agent import SupportsAct, find_agent
from card_envs.analysis.variance.control_terms import ControlUnits
from card_envs.analysis.variance.control_variates import UNEXPLAINED_HANDS, ControlVariates, summarise_adjusted
from card_envs.analysis.variance.regression import estimate_adjusted, evidence_of
from card_envs.game import Game
from card_envs.match import MatchBatch, Summary, play_match, summarise_deals
from card_envs.match.summary import FEWEST_DEALS, num_hands_needed
from card_envs.typing import Floats

HANDS = (50, 100, 300, 1000)
"""Hands of the small matches."""
METHODS = {"plain": (False, False), "duplicate": (True, False), "controls": (False, True), "both": (True, True)}
"""Name -> whether deals are duplicate, whether control variates are used."""
_SIX = ["ppo_limit_six_max", *["tight_aggressive"] * 5]
_MANY = ["cfr_no_limit_six_max", "equity", "position_ranges", "tight_no_limit_six_max", "always_call", "equity"]
PAIRS: dict[str, tuple[str, dict[str, int], list[str], int]] = {
    "limit, chen v random": ("limit_holdem-v0", {}, ["chen", "random"], 40_000),
    "limit, equity v tight_aggressive": ("limit_holdem-v0", {}, ["equity", "tight_aggressive"], 40_000),
    "limit, ppo_limit_hu v chen": ("limit_holdem-v0", {}, ["ppo_limit_hu", "chen"], 30_000),
    "no limit, equity v tight_aggressive": (
        "no_limit_holdem-v0", {"num_players": 2}, ["equity", "tight_aggressive"], 30_000),
    "no limit, ppo_no_limit_hu v tight_aggressive": (
        "no_limit_holdem-v0", {"num_players": 2}, ["ppo_no_limit_hu", "tight_aggressive"], 30_000),
    "six-max limit, ppo_limit_six_max v five tight_aggressive": ("limit_holdem-v0", {"num_players": 6}, _SIX, 120_000),
    "six-max no limit, ppo_no_limit_six_max v five tight_aggressive": (
        "no_limit_holdem-v0", {"num_players": 6}, ["ppo_no_limit_six_max", *["tight_aggressive"] * 5], 90_000),
    "six-max no limit, cfr_no_limit_six_max v others": ("no_limit_holdem-v0", {"num_players": 6}, _MANY, 30_000),
    "Kuhn, random_low_fold v cfr": ("kuhn_poker-v0", {}, ["random_low_fold", "cfr"], 200_000),
    "Leduc, random_low_fold v cfr": ("leduc_holdem-v0", {}, ["random_low_fold", "cfr"], 100_000),
    "Big 2, ppo_big2 v three big2_greedy": ("big2-v0", {}, ["ppo_big2", *["big2_greedy"] * 3], 20_000),
}  # fmt: skip
"""Name -> environment, its settings, agents, hands of the long matches."""
WITHOUT_DUPLICATES = "six-max no limit, cfr_no_limit_six_max v others"
"""Pair whose deals are played once: the first agent's results have a skewness of 6."""


@dataclass(frozen=True, eq=False)
class Deals:
    """The deals of a long match, as the first agent fared in them."""

    results: Floats
    """(deals, plays, agents): rewards of all agents."""
    adjusted: Floats
    """(deals, plays): rewards less what control variates take off without a regression."""
    controls: NDArray[np.float32]
    """(deals, plays, k)."""
    units: ControlUnits

    def __len__(self) -> int:
        """Return the number of deals."""
        return len(self.results)

    @property
    def rewards(self) -> Floats:
        """(deals, plays): rewards of the first agent."""
        return self.results[:, :, 0]

    def one_play(self) -> Deals:
        """Return the deals with one play each, the agents at the next seats from deal to deal."""
        rows = np.arange(len(self))
        plays = rows % self.rewards.shape[1]
        return Deals(
            self.results[rows, plays][:, None], self.adjusted[rows, plays, None], self.controls[rows, plays][:, None],
            self.units,
        )  # fmt: skip

    def summarise(self, rows: NDArray[np.int64], with_controls: bool) -> Summary:
        """Return the result of a match of these deals."""
        plain = summarise_deals("", self.rewards[rows].mean(axis=1))
        hands_needed = self._hands_needed(rows)
        if not with_controls:
            return plain.without_interval(hands_needed)
        whole = self.controls[rows].astype(np.float64), self.adjusted[rows]
        estimate = estimate_adjusted(evidence_of(*whole, np.arange(len(rows)), whole), self.units)
        unexplained = UNEXPLAINED_HANDS / self.rewards.shape[1]
        return summarise_adjusted("", estimate, plain.sd, len(rows), unexplained).without_interval(hands_needed)

    def _hands_needed(self, rows: NDArray[np.int64]) -> int | None:
        """Return `MatchResult.hands_needed` of a match of these deals."""
        _, plays, agents = self.results.shape
        if agents == 2:
            return None
        if plays > 1:
            return FEWEST_DEALS * plays if len(rows) < FEWEST_DEALS else None
        return num_hands_needed(self.results[rows, 0])


class _Recorder(ControlVariates):
    """Control variates that keep the controls of the first agent in every hand."""

    def __init__(self, game: Game, agents: Sequence[SupportsAct], seed: int) -> None:
        super().__init__(game, agents, seed)
        self.units = self._controls.units
        self.controls, self.corrections = list[NDArray[np.float32]](), list[Floats]()

    def on_end(self, batch: MatchBatch) -> None:
        """Keep controls and corrections."""
        found = self._controls.compute_controls(batch, [0])[0]
        self.controls.append(found.terms.astype(np.float32))
        self.corrections.append(found.correction)


def play_deals(pair: str, seed: int) -> Deals:
    """Play the long match of a pair and return its deals."""
    env, settings, names, hands = PAIRS[pair]
    game = make_game(env, **settings)
    agents = [find_agent(name, game) for name in names]
    recorder = _Recorder(game, agents, seed)
    is_duplicate = pair != WITHOUT_DUPLICATES
    result = play_match(game, agents, hands, seed, duplicate=is_duplicate, num_tables=2048, callbacks=[recorder])
    results = (result.payoffs / result.chips_per_reward).reshape(result.deals, -1, len(agents))
    adjusted = results[:, :, 0] - np.concatenate(recorder.corrections).reshape(results.shape[:2])
    return Deals(results, adjusted, np.concatenate(recorder.controls).reshape(*adjusted.shape, -1), recorder.units)


def draw_matches(deals: int, size: int, matches: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield the deals of each small match: parts of as many random orders of all deals as are needed."""
    while matches > 0:
        parts = rng.permutation(deals)[: deals - deals % size].reshape(-1, size)[:matches]
        yield from parts
        matches -= len(parts)


def measure(deals: Deals, with_controls: bool, size: int, matches: int, truth: float) -> dict[str, float]:
    """Return which share of the intervals of matches of `size` deals hold the truth, and how wide they are.

    The width that is needed is that of the central 95 % of the means.
    """
    found = [deals.summarise(rows, with_controls)
             for rows in draw_matches(len(deals), size, matches, np.random.default_rng(0))]  # fmt: skip
    given = [summary for summary in found if summary.hands_needed is None]
    if not given:
        return {"matches": len(found), "deals": size, "refused": 1.0}
    low, high = np.array([summary.ci95 for summary in given]).T
    least, most = np.quantile([summary.mean for summary in found], [0.025, 0.975])
    return {
        "matches": len(found),
        "deals": size,
        "refused": 1.0 - len(given) / len(found),
        "needed": float(most - least) / 2,
        "coverage": float(np.mean((low <= truth) & (truth <= high))),
        "truth_above": float(np.mean(high < truth)),
        "truth_below": float(np.mean(truth < low)),
        "half_width": float(np.mean(high - low)) / 2,
    }


def measure_pair(pair: str, deals: Deals, matches: int) -> list[dict[str, Any]]:
    """Return the cells of a pair."""
    cells: list[dict[str, Any]] = []
    methods = {name: uses for name, uses in METHODS.items() if not uses[0] or deals.rewards.shape[1] > 1}
    for method, (is_duplicate, with_controls) in methods.items():
        played = deals if is_duplicate else deals.one_play()
        truth = played.summarise(np.arange(len(played)), with_controls).mean
        for hands in HANDS:
            size = -(-hands // played.rewards.shape[1])
            cell = measure(played, with_controls, size, matches if with_controls else 5 * matches, truth)
            cells.append({"pair": pair, "method": method, "hands": hands, "truth": truth, **cell})
    return cells


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", nargs="+", default=list(PAIRS), choices=list(PAIRS), metavar="PAIR")
    parser.add_argument("--matches", type=int, default=400, help="small matches a cell; plain ones: five times as many")
    parser.add_argument("--seed", type=int, default=101)
    parser.add_argument("--json", type=Path, help="file to write; the other pairs of one that is there stay")
    args = parser.parse_args()
    for pair in args.pairs:
        used = time.process_time()
        cells = measure_pair(pair, play_deals(pair, args.seed), args.matches)
        rows = [[f"{hands} hands", *(_cell(cells, method, hands) for method in METHODS)] for hands in HANDS]
        print_table(["", *METHODS], rows, f"{pair} ({time.process_time() - used:.0f} processor seconds)")
        if args.json is not None:
            write_json(args.json, merge_cells(args.json, pair, cells))


def merge_cells(path: Path, pair: str, cells: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the report of a file, if it is there, with new cells of a pair."""
    report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"cells": []}
    others = [cell for cell in report["cells"] if cell["pair"] != pair]
    return {"circumstances": circumstances(), "cells": [*others, *cells]}


def _cell(cells: Sequence[dict[str, Any]], method: str, hands: int) -> str:
    cell = next((cell for cell in cells if (cell["method"], cell["hands"]) == (method, hands)), None)
    if cell is None:
        return ""
    if cell["refused"] == 1.0:
        return "refused"
    refused = f", {cell['refused']:.1%} refused" if cell["refused"] else ""
    return f"{cell['coverage']:.1%} x {cell['half_width'] / cell['needed']:.2f}{refused}"


if __name__ == "__main__":
    main()
