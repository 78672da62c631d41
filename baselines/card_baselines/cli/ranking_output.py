"""Rankings of a league or a tournament as commands print them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from numpy.typing import NDArray

from card_baselines.cli.options import MapOf
from card_baselines.league.league import League
from card_baselines.league.rankings import MEASURES
from card_baselines.league.report import Standings
from card_baselines.league.strategies import Strategies, require_strategies, strategies_of
from card_baselines.progress import progress_bar
from card_envs.formatting import json_number
from card_envs.game import Game


def require_ranking(found: Standings, by: str) -> None:
    """Raise ValueError, with the reason, if there is no ranking by a measure."""
    if by not in found.rankings:
        raise ValueError(f"there is no ranking by {by}: {found.missing.get(by, 'choose from ' + ', '.join(MEASURES))}")


def require_map(game: Game, map: MapOf) -> None:
    """Raise ValueError for a map that cannot be made of a game."""
    if map == "strategy":
        require_strategies(game)


def ask_strategies(league: League, found: Standings, map: MapOf) -> Strategies | None:
    """Return the strategies of those who are ranked, where the map is made of them."""
    if map == "statistics":
        return None
    with progress_bar("asking for strategies", len(found.of.members)) as bar:
        return strategies_of(league, found.of.members, progress=lambda: bar.advance(1))


def print_missing(found: Standings) -> None:
    """Print which measures could not be computed, and why."""
    for name, why in found.missing.items():
        print(f"without {name}: {why}")


def standings_json(league: League, found: Standings) -> dict[str, Any]:
    """Return rankings, winnings and faults as JSON has them."""
    of = found.of
    return {
        "env": league.meta["env"],
        "settings": league.meta["settings"],
        "seed": league.meta["seed"],
        "unit": league.game.unit,
        "rounds": len(of.rounds),
        "hands": found.hands,
        "members": [found.names[member] for member in of.members],
        "rankings": {
            name: {
                "scores": ranking.scores.tolist(),
                "ranks": ranking.ranks.tolist(),
                "rank_ci95": None if ranking.rank_intervals is None else ranking.rank_intervals.tolist(),
                "score_ci95": None if ranking.score_intervals is None else ranking.score_intervals.tolist(),
                "intervals_from": ranking.source,
                "probability_above": [
                    [None if one == other else ranking.probability_above(one, other) for other in of.members]
                    for one in of.members
                ]
                if len(ranking.draws)
                else None,
            }
            for name, ranking in found.rankings.items()
        },
        "missing": found.missing,
        "winnings": {
            "means": _json_rows(of.winnings.means),
            "standard_errors": _json_rows(of.winnings.errors),
            "hands": of.winnings.hands.tolist(),
        },
        "faults": [{"round": round, **asdict(fault)} for round, _, fault in league.store.faults()],
    }


def _json_rows(rows: NDArray[Any]) -> list[list[float | None]]:
    return [list(map(json_number, row)) for row in rows.tolist()]
