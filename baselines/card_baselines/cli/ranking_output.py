"""Rankings of a league or a tournament as commands print them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from numpy.typing import NDArray

from card_baselines.league.league import League
from card_baselines.league.rankings import MEASURES, Standings
from card_baselines.league.tables import faults_table
from card_baselines.text_table import TextTable
from card_envs.formatting import json_number


def require_ranking(standings: Standings, by: str) -> None:
    """Raise ValueError, with the reason, if there is no ranking by a measure."""
    if by not in standings.rankings:
        reason = standings.missing.get(by, "choose from " + ", ".join(MEASURES))
        raise ValueError(f"there is no ranking by {by}: {reason}")


def describe_missing(standings: Standings) -> list[str]:
    """Return a line for each measure that could not be computed, with the reason."""
    return [f"without {name}: {reason}" for name, reason in standings.missing.items()]


def list_faults(league: League, most: int = 20) -> list[TextTable]:
    """Return the table of faults, if there are any."""
    table = faults_table(league, most)
    return [table] if table.rows else []


def standings_json(league: League, standings: Standings) -> dict[str, Any]:
    """Return rankings, winnings and faults as JSON."""
    evidence = standings.evidence
    return {
        "env": league.meta["env"],
        "settings": league.meta["settings"],
        "seed": league.meta["seed"],
        "unit": league.game.unit,
        "rounds": len(evidence.rounds),
        "hands": standings.hands,
        "members": [standings.names[member] for member in evidence.members],
        "rankings": {
            name: {
                "scores": ranking.scores.tolist(),
                "ranks": ranking.ranks.tolist(),
                "rank_ci95": None if ranking.rank_intervals is None else ranking.rank_intervals.tolist(),
                "score_ci95": None if ranking.score_intervals is None else ranking.score_intervals.tolist(),
                "intervals_from": ranking.source,
                "probability_above": [
                    [None if one == other else ranking.probability_above(one, other) for other in evidence.members]
                    for one in evidence.members
                ]
                if len(ranking.draws)
                else None,
            }
            for name, ranking in standings.rankings.items()
        },
        "missing": standings.missing,
        "winnings": {
            "means": _json_rows(evidence.winnings.means),
            "standard_errors": _json_rows(evidence.winnings.errors),
            "hands": evidence.winnings.hands.tolist(),
        },
        "faults": [{"round": round, **asdict(fault)} for round, _, fault in league.store.faults()],
    }


def _json_rows(rows: NDArray[Any]) -> list[list[float | None]]:
    return [list(map(json_number, row)) for row in rows.tolist()]
