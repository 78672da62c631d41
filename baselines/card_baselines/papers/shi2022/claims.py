"""What the text of Shi et al. (2022) says beyond its tables, measured from the runs of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from card_baselines.papers.claims import Claim, choose_weakest
from card_baselines.papers.shi2022.tables import SEARCHING

_NAMES = {"apu": "APU", "dual-apu": "Dual-APU"}
_GAINS = {1: ("apu", "dual-apu"), 3: ("apu-ctrl", "dual-apu-ctrl")}
"""Table -> rows that play against scripted players."""
_CONVERGED = 0.1
_UNSTABLE_EPISODES = 8000
"""Number of episodes before which all algorithms change a lot."""


def measure_claims(content: Mapping[str, Any]) -> list[Claim]:
    """Return the claims that the results and runs of a report can measure."""
    gains = {
        (result["table"], result["row"], result["variant"]): [match["ours"]["mean"] for match in result["seeds"]]
        for result in content["results"]
    }
    by_row = {row: _collect_scripted(gains, table, row) for table, rows in _GAINS.items() for row in rows}
    return [
        *_measure_wins(by_row), *_compare_algorithms(by_row), *_measure_controls(gains), *_measure_networks(gains),
        *_measure_curves(content["runs"]),
    ]  # fmt: skip


def _collect_scripted(gains: Mapping[Any, Sequence[float]], table: int, row: str) -> dict[str, Sequence[float]]:
    """Return the gains of a row by scripted opponent, one for each seed."""
    return {
        variant: runs
        for (number, name, variant), runs in gains.items()
        if (number, name) == (table, row) and variant not in SEARCHING
    }


def _measure_wins(by_row: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Claim]:
    return [
        choose_weakest({variant: _claim_win(name).with_runs(runs) for variant, runs in by_row[row].items()})
        for row, name in _NAMES.items()
        if by_row[row]
    ]


def _claim_win(name: str) -> Claim:
    claim = f"{name} wins from every scripted player"
    return Claim(where="section 6.1", claim=claim, measured="smallest gain", low=0)


def _compare_algorithms(by_row: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Claim]:
    """Return comparisons of algorithms by their mean gain from all scripted players."""
    means = {row: np.mean(list(gains.values()), axis=0).tolist() for row, gains in by_row.items() if gains}
    compared = (
        ("table 1", "APU wins more than Dual-APU", "apu", "dual-apu"),
        ("section 6.2", "APU is better than APU-Ctrl", "apu", "apu-ctrl"),
        ("section 6.2", "Dual-APU is slightly better than Dual-APU-Ctrl", "dual-apu", "dual-apu-ctrl"),
    )
    measured = "difference of the gains from scripted players"
    return [
        Claim(where=where, claim=claim, measured=measured, low=0).with_difference(means[row], means[other])
        for where, claim, row, other in compared
        if row in means and other in means
    ]


def _measure_controls(gains: Mapping[Any, Sequence[float]]) -> list[Claim]:
    claims = []
    for row, name in _NAMES.items():
        if runs := gains.get((2, row, f"{row}-ctrl")):
            claim = Claim(where="table 2", claim=f"{name} beats its control", measured="gain from five controls", low=0)
            claims.append(claim.with_runs(runs))
    return claims


def _measure_networks(gains: Mapping[Any, Sequence[float]]) -> list[Claim]:
    """Return the claims on networks that read the history."""
    claims = []
    for table, row in ((4, "apu"), (5, "dual-apu")):
        none, fc = gains.get((table, row, f"{row} none")), gains.get((table, row, f"{row} fc"))
        if none is None or fc is None:
            continue
        name = _NAMES[row]
        for other, runs in (("no history", none), ("a fully connected layer", fc)):
            what = f"{name}: the LSTM beats {other}"
            claim = Claim(where="section 6.3", claim=what, measured="gain from five of the ablation", low=0)
            claims.append(claim.with_runs(runs))
        what, measured = f"{name}: a fully connected layer is better than no history", "LSTM's gain from None - from FC"
        claims.append(Claim(where="section 6.3", claim=what, measured=measured, low=0).with_difference(none, fc))
    return claims


def _measure_curves(runs: Sequence[Mapping[str, Any]]) -> list[Claim]:
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
    measured = "change of the mean gain from three scripted players in the last fifth"
    claims = [
        Claim(
            where="section 6.1", claim=f"{name} converges", measured=measured, low=-_CONVERGED, high=_CONVERGED
        ).with_runs([run[-1] for run in changes[row]])
        for row, name in _NAMES.items()
        if row in changes
    ]
    for row, name in _NAMES.items():
        if row in changes and f"{row}-ctrl" in changes:
            sizes = [[float(np.mean(np.abs(run))) for run in changes[each]] for each in (row, f"{row}-ctrl")]
            claim = f"{name} learns more stably than its control"
            what = f"change of the gain in 4,000 episodes after {_UNSTABLE_EPISODES:,}, less the control's"
            claims.append(Claim(where="section 6.2", claim=claim, measured=what, high=0).with_difference(*sizes))
    return claims
