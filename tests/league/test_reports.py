"""The page of a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from card_baselines.league import League
from card_baselines.league.rankings import rank
from card_baselines.league.report import compute_standings, to_html
from card_baselines.league.rounds import Earnings, RoundOutcome
from card_baselines.league.tables import probability_table, ranking_table, winnings_table


def test_tables_of_pairs_and_ranks() -> None:
    """Three members: one wins 1 and 3 chips a hand from the others, which differ by 2; 100 units are a chip."""
    pairs = {(1, 2): 400, (1, 3): 1200, (2, 3): 800}
    rounds = [
        RoundOutcome(k, 400, 400, {one: Earnings(1, won, won**2 / 399), other: Earnings(1, -won, won**2 / 399)})
        for k, ((one, other), won) in enumerate(pairs.items())
    ]
    ranked = rank(rounds, 1, ["mean"], resamples=20)
    standings = replace(ranked, names={1: "a", 2: "b", 3: "c"}, unit="bb/100", factor=100.0)
    table = winnings_table(standings, "mean")
    assert table.header == ("", "a", "b", "c") and [row[0] for row in table.rows] == ["a", "b", "c"]
    means = [[cell.partition(" ")[0] for cell in row[1:]] for row in table.rows]
    assert means == [["", "+100.0", "+300.0"], ["-100.0", "", "+200.0"], ["-300.0", "-200.0", ""]]
    assert [row[1:] for row in probability_table(standings, "mean").rows] == [
        ("", ">99%", ">99%"), ("<1%", "", ">99%"), ("<1%", "<1%", ""),
    ]  # fmt: skip
    rows = ranking_table(standings, "mean", best=2).rows
    assert [row[:2] for row in rows] == [("1", "a"), ("2", "b")] and rows[0][2].startswith("+200.0 [")


def test_a_single_deal_has_no_interval() -> None:
    rounds = [RoundOutcome(0, 2, 1, {1: Earnings(1, 4, 16.0), 2: Earnings(1, -4, 16.0)})]
    standings = replace(rank(rounds, 1, ["mean"], resamples=20), names={1: "a", 2: "b"}, unit="bb/100", factor=100.0)
    assert [row[1:] for row in winnings_table(standings, "mean").rows] == [
        ("", "+200.0 (no interval)"), ("-200.0 (no interval)", ""),
    ]  # fmt: skip
    scores = [row[2] for row in ranking_table(standings, "mean").rows]
    assert scores == ["+200.0 (no interval)", "-200.0 (no interval)"]


def test_intervals_in_the_page_stay_on_a_line(tmp_path: Path) -> None:
    page = to_html("# League\n\n| mean |\n| --- |\n| +23.58 [+0.021, +1,042.96] |\n", tmp_path)
    assert "<td>+23.58 [+0.021,&nbsp;+1,042.96]</td>" in page


def test_names_of_members_bring_nothing_into_the_page(tmp_path: Path) -> None:
    (tmp_path / "ranks.png").write_bytes(b"picture")
    text = """# League <of> x

![Ranks, with 95 % intervals](ranks.png)

**members**

| member | made by |
| --- | --- |
| <script>alert(1)</script> | [link](http://a.b) |
| ![seen](http://a.b/c.png) | <http://a.b> |
"""
    page = to_html(text, tmp_path)
    assert "<title>League &lt;of&gt; x</title>" in page and "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>" in page
    assert "<strong>members</strong>" in page
    assert page.count("<img ") == 1 and "data:image/png;base64,cGljdHVyZQ==" in page and "<a " not in page
    assert "<figcaption>Ranks, with 95 % intervals</figcaption>" in page


def test_rankings_do_not_depend_on_which_division_played_first(tmp_path: Path) -> None:
    scores = []
    for order in (("small", "large"), ("large", "small")):
        with League.new(tmp_path / order[0], "kuhn_poker-v0", seed=3) as league:
            league.add_agents("random", "always_call", "always_raise")
            league.add_division("small", "round_robin", hands=20)
            league.add_division("large", "round_robin", hands=500)
            for name in order:
                league.run({name: 6})
            scores.append(compute_standings(league, measures=("trueskill",)).rankings["trueskill"])
    assert scores[0].scores.tolist() == scores[1].scores.tolist()
    assert scores[0].draws.tolist() == scores[1].draws.tolist()
