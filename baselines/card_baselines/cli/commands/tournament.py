"""`card-envs tournament`: a ranking of a few agents, each of which plays each other."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from card_baselines.cli.arguments import require_known
from card_baselines.cli.console import print_report
from card_baselines.cli.options import Agents, AsJson, EnvId, Measure, Resamples, Settings
from card_baselines.cli.ranking_output import describe_missing, list_faults, require_ranking, standings_json
from card_baselines.league import tables
from card_baselines.league.league import League
from card_baselines.league.pools import make_pool
from card_baselines.league.rankings import MEASURES, RESAMPLES, Standings
from card_baselines.league.report import compute_standings, write_report
from card_baselines.league.tournament import DIVISION, play_tournament
from card_baselines.loading import load_agent
from card_baselines.progress import ProgressBar
from card_baselines.settings import parse_settings
from card_baselines.text_table import TextTable
from card_envs.envs import make_game


def tournament(
    agents: Agents,
    /,
    env: EnvId = "limit_holdem-v0",
    hands: int = 600,
    minutes: float = 0.5,
    passes: int | None = None,
    seed: int = 0,
    by: Measure = "mean",
    workers: int = 1,
    resamples: Resamples = RESAMPLES,
    folder: Path | None = None,
    settings: Settings = (),
    as_json: AsJson = False,
) -> None:
    """Rank agents: each pair repeatedly plays duplicate deals; leaves an illustrated report.

    With more than two seats, each of two agents has half of them.

    Args:
        hands: Hands of a round between two agents.
        minutes: Minutes of play, by the clock; every pair meets at least once. The report takes extra time.
        passes: Rounds of every pair, in place of --minutes; the result then depends on the seed only.
        seed: Seed of the deals.
        workers: Processes that play.
        folder: New folder for the rounds and the report; by default one below runs/tournaments.
    """
    require_known("measure", by, MEASURES)
    if not minutes > 0 or (passes is not None and passes < 1) or hands < 1:
        raise ValueError(f"minutes {minutes} must be above 0, passes {passes} and hands {hands} at least 1")
    chosen = parse_settings(settings)
    _require_agents(agents, env, chosen)
    root = folder or Path("runs") / "tournaments" / time.strftime("%Y%m%d-%H%M%S")
    with make_pool(workers) as pool, ProgressBar("playing", 1.0) as bar:
        league = play_tournament(
            root, env, agents, settings=chosen, hands=hands, seed=seed, seconds=60 * minutes, passes=passes,
            pool=pool, progress=lambda share, rounds: bar.update(share, f"{rounds} rounds"),
        )  # fmt: skip
    with league:
        standings = compute_standings(league, DIVISION, resamples=resamples, seed=seed)
        require_ranking(standings, by)
        page = write_report(league, standings, root / "report", by, kind="Tournament")
        content = {"folder": str(root), **standings_json(league, standings)}
        rounds = len(standings.evidence.rounds)
        last = f"{rounds:,} rounds, {standings.hands:,} hands, seed {seed}; report: {page}"
        print_report(content, [*_describe(league, standings, by), last], as_json)


def _require_agents(agents: tuple[str, ...], env: str, settings: dict[str, Any]) -> None:
    """Raise ValueError for an agent or a setting that is wrong, before a folder is made."""
    game = make_game(env, **settings)
    for spec in agents:
        load_agent(spec, game)


def _describe(league: League, standings: Standings, by: str) -> list[TextTable | str]:
    """Return the tables of a tournament, and which measures are missing."""
    return [
        tables.ranking_table(standings, by),
        tables.winnings_table(standings, by),
        tables.probability_table(standings, by),
        *list_faults(league),
        *describe_missing(standings),
    ]
