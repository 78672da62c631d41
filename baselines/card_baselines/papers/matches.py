"""Papers whose printed numbers are matches of two players: over seeds, beside an untrained control."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from card_baselines.papers.claims import (
    Claim,
    Printed,
    Way,
    choose_weakest,
    compare_run,
    compare_with_printed,
    describe_rank,
    format_gain,
    format_paper,
    measure_claims,
    summarise_runs,
)
from card_baselines.papers.printed import Cell, PaperFile
from card_baselines.papers.protocol import Options, Reproduction, Scale, add_control
from card_baselines.text_table import Columns
from card_envs.agent import Agent
from card_envs.game import Game
from card_envs.match import play_match

_FIRST_SEED = 2022


@dataclass(frozen=True, kw_only=True)
class MatchScale(Scale):
    """Amount of training and play."""

    seeds: int
    """Runs of each player that is trained."""
    hands: int
    """Hands of each match; each deal is replayed with the seats exchanged."""


AnyMatchScale = TypeVar("AnyMatchScale", bound=MatchScale)


class MatchReproduction(Reproduction[Options, AnyMatchScale]):
    """Plays a match for each printed number and seed, after training what it needs."""

    file: ClassVar[PaperFile]
    learners: ClassVar[Collection[str]]
    """Players that are trained. Against others they have an untrained control."""
    fixed: ClassVar[Collection[str]]
    """Players that are the same with every seed."""
    game: Game

    @abstractmethod
    def make_player(self, name: str, rival: str, seed: int, is_trained: bool) -> Agent:
        """Return a player, after training it if it is missing; or, if it is a learner, before its training.

        Args:
            name: Name of the player in the paper's file.
            rival: The player that it meets, and is trained against if the paper does so.
            seed: Seed of its training.
            is_trained: False for the untrained control.
        """

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return a result for each number of a row, after training and playing what is missing."""
        return [{"table": table, **self._measure(cell)} for cell in self.file.find_cells(table, row)]

    def _measure(self, cell: Cell) -> dict[str, Any]:
        has_control = cell.row in self.learners and cell.opponent not in self.learners
        return add_control(self._play_seeds(cell), self._play_seeds(cell, is_trained=False) if has_control else None)

    def _play_seeds(self, cell: Cell, is_trained: bool = True) -> dict[str, Any]:
        """Return mean and interval over matches of several seeds, with the means and the hands."""
        name, rival = cell.row, cell.opponent
        is_fixed = name in self.fixed and rival in self.fixed
        seeds = self.seeds[:1] if is_fixed else self.seeds
        cells = [{"row": name, "rival": rival, "seed": seed, "is_trained": is_trained} for seed in seeds]
        matches = self.grid.fill(cells, self._play_cell)
        return {
            "row": name, "rival": rival, "paper": cell.paper, **summarise_runs(matches), "seeds": len(matches),
            "by_seed": [round(float(match["mean"]), 4) for match in matches],
            "hands": sum(match["hands"] for match in matches), "of": "hands" if is_fixed else "seeds",
        }  # fmt: skip

    def _play_cell(self, cell: Mapping[str, Any]) -> dict[str, Any]:
        name, rival, seed = cell["row"], cell["rival"], cell["seed"]
        agents = [self.make_player(name, rival, seed, cell["is_trained"]), self.make_player(rival, name, seed, True)]
        result = play_match(self.game, agents, self.scale.hands, _FIRST_SEED + seed, duplicate=True)
        return {**result.agents[0].as_json(), "hands": result.hands}


def judge_match(result: Mapping[str, Any], results: Sequence[Mapping[str, Any]], noise: float = 0.0) -> dict[str, str]:
    """Return the verdict on a printed gain: over runs where somebody learned, over hands where nobody did.

    Args:
        result: The result of a match.
        results: All results.
        noise: Half width of the 95 % interval of the printed number, from the paper's own number of hands.
    """
    printed = Printed.gain(result["paper"], noise)
    if result["of"] == "hands":
        return {"verdict": compare_with_printed(printed, result["mean"], result["ci95"])}
    return {"verdict": compare_run(printed, result["by_seed"])}


def _format_seeds(result: Mapping[str, Any]) -> str:
    """Return the number of seeds, with the worst and the best."""
    by_seed = result.get("by_seed", [])
    return f"{len(by_seed)}: {min(by_seed):+.2f} .. {max(by_seed):+.2f}" if len(by_seed) > 1 else "1"


MATCH_COLUMNS: Columns = {
    "player": lambda r: r["row"],
    "against": lambda r: r["rival"],
    "paper": format_paper,
    "ours (± 95 %)": format_gain,
    "seeds": _format_seeds,
    "printed number among them": lambda r: describe_rank(r["paper"], r["by_seed"]),
    "untrained": lambda r: format_gain(r.get("untrained")),
    "verdict": lambda r: r["verdict"],
}
"""Columns of a table of matches."""


# --- claims about matches ---

Results = Sequence[Mapping[str, Any]]


def find_matches(results: Results) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return the results of matches among all results, by player and rival."""
    return {(each["row"], each["rival"]): each for each in results if "by_seed" in each and "about" not in each}


def _measure_gain(results: Results, claim: Claim, player: str, rival: str) -> Claim | None:
    """Return the claim with the gain of a player from a rival."""
    match = find_matches(results).get((player, rival))
    return None if match is None else claim.with_runs(match["by_seed"])


def _measure_smallest_gain(results: Results, claim: Claim, player: str) -> Claim | None:
    """Return the claim with the smallest gain of a player from its rivals, beside the untrained control."""
    return choose_weakest(
        {
            f"against {rival}": claim.with_runs(match["by_seed"]).with_control(match.get("untrained"))
            for (name, rival), match in find_matches(results).items()
            if name == player
        }
    )


def _compare_players(results: Results, claim: Claim, player: str, other: str, *rivals: str) -> list[Claim]:
    """Return a claim for each rival: what a player wins from it, less what another player does."""
    matches = find_matches(results)
    return [
        replace(claim, claim=f"{claim.claim} from {rival}").with_difference(
            matches[player, rival]["by_seed"], matches[other, rival]["by_seed"]
        )
        for rival in rivals
        if (player, rival) in matches and (other, rival) in matches
    ]


WAYS: Mapping[str, Way] = {
    "gain": _measure_gain, "smallest gain": _measure_smallest_gain, "compare": _compare_players,
}  # fmt: skip
"""Name in a `paper.toml` -> way to measure a claim about matches."""


def measure_match_claims(
    file: PaperFile, content: Mapping[str, Any], ways: Mapping[str, Way] = MappingProxyType({})
) -> list[Claim]:
    """Return the claims of a paper that a report can measure, by `WAYS` and by further ways of the paper."""
    return measure_claims(file.claims.values(), {**WAYS, **ways}, content["results"])
