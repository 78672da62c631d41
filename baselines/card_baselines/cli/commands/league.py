"""`card-envs league`: populations that train against each other: `new`, `add`, `run`, `rank`, `report`, `watch`."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import tyro

from card_baselines.cli.commands.arguments import WRONG_USE, call_command, require_known
from card_baselines.cli.console import make_table, print_json, print_table
from card_baselines.cli.examples import describe_with_example
from card_baselines.cli.options import AgentNames, Allowed, AsJson, EnvId, Folder, MapOf, Settings, Words, join_words
from card_baselines.cli.ranking_output import (
    ask_strategies,
    print_missing,
    require_map,
    require_ranking,
    standings_json,
)
from card_baselines.league.divisions import KINDS
from card_baselines.league.league import League
from card_baselines.league.pools import LostRound, Pool, make_pool
from card_baselines.league.rankings import MEASURES, RESAMPLES
from card_baselines.league.report import standings, write_report
from card_baselines.league.rounds import RoundOutcome
from card_baselines.league.tables import (
    divisions_table,
    faults_table,
    leaders_table,
    members_table,
    probability_table,
    progress_table,
    ranking_table,
)
from card_baselines.progress import StepsProgress
from card_baselines.settings import parse_settings

Counts = Annotated[Words, tyro.conf.arg(metavar="[DIVISION=]N ...")]


def league(arguments: list[str]) -> int:
    """Let a population train and rank it: `card-envs league new|add|run|rank|report|watch FOLDER ...`."""
    commands: dict[str, Callable[..., int]] = {
        "new": new,
        "add": add,
        "run": run,
        "rank": rank,
        "report": report,
        "watch": watch,
    }
    if not arguments or arguments[0] in ("-h", "--help"):
        lines = [f"  {name:8} {(inspect.getdoc(each) or '').partition(chr(10))[0]}" for name, each in commands.items()]
        usage = "usage: card-envs league COMMAND FOLDER [options]"
        print("\n".join([usage, "", describe_with_example("league new", "commands:"), *lines]))
        return 0 if arguments else WRONG_USE
    name, rest = arguments[0], arguments[1:]
    require_known("league", name, commands)
    done: int = call_command(commands[name], f"league {name}", rest)
    return done


def new(folder: Folder, /, env: EnvId, seed: int = 0, settings: Settings = ()) -> int:
    """Make a league in a new folder.

    Args:
        folder: New folder.
        env: Environment id that all rounds are played in.
        seed: Decides all rounds, with the order of what is added.
        settings: Arguments of the environment, such as num_players=6.
    """
    chosen = parse_settings(join_words(settings))
    with League.new(folder, env, seed=seed, **chosen) as made:
        print(f"a league of {made.meta['env']} in {folder}; `card-envs league add {folder} --division ...` adds to it")
    return 0


def add(
    folder: Folder,
    /,
    division: str = "",
    kind: str = "",
    students: AgentNames = (),
    teachers: AgentNames = (),
    settings: Settings = (),
    allow: Allowed = (),
) -> int:
    """Add a division with its members, or agents to a division that there is.

    Args:
        folder: Of the league.
        division: Name of the division.
        kind: random or climbing (students learn), similar, direct, round_robin or swiss (nobody learns; without
            teachers, everybody in the league who does not learn plays). Left out: the division exists already.
        students: Trainees: registered names, module:Class or path/to/file.py:Class.
        teachers: Agents that do not learn: names, run folders, module:Class or path/to/file.py:Class.
        settings: Of the division, such as hands=10000 clone_every=200 evaluation_share=0.1 duplicate=true.
        allow: Code, module:NAME or path/to/file.py:NAME, that the settings of the league may name.
    """
    with League.open(folder, allow=join_words(allow)) as opened:
        if kind:
            if not division:
                raise ValueError(f"a division of kind {kind} needs a name: --division NAME")
            opened.add_division(
                division, kind, students=join_words(students), teachers=join_words(teachers),
                **parse_settings(join_words(settings)),
            )  # fmt: skip
        elif join_words(students) or join_words(settings):
            raise ValueError("students and settings come with a new division: --division NAME --kind KIND")
        elif not join_words(teachers):
            raise ValueError("nothing to add: name a --division with its --kind, or --teachers")
        else:
            opened.add_agents(*join_words(teachers), division=division or None)
        table = members_table(opened)
        print_table(table.header, table.rows, table.title)
    return 0


def run(folder: Folder, /, rounds: Counts, workers: int = 1, ray: str | None = None, allow: Allowed = ()) -> int:
    """Play rounds until each division has as many; goes on after any interruption.

    Args:
        folder: Of the league.
        rounds: How many rounds each division is to have in all: a number for all of them, or climb=2000 final=300.
            Divisions whose students learn play first.
        workers: Processes of this machine that play.
        ray: Play on a Ray cluster instead: its address, "auto" for the one that this machine belongs to, or "local".
        allow: Code that members may be made of, module:NAME or path/to/file.py:NAME: what the league names is not run
            unless it stands here too, since a league may come from somebody else.
    """
    with League.open(folder, allow=join_words(allow)) as opened, make_pool(workers, ray) as pool:
        targets = _targets(opened, join_words(rounds))
        for trains in (True, False):
            chosen = {
                name: count for name, count in targets.items() if KINDS[opened.division(name).kind].trains == trains
            }
            if chosen:
                _run(opened, chosen, pool)
        table = divisions_table(opened)
        print_table(table.header, table.rows, table.title)
        faults = faults_table(opened, most=5)
        if faults.rows:
            print_table(faults.header, faults.rows, faults.title)
    return 0


def _run(opened: League, targets: Mapping[str, int], pool: Pool) -> None:
    have = {name: len(opened.store.rounds(opened.division(name).id, played=True)) for name in targets}
    total = sum(max(0, count - have[name]) for name, count in targets.items())
    with StepsProgress(", ".join(targets), total, "rounds") as progress:
        hands, start = 0, time.monotonic()

        def report_round(division: str, played: int, outcome: RoundOutcome | LostRound) -> None:
            nonlocal hands
            hands += outcome.hands if isinstance(outcome, RoundOutcome) else 0
            progress.advance(f"{hands / (time.monotonic() - start):,.0f} hands/s")

        opened.run(targets, pool, report_round)


def _targets(opened: League, words: tuple[str, ...]) -> dict[str, int]:
    """Return division -> rounds of words such as 100 or climb=2000."""
    targets: dict[str, int] = {}
    for word in words:
        name, equals, count = word.rpartition("=")
        if not count.isdecimal():
            raise ValueError(f"rounds {word!r} must be a number, or DIVISION=NUMBER")
        names = [name] if equals else list(opened.divisions)
        targets |= {opened.division(each).name: int(count) for each in names}
    if not targets:
        raise ValueError("say how many rounds: --rounds 100, or --rounds DIVISION=100; the league has no divisions yet")
    return targets


def rank(
    folder: Folder, /, division: str = "", by: str = "trueskill", measures: Words = (), best: int | None = None,
    probabilities: bool = False, resamples: int = RESAMPLES, seed: int = 0, allow: Allowed = (),
    as_json: AsJson = False,
) -> int:  # fmt: skip
    """Rank everybody who does not learn, with intervals, from the rounds of evaluating divisions.

    Args:
        folder: Of the league.
        division: Rounds of this one alone.
        by: Measure to sort by: trueskill, mean, median, low (20th percentile), bradley_terry, plackett_luce,
            alpha_rank, nash.
        measures: Which to compute; by default all.
        best: Print only so many.
        probabilities: Also print with what probability each member is above each other.
        resamples: Of the intervals.
        seed: Of the resampling.
        allow: Code, module:NAME or path/to/file.py:NAME, that the settings of the league may name.
        as_json: Print JSON.
    """
    chosen = join_words(measures) or tuple(MEASURES)
    by = by if by in chosen or by not in MEASURES else chosen[0]
    with League.open(folder, allow=join_words(allow)) as opened:
        found = standings(opened, division or None, chosen, resamples, seed)
        require_ranking(found, by)
        if as_json:
            print_json(standings_json(opened, found))
            return 0
    table = ranking_table(found.rankings, by, found.names, found.unit, best)
    print_table(table.header, table.rows, table.title)
    if probabilities:
        table = probability_table(found.rankings[by], found.names)
        print_table(table.header, table.rows, table.title)
    print_missing(found)
    print(f"{len(found.of.rounds):,} rounds without learning, {found.hands:,} hands")
    return 0


def report(
    folder: Folder, /, division: str = "", by: str = "trueskill", output: Path | None = None,
    resamples: int = RESAMPLES, seed: int = 0, map: MapOf = "statistics", allow: Allowed = (),
) -> int:  # fmt: skip
    """Write a report with pictures, as Markdown and as one HTML file.

    Args:
        folder: Of the league.
        division: Rank by the rounds of this one alone.
        by: Measure to sort by, see `rank`.
        output: Folder for the report; by default FOLDER/report.
        resamples: Of the intervals.
        seed: Of the resampling.
        map: What the map of the members is made of: statistics of the play in their rounds, or strategy: what they do
            in 4,320 situations of six-max no-limit hold'em, about a second for a scripted member.
        allow: Code that members may be made of, as in `league run`; --map strategy asks them.
    """
    with League.open(folder, allow=join_words(allow)) as opened:
        require_map(opened.game, map)
        found = standings(opened, division or None, resamples=resamples, seed=seed)
        require_ranking(found, by)
        page = write_report(opened, found, output or folder / "report", by, ask_strategies(opened, found, map))
    print_missing(found)
    print(f"wrote {page} and {page.with_suffix('.md')}")
    return 0


def watch(
    folder: Folder, /, division: str = "", every: float = 2.0, best: int = 10, once: bool = False, allow: Allowed = ()
) -> int:
    """Show a table of the league that follows it while another process runs it; Ctrl-C ends it.

    Args:
        folder: Of the league.
        division: Show who leads this one; by default the one that played last.
        every: Seconds between two looks.
        best: How many members.
        once: Print the tables once.
        allow: Code, module:NAME or path/to/file.py:NAME, that the settings of the league may name.
    """
    from rich.console import Console, Group
    from rich.live import Live

    with League.open(folder, allow=join_words(allow)) as opened:
        if division:
            opened.division(division)
        console = Console(width=None if Console().is_terminal else 200)

        def look() -> Group:
            tables = [progress_table(opened)]
            leading = division or _last_division(opened)
            if leading:
                tables.append(leaders_table(opened, leading, best))
            return Group(*(make_table(table.header, table.rows, table.title) for table in tables))

        if once or not console.is_terminal:
            console.print(look())
            return 0
        with Live(look(), console=console, auto_refresh=False) as live:
            while True:
                time.sleep(every)
                live.update(look(), refresh=True)


def _last_division(opened: League) -> str | None:
    rows = opened.store.rows(
        "SELECT d.name FROM outcomes o JOIN rounds r ON r.id = o.round JOIN divisions d ON d.id = r.division "
        "ORDER BY o.rowid DESC LIMIT 1"
    )
    return str(rows[0][0]) if rows else None
