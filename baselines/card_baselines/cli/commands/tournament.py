"""`card-envs tournament`: a few agents, everybody against everybody, ranked in a minute."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from numpy.typing import NDArray

from card_baselines.cli.commands.arguments import load_agent
from card_baselines.cli.console import print_json, print_table
from card_baselines.cli.options import AsJson, EnvId, Settings, join_words
from card_baselines.league.league import League
from card_baselines.league.pools import make_pool
from card_baselines.league.rankings import MEASURES, RESAMPLES
from card_baselines.league.report import Standings, standings, write_report
from card_baselines.league.strategies import Strategies, require_strategies, strategies_of
from card_baselines.league.tables import TextTable, faults_table, probability_table, ranking_table, winnings_table
from card_baselines.league.tournament import DIVISION, play_tournament
from card_baselines.progress import progress_bar
from card_baselines.settings import parse_settings
from card_envs.envs import make_game
from card_envs.formatting import json_number
from card_envs.game import Game

MapOf = Literal["statistics", "strategy"]
Agents = Annotated[tuple[str, ...], tyro.conf.arg(metavar="AGENT ...")]


def tournament(
    agents: Agents,
    /,
    env: EnvId = "limit_holdem-v0",
    hands: int = 600,
    minutes: float = 0.5,
    passes: int | None = None,
    seed: int = 0,
    by: str = "mean",
    workers: int = 1,
    resamples: int = RESAMPLES,
    folder: Path | None = None,
    map: MapOf = "statistics",
    settings: Settings = (),
    as_json: AsJson = False,
) -> int:
    """Rank agents: every two play duplicate deals, again and again; leaves a report with pictures.

    Args:
        agents: Two or more: names (see `card-envs agents`), module:Class, path/to/file.py:Class, or run folders.
        env: Environment id. With more than two seats, each of two agents has half of them.
        hands: Of a round between two agents.
        minutes: How long to play; every two agents meet once at least. The report comes on top.
        passes: Play so many rounds between every two instead: then the seed alone decides the result.
        seed: Of the deals.
        by: Measure that the tables are sorted by: trueskill, mean, median, low (20th percentile), bradley_terry,
            plackett_luce, alpha_rank, nash.
        workers: Processes that play.
        resamples: Of the intervals.
        folder: New folder for the rounds and the report; by default one below runs/tournaments.
        map: What the report's map of the agents is made of: statistics of their play, or strategy: what they do in
            4,320 situations of six-max no-limit hold'em, about a second for a scripted agent.
        settings: Arguments of the environment, such as num_players=6.
        as_json: Print JSON.
    """
    if by not in MEASURES:
        raise ValueError(f"measure {by!r} is not known: choose from {', '.join(MEASURES)}")
    chosen = parse_settings(join_words(settings))
    if not minutes > 0 or (passes is not None and passes < 1) or hands < 1:
        raise ValueError(f"minutes {minutes} must be above 0, passes {passes} and hands {hands} at least 1")
    place = folder or Path("runs") / "tournaments" / time.strftime("%Y%m%d-%H%M%S")
    _require_agents(agents, env, chosen, map)
    with make_pool(workers) as pool, progress_bar("playing", 1.0) as bar:
        league = play_tournament(
            place, env, agents, settings=chosen, hands=hands, seed=seed, seconds=60 * minutes, passes=passes,
            pool=pool, progress=lambda share, rounds: bar.update(share, f"{rounds} rounds"),
        )  # fmt: skip
    with league:
        found = standings(league, DIVISION, resamples=resamples, seed=seed)
        if by not in found.rankings:
            raise ValueError(f"there is no ranking by {by}: {found.missing[by]}")
        page = write_report(league, found, place / "report", by, ask_strategies(league, found, map))
        if as_json:
            print_json({"folder": str(place), **standings_json(league, found)})
            return 0
        for table in _tables(league, found, by):
            print_table(table.header, table.rows, table.title)
    print_missing(found)
    print(f"{len(found.of.rounds):,} rounds, {found.hands:,} hands, seed {seed}; report: {page}")
    return 0


def _require_agents(agents: tuple[str, ...], env: str, settings: dict[str, Any], map: MapOf) -> None:
    """Raise ValueError for an agent, a setting or a map that is wrong, before a folder is made."""
    game = make_game(env, **settings)
    require_map(game, map)
    for spec in agents:
        load_agent(spec, game)


def _tables(league: League, found: Standings, by: str) -> list[TextTable]:
    order = found.rankings[by].best_first()
    tables = [
        ranking_table(found.rankings, by, found.names, found.unit),
        winnings_table(found.of.winnings, found.names, found.unit, order),
        probability_table(found.rankings[by], found.names),
    ]
    faults = faults_table(league)
    return [*tables, faults] if faults.rows else tables


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
