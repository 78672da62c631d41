"""What the text of Maitrepierre et al. (2008) says beyond table 1, measured from the results of a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from card_baselines.papers.claims import Claim, choose_weakest
from card_baselines.papers.maitrepierre2008.tables import (
    BRENNUS,
    FIVE,
    FOUR,
    LONG,
    MATCHES,
    SPARBOT,
    STRATEGIES,
    SWITCHES,
    VEXBOT,
)

_EVEN_USE = 0.2
"""Part of the hands that each of five strategies plays if all are used evenly."""


def measure_claims(content: Mapping[str, Any]) -> list[Claim]:
    """Return the claims that the results of a report can measure; those about Vexbot and Sparbot are of stand-ins."""
    results = content["results"]
    strategies = {result["row"]: result for result in results if result["table"] == STRATEGIES}
    return [
        *_measure_wins(results), *(_measure_strategies(strategies) if strategies else ()),
        *(claim for table in SWITCHES for claim in _measure_adaptation(results, table)),
    ]  # fmt: skip


def _measure_wins(results: list[Mapping[str, Any]]) -> list[Claim]:
    claims = []
    for result in results:
        if result["table"] == MATCHES and result["row"] == BRENNUS and result["opponent"] in (VEXBOT, SPARBOT):
            name = "Vexbot" if result["opponent"] == VEXBOT else "Sparbot"
            claim = Claim(
                where="section 4", claim=f"Brennus defeats {name}", measured=f"gain from {result['opponent']}", low=0,
                is_stand_in=True,
            )  # fmt: skip
            claims.append(claim.with_interval(result["mean"], result["ci95"]))
    return claims


def _measure_strategies(strategies: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    """Return the claims on figures 3 and 5 and on strategies alone; the sessions have the same deals."""
    won = {name: np.array(result["by_session"]) for name, result in strategies.items()}
    one = "strategy 1 alone"
    alone = Claim(
        where="section 4", claim="Vexbot defeats each strategy", measured=f"smallest gain of {VEXBOT}", low=0,
        is_stand_in=True,
    )  # fmt: skip
    gains = {name: alone.with_runs((-runs).tolist()) for name, runs in won.items() if name.endswith("alone")}
    more = [
        Claim(
            where="figure 3", claim=claim, measured="difference in the same sessions", low=0, is_stand_in=True
        ).with_runs((won[name] - won[other]).tolist())
        for claim, name, other in (
            ("four strategies win more than one", FOUR, one),
            ("five strategies win more than four", FIVE, FOUR),
        )
    ]
    uses = np.array(strategies[LONG]["uses"])
    shares = uses.sum(axis=1) / uses.sum(axis=(1, 2))[:, None]
    favourites = uses.argmax(axis=2)
    changed = (favourites[:, 2] != favourites[:, 4]).astype(float)  # hands 1,400 to 2,100, and 2,800 to 3,500
    return [
        choose_weakest(gains),
        *more,
        Claim(
            where="figure 5", claim="strategy 5 is not used much", measured="share of its hands", high=_EVEN_USE,
            is_stand_in=True,
        ).with_runs(shares[:, 4].tolist()),
        Claim(
            where="figure 5", claim="other strategies are used later in a match",
            measured="share of matches whose favourite of the third fifth is not that of the last", low=0.5,
            is_stand_in=True,
        ).with_runs(changed.tolist()),
    ]  # fmt: skip


def _measure_adaptation(results: list[Mapping[str, Any]], table: int) -> list[Claim]:
    """Return the claim that Brennus adapts: it wins more than each of its strategies, in the same sessions."""
    by_session = {
        result["opponent"]: np.array(result["by_session"])
        for result in results
        if result["table"] == table and "by_session" in result
    }
    alone = {name: runs for name, runs in by_session.items() if name.endswith("alone")}
    if BRENNUS not in by_session or not alone:
        return []
    claim = Claim(
        where="section 3.3", claim=f"the choice of strategies adapts ({' then '.join(SWITCHES[table])})",
        measured="smallest gain over a strategy alone", low=0,
    )  # fmt: skip
    return [
        choose_weakest({name: claim.with_runs((by_session[BRENNUS] - runs).tolist()) for name, runs in alone.items()})
    ]
