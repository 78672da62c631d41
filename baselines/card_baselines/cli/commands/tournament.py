"""`card-envs tournament`: a ranking of a few agents, each of which plays each other."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from card_baselines.cli.arguments import require_known
from card_baselines.cli.commands.league import describe_missing, list_faults, require_ranking, standings_json
from card_baselines.cli.console import print_report
from card_baselines.cli.options import Agents, AsJson, EnvId, Measure, Resamples, Settings
from card_baselines.league import tables
from card_baselines.league.league import STORE, League
from card_baselines.league.pools import Pool, make_pool
from card_baselines.league.rankings import MEASURES, RESAMPLES
from card_baselines.league.report import compute_standings, write_report
from card_baselines.league.store import LeagueError
from card_baselines.loading import load_agent
from card_baselines.progress import ProgressBar
from card_baselines.settings import parse_settings
from card_baselines.text_table import TextTable
from card_envs.envs import make_game
from card_envs.game import check_count


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
        folder: Folder for the rounds and the report; by default a new one below runs/tournaments. An interrupted
            tournament there goes on; --passes counts its rounds, too.
    """
    require_known("measure", by, MEASURES)
    if not minutes > 0 or (passes is not None and passes < 1) or hands < 1:
        raise ValueError(f"minutes {minutes} must be above 0, passes {passes} and hands {hands} at least 1")
    check_count("resamples", resamples)
    chosen = parse_settings(settings)
    game = make_game(env, **chosen)
    for spec in agents:  # before a folder is made
        load_agent(spec, game)
    root = folder or Path("runs") / "tournaments" / time.strftime("%Y%m%d-%H%M%S")
    try:
        with make_pool(workers) as pool, ProgressBar("playing", 1.0) as bar:
            league = play_tournament(
                root, env, agents, settings=chosen, hands=hands, seed=seed, seconds=60 * minutes, passes=passes,
                pool=pool, progress=lambda share, rounds: bar.update(share, f"{rounds} rounds"),
            )  # fmt: skip
    except KeyboardInterrupt:
        print(f"interrupted: the same command with --folder {root} goes on", file=sys.stderr)
        raise
    with league:
        standings = compute_standings(league, DIVISION, resamples=resamples, seed=seed)
        require_ranking(standings, by)
        page = write_report(league, standings, root / "report", by, kind="Tournament")
        content = {"folder": str(root), **standings_json(league, standings)}
        parts: list[TextTable | str] = [
            tables.ranking_table(standings, by),
            tables.winnings_table(standings, by),
            tables.probability_table(standings, by),
            *list_faults(league),
            *describe_missing(standings),
            f"{len(standings.rounds):,} rounds, {standings.hands:,} hands, seed {seed}; report: {page}",
        ]
        print_report(content, parts, as_json)


DIVISION = "tournament"


def play_tournament(
    folder: Path, env: str, agents: Sequence[str], *, settings: dict[str, Any], hands: int, seed: int, seconds: float,
    passes: int | None, pool: Pool, progress: Callable[[float, int], None],
) -> League:  # fmt: skip
    """Play a tournament and return its league.

    In a pass, every two agents play a round with half of the seats each, every deal once for each way to move them
    around the table. An interrupted tournament in the folder goes on.

    Args:
        folder: Folder of the league.
        env: Environment id.
        agents: Names of two or more agents.
        settings: Settings of the environment.
        hands: Hands of a round.
        seed: Seed of the deals.
        seconds: Passes are played as long as they are expected to end within this time, at least one.
        passes: Number of passes instead, those of an interrupted tournament included, so that the result depends on
            the seed alone; None to play by the time.
        pool: Pool that plays.
        progress: Called after every round with the completed share, 0 .. 1, and the number of rounds.
    """
    if len(set(agents)) < 2:
        raise LeagueError(f"a tournament of {list(agents)}: name at least two different agents")
    league = _open_league(folder, env, agents, settings, hands, seed)
    pairs = len(set(agents)) * (len(set(agents)) - 1) // 2
    start = time.monotonic()
    first = done = len(league.store.rounds(league.division(DIVISION).id, played=True)) // pairs

    def on_round(_: str, played: int, outcome: object) -> None:
        share = played / (pairs * (passes or 1))
        if passes is None:
            share = max((time.monotonic() - start) / seconds, share if done == first else 0.0)
        progress(min(1.0, share), played)

    while passes is None or done < passes:
        begin = time.monotonic()
        league.run({DIVISION: pairs * (done + 1)}, pool, on_round)
        done += 1
        now = time.monotonic()
        if passes is None and now - start + (now - begin) > seconds:
            break
    return league


def _open_league(
    folder: Path, env: str, agents: Sequence[str], settings: dict[str, Any], hands: int, seed: int
) -> League:
    """Return the league of a tournament: a new one, or that of an interrupted tournament of the same agents."""
    if not (folder / STORE).exists():
        league = League.new(folder, env, seed=seed, **settings)
    else:
        league = League.open(folder, [*agents, *(value for value in settings.values() if isinstance(value, str))])
        asked = {"env": env, "settings": settings, "seed": seed, "agents": list(dict.fromkeys(agents)), "hands": hands}
        found = _describe_tournament(league)
        for name, value in json.loads(json.dumps(asked)).items():  # as the store keeps them
            if found.get(name, value) != value:
                league.store.close()
                raise LeagueError(
                    f"{folder} holds another tournament or league, with {name} {found[name]}, not {value}: "
                    "choose another folder, or ask for the same to go on"
                )
    if DIVISION not in league.divisions:
        league.add_division(DIVISION, "round_robin", teachers=list(agents), hands=hands, duplicate=True)
    return league


def _describe_tournament(league: League) -> dict[str, Any]:
    """Return what a league was made with; no agents and hands if it was interrupted before it had a division."""
    row, members = league.divisions.get(DIVISION), league.members
    if row is None:
        return league.meta | ({"agents": []} if league.divisions else {})
    specs = [members[number].spec for number in league.store.entries(row.id)]
    return league.meta | {"agents": specs, "hands": row.settings.get("hands")}
