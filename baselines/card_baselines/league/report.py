"""A report on a league: what is known of who is better, as Markdown and as one HTML file, with pictures."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from card_baselines.league import pictures
from card_baselines.league.cashflow import Cashflow, cashflow_of
from card_baselines.league.divisions import KINDS
from card_baselines.league.league import League
from card_baselines.league.maps import Map, Play, play_of, principal_map
from card_baselines.league.rankings import (
    MEASURES,
    RESAMPLES,
    Evidence,
    Ranking,
    evidence,
    rank,
)
from card_baselines.league.strategies import Strategies
from card_baselines.league.tables import (
    LABELS,
    TextTable,
    Unit,
    cashflow_table,
    divisions_table,
    factor_of,
    faults_table,
    label_of,
    members_table,
    play_table,
    probability_table,
    ranking_table,
    strategies_table,
    winnings_table,
)
from card_baselines.league.winnings import find_rounds
from card_envs.files import replace_text
from card_envs.formatting import markdown_table
from card_envs.match.result import units_of

_MOST_PAIRS = 12
"""Members of tables that have a column for each."""


@dataclass(frozen=True, eq=False)
class Standings:
    """Everything that is known of the members of a league, or of one of its divisions."""

    of: Evidence
    rankings: dict[str, Ranking]
    missing: dict[str, str]
    """Measure -> why it cannot be computed."""
    names: dict[int, str]
    unit: Unit
    play: Play | None
    cashflow: Cashflow | None

    @property
    def hands(self) -> int:
        """Number of hands in the rounds of the rankings."""
        return sum(played.hands for played in self.of.rounds)


def standings(
    league: League, division: str | None = None, measures: Sequence[str] = tuple(MEASURES), resamples: int = RESAMPLES,
    seed: int = 0,
) -> Standings:  # fmt: skip
    """Return the standings of the members who do not learn.

    Args:
        league: League to read.
        division: Name of the division whose rounds count; by default those of all evaluating divisions.
        measures: Keys of `rankings.MEASURES`.
        resamples: Number of draws behind each interval.
        seed: Seed of the draws.

    Raises:
        LeagueError: For an unknown division or measure, and without rounds.
        ValueError: If no measure can be computed.
    """
    rows = league.divisions.values() if division is None else [league.division(division)]
    divisions = [row.id for row in rows if division is not None or not KINDS[row.kind].trains]
    game = league.game
    of = evidence(find_rounds(league.store, divisions), game.chips_per_reward, resamples, seed)
    rankings, missing = rank(of, measures)
    if not rankings:
        raise ValueError("; ".join(f"{LABELS[name]}: {why}" for name, why in missing.items()))
    names = {member.id: member.name for member in league.members.values()}
    unit, factor = next(iter(units_of(game).items()))
    play, flow = play_of(league.store, divisions), cashflow_of(league.store, divisions, of.members)
    return Standings(of, rankings, missing, names, Unit(unit, factor), play, flow)


@dataclass(frozen=True)
class Picture:
    """A file beside the report."""

    path: Path
    caption: str


@dataclass
class Report:
    """Blocks of text, tables and pictures that are printed one after the other."""

    title: str
    blocks: list[str | TextTable | Picture] = field(default_factory=list)
    """Paragraphs (those that begin with "## " are headings), tables, pictures."""


def write_report(
    league: League, found: Standings, folder: Path, by: str | None = None, strategies: Strategies | None = None
) -> Path:
    """Write report.md, report.html and the pictures of a league.

    Args:
        league: League to report on.
        found: Its standings.
        folder: Folder of the report, made if it is missing.
        by: Measure by which tables are sorted; by default the first of the standings.
        strategies: Strategies for the map of the members; by default the map shows the statistics of their play.

    Returns:
        Path of the HTML page.
    """
    by = by or next(iter(found.rankings))
    folder.mkdir(parents=True, exist_ok=True)
    report = Report(f"League of {league.meta['env']}", _summary(league, found))
    _add_ranking(report, found, by, folder)
    _add_winnings(report, found, by, folder)
    _add_cashflow(report, found, by, folder)
    _add_play(report, league, found, by, folder, strategies)
    _add_history(report, league, found, by, folder)
    replace_text(folder / "report.md", as_markdown(report))
    replace_text(folder / "report.html", as_html(report))
    return folder / "report.html"


def _summary(league: League, found: Standings) -> list[str | TextTable | Picture]:
    settings = " ".join(f"{name}={value}" for name, value in league.meta["settings"].items())
    commit = league.meta["commit"] or "unknown"
    about = (
        f"{league.meta['env']} {settings}".strip()
        + f", seed {league.meta['seed']}, commit {commit}. Rankings: {len(found.of.members)} members, "
        f"{len(found.of.rounds):,} rounds without learning, {found.hands:,} hands; intervals: 95 %, "
        f"{found.of.resamples} resamples."
    )
    return [about]


def _add_ranking(report: Report, found: Standings, by: str, folder: Path) -> None:
    pictures.draw_ranks(found.rankings, by, found.names, folder / "ranks.png")
    report.blocks += ["## Ranking", ranking_table(found.rankings, by, found.names, found.unit)]
    report.blocks.append(Picture(folder / "ranks.png", "Ranks by every measure, with 95 % intervals"))
    sources: dict[str, list[str]] = {}
    for name, ranking in found.rankings.items():
        sources.setdefault(ranking.source, []).append(LABELS[name])
    report.blocks.append("Intervals: " + "; ".join(f"{', '.join(names)}: {s}" for s, names in sources.items()) + ".")
    report.blocks += [f"{LABELS[name]} is missing: {why}." for name, why in found.missing.items()]
    if len(found.of.members) <= _MOST_PAIRS:
        report.blocks.append(probability_table(found.rankings[by], found.names))


def _add_winnings(report: Report, found: Standings, by: str, folder: Path) -> None:
    if not found.of.winnings.hands.any():
        return
    order = found.rankings[by].best_first()
    pictures.draw_winnings(found.of.winnings, found.names, found.unit, order, folder / "winnings.png")
    report.blocks += ["## Who wins what from whom"]
    if len(order) <= _MOST_PAIRS:
        report.blocks.append(winnings_table(found.of.winnings, found.names, found.unit, order))
    report.blocks.append(Picture(folder / "winnings.png", f"Winnings of the row from the column, {found.unit.name}"))


def _add_cashflow(report: Report, found: Standings, by: str, folder: Path) -> None:
    flow = found.cashflow
    if flow is None:
        return
    order = [member for member in found.rankings[by].best_first() if flow.rounds[flow.members.index(member)].any()]
    pictures.draw_cashflow(flow, found.names, found.unit, order, folder / "cashflow.png")
    report.blocks += ["## Who pays whom"]
    if len(order) <= _MOST_PAIRS:
        report.blocks.append(cashflow_table(flow, found.names, found.unit, order))
    caption = f"What the row pays the column, {found.unit.name} for each pair of seats"
    report.blocks.append(Picture(folder / "cashflow.png", caption))


def _add_play(
    report: Report, league: League, found: Standings, by: str, folder: Path, strategies: Strategies | None
) -> None:
    order = found.rankings[by].best_first()
    blocks: list[str | TextTable | Picture] = []
    if strategies is not None and len(strategies.members) >= 2:
        shown = principal_map(strategies.vectors)
        _draw_map(shown, strategies.members, league, found, by, folder)
        caption = f"Members by their strategy vectors, {strategies.decisions:,} decisions each: near means alike"
        blocks += [Picture(folder / "map.png", caption), strategies_table(strategies, found.names, order)]
    elif found.play is not None and len(found.play.members) >= 2:
        shown = principal_map(found.play.vectors, standardise=True)
        _draw_map(shown, found.play.members, league, found, by, folder)
        blocks.append(Picture(folder / "map.png", "Members by their statistics of play: near means alike"))
    if strategies is not None:
        blocks += [f"{found.names[number]} is not on the map: {why}." for number, why in strategies.missing.items()]
    if found.play is not None and len(found.play.members) >= 2:
        blocks.append(play_table(found.play, found.names, order))
    report.blocks += ["## How they play", *blocks] if blocks else []


def _draw_map(shown: Map, numbers: Sequence[int], league: League, found: Standings, by: str, folder: Path) -> None:
    labels = [found.names[number] for number in numbers]
    pictures.draw_map(shown, labels, folder / "map.png", **_colours(league, numbers, found.rankings[by]))


def _colours(league: League, numbers: Sequence[int], ranking: Ranking) -> dict[str, Any]:
    """Return the ways to colour a map: by type, division, generation and rank where there are clones, else none."""
    members = [league.members[number] for number in numbers]
    if not any(member.is_trainee for member in members):
        return {}
    divisions = {row.id: row.name for row in league.divisions.values()}
    ranks = dict(zip(ranking.members, ranking.ranks.tolist(), strict=True))
    return {
        "groups": {
            "by type": [member.spec.rpartition(":")[2] for member in members],
            "by division": [divisions.get(member.division or 0, "agents") for member in members],
        },
        "values": {
            "by generation (0: agents)": [member.generation for member in members],
            f"by rank, {LABELS[ranking.measure]}": [ranks[member.id] for member in members],
        },
    }


def _add_history(report: Report, league: League, found: Standings, by: str, folder: Path) -> None:
    report.blocks += ["## The league", divisions_table(league)]
    for name, row in league.divisions.items():
        history = league.store.ratings(row.id)
        if history:
            path = folder / f"ratings-{row.id}.png"
            pictures.draw_ratings(history, found.names, path)
            report.blocks.append(Picture(path, f"TrueSkill over the rounds of {name}"))
    lines = _generations(league, found.rankings[by], factor_of(by, found.unit))
    if lines:
        pictures.draw_generations(lines, label_of(by, found.unit), folder / "generations.png")
        report.blocks.append(
            Picture(folder / "generations.png", "Clones of each student, one generation after the other")
        )
    report.blocks.append(members_table(league))
    faults = faults_table(league)
    if faults.rows:
        report.blocks += ["## Faults", faults]


def _generations(league: League, ranking: Ranking, factor: float) -> dict[str, list[tuple[int, float, float, float]]]:
    """Return student -> (generation, score, low, high) of its clones."""
    members = league.members
    lines: dict[str, list[tuple[int, float, float, float]]] = {}
    for i, number in enumerate(ranking.members):
        member = members[number]
        if member.parent is not None:
            score = float(ranking.scores[i]) * factor
            intervals = ranking.score_intervals
            low, high = (score, score) if intervals is None else (intervals[i] * factor).tolist()
            lines.setdefault(members[member.parent].name, []).append((member.generation, score, low, high))
    return {student: sorted(points) for student, points in lines.items()}


def as_markdown(report: Report) -> str:
    """Return a report as Markdown; pictures stand beside it."""
    parts = [f"# {report.title}"]
    for block in report.blocks:
        if isinstance(block, str):
            parts.append(block)
        elif isinstance(block, Picture):
            parts.append(f"![{block.caption}]({block.path.name})")
        else:
            parts.append(f"**{block.title}**\n\n{markdown_table(block.header, block.rows)}")
    return "\n\n".join(parts) + "\n"


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; font-size: 13px; display: block; overflow-x: auto; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.3rem; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid #ddd; text-align: left; white-space: nowrap; }
td:last-child { white-space: normal; }
figure { margin: 1rem 0; } img { max-width: 100%; } figcaption { color: #555; font-size: 13px; }
"""


def as_html(report: Report) -> str:
    """Return a report as one HTML page that holds its pictures."""
    parts = [f"<h1>{html.escape(report.title)}</h1>"]
    for block in report.blocks:
        if isinstance(block, str):
            is_heading = block.startswith("## ")
            parts.append(f"<h2>{html.escape(block[3:])}</h2>" if is_heading else f"<p>{html.escape(block)}</p>")
        elif isinstance(block, Picture):
            data = base64.b64encode(block.path.read_bytes()).decode()
            caption = html.escape(block.caption, quote=True)
            image = f'<img src="data:image/png;base64,{data}" alt="{caption}">'
            parts.append(f"<figure>{image}<figcaption>{caption}</figcaption></figure>")
        else:
            parts.append(_html_table(block))
    title = html.escape(report.title)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _html_table(table: TextTable) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.header)
    rows = "\n".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    caption = html.escape(table.title)
    return f"<table><caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"
