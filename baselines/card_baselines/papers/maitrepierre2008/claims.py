"""What the text of Maitrepierre et al. (2008) says beyond table 1, measured from the results of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from card_baselines.papers.claims import Claim, choose_weakest
from card_baselines.papers.maitrepierre2008.paper import BRENNUS, FILE, FIVE, FOUR, LONG, MATCHES, STRATEGIES, SWITCHES


def measure_claims(content: Mapping[str, Any]) -> list[Claim]:
    """Return the claims that the results of a report can measure; those about Vexbot and Sparbot are of stand-ins."""
    results = content["results"]
    strategies = {result["row"]: result for result in results if result["table"] == STRATEGIES}
    wins = [
        FILE.claims[f"defeats {result['opponent']}"].with_interval(result["mean"], result["ci95"])
        for result in results
        if (result["table"], result["row"]) == (MATCHES, BRENNUS) and f"defeats {result['opponent']}" in FILE.claims
    ]
    adaptation = [claim for table in SWITCHES for claim in _measure_adaptation(results, table)]
    return [*wins, *(_measure_strategies(strategies) if strategies else ()), *adaptation]


def _measure_strategies(strategies: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    """Return the claims on figures 3 and 5 and on strategies alone; the sessions have the same deals."""
    won = {name: np.array(result["by_session"]) for name, result in strategies.items()}
    uses = np.array(strategies[LONG]["uses"])
    shares = uses.sum(axis=1) / uses.sum(axis=(1, 2))[:, None]
    favourites = uses.argmax(axis=2)
    measured = {
        "four": won[FOUR] - won["strategy 1 alone"],
        "five": won[FIVE] - won[FOUR],
        "fifth": shares[:, 4],
        "later": (favourites[:, 2] != favourites[:, 4]).astype(float),  # hands 1,400 to 2,100, and 2,800 to 3,500
    }
    gains = {name: -runs for name, runs in won.items() if name.endswith("alone")}
    return [_choose("alone", gains), *(FILE.claims[name].with_runs(runs.tolist()) for name, runs in measured.items())]


def _measure_adaptation(results: Sequence[Mapping[str, Any]], table: int) -> list[Claim]:
    """Return the claim that Brennus adapts: it wins more than each of its strategies, in the same sessions."""
    by_session = {
        result["opponent"]: np.array(result["by_session"])
        for result in results
        if result["table"] == table and "by_session" in result
    }
    alone = {name: runs for name, runs in by_session.items() if name.endswith("alone")}
    if BRENNUS not in by_session or not alone:
        return []
    return [_choose(f"adapts {table}", {name: by_session[BRENNUS] - runs for name, runs in alone.items()})]


def _choose(claim: str, runs: Mapping[str, Any]) -> Claim:
    """Return a claim about all groups for the one that decides it."""
    return choose_weakest({name: FILE.claims[claim].with_runs(each.tolist()) for name, each in runs.items()})
