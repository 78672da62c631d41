"""What the text of Shi et al. (2022) says beyond its tables, measured from the runs of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from card_baselines.papers.claims import Claim, choose_weakest
from card_baselines.papers.shi2022.paper import FILE, SEARCHING

_ROWS = ("apu", "dual-apu")
_GAINS = {1: _ROWS, 3: ("apu-ctrl", "dual-apu-ctrl")}
"""Table -> rows that play against scripted players."""
_UNSTABLE_EPISODES = 8000
"""Number of episodes before which all algorithms change a lot."""


def measure_claims(content: Mapping[str, Any]) -> list[Claim]:
    """Return the claims that the results and runs of a report can measure, in the order of the file."""
    results = content["results"]
    measured = _measure_wins(results) | _compare_algorithms(results) | _measure_matches(results)
    measured |= _measure_curves(content["runs"])
    return [measured[name] for name in FILE.claims if name in measured]


def _collect_scripted(results: Sequence[Mapping[str, Any]], row: str) -> dict[str, Mapping[str, Any]]:
    """Return the results of a row against scripted opponents, by opponent."""
    return {
        result["variant"]: result
        for result in results
        if result["row"] == row and row in _GAINS.get(result["table"], ()) and result["variant"] not in SEARCHING
    }


def _find_runs(result: Mapping[str, Any]) -> list[float]:
    return [match["ours"]["mean"] for match in result["seeds"]]


def _measure_wins(results: Sequence[Mapping[str, Any]]) -> dict[str, Claim]:
    measured = {}
    for row in _ROWS:
        claim = FILE.claims[f"{row} wins"]
        claims = {
            variant: claim.with_runs(_find_runs(result)).with_control(result.get("untrained"))
            for variant, result in _collect_scripted(results, row).items()
        }
        if claims:
            measured[f"{row} wins"] = choose_weakest(claims)
    return measured


def _compare_algorithms(results: Sequence[Mapping[str, Any]]) -> dict[str, Claim]:
    """Return comparisons of algorithms by their mean gain from all scripted players."""
    by_row = {row: _collect_scripted(results, row) for rows in _GAINS.values() for row in rows}
    means = {row: np.mean([_find_runs(each) for each in won.values()], axis=0) for row, won in by_row.items() if won}
    pairs = (("apu", "dual-apu"), ("apu", "apu-ctrl"), ("dual-apu", "dual-apu-ctrl"))
    return {
        f"{row} v {other}": FILE.claims[f"{row} v {other}"].with_difference(means[row].tolist(), means[other].tolist())
        for row, other in pairs
        if row in means and other in means
    }


def _measure_matches(results: Sequence[Mapping[str, Any]]) -> dict[str, Claim]:
    """Return the claims on matches with the controls, and with networks that read the history otherwise."""
    gains = {(each["table"], each["row"], each["variant"]): _find_runs(each) for each in results}
    measured = {}
    for table, row in ((4, "apu"), (5, "dual-apu")):
        if runs := gains.get((2, row, f"{row}-ctrl")):
            measured[f"{row} beats control"] = FILE.claims[f"{row} beats control"].with_runs(runs)
        none, fc = gains.get((table, row, f"{row} none")), gains.get((table, row, f"{row} fc"))
        if none is not None and fc is not None:
            measured[f"{row} none"] = FILE.claims[f"{row} none"].with_runs(none)
            measured[f"{row} fc"] = FILE.claims[f"{row} fc"].with_runs(fc)
            measured[f"{row} fc v none"] = FILE.claims[f"{row} fc v none"].with_difference(none, fc)
    return measured


def _measure_curves(runs: Sequence[Mapping[str, Any]]) -> dict[str, Claim]:
    """Return the claims on convergence and stability, from the gains along the training with the LSTM."""
    changes: dict[str, list[list[float]]] = {}
    for run in runs:
        gains = [
            np.mean([value for key, value in row.items() if key.startswith("v ") and "half_width" not in key])
            for row in run["curve"]
            if row["episodes"] >= _UNSTABLE_EPISODES
        ]
        if run["history"] == "lstm" and len(gains) > 1:
            changes.setdefault(run["algorithm"], []).append(np.diff(gains).tolist())
    measured = {}
    for row in _ROWS:
        if row in changes:
            measured[f"{row} converges"] = FILE.claims[f"{row} converges"].with_runs([run[-1] for run in changes[row]])
        if row in changes and f"{row}-ctrl" in changes:
            sizes = [[float(np.mean(np.abs(run))) for run in changes[each]] for each in (row, f"{row}-ctrl")]
            measured[f"{row} is stable"] = FILE.claims[f"{row} is stable"].with_difference(*sizes)
    return measured
