"""Let a population train and rank it: `card-envs league new|add|run|rank|report|watch`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import tyro

from card_baselines.cli.console import make_table, print_json, print_parts
from card_baselines.cli.options import (
    AgentNames,
    Allowed,
    AsJson,
    EnvId,
    Folder,
    Measure,
    Resamples,
    Settings,
    Words,
    require_seconds,
)
from card_baselines.league import tables
from card_baselines.league.divisions import KINDS
from card_baselines.league.league import League
from card_baselines.league.pools import Pool, make_pool
from card_baselines.league.rankings import MEASURES, RESAMPLES, Standings
from card_baselines.league.report import compute_standings, write_report
from card_baselines.league.rounds import RoundOutcome
from card_baselines.progress import StepsProgress
from card_baselines.settings import parse_settings
from card_baselines.text_table import TextTable

RoundCounts = Annotated[Words, tyro.conf.arg(metavar="[DIVISION=]N ...")]
Division = Annotated[str, tyro.conf.arg(help="Name of a division; by default all that evaluate count.")]


def new(folder: Folder, /, env: EnvId, seed: int = 0, settings: Settings = ()) -> None:
    """Make a league in a new folder.

    Args:
        seed: Seed that decides all rounds, with the order of what is added.
    """
    with League.new(folder, env, seed=seed, **parse_settings(settings)) as made:
        print(f"a league of {made.meta['env']} in {folder}; `card-envs league add {folder} --division ...` adds to it")


def add(
    folder: Folder,
    /,
    division: str = "",
    kind: str = "",
    students: AgentNames = (),
    teachers: AgentNames = (),
    settings: Annotated[Words, tyro.conf.arg(name="set", metavar="NAME=VALUE ...")] = (),
    allow: Allowed = (),
) -> None:
    """Add a new division with its members, or agents to an existing division.

    Students are trainees that learn; teachers are agents that do not.

    Args:
        division: Name of the division.
        kind: random or climbing (students learn), similar, direct or round_robin (nobody learns; without
            teachers, all members of the league who do not learn play). Without it, the division exists already.
        settings: Settings of the division, such as hands=10000 clone_every=200 evaluation_share=0.1 duplicate=true.
    """
    with League.open(folder, allow=allow) as opened:
        if kind:
            if not division:
                raise ValueError(f"a division of kind {kind} needs a name: --division NAME")
            members = {"students": students, "teachers": teachers}
            opened.add_division(division, kind, **members, **parse_settings(settings))
        elif students or settings:
            raise ValueError("students and settings come with a new division: --division NAME --kind KIND")
        elif not teachers:
            raise ValueError("nothing to add: name a --division with its --kind, or --teachers")
        else:
            opened.add_agents(*teachers, division=division or None)
        print_parts([tables.members_table(opened)])


def run(
    folder: Folder, /, rounds: RoundCounts = (), workers: int = 1, ray: str | None = None, allow: Allowed = ()
) -> None:
    """Play rounds until each division has a number of them; continues after any interruption.

    Args:
        rounds: Number of rounds of each division in all: a number for all of them, or climb=2000 final=300. Divisions
            whose students learn play first.
        workers: Processes of this machine that play.
        ray: Play on a Ray cluster instead: its address, "auto" for the one that this machine belongs to, or "local".
    """
    with League.open(folder, allow=allow) as opened, make_pool(workers, ray) as pool:
        targets = _parse_targets(opened, rounds)
        for trains in (True, False):
            chosen = {
                name: count for name, count in targets.items() if KINDS[opened.division(name).kind].trains == trains
            }
            if chosen:
                _run(opened, chosen, pool)
        print_parts([tables.divisions_table(opened), *list_faults(opened, most=5)])


def _run(opened: League, targets: Mapping[str, int], pool: Pool) -> None:
    """Play rounds and show the progress."""
    with StepsProgress(", ".join(targets), opened.count_missing(targets), "rounds") as progress:
        hands, start = 0, time.monotonic()

        def report_round(division: str, played: int, outcome: RoundOutcome) -> None:
            nonlocal hands
            hands += outcome.hands
            progress.advance(f"{hands / (time.monotonic() - start):,.0f} hands/s")

        opened.run(targets, pool, report_round)


def _parse_targets(opened: League, words: tuple[str, ...]) -> dict[str, int]:
    """Return {division: number of rounds} from words such as 100 or climb=2000."""
    targets: dict[str, int] = {}
    for word in words:
        name, equals, count = word.rpartition("=")
        if not count.isdecimal():
            raise ValueError(f"rounds {word!r} must be a number, or DIVISION=NUMBER, such as --rounds 100")
        names = [name] if equals else list(opened.divisions)
        targets |= {opened.division(each).name: int(count) for each in names}
    if not targets:
        raise ValueError(
            "say how many rounds: --rounds 100, or --rounds DIVISION=100; if the league has no division yet, "
            "`card-envs league add` adds one"
        )
    return targets


def rank(
    folder: Folder, /, division: Division = "", by: Measure = "trueskill", measures: Words = (),
    best: int | None = None, probabilities: bool = False, resamples: Resamples = RESAMPLES, seed: int = 0,
    allow: Allowed = (), as_json: AsJson = False,
) -> None:  # fmt: skip
    """Rank all members who do not learn, with intervals, by the rounds of evaluating divisions.

    Args:
        measures: Measures to compute; by default all.
        best: Print only so many members.
        probabilities: Also print with what probability each member is above each other.
        seed: Seed of the resamples.
    """
    chosen = measures or tuple(MEASURES)
    by = by if by in chosen or by not in MEASURES else chosen[0]
    with League.open(folder, allow=allow) as opened:
        standings = compute_standings(opened, division or None, chosen, resamples, seed)
        require_ranking(standings, by)
        if as_json:  # which takes seconds for hundreds of members: a probability for each pair
            print_json(standings_json(opened, standings))
            return
    parts: list[TextTable | str] = [
        tables.ranking_table(standings, by, best),
        *([tables.probability_table(standings, by)] if probabilities else []),
        *describe_missing(standings),
        f"{len(standings.rounds):,} rounds without learning, {standings.hands:,} hands",
    ]
    print_parts(parts)


def report(
    folder: Folder, /, division: Division = "", by: Measure = "trueskill", output: Path | None = None,
    resamples: Resamples = RESAMPLES, seed: int = 0, allow: Allowed = (),
) -> None:  # fmt: skip
    """Write a report with pictures, as Markdown and as one HTML file.

    Args:
        output: Folder for the report; by default FOLDER/report.
        seed: Seed of the resamples.
    """
    with League.open(folder, allow=allow) as opened:
        standings = compute_standings(opened, division or None, resamples=resamples, seed=seed)
        require_ranking(standings, by)
        page = write_report(opened, standings, output or folder / "report", by)
    print_parts([*describe_missing(standings), f"wrote {page} and {page.with_suffix('.md')}"])


def watch(
    folder: Folder, /, division: str = "", every: float = 2.0, best: int = 10, once: bool = False, allow: Allowed = ()
) -> None:
    """Show a table of the league that is updated while another process runs it; Ctrl-C ends it.

    Args:
        division: Division whose leaders are shown; by default the one that played last.
        every: Seconds between two updates.
        best: Number of leaders.
        once: Print the tables once.
    """
    from rich.console import Console, Group
    from rich.live import Live

    require_seconds("every", every)
    with League.open(folder, allow=allow) as opened:
        if division:
            opened.division(division)
        console = Console(width=None if Console().is_terminal else 200)

        def make_tables() -> Group:
            shown = [tables.progress_table(opened)]
            leading = division or opened.store.last_division()
            if leading:
                shown.append(tables.leaders_table(opened, leading, best))
            return Group(*(make_table(table.header, table.rows, table.title) for table in shown))

        if once or not console.is_terminal:
            console.print(make_tables())
            return
        with Live(make_tables(), console=console, auto_refresh=False) as live:
            while True:
                time.sleep(every)
                live.update(make_tables(), refresh=True)


# --- rankings, of tournaments too ---


def require_ranking(standings: Standings, by: str) -> None:
    """Raise ValueError, with the reason, if there is no ranking by a measure."""
    if by not in standings.rankings:
        reason = standings.missing.get(by, "choose from " + ", ".join(MEASURES))
        raise ValueError(f"there is no ranking by {by}: {reason}")


def describe_missing(standings: Standings) -> list[str]:
    """Return a line for each measure that could not be computed, with the reason."""
    return [f"without {name}: {reason}" for name, reason in standings.missing.items()]


def list_faults(opened: League, most: int = 20) -> list[TextTable]:
    """Return the table of faults, if there are any."""
    table = tables.faults_table(opened, most)
    return [table] if table.rows else []


def standings_json(opened: League, standings: Standings) -> dict[str, Any]:
    """Return rankings, winnings and faults as JSON."""
    winnings = standings.winnings
    return {
        "env": opened.meta["env"],
        "settings": opened.meta["settings"],
        "seed": opened.meta["seed"],
        "unit": opened.game.unit,
        "rounds": len(standings.rounds),
        "hands": standings.hands,
        "members": [standings.names[member] for member in standings.members],
        "rankings": {
            name: {
                "scores": ranking.scores.tolist(),
                "ranks": ranking.ranks.tolist(),
                "rank_ci95": None if ranking.rank_intervals is None else ranking.rank_intervals.tolist(),
                "score_ci95": None if ranking.score_intervals is None else ranking.score_intervals.tolist(),
                "intervals_from": ranking.source,
                "probability_above": [
                    [None if one == other else ranking.probability_above(one, other) for other in standings.members]
                    for one in standings.members
                ]
                if len(ranking.draws)
                else None,
            }
            for name, ranking in standings.rankings.items()
        },
        "missing": standings.missing,
        "winnings": {
            "means": winnings.means.tolist(),
            "standard_errors": winnings.errors.tolist(),
            "hands": winnings.hands.tolist(),
        },
        "faults": [{"round": round, **asdict(fault)} for round, fault in opened.store.faults()],
    }
