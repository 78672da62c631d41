"""Reports on a league: rankings, winnings and history, as Markdown and as one HTML file, with pictures."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from card_baselines.league import pictures, tables
from card_baselines.league.divisions import KINDS
from card_baselines.league.league import League
from card_baselines.league.rankings import LABELS, MEASURES, RESAMPLES, Standings, rank
from card_baselines.league.winnings import load_rounds
from card_baselines.text_table import TextTable
from card_envs.files import replace_text
from card_envs.match.result import main_unit_of

__all__ = ["compute_standings", "to_html", "write_report"]

_MAX_COLUMNS = 12
"""Maximum number of members in tables that have a column for each."""


def compute_standings(
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
        LeagueError: The division or a measure is unknown, or there are no rounds.
        ValueError: No measure can be computed.
    """
    rows = league.divisions.values() if division is None else [league.division(division)]
    divisions = [row.id for row in rows if division is not None or not KINDS[row.kind].trains]
    game = league.game
    standings = rank(load_rounds(league.store, *divisions), game.chips_per_reward, measures, resamples, seed)
    if not standings.rankings:
        raise ValueError("; ".join(f"{LABELS[name]}: {reason}" for name, reason in standings.missing.items()))
    unit, factor = main_unit_of(game)
    names = {member.id: member.name for member in league.members.values()}
    return replace(standings, names=names, unit=unit, factor=factor)


def write_report(
    league: League, standings: Standings, folder: Path, by: str | None = None, kind: str = "League"
) -> Path:
    """Write report.md, report.html and the pictures of a league.

    Args:
        league: The league.
        standings: Its standings.
        folder: Folder of the report, made if it is missing.
        by: Measure by which tables are sorted; by default the first of the standings.
        kind: First word of the title, such as "Tournament".

    Returns:
        Path of the HTML page.
    """
    by = by or next(iter(standings.rankings))
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        f"# {kind} of {league.meta['env']}",
        _summarise(league, standings),
        *_describe_ranking(standings, by, folder),
        *_describe_winnings(standings, by, folder),
        *_describe_history(league, standings, folder, kind),
    ]
    text = "\n\n".join(parts) + "\n"
    replace_text(folder / "report.md", text)
    replace_text(folder / "report.html", to_html(text, folder))
    return folder / "report.html"


def _show_table(table: TextTable) -> str:
    return f"**{table.title}**\n\n{table.markdown()}"


def _show_picture(path: Path, caption: str) -> str:
    return f"![{caption}]({path.name})"


def _summarise(league: League, standings: Standings) -> str:
    settings = " ".join(f"{name}={value}" for name, value in league.meta["settings"].items())
    commit = league.meta["commit"] or "unknown"
    return (
        f"{league.meta['env']} {settings}".strip()
        + f", seed {league.meta['seed']}, commit {commit}. Rankings: {len(standings.members)} members, "
        f"{len(standings.rounds):,} rounds without learning, {standings.hands:,} hands; intervals: 95 %, "
        f"{standings.resamples} resamples."
    )


def _describe_ranking(standings: Standings, by: str, folder: Path) -> list[str]:
    pictures.draw_ranks(standings, by, folder / "ranks.png")
    sources: dict[str, list[str]] = {}
    for name, ranking in standings.rankings.items():
        sources.setdefault(ranking.source, []).append(LABELS[name])
    blocks = [
        "## Ranking",
        _show_table(tables.ranking_table(standings, by)),
        _show_picture(folder / "ranks.png", "Ranks by every measure, with 95 % intervals"),
        "Intervals: " + "; ".join(f"{', '.join(names)}: {source}" for source, names in sources.items()) + ".",
        *(f"{LABELS[name]} is missing: {reason}." for name, reason in standings.missing.items()),
    ]
    if len(standings.members) <= _MAX_COLUMNS:
        blocks.append(_show_table(tables.probability_table(standings, by)))
    return blocks


def _describe_winnings(standings: Standings, by: str, folder: Path) -> list[str]:
    """Return what members win from each other: a picture, and a table where there are few members."""
    if not standings.winnings.hands.any():
        return []
    blocks, path = ["## Who wins what from whom"], folder / "winnings.png"
    pictures.draw_winnings(standings, by, path)
    if len(standings.members) <= _MAX_COLUMNS:
        blocks.append(_show_table(tables.winnings_table(standings, by)))
    return [*blocks, _show_picture(path, f"Winnings of the row from the column, {standings.unit}")]


def _describe_history(league: League, standings: Standings, folder: Path, kind: str) -> list[str]:
    blocks = [f"## The {kind.lower()}", _show_table(tables.divisions_table(league))]
    for name, row in league.divisions.items():
        history = league.store.ratings(row.id)
        if history:
            path = folder / f"ratings-{row.id}.png"
            pictures.draw_ratings(history, standings.names, path)
            blocks.append(_show_picture(path, f"TrueSkill over the rounds of {name}"))
    blocks.append(_show_table(tables.members_table(league)))
    faults = tables.faults_table(league)
    return [*blocks, "## Faults", _show_table(faults)] if faults.rows else blocks


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: 13px; margin-bottom: 1.5rem; }
th, td { padding: 0.25rem 0.4rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
th { vertical-align: bottom; } td:first-child { white-space: nowrap; }
figure { margin: 1rem 0; } img { max-width: 100%; } figcaption { color: #555; font-size: 13px; }
"""


_INTERVAL = re.compile(r"(\[[-+.,\d]+,) ([-+.,\d]+\])")
_PICTURE = re.compile(r"<p>!\[(.*?)\]\(([\w.-]+\.png)\)</p>")


def to_html(text: str, folder: Path) -> str:
    """Return a report in Markdown as one HTML page, with the pictures that lie in a folder."""
    from markdown_it import MarkdownIt

    # names of members may be somebody else's: they make no links, no pictures and no HTML
    markdown = MarkdownIt("js-default").disable(["link", "image", "autolink"])

    def embed(picture: re.Match[str]) -> str:
        data = base64.b64encode((folder / picture[2]).read_bytes()).decode()
        image = f'<img src="data:image/png;base64,{data}" alt="{picture[1]}">'
        return f"<figure>{image}<figcaption>{picture[1]}</figcaption></figure>"

    title = html.escape(text.partition("\n")[0].removeprefix("# "))
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head += f"<title>{title}</title><style>{_STYLE}</style>"
    body = _PICTURE.sub(embed, _INTERVAL.sub("\\1&nbsp;\\2", markdown.render(text)))
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}</body></html>\n'
