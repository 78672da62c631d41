"""Tables about a league, as header and rows of text, for a terminal and for reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from card_baselines.league.league import League
from card_baselines.league.rankings import IN_UNITS, LABELS, Ranking, Standings
from card_baselines.league.ratings import Rating
from card_baselines.text_table import Columns, TextTable
from card_envs.game import check_count


def ranking_table(standings: Standings, by: str, best: int | None = None) -> TextTable:
    """Return the members sorted by one measure: its score, and ranks by all measures, with 95 % intervals."""
    rankings, leading = standings.rankings, standings.rankings[by]
    label = f"{LABELS[by]}, {standings.unit}" if by in IN_UNITS else LABELS[by]
    header = ("rank", "member", f"{label} (95 %)", *(LABELS[name] for name in rankings))
    rows = []
    for member in leading.best_first()[: None if best is None else check_count("best", best)]:
        i = standings.members.index(member)
        ranks = [_format_rank(ranking, i) for ranking in rankings.values()]
        score = _format_score(leading, i, standings.factor if by in IN_UNITS else 1.0)
        rows.append((str(leading.ranks[i]), standings.names[member], score, *ranks))
    return TextTable(f"ranked by {LABELS[by]}; ranks by every measure, with 95 % intervals", header, tuple(rows))


def probability_table(standings: Standings, by: str) -> TextTable:
    """Return the probability that each member is above each other by a measure."""
    ranking = standings.rankings[by]
    title = f"probability that the row is above the column by {LABELS[by]} ({ranking.source})"
    return _pair_table(title, standings, by, lambda one, other: _format_probability(ranking, one, other))


def winnings_table(standings: Standings, by: str) -> TextTable:
    """Return what members win from each other, with the half width of the 95 % interval, sorted by a measure."""
    winnings, factor, place = standings.winnings, standings.factor, standings.members.index

    def format_cell(one: int, other: int) -> str:
        cell = place(one), place(other)
        if not winnings.hands[cell]:  # the two have not met
            return "-"
        mean, half_width = factor * winnings.means[cell], factor * winnings.half_widths[cell]
        return f"{_format(mean)} ± {_format(half_width)[1:]}" if np.isfinite(half_width) else _without_interval(mean)

    title = f"{standings.unit} that each seat of the row wins when the column has the others"
    return _pair_table(title, standings, by, format_cell)


def _pair_table(title: str, standings: Standings, by: str, format_cell: Callable[[int, int], str]) -> TextTable:
    """Return a table with a row and a column for each member, sorted by a measure; the diagonal is empty."""
    order = standings.rankings[by].best_first()
    rows = [
        (standings.names[one], *("" if one == other else format_cell(one, other) for other in order)) for one in order
    ]
    return TextTable(title, ("", *(standings.names[member] for member in order)), tuple(rows))


def divisions_table(league: League) -> TextTable:
    """Return the divisions with their numbers of rounds and hands, speed, leader and faults."""
    played = {
        row[0]: row[1:]
        for row in league.store.rows(
            "SELECT r.division, COUNT(*), SUM(o.hands), SUM(o.seconds), MAX(o.made_at), COUNT(o.lost), "
            "SUM((SELECT COUNT(*) FROM faults f WHERE f.round = r.id)) FROM rounds r "
            "JOIN outcomes o ON o.round = r.id GROUP BY r.division"
        )
    }
    rows = []
    for row in league.divisions.values():
        rounds, hands, seconds, last, lost, faults = played.get(row.id, (0, 0, 0.0, "-", 0, 0))
        leaders = find_leaders(league.ratings(row.name), 1)
        rows.append((
            row.name, row.kind, str(len(league.store.entries(row.id)) or "all"), f"{rounds:,}", f"{hands:,}",
            f"{hands / seconds:,.0f}" if seconds else "-", last,
            league.members[leaders[0][0]].name if leaders else "-", str(faults), str(lost),
        ))  # fmt: skip
    header = ("division", "kind", "members", "rounds", "hands", "hands/s", "last round", "leads", "faults", "lost")
    return TextTable("divisions", header, tuple(rows))


def leaders_table(league: League, division: str, count: int) -> TextTable:
    """Return the leaders of a division by TrueSkill."""
    rows = [
        (str(number), league.members[member].name, f"{rating.mu:.1f}", f"{rating.sigma:.1f}")
        for number, (member, rating) in enumerate(find_leaders(league.ratings(division), count), 1)
    ]
    return TextTable(f"{division}: TrueSkill", ("rank", "member", "mu", "sigma"), rows)


def find_leaders(ratings: Mapping[int, Rating], count: int) -> list[tuple[int, Rating]]:
    """Return the members with the highest mean ratings."""
    return sorted(ratings.items(), key=lambda item: -item[1].mu)[: check_count("best", count)]


def faults_table(league: League, most: int = 20) -> TextTable:
    """Return the latest faults of members, and rounds that could not be played."""
    seeds = dict(league.store.rows("SELECT id, seed FROM rounds"))
    faults = [(round, fault.agent, f"{fault.decisions:,}", fault.first) for round, fault in league.store.faults()]
    lost = [(round, "-", "-", f"not played: {reason}") for round, reason in league.store.find_lost_rounds()]
    latest = sorted([*faults, *lost], key=lambda row: row[0])[-most:]
    rows = [(str(round), str(seeds[round]), *others) for round, *others in latest]
    return TextTable("faults", ("round", "seed", "member", "forfeited", "first"), rows)


def members_table(league: League) -> TextTable:
    """Return the members of the league with their roles and origins."""
    members = league.members
    divisions = {row.id: row.name for row in league.divisions.values()}
    columns: Columns = {
        "member": lambda member: member.name,
        "role": lambda member: "student" if member.learns else "clone" if member.is_trainee else "agent",
        "made by": lambda member: member.spec,
        "clone of": lambda member: members[member.parent].name if member.parent else "-",
        "generation": lambda member: str(member.generation),
        "division": lambda member: divisions.get(member.division or 0, "-"),
    }
    return TextTable.from_columns("members", columns, members.values())


def progress_table(league: League) -> TextTable:
    """Return the divisions with their progress, narrow enough for a small terminal."""
    full, names = divisions_table(league), ("division", "rounds", "hands/s", "last round", "leads", "faults")
    rows = []
    for row in full.rows:
        cell = dict(zip(full.header, row, strict=True))
        rows.append([format_age(cell[name]) if name == "last round" else cell[name] for name in names])
    return TextTable("divisions", [name.removesuffix(" round") for name in names], rows)


def format_age(moment: str) -> str:
    """Return the time since a moment of the store, such as "5 min ago"; "-" for no moment."""
    if moment == "-":
        return moment
    seconds = max(0.0, time.time() - time.mktime(time.strptime(moment, "%Y-%m-%d %H:%M:%S")))
    size, unit = next(
        (size, unit) for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (0, "s")) if seconds >= size
    )
    return f"{seconds / max(size, 1):.0f} {unit} ago"


def _format_score(ranking: Ranking, i: int, factor: float) -> str:
    score = _format(ranking.scores[i] * factor)
    if ranking.score_intervals is None:
        return score
    low, high = ranking.score_intervals[i] * factor
    if not np.isfinite(high - low):  # a round of one deal
        return _without_interval(ranking.scores[i] * factor)
    return f"{score} [{_format(low)}, {_format(high)}]"


def _without_interval(number: float) -> str:
    return f"{_format(number)} (no interval)"


def _format_rank(ranking: Ranking, i: int) -> str:
    rank = str(ranking.ranks[i])
    if ranking.rank_intervals is None:
        return rank
    low, high = ranking.rank_intervals[i]
    return f"{rank} [{low}, {high}]"


def _format(number: float) -> str:
    return f"{number:+,.1f}" if abs(number) >= 100 else f"{number:+.2f}" if abs(number) >= 1 else f"{number:+.3f}"


def _format_probability(ranking: Ranking, one: int, other: int) -> str:
    probability = ranking.probability_above(one, other)
    if np.isnan(probability):
        return "-"
    return ">99%" if probability >= 0.995 else "<1%" if probability < 0.005 else f"{probability:.0%}"
