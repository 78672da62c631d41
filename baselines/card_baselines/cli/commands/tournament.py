"""`card-envs tournament`: a few agents, everybody against everybody, ranked in a minute."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from card_baselines.cli.commands.arguments import load_agent, require_known
from card_baselines.cli.console import print_json, print_table
from card_baselines.cli.options import Agents, AsJson, EnvId, MapOf, Settings, join_words
from card_baselines.cli.ranking_output import (
    ask_strategies,
    print_missing,
    require_map,
    require_ranking,
    standings_json,
)
from card_baselines.league.league import League
from card_baselines.league.pools import make_pool
from card_baselines.league.rankings import MEASURES, RESAMPLES
from card_baselines.league.report import Standings, standings, write_report
from card_baselines.league.tables import faults_table, probability_table, ranking_table, winnings_table
from card_baselines.league.tournament import DIVISION, play_tournament
from card_baselines.progress import progress_bar
from card_baselines.settings import parse_settings
from card_envs.envs import make_game


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
    require_known("measure", by, MEASURES)
    if not minutes > 0 or (passes is not None and passes < 1) or hands < 1:
        raise ValueError(f"minutes {minutes} must be above 0, passes {passes} and hands {hands} at least 1")
    chosen = parse_settings(join_words(settings))
    _require_agents(agents, env, chosen, map)
    root = folder or Path("runs") / "tournaments" / time.strftime("%Y%m%d-%H%M%S")
    with make_pool(workers) as pool, progress_bar("playing", 1.0) as bar:
        league = play_tournament(
            root, env, agents, settings=chosen, hands=hands, seed=seed, seconds=60 * minutes, passes=passes,
            pool=pool, progress=lambda share, rounds: bar.update(share, f"{rounds} rounds"),
        )  # fmt: skip
    with league:
        found = standings(league, DIVISION, resamples=resamples, seed=seed)
        require_ranking(found, by)
        page = write_report(league, found, root / "report", by, ask_strategies(league, found, map))
        if as_json:
            print_json({"folder": str(root), **standings_json(league, found)})
        else:
            _print(league, found, by)
            print(f"{len(found.of.rounds):,} rounds, {found.hands:,} hands, seed {seed}; report: {page}")
    return 0


def _require_agents(agents: tuple[str, ...], env: str, settings: dict[str, Any], map: MapOf) -> None:
    """Raise ValueError for an agent, a setting or a map that is wrong, before a folder is made."""
    game = make_game(env, **settings)
    require_map(game, map)
    for spec in agents:
        load_agent(spec, game)


def _print(league: League, found: Standings, by: str) -> None:
    """Print the tables of a tournament, and what is missing."""
    order = found.rankings[by].best_first()
    tables = [
        ranking_table(found.rankings, by, found.names, found.unit),
        winnings_table(found.of.winnings, found.names, found.unit, order),
        probability_table(found.rankings[by], found.names),
    ]
    faults = faults_table(league)
    for table in [*tables, faults] if faults.rows else tables:
        print_table(table.header, table.rows, table.title)
    print_missing(found)
